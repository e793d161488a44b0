/* Fits the constants of the step model to the published runs. */
#ifndef FLEETPLAN_TESTS_VALIDATION_FIT_H
#define FLEETPLAN_TESTS_VALIDATION_FIT_H

#include "validation/samples.h"

enum { CONSTANTS_MAX = 48 };

struct constant {
	const char *name, *meaning, *source;
	size_t offset; /* in struct physics */
	double low, high;
};

struct constants {
	struct constant items[CONSTANTS_MAX];
	size_t count;
};

/* What is fitted: every constant of physics.h, and the speed of each software stack that has measurements. */
void constants_list(struct constants *constants);
double *constant_in(const struct constant *constant, struct physics *physics);

/* Weighted mean of sqrt(r^2 + 0.03^2) over the samples' log ratios r, and a weak pull of each constant towards the middle of its
 * range (one case's worth at the ends), which decides where the runs do not. `without`: a suite left out; NULL: none. */
double fit_objective(const struct samples *samples, const struct constants *constants, const char *without, const struct physics *physics);

/* Gauss-Newton on reweighted squares (Huber 1981, section 7.8) with Levenberg-Marquardt damping, in the logarithms of the
 * constants, from the given start, at most `rounds` rounds. Returned: the objective reached. Deterministic. */
double fit_run(const struct samples *samples, const struct constants *constants, const char *without, int rounds, struct physics *physics);

#endif
