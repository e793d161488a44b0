/* E100. When to run for the least: a piece of work under a rate that changes by the slot.
 *
 * Slots follow each other without a gap; each has a length in whole minutes and a rate, what an hour of running costs in it
 * (money, carbon, or a weighing of both; may be negative). The work takes `work_minutes` of running. Where it may pause, every
 * resumption costs `restart_minutes` of running that bring nothing; what is done before is never less than that. Exact, not
 * greedy: with costs that are linear within a slot, some best timetable has all its starts and stops but one on borders of slots,
 * so that a finite search finds it.
 *
 * The search: a Lagrange multiplier on the work done bounds every beginning of a timetable from below (Fisher 1981, The Lagrangian
 * relaxation method, Management Science 27, 1-18); a dynamic schedule over slots and minutes done follows only beginnings whose
 * bound is below the best timetable known. Pure; memory is the caller's; one thread. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_TIMETABLE_H
#define FLEETPLAN_PLANNER_FOOTPRINT_TIMETABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TIMETABLE_SLOTS_MAX = 105408, TIMETABLE_MINUTES_MAX = 366 * 24 * 60 }; /* a leap year, by five minutes */

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
	struct timetable_piece *pieces; /* the caller's, slot_count + 1 of them; in order, never touching */
	size_t count;
	double cost;
	double bound; /* no timetable costs less */
	bool proved;  /* nothing costs less by more than a billionth; else the least lies between bound and cost */
};

/* Bytes of workspace, aligned as malloc does, that the functions below want for this task. */
size_t timetable_workspace_bytes(const struct timetable_task *task);

/* The best piece without a pause, O(slots). False: the slots are too short for the work. Of equal ones the earliest. */
bool timetable_unbroken(const struct timetable_task *task, struct timetable_piece *piece, double *cost);

/* What running in these pieces, which lie within the slots, costs. */
double timetable_cost(const struct timetable_task *task, const struct timetable_piece *pieces, size_t count);

/* A good timetable, and how much better another could be, in O(slots): tells which of several tasks are worth a search. False: the
 * slots are too short for the work. */
bool timetable_sketch(const struct timetable_task *task, void *workspace, struct timetable *table);

/* The best timetable, likewise. A pause is made only where it saves more than a billionth. */
bool timetable_best(const struct timetable_task *task, void *workspace, struct timetable *table);

#endif
