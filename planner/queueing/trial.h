/* Decides whether a fleet keeps its promise: repeats runs with other seeds until the answer is clear (E93).
 *
 * One run does not show how accurate its percentile is, because the requests of one busy minute are late together. The
 * confidence interval therefore comes from repetitions. Repetition n has the base seed + n, so that every fleet gets
 * the same traffic. When the work ends first, TRIAL_REPLICATIONS_LEAST or more repetitions are enough for a result;
 * `kept` still compares the upper end of the interval with the limit. */
#ifndef FLEETPLAN_PLANNER_QUEUEING_TRIAL_H
#define FLEETPLAN_PLANNER_QUEUEING_TRIAL_H

#include "planner/queueing/simulation.h"
#include "planner/replica/demand.h"

enum { TRIAL_REPLICATIONS_LEAST = 4, TRIAL_REPLICATIONS_MAX = 30 };

/* A percentile over repetitions: its mean, and half the width of its 95 % confidence interval (0 for a single run). */
struct trial_estimate {
	double mean_s, half_width_s;
};

struct trial_setting {
	struct simulation_setting run; /* seed: of the first repetition */
	struct promise promise;
	int64_t work;             /* limit for all repetitions together (simulation.h) */
	int64_t replications_max; /* 1 for a trace, which is always the same; else TRIAL_REPLICATIONS_LEAST .. _MAX */
};

struct trial_latency {
	struct trial_estimate p50, p95, p99, promised; /* promised: at the promise's percentile */
};

struct trial {
	struct trial_latency ttft, tpot, e2e;
	struct trial_latency rest_ttft, rest_tpot, rest_e2e; /* of CLASS_REST where there are two classes; else 0 */
	int64_t replications, requests, evictions;           /* requests: counted ones of all repetitions */
	int64_t seed, warmup_requests;                       /* of the first repetition; requests of each repetition that are not counted */
	double output_tokens_per_s, busy_fraction, mean_batch, cached_share;
	bool kept; /* the upper end of every interval is within its limit; of CLASS_FIRST where there are two classes */
	int64_t work;
	bool saturated, exhausted; /* the load exceeds the capacity; the work was used up. Latencies and `kept` are then not set */
};

/* E93. Repeats simulations until every promised percentile is clear of its limit, or its interval is narrow (5 % each
 * way).
 * Given:    setting; workspace: of simulation_workspace_bytes() of setting->run.
 * Returned: *trial; latencies in s with their 95 % confidence intervals (Student).
 * Valid:    where the step times of the engine setting are valid.
 * Case:     tests/planner/test_simulation.c, a_trial_decides_and_says_how_sure_it_is and
 *           a_trial_whose_work_ends_keeps_what_it_knows. */
void trial_run(const struct trial_setting *setting, void *workspace, struct trial *trial);

/* E93. Returns Student's t of a two-sided 95 % interval.
 * Given:    replications (>= 2); above TRIAL_REPLICATIONS_MAX that number counts.
 * Returned: quantile 0.975 with replications - 1 degrees of freedom.
 * Source:   Fisher and Yates 1938, table III.
 * Case:     tests/planner/test_simulation_engine.c, an_interval_is_students. */
double trial_student_t(int64_t replications);

#endif
