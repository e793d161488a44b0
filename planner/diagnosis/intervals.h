/* Sets of stretches of time, gathered in any order (E80).
 *
 * A set lies in memory of the caller: `items` holds `count` intervals in any order until intervals_settle() has sorted them
 * and merged those that overlap. Times are any unit, as long as it is one. */
#ifndef FLEETPLAN_PLANNER_DIAGNOSIS_INTERVALS_H
#define FLEETPLAN_PLANNER_DIAGNOSIS_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>

struct span {
	double start, end; /* start <= end, both finite */
};

struct intervals {
	struct span *items;
	size_t count, capacity;
	bool unsettled; /* something stands out of order */
};

/* Adds [start, end). What continues the latest interval extends it, so that events in order take one item a busy stretch.
 * False: there is no room; the set is as before. */
bool intervals_add(struct intervals *set, double start, double end);

/* Sorts in place and merges intervals that overlap or lie at most `bridge` apart; zero bridge joins only those that touch. */
void intervals_settle(struct intervals *set, double bridge);

#endif
