/* Holds the serving planner against every published figure, and what fits against what cannot. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SERVING_JUDGE_H
#define FLEETPLAN_TESTS_VALIDATION_SERVING_JUDGE_H

#include "validation/serving_scores.h"

/* Predicts every case. */
void serving_outcomes_fill(
	struct serving_cases *cases, const struct serving_constants *values, struct serving_outcomes *outcomes);

/* Fills without_model, without_accelerator and, of the suites away from home, without_suite: refits from `values` without each in turn. About a minute. */
void serving_judge_left_out(
	struct serving_cases *cases, const struct serving_constants *values, struct serving_outcomes *outcomes);

/* A run that nobody tuned for its vendor: with the flags that an engine starts with, or by a test that treats all alike. */
bool serving_is_independent(const struct serving_case *item);

/* Fills without_independent: of the independent runs, refitted from `values` without all of them, so that constants are those of vendors' tuned runs. */
void serving_judge_independent(
	struct serving_cases *cases, const struct serving_constants *values, struct serving_outcomes *outcomes);

/* The same of without_suite alone. About ten seconds. */
void serving_judge_suites_out(
	struct serving_cases *cases, const struct serving_constants *values, struct serving_outcomes *outcomes);

#endif
