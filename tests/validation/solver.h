/* Fit of constants to observations, shared by the fits of training steps and of serving.
 *
 * A problem has a struct of positive doubles, some of which are constants with a range, and a function that returns the
 * logarithm of predicted over observed for each observation. Deterministic; not thread-safe (static scratch memory). */
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

/* Returns the weighted mean of sqrt(r^2 + 0.03^2) over the residuals r, plus a weak pull of each constant towards the
 * middle of its range. At an end of the range the pull is worth about one case. It decides where the observations do
 * not. */
double solver_objective(const struct fit_problem *problem, const void *values);

/* Fits by Gauss-Newton on reweighted squares (Huber 1981, section 7.8) with Levenberg-Marquardt damping, in the logarithms
 * of the constants, in at most `rounds` rounds. Starts from the given values and stores the fitted ones there. Returns
 * the objective reached. */
double solver_run(const struct fit_problem *problem, int rounds, void *values);

#endif
