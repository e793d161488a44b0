/* Practice of a training run (E131): software, layout, evaluation and restarts. The table below is the only list of the
 * constants. */
#ifndef FLEETPLAN_PLANNER_TRAINING_PRACTICE_H
#define FLEETPLAN_PLANNER_TRAINING_PRACTICE_H

#include "planner/interval.h"
#include "planner/measurement/own_runs.h"
#include "planner/plan/practice_choice.h"
#include "planner/plan/training.h"

/* Columns: member; p10 and p90 of runs; least and most value that a fit may take; meaning; source; inputs that it was
 * fitted on.
 * The ranges of `layout` and of `evaluation_and_restarts` are those of published runs. `layout` is fitted to 49
 * published totals of 20 teams (tests/validation/runs.jsonl and the older e2e-totals; make validate refits it without
 * each team). */
#define PRACTICE_CONSTANTS(X) \
	X(software, 1.0, 1.3, 1.0, 1.4, "step time under the release that a team runs, divided by that under the newest", \
		"49 published runs planned with the release of their time and with the newest: x1.13", \
		"runs of 2020 to 2025, releases of 2019-12 to 2025-09") \
	X(layout, 0.92, 1.8, 1.0, 2.0, \
		"step time under the layout that a team runs, divided by that under the best one, on more than one machine", \
		"fitted to published GPU-hours of 49 runs; a run on one machine needs no layout over a network", \
		"16 to 16,384 accelerators, 10^0 to 3 x 10^7 GPU-hours") \
	X(evaluation_and_restarts, 1.0, 1.43, 1.0, 1.5, "hours of a whole run divided by the hours of its steps: evaluation, restarts, ramps", \
		"17 published runs that state step and total: median 1.12; OPT-175B 1.9, BLOOM 1.14, Llama 3.1 405B 1.12, a third of them about 1", \
		"A100, H100, V100, 2021 to 2025")

#define PRACTICE_MEMBER(member_, low_, high_, least_, most_, meaning_, source_, fitted_on_) double member_;
struct practice_constants {
	PRACTICE_CONSTANTS(PRACTICE_MEMBER)
};
#undef PRACTICE_MEMBER

extern const struct practice_constants practice_fitted;

/* Facts about a run that replace parts of the published practice. */
struct practice_known {
	double step;          /* how well the step time is known: 1 given or measured; the likeness of observed jobs (E148); 0 unknown */
	bool release, layout; /* release: year and month of the software are known; layout: tensor, pipeline and micro_batch are pinned */
	double node_count;
};

/* E131. Computes the practice that published runs suggest for a plan with these known facts.
 * Given: known (node_count: machines of the run); constants.
 * Returned: the parts that no known fact replaces, and their product (a factor on hours).
 * Case: observed_jobs_leave_what_they_are_unlike_in in tests/planner/test_training_practice.c. */
struct practice practice_expected(const struct practice_known *known, const struct practice_constants *constants);

bool practice_layout_is_known(const struct parallelism *pins);

/* Returns one spread in place of the lower and the upper one (E70, E130): the root of the mean of their squares. */
double practice_log_sigma(const struct practice *practice);

/* E131. Computes the practice of a run: the factor on hours by which a whole run exceeds its steps and failures.
 * Given: input (practice settled; release, pinned layout, mfu, measured step); candidate (its observed software and
 * own_runs); gpu_count and node_count of the run; constants.
 * Returned: the parts that no known fact replaces, their product, and the product's p10 and p90.
 *   recipe: no parts.
 *   typical: software unless the release is given; layout unless tensor, pipeline and micro_batch are pinned;
 *   evaluation and restarts. A given mfu, a measured step or observed software replaces the first two.
 *   first_run: typical, and a part that lifts the product to its own p80, the median of the first published runs of a
 *   team on new hardware.
 *   The client's own runs (candidate->own_runs) move the remaining typical parts by E134, each by its share of the
 *   variance.
 * Case: practice_multiplies_the_hours_and_leaves_the_step and what_is_known_replaces_its_part in
 * tests/planner/test_training_practice.c. */
struct practice practice_of_run(const struct training_input *input, const struct candidate *candidate, double gpu_count, double node_count,
	const struct practice_constants *constants);

/* Returns the uncertainty of the practice (E70, E130). */
struct spread practice_spread(const struct practice *practice);

/* E132. Computes the usual length of a run, for requests without number and deadline: days = 0.05
 * sqrt(accelerator-hours), at most 57.
 * Given: gpu_hours (accelerator-hours of the run, > 0).
 * Returned: hours.
 * Source: 79 published runs with a number: median 16 days; 25 days for 10^5 to 10^6 accelerator-hours, 57 above.
 * Case: an_open_request_gets_the_size_that_teams_take in tests/planner/test_training_practice.c. */
double practice_usual_hours(double gpu_hours);

/* E132. Standard deviation of the logarithm of published lengths around the usual length, from 36 runs of
 * tests/validation/runs.jsonl; and the weight of a deviation of one, squared, against the logarithm of the objective:
 * teams give up about 20 % for it. */
#define PRACTICE_USUAL_LOG_SIGMA 0.8
#define PRACTICE_USUAL_WEIGHT    0.2

/* E132. A run on one machine counts as usual up to a week. */
#define PRACTICE_ONE_MACHINE_HOURS 168.0

/* E132. The largest number of accelerators that a published whole run states: Llama 3.1 405B, arXiv 2407.21783. */
#define PRACTICE_GPUS_MOST 16384

#endif
