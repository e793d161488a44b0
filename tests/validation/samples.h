/* Published step times as samples of the step model, each with a prediction for any set of constants. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SAMPLES_H
#define FLEETPLAN_TESTS_VALIDATION_SAMPLES_H

#include "planner/training/stage_schedule.h"
#include "validation/cases.h"

enum { SAMPLES_MAX = 4096, SUITES_MAX = 64 };

struct sample {
	const struct validation_case *item;
	struct stage_schedule schedule;
	double observed_s;
	double weight; /* all groups (suite, family, width) of at least a dozen cases have the same total weight */
};

struct samples {
	struct sample *items;
	size_t count;
	const char *suites[SUITES_MAX];
	size_t suite_count;
};

/* Fills a sample for every case with a step time, with the schedule that the service plans. The cases must outlive the
 * samples. Turns their memory check off. */
void samples_of_cases(struct validation_cases *cases, struct samples *samples);

/* Plans a sample with these constants. False if no layout exists. */
bool sample_candidate_plan(const struct sample *sample, const struct physics *physics, struct candidate_plan *candidate_plan);

/* Returns the natural logarithm of predicted over observed step time; 1 if no layout exists. */
double sample_log_ratio(const struct sample *sample, const struct physics *physics);

#endif
