/* Practice: what a run really takes over what its plan's steps and failures account for (E131), by named parts.
 *
 * A part is a factor with its p10 and p90. What the request, a measurement or an observation says replaces the part that it knows: the
 * part is then left out. Runs of one's own move the parts that are left (E134). Text is static or borrowed. */
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
	double value, low, high; /* product of the parts: p50, p10, p90; 1 without parts */
	double step_factor;      /* of `value`, by which steps take longer; the rest is time beside the steps */
	double own_runs, own_weight; /* E134: runs of one's own that count, as so many like ones, and their weight against the published ones; absent: none */
	size_t part_count;
	struct practice_part parts[PRACTICE_PARTS_MAX];
};

#endif
