/* Holds the serving planner against every published figure, and what fits against what cannot. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SERVING_JUDGE_H
#define FLEETPLAN_TESTS_VALIDATION_SERVING_JUDGE_H

#include "validation/serving_scores.h"

/* Predicts every case. */
void serving_outcomes_fill(
	struct serving_cases *cases, const struct serving_constants *values, struct serving_outcomes *outcomes);

/* Fills without_model and without_accelerator: refits from `values` without each in turn. About half a minute. */
void serving_judge_left_out(
	struct serving_cases *cases, const struct serving_constants *values, struct serving_outcomes *outcomes);

#endif
