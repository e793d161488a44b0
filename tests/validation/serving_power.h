/* Measured power and energy of serving (ML.ENERGY leaderboard) beside the predicted ones. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SERVING_POWER_H
#define FLEETPLAN_TESTS_VALIDATION_SERVING_POWER_H

#include "planner/footprint/energy.h"
#include "validation/serving_scores.h"

enum { POWER_CASES_MAX = 512 };

struct power_case {
	size_t index; /* of its case among the serving cases */
	double observed_w;
	double gpus, idle_w, load_w; /* of one accelerator */
	struct operating_point point;
	double ratio_w, ratio_joules, ratio_tokens_per_s; /* predicted over observed */
	double without_model_w, without_model_joules;     /* with power and serving constants refitted without the model */
};

struct power_cases {
	struct power_case items[POWER_CASES_MAX];
	size_t count, unknown; /* unknown: rows whose model the catalogue lacks */
	const struct serving_cases *serving;
};

/* Reads the leaderboard, and adds its throughputs to the serving cases with `side` set. */
void power_cases_load(const char *path, struct serving_cases *serving, struct power_cases *cases);

/* Predicts the power cases, and refits the power constants without each model in turn. outcomes: of all serving cases,
 * with without_model filled. */
void power_cases_judge(const struct serving_constants *values, const struct serving_outcomes *outcomes, struct power_cases *cases);

/* Refits from the given values and stores the result there. without: the model to leave out; NULL: none. Returns the
 * objective reached. */
double power_fit_run(const struct power_cases *cases, const char *without, int rounds, struct power_constants *values);
void power_constants_list(struct constants *constants);

struct power_score {
	size_t count;
	double mean, median, bias;
};

/* Returns the errors of the ratio at an offset in struct power_case, for one accelerator (NULL: any) and one model (NULL:
 * any). */
struct power_score power_score_of(const struct power_cases *cases, size_t offset, const char *accelerator, const char *model);

#endif
