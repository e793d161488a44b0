/* Comparison of the serving planner with all published figures. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SERVING_JUDGE_H
#define FLEETPLAN_TESTS_VALIDATION_SERVING_JUDGE_H

#include "validation/serving_scores.h"

/* Predicts every case with these constants. */
void serving_outcomes_fill(struct serving_cases *cases, const struct serving_constants *values, struct serving_outcomes *outcomes);

/* Fills without_model, without_accelerator, without_suite (later suites) and without_independent: refits from `values`
 * without each in turn. Takes about a minute. */
void serving_judge_left_out(struct serving_cases *cases, const struct serving_constants *values, struct serving_outcomes *outcomes);

/* True for a run that no vendor tuned: with an engine's default flags, or of a test that runs all engines in the same
 * way. */
bool serving_is_independent(const struct serving_case *item);

/* Fills without_independent of the independent runs: refits from `values` without all of them, so the constants are those
 * of vendors' tuned runs. */
void serving_judge_independent(struct serving_cases *cases, const struct serving_constants *values, struct serving_outcomes *outcomes);

/* Fills only without_suite. Takes about ten seconds. */
void serving_judge_suites_out(struct serving_cases *cases, const struct serving_constants *values, struct serving_outcomes *outcomes);

#endif
