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

/* The same of without_suite alone. About ten seconds. */
void serving_judge_suites_out(
	struct serving_cases *cases, const struct serving_constants *values, struct serving_outcomes *outcomes);

#endif
