/* Fits constants to observations: what the fits of training steps and of serving have in common.
 *
 * A problem is a struct of positive doubles, of which some are constants with a range, and a function that says by how much
 * (in logarithms) the predictions with them miss each observation. Deterministic; not for threads (one scratch). */
#ifndef FLEETPLAN_TESTS_VALIDATION_SOLVER_H
#define FLEETPLAN_TESTS_VALIDATION_SOLVER_H

#include <stddef.h>

enum { CONSTANTS_MAX = 48, RESIDUALS_MAX = 4096, VALUES_MAX_BYTES = 1024 };

struct constant {
	const char *name, *meaning, *source;
	size_t offset; /* in the struct */
	double low, high;
};

struct constants {
	struct constant items[CONSTANTS_MAX];
	size_t count;
};

struct fit_problem {
	const struct constants *constants;
	size_t values_bytes; /* of the struct */
	size_t count;
	const double *weights; /* `count` of them; 0: left out */
	/* Fills out[i] for every i whose weight is not 0, and sets the others to 0. */
	void (*residuals)(const struct fit_problem *problem, const void *values, double *out);
	const void *context;
};

double *constant_in(const struct constant *constant, void *values);
double constant_value(const struct constant *constant, const void *values);

/* Weighted mean of sqrt(r^2 + 0.03^2) over the residuals r, and a weak pull of each constant towards the middle of its range (one
 * case's worth at the ends), which decides where the observations do not. */
double solver_objective(const struct fit_problem *problem, const void *values);

/* Gauss-Newton on reweighted squares (Huber 1981, section 7.8) with Levenberg-Marquardt damping, in the logarithms of the constants,
 * from the given values, at most `rounds` rounds. Returned: the objective reached. */
double solver_run(const struct fit_problem *problem, int rounds, void *values);

#endif
