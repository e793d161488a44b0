#include "planner/operators/collective.h"

static const double torus_hop_s = 1e-6;

/* As many axes as the members need, each as long as the domain's root. */
static double torus_axes(const struct device *device, double members)
{
	double dimensions = (double)device->torus_dimensions;

	return fmin(dimensions, ceil(dimensions * log2(members) / log2((double)device->domain) - 1e-9));
}

struct group collective_group(const struct device *device, double ranks, double stride)
{
	double local = fmin(ranks, fmax(1, floor((double)device->domain / stride)));

	return (struct group){.ranks = ranks, .local = local, .axes = device->torus_dimensions > 0 && local > 1 ? torus_axes(device, local) : 0};
}

struct group collective_outer_group(const struct device *device, double ranks, double stride)
{
	struct group group = collective_group(device, ranks, stride);
	double dimensions = (double)device->torus_dimensions, slice = fmin(ranks * stride, (double)device->domain);

	if (group.axes > 0)
		group.axes = fmin(dimensions, fmax(1, rint(dimensions * log2(group.local) / log2(slice))));
	return group;
}

/* Of the links' rate inside a domain, what lies along the group's axes. */
static double local_rate_bytes_per_s(const struct device *device, struct group group)
{
	return group.axes > 0 ? device->link_bytes_per_s * group.axes / (double)device->torus_dimensions : device->link_bytes_per_s;
}

/* Chips that a message round the group's rings passes. */
static double torus_hops(struct group group)
{
	return group.axes > 0 ? group.axes * (pow(group.local, 1 / group.axes) - 1) : 0;
}

double collective_rate_bytes_per_s(const struct device *device, struct group group)
{
	double inside = local_rate_bytes_per_s(device, group);

	return group.local >= group.ranks ? inside : fmin(inside, group.local * device->nic_bytes_per_s);
}

static double link_latency_s(const struct device *device, const struct physics *physics)
{
	return device->link_latency_s > 0 ? device->link_latency_s : physics->link_latency_s;
}

/* Up a tree of domains and down again. */
static double tree_latency_s(const struct device *device, const struct physics *physics, struct group group)
{
	return link_latency_s(device, physics) + torus_hops(group) * torus_hop_s + physics->nic_latency_s * log2(group.ranks / group.local);
}

double collective_ring_latency_s(const struct device *device, const struct physics *physics, struct group group)
{
	if (group.ranks <= 1)
		return 0;
	return link_latency_s(device, physics) / 2 + torus_hops(group) * torus_hop_s + physics->nic_latency_s / 2 * (group.ranks / group.local - 1);
}

double collective_all_gather_s(const struct device *device, const struct physics *physics, struct group group, double bytes)
{
	if (group.ranks <= 1)
		return 0;
	return (group.ranks - 1) / group.ranks * bytes / collective_rate_bytes_per_s(device, group) + collective_ring_latency_s(device, physics, group);
}

double collective_all_reduce_s(const struct device *device, const struct physics *physics, struct group group, double bytes)
{
	if (group.ranks <= 1)
		return 0;
	return 2 * (group.ranks - 1) / group.ranks * bytes / collective_rate_bytes_per_s(device, group) + tree_latency_s(device, physics, group);
}

double collective_all_to_all_s(const struct device *device, const struct physics *physics, struct group group, double bytes, double copies)
{
	double inside, outside, domains = group.ranks / group.local, leaving = (group.ranks - group.local) / group.ranks;

	if (group.ranks <= 1)
		return 0;
	if (copies > 1 && domains > 1)
		leaving = (domains - 1) * (1 - pow(1 - 1 / domains, copies)) / copies;
	inside = (group.local - 1) / group.ranks * bytes / local_rate_bytes_per_s(device, group);
	if (group.axes > 0) /* a quarter of each ring, over the two links of its axis */
		inside = fmax(inside, group.local / group.ranks * bytes * pow(group.local, 1 / group.axes) / 4 * (double)device->torus_dimensions / device->link_bytes_per_s);
	outside = leaving * bytes / device->nic_bytes_per_s;
	return fmax(inside, outside) + tree_latency_s(device, physics, group);
}

double point_to_point_s(const struct device *device, const struct physics *physics, double stride, double bytes)
{
	bool inside = stride < (double)device->domain;

	double links = device->torus_dimensions > 0 ? 2.0 * (double)device->torus_dimensions : 1; /* one of which leads to the neighbour */

	return bytes / (inside ? device->link_bytes_per_s / links : device->nic_bytes_per_s) +
		(inside ? link_latency_s(device, physics) : physics->nic_latency_s) / 2;
}

double exposed_s(double communication_s, double hiding_s, double overlap)
{
	return communication_s - overlap * fmin(communication_s, hiding_s);
}
