/* Outcomes of serving cases and how far slices of them are off. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SERVING_SCORES_H
#define FLEETPLAN_TESTS_VALIDATION_SERVING_SCORES_H

#include "validation/serving_fit.h"

/* One published figure beside ours. A refused one counts as an error of 100 %. */
struct serving_outcome {
	struct serving_case *item;
	double ratio; /* predicted over observed */
	double without_model, without_accelerator, without_suite, without_independent; /* the same with the constants refitted without the case's model, accelerator */
	double log_sigma; /* that the answer gives its figure */
	bool covered, refused;
};

struct serving_outcomes {
	struct serving_outcome items[SERVING_CASES_MAX];
	size_t count;
};

enum serving_fitted_on { FITTED_ON_ALL, FITTED_WITHOUT_MODEL, FITTED_WITHOUT_ACCELERATOR, FITTED_WITHOUT_SUITE };

/* Which outcomes: of one quantity, and of one run, suite, model, accelerator where these are given. */
struct serving_slice {
	enum quantity quantity;
	int run; /* enum run_kind; -1: any */
	const char *suite, *model, *accelerator; /* NULL: any */
	bool hopper_and_ampere; /* of these only H100, H200 and A100 */
	bool home, away; /* of these only suites that the model was made on, or only the others */
};

/* Fractions. */
struct serving_score {
	size_t count, refused;
	double mean, median, p90, bias, covered; /* bias: of the median */
};

/* Of promises with a probability, the share that held: throughput at least at its lower quantile, latency at most at its upper one. Refused ones
 * promised nothing. `promised` counts them. */
double serving_promises_held(const struct serving_outcomes *outcomes, const struct serving_slice *slice, enum serving_fitted_on fitted, double probability,
	size_t *promised);

bool serving_slice_has(const struct serving_slice *slice, const struct serving_case *item);
struct serving_score serving_score_of(
	const struct serving_outcomes *outcomes, const struct serving_slice *slice, enum serving_fitted_on fitted);

#endif
