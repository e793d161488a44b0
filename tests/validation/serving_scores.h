/* Outcomes of serving cases, and the errors of slices of them. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SERVING_SCORES_H
#define FLEETPLAN_TESTS_VALIDATION_SERVING_SCORES_H

#include "validation/serving_fit.h"

/* One published figure beside the predicted one. A refused case counts as an error of 100 %. */
struct serving_outcome {
	struct serving_case *item;
	double ratio; /* predicted over observed */
	/* ratio with constants refitted without the case's model, accelerator or suite, or without all independent runs */
	double without_model, without_accelerator, without_suite, without_independent;
	double log_sigma; /* log standard deviation of the answer's interval */
	bool covered, refused;
};

struct serving_outcomes {
	struct serving_outcome items[SERVING_CASES_MAX];
	size_t count;
};

enum serving_fitted_on { FITTED_ON_ALL, FITTED_WITHOUT_MODEL, FITTED_WITHOUT_ACCELERATOR, FITTED_WITHOUT_SUITE };

/* A slice of the outcomes: of one quantity, and of one kind of run, suite, model and accelerator if these are given. */
struct serving_slice {
	enum quantity quantity;
	int run;                                 /* enum run_kind; -1: any */
	const char *suite, *model, *accelerator; /* NULL: any */
	bool hopper_and_ampere;                  /* only H100, H200 and A100 */
	bool home, away;                         /* home: only suites on which the model was made; away: only later suites */
};

/* Errors of a slice; fractions. */
struct serving_score {
	size_t count, refused;
	double mean, median, p90, bias, covered; /* bias: median of ratio - 1 */
};

/* Returns the share of the promises at a probability that were kept: throughput at least its lower quantile, latency at
 * most its upper one. promised: receives their number; refused cases promise nothing. */
double serving_promises_held(const struct serving_outcomes *outcomes, const struct serving_slice *slice, enum serving_fitted_on fitted,
	double probability, size_t *promised);

bool serving_slice_has(const struct serving_slice *slice, const struct serving_case *item);
struct serving_score serving_score_of(
	const struct serving_outcomes *outcomes, const struct serving_slice *slice, enum serving_fitted_on fitted);

#endif
