/* Published step times as samples of the step model: one prediction each for any set of constants. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SAMPLES_H
#define FLEETPLAN_TESTS_VALIDATION_SAMPLES_H

#include "planner/training/stage_schedule.h"
#include "validation/cases.h"

enum { SAMPLES_MAX = 4096, SUITES_MAX = 64 };

struct sample {
	const struct validation_case *item;
	struct stage_schedule schedule;
	double observed_s;
	double weight; /* every kind of model of every suite weighs alike once it has a dozen cases */
};

struct samples {
	struct sample *items;
	size_t count;
	const char *suites[SUITES_MAX];
	size_t suite_count;
};

/* Every case that states a step time, with the schedule that the product plans. The cases must outlive the samples and are planned
 * without regard to memory. */
void samples_of_cases(struct validation_cases *cases, struct samples *samples);

/* The planned run of a sample under these constants; false when no layout exists. */
bool sample_candidate_plan(const struct sample *sample, const struct physics *physics, struct candidate_plan *candidate_plan);

/* Logarithm of predicted over observed step time. */
double sample_log_ratio(const struct sample *sample, const struct physics *physics);

#endif
