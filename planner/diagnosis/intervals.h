/* Sets of time intervals, added in any order (E80).
 *
 * The caller owns the memory: `items` has `count` intervals in any order until intervals_settle() sorts them and merges
 * those that overlap. All times of a set have one unit, which the caller chooses. */
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
	bool unsettled; /* the items are out of order */
};

/* Adds [start, end). An interval that continues the latest one extends it, so that events in order take one item for
 * each busy stretch. False: there is no room; the set is unchanged. */
bool intervals_add(struct intervals *set, double start, double end);

/* Sorts in place and merges intervals that overlap or are at most `bridge` apart; bridge 0 joins only those that
 * touch. */
void intervals_settle(struct intervals *set, double bridge);

#endif
