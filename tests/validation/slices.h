/* Slices of the published runs and their errors, for the bounds and tables of `make validate`. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SLICES_H
#define FLEETPLAN_TESTS_VALIDATION_SLICES_H

#include "validation/cases.h"
#include "validation/promises.h"

enum { OUTCOMES_MAX = 4096, SUITE_LARGE = 10 };

/* One published figure beside the predicted one. */
struct outcome {
	const struct validation_case *item;
	int kind;                      /* EXPECT_... */
	double predicted, ratio;       /* ratio: predicted over observed */
	double left_ratio;             /* ratio with the case's suite left out of the fit; ratio if it is never left out */
	struct interval range;         /* NaN: the figure has none */
	double rule_ratio[RULE_COUNT]; /* step time by the rule of thumb over the observed one; NaN: does not apply */
	bool refused;                  /* true: it ran, but the planner refuses it for memory */
};

struct outcomes {
	struct outcome *items;
	size_t count;
};

/* Errors of a set of outcomes; fractions. */
struct score {
	size_t count, refused;
	double mean, median, p90, bias, covered;
};

/* Returns the errors of the outcomes that `wanted` picks; it receives `argument`. left_out: true for left_ratio. */
typedef bool outcome_filter(const struct outcome *outcome, const void *argument);
struct score score_of(const struct outcomes *outcomes, outcome_filter *wanted, const void *argument, bool left_out);

/* Returns the errors of the rule of thumb (only count, mean and median), for the outcomes to which it applies. */
struct score score_of_rule(const struct outcomes *outcomes, outcome_filter *wanted, const void *argument, enum rule rule);

/* Fills the promises of the step times that `wanted` picks, with their suites left out of the fit. */
void promises_of(const struct outcomes *outcomes, outcome_filter *wanted, const void *argument, struct promises *promises);

/* Returns the outcome's range with the case's suite left out of the fit. */
struct interval outcome_left_range(const struct outcome *outcome);

/* Means over the suites of each suite's errors, of the outcomes that `wanted` picks. */
struct score_by_suite {
	size_t suites;
	double mean, median, worst_bias, least_covered;
	const char *worst_bias_suite, *least_covered_suite;
};
struct score_by_suite score_suites(const struct outcomes *outcomes, outcome_filter *wanted, bool left_out);

outcome_filter slice_dense;     /* dense models, 16 bits, hardware of 2022 and before, only suites of role `fitted` */
outcome_filter slice_dense_new; /* dense models, 16 bits, newer hardware, only suites of role `fitted` */
outcome_filter slice_megatron;  /* Megatron 2020 and 2021, Korthikanti */
outcome_filter slice_vtrain_multi, slice_vtrain_single;
outcome_filter slice_narrow; /* dense models in 8 and 4 bits */
outcome_filter slice_tuning;
outcome_filter slice_experts;
outcome_filter slice_steps;  /* every step time */
outcome_filter slice_judged; /* step times of suites in the fit: roles `fitted` and `anchor` */
outcome_filter slice_unseen; /* step times of suites outside the fit: role `shown`. Some single values were set on them by hand (suites.csv) */
outcome_filter slice_unseen_language; /* slice_unseen without encoders and without networks given by their FLOPs */
outcome_filter slice_left_out;        /* step times of suites that are left out of the fit in turn: role `fitted` */
outcome_filter slice_memory_states;   /* model_bytes of Korthikanti */
outcome_filter slice_memory_other;
outcome_filter slice_zero;  /* ZeRO-3 of Megatron 2021 */
outcome_filter slice_suite; /* all figures of a suite; argument: its name */
outcome_filter suite_steps; /* step times of a suite; argument: its name */

/* True if the outcome at `index` is the first step time of its suite. */
bool outcome_opens_suite(const struct outcomes *outcomes, size_t index);

#endif
