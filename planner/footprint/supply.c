#include "planner/footprint/supply.h"

#include <math.h>
#include <string.h>

bool supply_is_by_slice(const struct accelerator *accelerator)
{
	return accelerator->vendor && strcmp(accelerator->vendor, "google") == 0;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Accelerators of a group that work together on one machine: the group, at most a node. */
static int64_t group_on_machine(const struct candidate *candidate, int64_t group)
{
	return candidate->gpus_per_node >= 1 ? least(group, candidate->gpus_per_node) : group;
}

static int64_t paid_count(const struct offer *offer, int64_t count)
{
	int64_t size = offer->gpus >= 1 ? offer->gpus : 1;

	return (count + size - 1) / size * size;
}

int64_t supply_paid_count(const struct candidate *candidate, int64_t count)
{
	return candidate->has_offer && !supply_is_by_slice(&candidate->accelerator) ? paid_count(&candidate->offer, count) : count;
}

int64_t supply_rentable_count(const struct candidate *candidate, int64_t count)
{
	const struct slice_sizes *sizes = &candidate->slice_sizes;

	if (sizes->count > 0 && sizes->cube > 0 && count > sizes->cube && count <= sizes->chips[sizes->count - 1])
		return (count + sizes->cube - 1) / sizes->cube * sizes->cube;
	for (size_t i = 0; i < sizes->count; i++)
		if (sizes->chips[i] >= count)
			return sizes->chips[i];
	return sizes->count > 0 ? (count + sizes->joined - 1) / sizes->joined * sizes->joined : count;
}

static int64_t largest_of(const struct candidate *candidate)
{
	int64_t largest = 0;

	for (size_t i = 0; i < candidate->supply_count; i++)
		largest = candidate->supplies[i].offer.gpus > largest ? candidate->supplies[i].offer.gpus : largest;
	return largest;
}

static int64_t wanted_of(const struct candidate *candidate, int64_t group)
{
	return supply_is_by_slice(&candidate->accelerator) ? 1 : group_on_machine(candidate, group);
}

bool supply_suits(const struct candidate *candidate, int64_t group, const struct offer *offer)
{
	return offer->gpus >= least(wanted_of(candidate, group), largest_of(candidate));
}

double supply_usd_per_hour(const struct accelerator *accelerator, const struct offer *offer, int64_t count)
{
	return offer->usd_per_gpu_hour * (double)(supply_is_by_slice(accelerator) ? count : paid_count(offer, count));
}

const struct supply *supply_best(const struct candidate *candidate, int64_t group, int64_t count)
{
	int64_t least_gpus = least(wanted_of(candidate, group), largest_of(candidate));
	const struct supply *best = NULL;
	double best_usd_per_hour = HUGE_VAL;

	for (size_t i = 0; i < candidate->supply_count; i++) {
		const struct offer *offer = &candidate->supplies[i].offer;
		double usd_per_hour = supply_usd_per_hour(&candidate->accelerator, offer, count);

		if (offer->gpus < least_gpus || usd_per_hour >= best_usd_per_hour)
			continue;
		best = &candidate->supplies[i];
		best_usd_per_hour = usd_per_hour;
	}
	return best;
}

struct candidate supply_of_count(const struct candidate *candidate, int64_t group, int64_t count)
{
	struct candidate chosen = *candidate;
	const struct supply *best = supply_best(candidate, group, count);

	if (best) {
		chosen.offer = best->offer;
		chosen.site = best->site;
	}
	return chosen;
}

void supply_remark(const struct candidate *candidate, int64_t group, int64_t count, struct findings *findings)
{
	const struct offer *offer = &candidate->offer;
	int64_t wanted = group_on_machine(candidate, group), paid = supply_paid_count(candidate, count);

	if (supply_rentable_count(candidate, count) != count && group >= count)
		findings_warn(findings, "%lld of %s is not the size of a rented slice, but is planned as one; the next larger slice has %lld (%s)",
			(long long)count, candidate->accelerator.id, (long long)supply_rentable_count(candidate, count), candidate->slice_sizes.source);
	if (!candidate->has_offer || supply_is_by_slice(&candidate->accelerator))
		return;
	if (offer->gpus < wanted)
		findings_warn(findings,
			"no usable offer holds %lld of these accelerators in one instance: that of %s is for instances of %lld. Ask the provider whether it connects "
			"them at internode_gbs",
			(long long)wanted, offer->provider, (long long)offer->gpus);
	if (paid > count)
		findings_warn(findings,
			"%s rents instances of %lld accelerators: %lld are paid, %lld of them are used; the cost counts all, usd_per_gpu_hour is per "
			"accelerator used",
			offer->provider, (long long)offer->gpus, (long long)paid, (long long)count);
}
