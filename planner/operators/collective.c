#include "planner/operators/collective.h"

static const double torus_hop_s = 1e-6;

/* Returns the number of axes that the members need; an axis is as long as the dimensions-th root of the domain. */
static double torus_axes(const struct device *device, double members)
{
	double dimensions = (double)device->torus_dimensions;

	return fmin(dimensions, ceil(dimensions * log2(members) / log2((double)device->domain) - 1e-9));
}

struct group collective_group(const struct device *device, double ranks, double stride)
{
	double local = fmin(ranks, fmax(1, floor((double)device->domain / stride)));
	double machine = fmax(local, fmin(ranks, fmax(1, floor((double)device->reach / stride))));

	return (struct group){.ranks = ranks,
		.local = local,
		.axes = device->torus_dimensions > 0 && local > 1 ? torus_axes(device, local) : 0,
		.machine = machine,
		.abreast = machine > local && machine * stride > (double)device->root ? fmin(stride, (double)device->root) : 0};
}

struct group collective_outer_group(const struct device *device, double ranks, double stride)
{
	struct group group = collective_group(device, ranks, stride);
	double dimensions = (double)device->torus_dimensions, slice = fmin(ranks * stride, (double)device->domain);

	if (group.axes > 0)
		group.axes = fmin(dimensions, fmax(1, rint(dimensions * log2(group.local) / log2(slice))));
	return group;
}

/* Returns the part of the links' rate that lies along the group's axes. */
static double local_rate_bytes_per_s(const struct device *device, struct group group)
{
	return group.axes > 0 ? device->link_bytes_per_s * group.axes / (double)device->torus_dimensions : device->link_bytes_per_s;
}

/* Returns the chips that a message round the group's rings passes. */
static double torus_hops(struct group group)
{
	return group.axes > 0 ? group.axes * (pow(group.local, 1 / group.axes) - 1) : 0;
}

/* E140. Returns the rate across domains of one machine. */
static double machine_rate_bytes_per_s(const struct device *device, struct group group)
{
	double rate = fmin(local_rate_bytes_per_s(device, group), group.local * device->peer_bytes_per_s);

	return group.abreast > 0 ? fmin(rate, fmin(device->socket_bytes_per_s, device->sockets_bytes_per_s / group.abreast)) : rate;
}

double collective_rate_bytes_per_s(const struct device *device, struct group group)
{
	double inside = group.machine > group.local ? machine_rate_bytes_per_s(device, group) : local_rate_bytes_per_s(device, group);

	return group.machine >= group.ranks ? inside : fmin(inside, group.machine * device->nic_bytes_per_s);
}

static double link_latency_s(const struct device *device, const struct physics *physics)
{
	return device->link_latency_s > 0 ? device->link_latency_s : physics->link_latency_s;
}

/* Returns the latency up a tree of machines and down again. */
static double tree_latency_s(const struct device *device, const struct physics *physics, struct group group)
{
	return link_latency_s(device, physics) + torus_hops(group) * torus_hop_s + physics->nic_latency_s * log2(group.ranks / group.machine);
}

double collective_ring_latency_s(const struct device *device, const struct physics *physics, struct group group)
{
	if (group.ranks <= 1)
		return 0;
	return link_latency_s(device, physics) / 2 + torus_hops(group) * torus_hop_s +
		physics->nic_latency_s / 2 * (group.ranks / group.machine - 1);
}

double collective_all_gather_s(const struct device *device, const struct physics *physics, struct group group, double bytes)
{
	if (group.ranks <= 1)
		return 0;
	return (group.ranks - 1) / group.ranks * bytes / collective_rate_bytes_per_s(device, group) +
		collective_ring_latency_s(device, physics, group);
}

double collective_all_reduce_s(const struct device *device, const struct physics *physics, struct group group, double bytes)
{
	if (group.ranks <= 1)
		return 0;
	return 2 * (group.ranks - 1) / group.ranks * bytes / collective_rate_bytes_per_s(device, group) + tree_latency_s(device, physics, group);
}

/* E140. Returns the time of an all-to-all across domains of one machine: each card through its PCIe port, and half of
 * the bytes of all cards through the machine's processors. */
static double machine_exchange_s(const struct device *device, struct group group, double bytes)
{
	double ports_s, cards = (double)device->node;

	if (!(group.machine > group.local))
		return 0;
	ports_s = (group.machine - group.local) / group.ranks * bytes / device->peer_bytes_per_s;
	return group.abreast > 0 ? fmax(ports_s, cards / 2 * group.machine / 2 / group.ranks * bytes / device->sockets_bytes_per_s) : ports_s;
}

double collective_exchange_s(const struct device *device, struct group group, double bytes, double copies)
{
	double inside, outside, machines = group.ranks / group.machine, leaving = (group.ranks - group.machine) / group.ranks;

	if (group.ranks <= 1)
		return 0;
	if (copies > 1 && machines > 1)
		leaving = (machines - 1) * (1 - pow(1 - 1 / machines, copies)) / copies;
	inside = (group.local - 1) / group.ranks * bytes / local_rate_bytes_per_s(device, group);
	if (group.axes > 0) /* a quarter of each ring, over the two links of its axis */
		inside = fmax(inside,
			group.local / group.ranks * bytes * pow(group.local, 1 / group.axes) / 4 * (double)device->torus_dimensions /
				device->link_bytes_per_s);
	outside = leaving * bytes / device->nic_bytes_per_s;
	return fmax(fmax(inside, machine_exchange_s(device, group, bytes)), outside);
}

double collective_all_to_all_s(const struct device *device, const struct physics *physics, struct group group, double bytes, double copies)
{
	return group.ranks > 1 ? collective_exchange_s(device, group, bytes, copies) + tree_latency_s(device, physics, group) : 0;
}

double point_to_point_s(const struct device *device, const struct physics *physics, double stride, double bytes)
{
	double links = device->torus_dimensions > 0 ? 2.0 * (double)device->torus_dimensions : 1; /* one of these links leads to the neighbour */
	double rate = device->link_bytes_per_s / links;

	if (stride >= (double)device->reach)
		return bytes / device->nic_bytes_per_s + physics->nic_latency_s / 2;
	if (stride >= (double)device->domain)
		rate = fmin(rate,
			device->node > device->root ? fmin(device->socket_bytes_per_s, device->sockets_bytes_per_s / stride) : device->peer_bytes_per_s);
	return bytes / rate + link_latency_s(device, physics) / 2;
}

double collective_linked_s(const struct device *device, const struct physics *physics, struct group group, double time_s)
{
	double rate = collective_rate_bytes_per_s(device, group), latency_s = collective_ring_latency_s(device, physics, group);

	return latency_s + (time_s - latency_s) * rate / fmax(rate, device->link_bytes_per_s);
}

double exposed_s(double communication_s, double hiding_s, double overlap)
{
	return communication_s - overlap * fmin(communication_s, hiding_s);
}
