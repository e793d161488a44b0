/* Fit of the constants of the step model to the published runs. */
#ifndef FLEETPLAN_TESTS_VALIDATION_FIT_H
#define FLEETPLAN_TESTS_VALIDATION_FIT_H

#include "validation/samples.h"
#include "validation/solver.h"

/* Lists what is fitted: all constants of physics.h, and the speed of each software stack that has measurements. */
void constants_list(struct constants *constants);

/* Returns the solver's objective over the samples' log ratios. without: the suite to leave out; NULL: none. */
double fit_objective(const struct samples *samples, const struct constants *constants, const char *without, const struct physics *physics);

/* Runs the solver from the given constants and stores the fitted ones there. Returns the objective reached. */
double fit_run(const struct samples *samples, const struct constants *constants, const char *without, int rounds, struct physics *physics);

#endif
