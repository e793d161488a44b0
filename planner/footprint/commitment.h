/* E101. The cheapest mix of committed and on-demand instances for a demand that changes by the hour.
 *
 * The demand is in indivisible units (replicas, accelerators); an instance holds one unit or more. A committed
 * instance is paid every hour; any other instance is paid only in the hours in which it runs. For a given committed
 * capacity the two parts are independent: the cheapest committed instances that hold it, and for each hour the
 * cheapest other instances that hold the rest. Both are covering knapsacks. Dynamic programming solves them for every
 * capacity up to the peak, so the result is exact. Pure; the caller owns the memory; one thread. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_COMMITMENT_H
#define FLEETPLAN_PLANNER_FOOTPRINT_COMMITMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COMMITMENT_UNITS_MAX = 65536, COMMITMENT_HOURS_MAX = 168, COMMITMENT_OFFERS_MAX = 64 };

struct commitment_offer {
	int64_t units;       /* that one instance holds, >= 1 */
	double usd_per_hour; /* of one instance, >= 0; of a spot instance including the hours that interruptions cost */
	bool committed;      /* paid in every hour, used or not */
};

struct commitment_task {
	const struct commitment_offer *offers;
	size_t offer_count;    /* 1..COMMITMENT_OFFERS_MAX */
	const int64_t *demand; /* units in each hour, 0..COMMITMENT_UNITS_MAX */
	size_t hour_count;     /* 1..COMMITMENT_HOURS_MAX */
};

struct commitment_mix {
	int64_t committed_units;                       /* capacity of the committed instances */
	int64_t instances[COMMITMENT_OFFERS_MAX];      /* committed instances of each offer */
	int64_t peak_instances[COMMITMENT_OFFERS_MAX]; /* other instances of each offer in the hour with the highest demand */
	double committed_usd_per_hour;
	double used_usd_per_hour;        /* mean over the hours */
	double usd_per_hour;             /* committed + used */
	double uncommitted_usd_per_hour; /* cost without any commitment; absent: no on-demand or spot offer */
	double committed_utilization;    /* mean fraction of the committed capacity in use; absent without committed capacity */
};

/* Units of `group` accelerators that one instance of `gpus` accelerators holds. 1 if the unit needs several instances:
 * commitment_instances() says how many. */
static inline int64_t commitment_units(int64_t gpus, int64_t group)
{
	return gpus >= group ? gpus / group : 1;
}

static inline int64_t commitment_instances(int64_t gpus, int64_t group)
{
	return gpus >= group ? 1 : (group + gpus - 1) / gpus;
}

size_t commitment_workspace_bytes(const struct commitment_task *task);

/* E101. Computes the cheapest mix; of equally cheap mixes the one with the least commitment.
 *
 * Given:    task       offers and hourly demand, within the limits of struct commitment_task
 *           workspace  commitment_workspace_bytes(task) bytes, aligned as by malloc
 * Returned: true and the mix, USD per hour; false if the offers cannot hold the demand
 * Case:     tests/planner/test_commitment.c */
bool commitment_best(const struct commitment_task *task, void *workspace, struct commitment_mix *mix);

/* E102. Computes the utilization above which a committed instance costs less than the same instance paid by use.
 *
 * Given:    committed_usd_per_hour  price with the commitment, USD per hour, > 0
 *           used_usd_per_hour       price by use, USD per hour, > 0
 * Returned: committed price / price by use, a fraction of the hours; above 1 the commitment never pays
 * Case:     tests/planner/test_commitment.c */
double commitment_break_even_utilization(double committed_usd_per_hour, double used_usd_per_hour);

#endif
