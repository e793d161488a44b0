/* Whole runs: published GPU-hours of a training beside the answers to its request. */
#ifndef FLEETPLAN_TESTS_VALIDATION_RUNS_H
#define FLEETPLAN_TESTS_VALIDATION_RUNS_H

#include "validation/cases.h"
#include "validation/promises.h"

enum { RUNS_MAX = 256 };

/* Share of the peak that a whole run does not reach: above it an answer promises more than any team published. */
static const double run_mfu_most = 0.75;

struct run_answer {
	bool refused;
	double gpu_hours;
	struct interval range; /* of gpu_hours */
	int64_t gpu_count;
	double layout; /* factor of practice's part that is fitted; 0: the answer has no such part, or one of 1 */
};

struct run {
	const struct validation_case *item;
	double published_hours, published_mfu; /* run_mfu: workload.flops_total over what the published hours could have done */
	double mfu_hours;                      /* GPU-hours at the whole peak: run_mfu x gpu_hours */
	double rule_hours[RULE_COUNT];         /* 6 x active parameters x tokens at a fixed share of the peak */
	struct run_answer answers[ASKED_KIND_COUNT]; /* by the shipped constants of practice */
	struct run_answer left[ASKED_KIND_COUNT];    /* by constants refitted without the run's team */
};

struct runs {
	struct run items[RUNS_MAX];
	size_t count;
	double layout;                     /* refitted to all scored runs: what practice_fitted.layout should be */
	double least_layout, most_layout;  /* without each team in turn */
};

/* Fractions; a refused answer is an error of 100 %, and its promise does not hold. */
struct run_score {
	size_t count, refused;
	double mean, median, bias; /* bias: of the geometric mean of predicted over published */
	double inside;             /* published between p10 and p90 */
	double impossible;         /* answers whose p10 implies a run_mfu above run_mfu_most */
	double held;               /* published at most p80, at the published number of accelerators */
};

/* Asks for every whole run in every way, and once more with practice refitted without its team. */
void runs_judge(struct validation_cases *cases, struct runs *runs);

/* Of the scored runs. `asked`: ASKED_DEFAULT or ASKED_TOLD; left_out: each by constants that its team had no part in. */
struct run_score runs_score(const struct runs *runs, enum asked asked, bool left_out);
struct run_score runs_rule_score(const struct runs *runs, enum rule rule);

/* How the promises of the scored runs held, each team left out: `asked` as above. */
void runs_promises(const struct runs *runs, enum asked asked, struct promises *promises);

#endif
