/* E101. What to commit to, and what to pay by use, for a demand that changes by the hour.
 *
 * Demand is in units that are indivisible (replicas, accelerators); instances hold one unit or more. Committed instances are
 * paid every hour, used or not; the others only in hours in which they run. For a given committed capacity the two parts separate:
 * the cheapest instances that hold it, and for each hour the cheapest that hold the rest. Both are covering knapsacks, solved by
 * dynamic programming for every capacity up to the peak, so that the cheapest of all capacities is the cheapest mix: exact.
 * Pure; memory is the caller's; one thread. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_COMMITMENT_H
#define FLEETPLAN_PLANNER_FOOTPRINT_COMMITMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COMMITMENT_UNITS_MAX = 65536, COMMITMENT_HOURS_MAX = 168, COMMITMENT_OFFERS_MAX = 64 };

struct commitment_offer {
	int64_t units;       /* that one instance holds, >= 1 */
	double usd_per_hour; /* of one instance, >= 0; of spot capacity with the hours that interruptions cost */
	bool committed;      /* paid whether it is used or not */
};

struct commitment_task {
	const struct commitment_offer *offers;
	size_t offer_count;  /* 1..COMMITMENT_OFFERS_MAX */
	const int64_t *demand; /* units by the hour, 0..COMMITMENT_UNITS_MAX */
	size_t hour_count;   /* 1..COMMITMENT_HOURS_MAX */
};

struct commitment_mix {
	int64_t committed_units;                   /* capacity of the committed instances */
	int64_t instances[COMMITMENT_OFFERS_MAX];  /* committed ones, by offer */
	int64_t peak_instances[COMMITMENT_OFFERS_MAX]; /* paid by use, in the hour with the highest demand */
	double committed_usd_per_hour;
	double used_usd_per_hour;                  /* mean over the hours */
	double usd_per_hour;                       /* both */
	double uncommitted_usd_per_hour;           /* all of it by use; absent: there is no such offer */
	double committed_utilization;              /* mean part of the committed capacity that is used; absent without any */
};

/* Units of `group` accelerators that an instance of `gpus` holds; a unit of several instances takes so many at once. */
static inline int64_t commitment_units(int64_t gpus, int64_t group)
{
	return gpus >= group ? gpus / group : 1;
}

static inline int64_t commitment_instances(int64_t gpus, int64_t group)
{
	return gpus >= group ? 1 : (group + gpus - 1) / gpus;
}

size_t commitment_workspace_bytes(const struct commitment_task *task);

/* The cheapest mix; of equal ones that with the least commitment. False: no offer at all holds anything. */
bool commitment_best(const struct commitment_task *task, void *workspace, struct commitment_mix *mix);

/* E102. Part of the hours in which a committed instance must be used to cost no more than one paid by use. Given: both prices,
 * USD per hour, of the same instance (> 0). Returned: committed over used; above 1 it never pays. */
double commitment_break_even_utilization(double committed_usd_per_hour, double used_usd_per_hour);

#endif
