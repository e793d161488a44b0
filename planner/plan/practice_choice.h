/* Practice: the time of a real run over the time that the plan's steps and failures take (E131), as a product of named
 * parts.
 *
 * A part is a factor with its p10 and p90. If the request, a measurement or an observation gives the figure of a part,
 * the part is left out. The client's own runs change the remaining parts (E134). Text is static or borrowed. */
#ifndef FLEETPLAN_PLANNER_PLAN_PRACTICE_CHOICE_H
#define FLEETPLAN_PLANNER_PLAN_PRACTICE_CHOICE_H

#include <stddef.h>

enum practice_kind { PRACTICE_UNSET, PRACTICE_RECIPE, PRACTICE_TYPICAL, PRACTICE_FIRST_RUN, PRACTICE_COUNT };

enum { PRACTICE_PARTS_MAX = 5 };

struct practice_part {
	const char *name;
	double factor, low, high; /* p50, p10, p90 */
	const char *source;
};

struct practice {
	double value, low, high;     /* product of the parts: p50, p10, p90; 1 without parts */
	double step_factor;          /* the part of `value` that makes steps longer; the rest is time beside the steps */
	double own_runs, own_weight; /* E134: the client's own runs, as a number of runs like this one, and their weight; absent: none */
	size_t part_count;
	struct practice_part parts[PRACTICE_PARTS_MAX];
};

#endif
