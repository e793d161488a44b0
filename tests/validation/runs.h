/* Whole runs: published GPU-hours of trainings and the answers to their requests. */
#ifndef FLEETPLAN_TESTS_VALIDATION_RUNS_H
#define FLEETPLAN_TESTS_VALIDATION_RUNS_H

#include "validation/cases.h"
#include "validation/promises.h"

enum { RUNS_MAX = 256 };

/* Share of the peak that no published whole run reaches. */
static const double run_mfu_most = 0.75;

struct run_answer {
	bool refused;
	double gpu_hours;
	struct interval range; /* of gpu_hours */
	int64_t gpu_count;
	double layout; /* factor of practice's part `layout`, which is fitted; 0: no such part, or a factor of 1 */
};

struct run {
	const struct validation_case *item;
	double published_hours, published_mfu;       /* published_mfu: flops_total over FLOPs of these hours at the peak */
	double mfu_hours;                            /* GPU-hours at the whole peak: run_mfu x gpu_hours */
	double rule_hours[RULE_COUNT];               /* 6 x active parameters x tokens at a fixed share of the peak */
	struct run_answer answers[ASKED_KIND_COUNT]; /* with the shipped constants of practice */
	struct run_answer left[ASKED_KIND_COUNT];    /* with constants refitted without the run's team */
};

struct runs {
	struct run items[RUNS_MAX];
	size_t count;
	double layout;                    /* refitted to all scored runs; practice_fitted.layout should be equal */
	double least_layout, most_layout; /* refitted without each team in turn */
};

/* Fractions. A refused answer counts as an error of 100 % and a broken promise. */
struct run_score {
	size_t count, refused;
	double mean, median, bias; /* bias: of the geometric mean of predicted over published */
	double inside;             /* published hours between p10 and p90 */
	double impossible;         /* answers whose p10 implies a run_mfu above run_mfu_most */
	double held;               /* promises kept: published hours at most p80, at the published number of accelerators */
};

/* Plans every whole run with each of its requests, and again with practice refitted without its team. */
void runs_judge(struct validation_cases *cases, struct runs *runs);

/* Return the scores of the scored runs. asked: ASKED_DEFAULT or ASKED_TOLD. left_out: true for the constants refitted
 * without the run's team. */
struct run_score runs_score(const struct runs *runs, enum asked asked, bool left_out);
struct run_score runs_rule_score(const struct runs *runs, enum rule rule);

/* Fills the promises of the scored runs, each team left out; asked as above. */
void runs_promises(const struct runs *runs, enum asked asked, struct promises *promises);

#endif
