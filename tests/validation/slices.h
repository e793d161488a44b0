/* Slices of the published runs with the error each is allowed: what `make validate` judges. */
#ifndef FLEETPLAN_TESTS_VALIDATION_SLICES_H
#define FLEETPLAN_TESTS_VALIDATION_SLICES_H

#include "validation/cases.h"
#include "validation/promises.h"

enum { OUTCOMES_MAX = 4096, SUITE_LARGE = 10 };

/* One published figure beside ours. */
struct outcome {
	const struct validation_case *item;
	int kind; /* EXPECT_... */
	double predicted, ratio;  /* ratio: predicted over observed */
	double left_ratio;        /* the same with the case's suite left out of the fit; `ratio` where it takes no part in it */
	struct interval range;    /* NaN where the figure has none */
	double rule_ratio[RULE_COUNT]; /* of the rule of thumb's step time over the observed one; NaN where the rule says nothing */
	bool refused;             /* for memory, although it ran */
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

/* Those that `wanted` picks (argument passed on), with `left_out` by left_ratio. */
typedef bool outcome_filter(const struct outcome *outcome, const void *argument);
struct score score_of(const struct outcomes *outcomes, outcome_filter *wanted, const void *argument, bool left_out);

/* The same of the rule of thumb: count, mean and median alone. Of those to which it applies. */
struct score score_of_rule(const struct outcomes *outcomes, outcome_filter *wanted, const void *argument, enum rule rule);

/* How the promises of these step times held, with their suites left out of the fit. */
void promises_of(const struct outcomes *outcomes, outcome_filter *wanted, const void *argument, struct promises *promises);

/* The outcome's range with the case's suite left out of the fit. */
struct interval outcome_left_range(const struct outcome *outcome);

/* Suites' scores of the outcomes that `wanted` picks, averaged suite by suite. */
struct score_by_suite {
	size_t suites;
	double mean, median, worst_bias, least_covered;
	const char *worst_bias_suite, *least_covered_suite;
};
struct score_by_suite score_suites(const struct outcomes *outcomes, outcome_filter *wanted, bool left_out);

outcome_filter slice_dense;         /* 16 bits, hardware of 2022 and before, without vtrain-single */
outcome_filter slice_dense_new;     /* 16 bits, hardware since */
outcome_filter slice_megatron;      /* Megatron 2020 and 2021, Korthikanti */
outcome_filter slice_vtrain_multi, slice_vtrain_single;
outcome_filter slice_narrow;        /* dense in 8 and 4 bits */
outcome_filter slice_tuning;
outcome_filter slice_experts;
outcome_filter slice_steps;         /* every step time */
outcome_filter slice_judged;        /* those of them that bounds rest on: all but of suites that are shown only */
outcome_filter slice_unseen;        /* of suites that are shown only: outside the fit, though single values were chosen by hand on some (suites.csv) */
outcome_filter slice_unseen_language; /* of those without networks given by their FLOPs and encoders */
outcome_filter slice_left_out;      /* those of them that are left out in turn: all but of anchors */
outcome_filter slice_memory_states; /* model_bytes of Korthikanti */
outcome_filter slice_memory_other;
outcome_filter slice_zero;          /* ZeRO-3 of Megatron 2021 */
outcome_filter slice_suite;         /* argument: its name */
outcome_filter suite_steps;         /* step times of a suite; argument: its name */

/* Whether the outcome at `index` is the first step time of its suite. */
bool outcome_opens_suite(const struct outcomes *outcomes, size_t index);

#endif
