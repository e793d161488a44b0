/* Holds the training planner against every published figure: predictions, intervals, refusals, and the same with suites left out. */
#ifndef FLEETPLAN_TESTS_VALIDATION_JUDGE_H
#define FLEETPLAN_TESTS_VALIDATION_JUDGE_H

#include "validation/fit.h"
#include "validation/runs.h"
#include "validation/slices.h"

struct judgement {
	struct outcomes outcomes;
	struct runs runs;
	size_t oom_planned;          /* runs that ran out of memory, but are planned */
	size_t ran, refused;         /* runs that ran; those of them that are refused for memory */
	double pinned_spread;        /* median p90/p10 of dense steps */
	double objective, refitted;  /* of the fit, with the shipped constants and after refitting from them */
	size_t constants; /* fitted, set for compiled steps, of practice */
};

/* Plans every case and refits without each suite in turn (from the shipped constants). Deterministic, about half a minute. */
void judge_cases(struct validation_cases *cases, struct judgement *judgement);

/* One row of the table of bounds. */
struct limit {
	const char *what, *unit;
	double reached, least, most; /* held: least <= reached <= most */
	const char *where;           /* the suite that decides; NULL */
};

enum { LIMITS_MAX = 48 };

size_t limits_of(const struct judgement *judgement, struct limit *limits);
bool limit_held(const struct limit *limit);

#endif
