/* Fits the constants of the step model to the published runs. */
#ifndef FLEETPLAN_TESTS_VALIDATION_FIT_H
#define FLEETPLAN_TESTS_VALIDATION_FIT_H

#include "validation/samples.h"
#include "validation/solver.h"

/* What is fitted: every constant of physics.h, and the speed of each software stack that has measurements. */
void constants_list(struct constants *constants);

/* The solver's objective over the samples' log ratios. `without`: a suite left out; NULL: none. */
double fit_objective(const struct samples *samples, const struct constants *constants, const char *without, const struct physics *physics);

/* The solver, from the given constants. Returned: the objective reached. */
double fit_run(const struct samples *samples, const struct constants *constants, const char *without, int rounds, struct physics *physics);

#endif
