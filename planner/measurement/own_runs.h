/* Runs of one's own on record, and how they and the published runs together speak for the next one (E134). Pure. */
#ifndef FLEETPLAN_PLANNER_MEASUREMENT_OWN_RUNS_H
#define FLEETPLAN_PLANNER_MEASUREMENT_OWN_RUNS_H

#include "planner/interval.h"

/* Part of the variance of log hours over planned ones that runs of one team have in common: their own mean. The rest differs from run to run.
 * Source: 103 published totals of 35 teams: spread 0.37 in all, 0.32 within one team: 1 - (0.32 / 0.37)^2; over 90 pairs of runs of one team in the
 * validation set the correlation is 0.30 (0.18 with number and release told). Three like runs then weigh as much as the published ones. */
#define OWN_RUNS_SHARED 0.25

/* Weight of a run for each unlikeness: another accelerator, another vendor, other software, each factor of 10 in the model's size and in the
 * number of accelerators. Chosen: the 90 pairs are too few to tell a fall with the distance. */
#define OWN_RUNS_UNLIKE 0.5

/* Counted of the newest. */
enum { OWN_RUNS_MAX = 64 };

/* One outside of these did something else than its plan: Llama 3 8B, the slowest of the large published runs, took 4 times its steps; hours of
 * all accelerators of a machine added up are 8 times. */
#define OWN_RUN_LEAST 0.33
#define OWN_RUN_MOST  6.0

/* A run: its hours over those of its plan's steps and failures (its practice), and what E131 lets expect of runs with such a plan. */
struct own_run {
	double practice;     /* > 0 */
	double log_surprise; /* ln(practice / expected); logarithms are taken once, since a search asks for each of its numbers of accelerators */
	double sigma;        /* spread of the logarithm of what was expected, > 0: of the parts that its plan left open */
	double log_rest;     /* ln(practice / observed over planned time of a step): what it took beside its steps; absent: no step was reported */
	double log10_gpus;
	double likeness;     /* to the plan that is asked for, but for the number of accelerators; 0 to 1 */
};

/* Given: practice; expected > 0 and its sigma; observed over planned time of a step (absent: not reported); accelerators; likeness, as above. */
struct own_run own_run_of(double practice, double expected, double sigma, double step_ratio, double gpu_count, double likeness);

/* NULL in a candidate: none. Text is borrowed. */
struct own_runs {
	const struct own_run *items;
	size_t count;
	const char *source; /* how many, which, and what they took */
};

/* What two plans differ in. */
struct own_run_kind {
	bool same_accelerator, same_vendor, same_software;
	double params_ratio; /* of the models' sizes, > 0; absent: not known, and counted as another */
};

/* E134. Likeness = OWN_RUNS_UNLIKE ^ (accelerator + vendor + software + |log10 of the models' sizes|), 0 to 1. */
double own_run_likeness(const struct own_run_kind *kind);

/* What E131 lets expect of the plan that is asked for. */
struct own_runs_prior {
	double sigma;                       /* of the parts that nothing in its request replaces, > 0 */
	double rest_factor, rest_sigma;     /* of the part beside the steps */
	double gpu_count;
};

struct own_runs_posterior {
	double runs;   /* sum of the likenesses: as so many like runs */
	double weight; /* of one's own runs against the published ones, 0 to 1 */
	double factor; /* by which the median of the published runs is multiplied */
	double scale;  /* by which their spread is: above 1 where one's own runs disagree by more than the published ones */
	bool disagree; /* they do, more than published ones */
};

/* E134. Given: runs (NULL: none), the prior. With z = ln(practice / expected) / sigma of each run (of the part beside the steps, where that
 * is all that the plan leaves open and the run's step is known), k = the smaller spread of the two plans over the larger, weights l = likeness
 * x OWN_RUNS_UNLIKE ^ |log10 of the numbers of accelerators| x k^2, n their sum, s^2 = ((1 - r)^2 / r + sum l (z - mean)^2) /
 * ((1 - r) / r + n - sum l^2 / n), r = OWN_RUNS_SHARED: weight w = n r / (s^2 + n r), ln factor = w sigma mean(k z), scale^2 = s^2 + r s^2 / (s^2 + n r).
 * Without runs: weight 0, factor 1, scale 1. Source: normal mean with a normal prior (Gelman et al., Bayesian Data Analysis, 3rd ed., 2.5), its
 * variance by the published one counted as (1 - r) / r runs (2.6). */
struct own_runs_posterior own_runs_posterior(const struct own_runs *runs, const struct own_runs_prior *prior);

#endif
