/* Comparison of the training planner with all published figures: predictions, intervals and refusals, with the shipped
 * constants and with each suite left out of the fit. */
#ifndef FLEETPLAN_TESTS_VALIDATION_JUDGE_H
#define FLEETPLAN_TESTS_VALIDATION_JUDGE_H

#include "validation/fit.h"
#include "validation/runs.h"
#include "validation/slices.h"

struct judgement {
	struct outcomes outcomes;
	struct runs runs;
	size_t oom_planned;         /* runs that ran out of memory, but that the planner accepts */
	size_t ran, refused;        /* runs that ran; of these, the runs that the planner refuses for memory */
	double pinned_spread;       /* median p90/p10 of dense steps */
	double objective, refitted; /* of the fit: with the shipped constants, and after a refit from them */
	size_t constants;           /* of all kinds: fitted, set by hand, of practice */
};

/* Plans every case, and refits from the shipped constants without each suite in turn. Deterministic; takes about half a
 * minute. */
void judge_cases(struct validation_cases *cases, struct judgement *judgement);

/* One row of the table of bounds. */
struct limit {
	const char *what, *unit;
	double reached, least, most; /* the bound is met if least <= reached <= most */
	const char *where;           /* the suite with the reached value; NULL: not of one suite */
};

enum { LIMITS_MAX = 48 };

size_t limits_of(const struct judgement *judgement, struct limit *limits);
/* True if the bound is met by the value as it is printed, to a tenth of a percent: some bounds are figures printed
 * before. */
bool limit_held(const struct limit *limit);

#endif
