/* POST /v1/schedules: when, in which pieces and in which of several regions a job runs for the least carbon or money (E100, E103).
 *
 * Intensities and prices of electricity are series by region, constant within a step. The job draws its mean power while it runs
 * and while it restarts, and nothing while it is paused. It stays in one region. What each region costs is found exactly
 * (timetable.h); the best of them is answered piece by piece. Times are microseconds since 1970, used by the minute. Pure. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_SCHEDULE_H
#define FLEETPLAN_PLANNER_FOOTPRINT_SCHEDULE_H

#include "base/failure.h"
#include "planner/findings.h"
#include "planner/footprint/timetable.h"

enum { SCHEDULE_SERIES_MAX = 64 };

struct schedule_series {
	const char *region;
	int64_t start_us, step_minutes;
	struct number_list gco2e_per_kwh, usd_per_kwh; /* the same length where both are given */
};

struct schedule_weights {
	double carbon, cost; /* of their parts of what running at once emits and costs */
};

struct schedule_request {
	const char *plan_id; /* whose hours, power and restart are taken where the request has none; NULL: none */
	double hours;        /* of work, > 0; used in whole minutes, rounded up */
	double mean_kw;      /* while it runs, building included */
	enum truth checkpointable; /* may pause: default false */
	double restart_minutes;    /* of running that bring nothing after a pause; default 10 */
	int64_t earliest_us, deadline_us; /* ABSENT_COUNT: where series begin and end */
	struct {
		struct schedule_series *items;
		size_t count;
	} series;
	const char *as_of;         /* with the plan, the catalogue and the hours of feeds as they were known then; NULL: now */
	const char *series_source; /* where intensities come from that the request did not give; NULL: it gave them all */
	struct schedule_weights weights; /* absent: carbon alone, or cost where no intensities are given */
	double carbon_usd_per_t;         /* instead of weights: money, with a price on carbon */
};

struct schedule_piece {
	int64_t start_us, end_us;
	double kwh, kgco2e, usd; /* absent where the series does not tell; so below */
};

/* One way to run it. */
struct schedule_choice {
	const char *region;
	int64_t start_us, end_us;
	int64_t pauses;
	double running_hours, restart_hours; /* running: restarts included */
	double delay_hours;                  /* its end after that of running at once */
	double kwh, kgco2e, usd;
	double objective; /* of running at once: 1 with weights that sum to 1; USD with a price on carbon */
	double saved_kgco2e, saved_usd; /* against running at once; negative: it emits, costs more */
	double usd_per_t_saved;         /* extra money for each tonne saved; absent where nothing is saved or it costs no more */
	enum truth proved;              /* no timetable is better; false: none is better by more than `gap` */
	double gap;
};

struct schedule {
	struct schedule_choice now;      /* at the earliest time, unbroken, in the first region that can */
	struct schedule_choice unbroken; /* the best without a pause */
	struct schedule_choice best;
	size_t region_count;
	struct schedule_choice regions[SCHEDULE_SERIES_MAX]; /* the best in each, best first; a region that cannot hold it is left out */
	struct {
		struct schedule_piece *items; /* the caller's memory */
		size_t count;
	} pieces; /* of the best */
	struct findings findings;
};

/* What the planner is lent. */
struct schedule_memory {
	struct timetable_slot *slots;   /* slots_max of them; so all below, pieces one more */
	struct timetable_piece *pieces;
	struct schedule_piece *answer;
	void *workspace;                /* schedule_workspace_bytes() */
};

/* Slots that the longest series has, and the bytes of workspace that a request wants. */
size_t schedule_slots_max(const struct schedule_request *request);
size_t schedule_workspace_bytes(const struct schedule_request *request);

/* Given: the request with hours and mean_kw. Returned: the schedule, all figures finite or absent. INVALID with faults for what
 * contradicts itself; INFEASIBLE where no region's window holds the job, with what to change. */
FALLIBLE enum status planner_schedule(const struct schedule_request *request, const struct schedule_memory *memory,
	struct schedule *schedule, struct failure *failure);

#endif
