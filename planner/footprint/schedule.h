/* POST /v1/schedules: the times, pieces and region in which a job runs with the least carbon or cost (E100, E103).
 *
 * Each region has series of carbon intensity and electricity price, constant within a step. The job draws its mean
 * power while it runs and while it restarts, and none while it is paused. It stays in one region. timetable.h finds
 * the least cost in each region exactly; the answer lists the pieces of the best region. Times are microseconds since
 * 1970; the planner uses whole minutes. Pure. */
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
	double carbon, cost; /* weight of the ratio to the carbon, and to the cost, of running at once */
};

struct schedule_request {
	const char *plan_id;              /* plan that provides the hours, power and restart that the request leaves out; NULL: none */
	double hours;                     /* of work, > 0; used in whole minutes, rounded up */
	double mean_kw;                   /* while the job runs, building included */
	enum truth checkpointable;        /* may pause: default false */
	double restart_minutes;           /* running time without progress after each pause; default 10 */
	int64_t earliest_us, deadline_us; /* ABSENT_COUNT: the beginning and the end of the series */
	struct {
		struct schedule_series *items;
		size_t count;
	} series;
	const char *as_of;               /* plan, catalogue and feeds are read as of this time; NULL: now */
	const char *series_source;       /* source of the intensities that the request did not give; NULL: it gave them all */
	struct schedule_weights weights; /* absent: carbon alone, or cost alone if no intensities are given */
	double carbon_usd_per_t;         /* instead of weights: the objective is cost plus this price times carbon */
};

struct schedule_piece {
	int64_t start_us, end_us;
	double kwh, kgco2e, usd; /* absent: the series has no such figure; so below */
};

/* One timetable in one region. */
struct schedule_choice {
	const char *region;
	int64_t start_us, end_us;
	int64_t pauses;
	double running_hours, restart_hours; /* running_hours includes restart_hours */
	double delay_hours;                  /* its end less the end of running at once */
	double kwh, kgco2e, usd;
	double objective;               /* E103. With weights that sum to 1 running at once is 1; with a price of carbon USD */
	double saved_kgco2e, saved_usd; /* against running at once; negative: it emits or costs more */
	double usd_per_t_saved;         /* extra cost for each tonne saved; absent: no carbon is saved, or the cost is not higher */
	enum truth proved;              /* true: no timetable is better; false: no timetable is better by more than `gap` */
	double gap;
};

struct schedule {
	struct schedule_choice now;      /* at the earliest time, in one piece, in the first region with enough time */
	struct schedule_choice unbroken; /* the best without a pause */
	struct schedule_choice best;
	size_t region_count;
	struct schedule_choice regions[SCHEDULE_SERIES_MAX]; /* the best timetable of each region, best first; regions without enough time are left out */
	struct {
		struct schedule_piece *items; /* the caller owns the memory */
		size_t count;
	} pieces; /* of the best timetable */
	struct findings findings;
};

/* Memory of the caller. */
struct schedule_memory {
	struct timetable_slot *slots; /* schedule_slots_max() items; pieces and answer: one more */
	struct timetable_piece *pieces;
	struct schedule_piece *answer;
	void *workspace; /* schedule_workspace_bytes() */
};

/* Return the slots of the longest series, and the bytes of workspace that a request needs. */
size_t schedule_slots_max(const struct schedule_request *request);
size_t schedule_workspace_bytes(const struct schedule_request *request);

/* E100, E103. Computes the best timetable in each region and the best of all.
 *
 * Given:    request  with hours, h, > 0, and mean_kw, kW, > 0
 *           memory   sized as struct schedule_memory says
 * Returned: STATUS_OK and the schedule, all figures finite or absent; STATUS_INVALID with the faults of the request;
 *             STATUS_INFEASIBLE if no region has enough time, with the change that helps
 * Case:     tests/planner/test_schedule.c */
FALLIBLE enum status planner_schedule(
	const struct schedule_request *request, const struct schedule_memory *memory, struct schedule *schedule, struct failure *failure);

#endif
