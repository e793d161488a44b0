/* Shared declarations of E100: the relaxation that gives bounds, and the search that uses them. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_TIMETABLE_PRIVATE_H
#define FLEETPLAN_PLANNER_FOOTPRINT_TIMETABLE_PRIVATE_H

#include "planner/footprint/timetable.h"

/* Least cost of the slots from i on, less `multiplier` for each minute of work done, for a work that has not begun,
 * that runs, or that is paused before slot i. Arrays of slot_count + 1. */
struct timetable_relaxation {
	double multiplier; /* cost of a minute of work, >= 0 */
	double *fresh, *running, *paused;
	double bound; /* lower bound of every timetable's cost: fresh[0] + multiplier x work */
};

static inline double timetable_slot_cost(const struct timetable_task *task, size_t slot, int64_t minutes)
{
	return task->slots[slot].rate_per_hour / 60 * (double)minutes;
}

int64_t timetable_minutes(const struct timetable_task *task); /* sum over all slots */

/* Finds the multiplier with the highest bound. If `table` is not NULL it receives a timetable of exactly the work,
 * made from the relaxed answer by cutting the ends of its pieces; count 0 if that fails. */
void timetable_relax(const struct timetable_task *task, struct timetable_relaxation *relaxation, struct timetable *table);

enum timetable_search_end { TIMETABLE_NOTHING, TIMETABLE_FOUND, TIMETABLE_GAVE_UP };

size_t timetable_search_bytes(const struct timetable_task *task);

/* Finds the cheapest timetable below `limit`. NOTHING: there is none. FOUND: pieces and cost are filled. GAVE_UP: the
 * search exceeded its limits; the best timetable found by then, if any, is in `table`. */
enum timetable_search_end timetable_search(
	const struct timetable_task *task, const struct timetable_relaxation *relaxation, double limit, void *memory, struct timetable *table);

#endif
