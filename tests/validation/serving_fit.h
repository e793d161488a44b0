/* Fit of the constants of the serving model to the published measurements. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SERVING_FIT_H
#define FLEETPLAN_TESTS_VALIDATION_SERVING_FIT_H

#include "validation/serving_cases.h"
#include "validation/solver.h"

/* True for a case that a fit must not see. */
typedef bool serving_filter(const struct serving_case *item, const void *argument);

/* True for cases of the same model, accelerator or suite as the case `argument`. Models of one shape under several names
 * (Llama 3.1 and 3.3 70B, DeepSeek V3 and R1) count as one model. */
serving_filter serving_same_model;
serving_filter serving_same_accelerator;
serving_filter serving_same_suite;

/* List the fitted constants, and those taken directly from measurements. */
void serving_constants_list(struct constants *constants);
void serving_measured_list(struct constants *constants);

/* Return the solver's objective over all cases; serving_fit_run() first runs the solver from the given constants, without
 * the cases that `without` picks (NULL: with all). The figures of one quantity, model and accelerator together weigh as
 * the square root of their number; those of TTFT half as much, of TPOT 1.5 times.
 * Figures of later suites have 0.5 of the weight, those of the ML.ENERGY leaderboard 0.3. */
double serving_fit_objective(struct serving_cases *cases, const struct serving_constants *values);
double serving_fit_run(
	struct serving_cases *cases, serving_filter *without, const void *argument, int rounds, struct serving_constants *values);

#endif
