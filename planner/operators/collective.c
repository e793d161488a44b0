#include "planner/operators/collective.h"

struct group collective_group(const struct device *device, double ranks, double stride)
{
	double local = floor((double)device->domain / stride);

	return (struct group){.ranks = ranks, .local = fmin(ranks, fmax(1, local))};
}

double collective_rate_bytes_per_s(const struct device *device, struct group group)
{
	return group.local >= group.ranks ? device->link_bytes_per_s
	                                  : fmin(device->link_bytes_per_s, group.local * device->nic_bytes_per_s);
}

/* Up a tree of domains and down again. */
static double tree_latency_s(const struct physics *physics, struct group group)
{
	return physics->link_latency_s + physics->nic_latency_s * log2(group.ranks / group.local);
}

double collective_ring_latency_s(const struct physics *physics, struct group group)
{
	return physics->link_latency_s / 2 + physics->nic_latency_s / 2 * (group.ranks / group.local - 1);
}

double collective_all_gather_s(const struct device *device, const struct physics *physics, struct group group, double bytes)
{
	if (group.ranks <= 1)
		return 0;
	return (group.ranks - 1) / group.ranks * bytes / collective_rate_bytes_per_s(device, group) + collective_ring_latency_s(physics, group);
}

double collective_all_reduce_s(const struct device *device, const struct physics *physics, struct group group, double bytes)
{
	if (group.ranks <= 1)
		return 0;
	return 2 * (group.ranks - 1) / group.ranks * bytes / collective_rate_bytes_per_s(device, group) + tree_latency_s(physics, group);
}

double collective_all_to_all_s(const struct device *device, const struct physics *physics, struct group group, double bytes, double copies)
{
	double inside, outside, domains = group.ranks / group.local, leaving = (group.ranks - group.local) / group.ranks;

	if (group.ranks <= 1)
		return 0;
	if (copies > 1 && domains > 1)
		leaving = (domains - 1) * (1 - pow(1 - 1 / domains, copies)) / copies;
	inside = (group.local - 1) / group.ranks * bytes / device->link_bytes_per_s;
	outside = leaving * bytes / device->nic_bytes_per_s;
	return fmax(inside, outside) + tree_latency_s(physics, group);
}

double point_to_point_s(const struct device *device, const struct physics *physics, double stride, double bytes)
{
	bool inside = stride < (double)device->domain;

	return bytes / (inside ? device->link_bytes_per_s : device->nic_bytes_per_s) +
		(inside ? physics->link_latency_s : physics->nic_latency_s) / 2;
}

double exposed_s(double communication_s, double hiding_s, double overlap)
{
	return communication_s - overlap * fmin(communication_s, hiding_s);
}
