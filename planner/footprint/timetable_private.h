/* What the parts of E100 share: the relaxation that bounds, and the search that it guides. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_TIMETABLE_PRIVATE_H
#define FLEETPLAN_PLANNER_FOOTPRINT_TIMETABLE_PRIVATE_H

#include "planner/footprint/timetable.h"

/* Least cost, each minute of work done taken off at `multiplier`, of what follows the border before slot i: for a work that has not
 * begun, runs, or pauses. Arrays of slot_count + 1. */
struct timetable_relaxation {
	double multiplier; /* cost of a minute of work, >= 0 */
	double *fresh, *running, *paused;
	double bound;      /* of any timetable's cost: fresh[0] + multiplier x work */
};

static inline double timetable_slot_cost(const struct timetable_task *task, size_t slot, int64_t minutes)
{
	return task->slots[slot].rate_per_hour / 60 * (double)minutes;
}

int64_t timetable_minutes(const struct timetable_task *task); /* of all slots */

/* The multiplier with the highest bound; in `table`, if work can be taken off the relaxed answer's ends, a timetable of just the work
 * (count 0: none). */
void timetable_relax(const struct timetable_task *task, struct timetable_relaxation *relaxation, struct timetable *table);

enum timetable_search_end { TIMETABLE_NOTHING, TIMETABLE_FOUND, TIMETABLE_GAVE_UP };

size_t timetable_search_bytes(const struct timetable_task *task);

/* The cheapest timetable below `limit`. NOTHING: there is none. GAVE_UP: there was too much to follow; what was found by then, if
 * anything, is in `table`. FOUND and GAVE_UP with a count fill pieces and cost. */
enum timetable_search_end timetable_search(const struct timetable_task *task, const struct timetable_relaxation *relaxation,
	double limit, void *memory, struct timetable *table);

#endif
