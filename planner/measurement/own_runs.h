/* The organisation's own runs on record, and what they and the published runs together predict for the next one (E134).
 * Pure. */
#ifndef FLEETPLAN_PLANNER_MEASUREMENT_OWN_RUNS_H
#define FLEETPLAN_PLANNER_MEASUREMENT_OWN_RUNS_H

#include "planner/interval.h"

/* Part of the variance of log hours over planned ones that runs of one team share: the team's own mean. The rest
 * differs from run to run. Source: 103 published totals of 35 teams: spread 0.37 in all, 0.32 within one team: 1 -
 * (0.32 / 0.37)^2; over 90 pairs of runs of one team in the validation set the correlation is 0.30 (0.18 with number
 * and release given). Three like runs then weigh as much as the published ones. */
#define OWN_RUNS_SHARED 0.25

/* Factor on the weight of a run for each difference: another accelerator, another vendor, other software, each factor
 * of 10 in the model's size and in the number of accelerators. Chosen: the 90 pairs are too few to fit it. */
#define OWN_RUNS_UNLIKE 0.5

/* The newest ones count. */
enum { OWN_RUNS_MAX = 64 };

/* A run outside of these limits did not do what its plan says: Llama 3 8B, the slowest of the large published runs,
 * took 4 times its steps; hours summed over all accelerators of a machine are 8 times too many. */
#define OWN_RUN_LEAST 0.33
#define OWN_RUN_MOST  6.0

/* A run: its hours over those of its plan's steps and failures (its practice), beside the practice that E131 expects of
 * such a plan. */
struct own_run {
	double practice;     /* > 0 */
	double log_surprise; /* ln(practice / expected); taken once, because a search asks for it at each number of accelerators */
	double sigma;        /* spread of the logarithm of the expected practice, > 0: of the parts that its plan left open */
	double log_rest;     /* ln(practice / (observed over planned step time)): the part beside its steps; absent: no step was reported */
	double log10_gpus;
	double likeness; /* to the plan of the request, without the number of accelerators; 0 to 1 */
};

/* Makes a run. Given: practice; expected > 0 and its sigma; step_ratio: observed over planned step time (absent: not
 * reported); accelerators; likeness as above. */
struct own_run own_run_of(double practice, double expected, double sigma, double step_ratio, double gpu_count, double likeness);

/* The runs on record; a candidate without any has NULL. The texts are borrowed. */
struct own_runs {
	const struct own_run *items;
	size_t count;
	const char *source; /* how many runs, which ones, and their hours over the planned ones */
};

/* Differences between two plans. */
struct own_run_kind {
	bool same_accelerator, same_vendor, same_software;
	double params_ratio; /* of the models' sizes, > 0; absent: not known, counts as a factor of ten */
};

/* E134. Computes how alike two plans are.
 * Given:    kind: the differences.
 * Returned: OWN_RUNS_UNLIKE ^ (accelerator + vendor + software + |log10 of the models' sizes|), 0 to 1.
 * Case:     tests/planner/test_own_runs.c. */
double own_run_likeness(const struct own_run_kind *kind);

/* The practice that E131 expects of the plan of the request. */
struct own_runs_prior {
	double sigma;                   /* of the parts that the request does not replace, > 0 */
	double rest_factor, rest_sigma; /* of the part beside the steps */
	double gpu_count;
};

struct own_runs_posterior {
	double runs;   /* sum of the likenesses: equivalent number of like runs */
	double weight; /* of the own runs against the published ones, 0 to 1 */
	double factor; /* on the median of the published runs */
	double scale;  /* on their spread: above 1 where the own runs disagree by more than the published ones */
	bool disagree; /* they do */
};

/* E134. Computes how the organisation's own runs move the practice that published runs imply. For each run
 * z = ln(practice / expected) / sigma (of the part beside the steps, where the plan leaves only that open and the run's
 * step is known), k = the smaller spread of the two plans over the larger. Weights
 * l = likeness x OWN_RUNS_UNLIKE ^ |log10 of the numbers of accelerators| x k^2, n their sum, r = OWN_RUNS_SHARED,
 * s^2 = ((1 - r)^2 / r + sum l (z - mean)^2) / ((1 - r) / r + n - sum l^2 / n).
 * Given:    runs, NULL: none; prior.
 * Returned: weight w = n r / (s^2 + n r), ln factor = w sigma mean(k z), scale^2 = s^2 + r s^2 / (s^2 + n r). Without
 *           runs: weight 0, factor 1, scale 1.
 * Source:   normal mean with a normal prior (Gelman et al., Bayesian Data Analysis, 3rd ed., 2.5), its variance by the
 *           published one counted as (1 - r) / r runs (2.6).
 * Case:     tests/planner/test_own_runs.c. */
struct own_runs_posterior own_runs_posterior(const struct own_runs *runs, const struct own_runs_prior *prior);

#endif
