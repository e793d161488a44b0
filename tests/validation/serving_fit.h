/* Fits the constants of the serving model to the published measurements. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SERVING_FIT_H
#define FLEETPLAN_TESTS_VALIDATION_SERVING_FIT_H

#include "validation/serving_cases.h"
#include "validation/solver.h"

/* A case that a fit must not see. */
typedef bool serving_filter(const struct serving_case *item, const void *argument);

/* Models of one shape under several names (Llama 3.1 and 3.3 70B, DeepSeek V3 and R1) are one model here. Argument: a case of it. */
serving_filter serving_same_model;
serving_filter serving_same_accelerator;
serving_filter serving_same_suite;

/* Those that are fitted; those that were measured and are taken as they are. */
void serving_constants_list(struct constants *constants);
void serving_measured_list(struct constants *constants);

/* The solver's objective over all cases, and the solver, from the given constants and without the cases that `without` picks (NULL: with
 * all). Figures of one quantity, model and accelerator weigh as the square root of their number; TTFT half. */
double serving_fit_objective(struct serving_cases *cases, const struct serving_constants *values);
double serving_fit_run(struct serving_cases *cases, serving_filter *without, const void *argument, int rounds,
	struct serving_constants *values);

#endif
