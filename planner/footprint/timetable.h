/* E100. The cheapest timetable for a piece of work under a rate that changes by the slot.
 *
 * Slots follow each other without a gap. A slot has a length in whole minutes and a rate: the cost of an hour of
 * running in it (money, carbon, or a weighted sum of both; may be negative). The work takes `work_minutes` of running.
 * If it may pause, every resumption takes `restart_minutes` of running without progress. The search follows only
 * timetables whose work done, less restarts, never falls below 0. It is exact, not greedy: the cost is linear within a
 * slot, so some best timetable has all its starts and stops but one on borders of slots, and a finite search finds it.
 *
 * A Lagrange multiplier on the work done gives a lower bound for every beginning of a timetable (Fisher 1981, The
 * Lagrangian relaxation method, Management Science 27, 1-18). A dynamic programme over slots and minutes done follows
 * only beginnings whose bound is below the best timetable known. Pure; the caller owns the memory; one thread. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_TIMETABLE_H
#define FLEETPLAN_PLANNER_FOOTPRINT_TIMETABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TIMETABLE_SLOTS_MAX = 105408, TIMETABLE_MINUTES_MAX = 366 * 24 * 60 }; /* a leap year in steps of five minutes */

struct timetable_slot {
	int32_t minutes;      /* >= 1 */
	double rate_per_hour; /* finite */
};

struct timetable_task {
	const struct timetable_slot *slots;
	size_t slot_count;
	int64_t work_minutes;    /* 1..TIMETABLE_MINUTES_MAX */
	int64_t restart_minutes; /* 0..TIMETABLE_MINUTES_MAX, of each resumption */
	bool pauses;             /* false: one piece */
};

/* Minutes from the beginning of the first slot. */
struct timetable_piece {
	int64_t start_minute, end_minute;
};

struct timetable {
	struct timetable_piece *pieces; /* the caller owns them, slot_count + 1 items; in order, with gaps between them */
	size_t count;
	double cost;
	double bound; /* no timetable costs less */
	bool proved;  /* true: no timetable costs less by more than a billionth; false: the least cost is between bound and cost */
};

/* Returns the bytes of workspace, aligned as by malloc, that the functions below need for this task. */
size_t timetable_workspace_bytes(const struct timetable_task *task);

/* E100. Finds the cheapest single piece in O(slots); of equally cheap pieces the earliest.
 *
 * Given:    task  as described above
 * Returned: true, the piece, and *cost in the unit of the rates; false if the slots are shorter than the work
 * Case:     tests/planner/test_timetable.c */
bool timetable_unbroken(const struct timetable_task *task, struct timetable_piece *piece, double *cost);

/* Returns the cost of running in these pieces, which lie within the slots. */
double timetable_cost(const struct timetable_task *task, const struct timetable_piece *pieces, size_t count);

/* E100. Finds a good timetable and a lower bound in O(slots). The bounds of several tasks tell which of them are worth
 * a search.
 *
 * Given:    task       as described above
 *           workspace  timetable_workspace_bytes() bytes
 * Returned: true and the table, with bound and proved; false if the slots are shorter than the work */
bool timetable_sketch(const struct timetable_task *task, void *workspace, struct timetable *table);

/* E100. Finds the cheapest timetable. It pauses only if that saves more than a billionth of the cost.
 *
 * Given:    task       as described above
 *           workspace  timetable_workspace_bytes() bytes
 * Returned: true and the table; `proved` is false if the search gave up; false if the slots are shorter than the work
 * Case:     tests/planner/test_timetable.c */
bool timetable_best(const struct timetable_task *task, void *workspace, struct timetable *table);

#endif
