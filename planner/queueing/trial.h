/* Does a fleet keep its promise? Runs repeated with other seeds until the answer is clear (E93).
 *
 * A percentile of one run says little about itself, as requests of one busy minute are late together: the confidence
 * interval comes from repetitions. Seeds 1, 2, ... of a base give the same traffic to every fleet that is tried. Where the work
 * ends first, what TRIAL_REPLICATIONS_LEAST or more have said stands, and kept still means the upper end of its interval. */
#ifndef FLEETPLAN_PLANNER_QUEUEING_TRIAL_H
#define FLEETPLAN_PLANNER_QUEUEING_TRIAL_H

#include "planner/queueing/simulation.h"
#include "planner/replica/demand.h"

enum { TRIAL_REPLICATIONS_LEAST = 4, TRIAL_REPLICATIONS_MAX = 30 };

/* A percentile over repetitions: its mean, and half the width of its 95 % confidence interval (0 of a single run). */
struct trial_estimate {
	double mean_s, half_width_s;
};

struct trial_setting {
	struct simulation_setting run; /* seed: of the first repetition */
	struct promise promise;
	int64_t work; /* of all repetitions, at most (simulation.h) */
	int64_t replications_max; /* 1: a trace, which is what it is; else TRIAL_REPLICATIONS_LEAST .. _MAX */
};

struct trial_latency {
	struct trial_estimate p50, p95, p99, promised; /* promised: at the promise's percentile */
};

struct trial {
	struct trial_latency ttft, tpot, e2e;
	struct trial_latency rest_ttft, rest_tpot, rest_e2e; /* of those that others go ahead of; 0 where there are none */
	int64_t replications, requests, evictions; /* requests: counted ones, of all repetitions */
	int64_t seed, warmup_requests; /* of the first repetition; of each, not counted */
	double output_tokens_per_s, busy_fraction, mean_batch, cached_share;
	bool kept; /* every limit, for all or for those that go ahead of others, with the upper end of its interval */
	int64_t work;
	bool saturated,
		exhausted; /* more came than could be served, or the work did not suffice; the rest is then absent */
};

void trial_run(const struct trial_setting *setting, void *workspace, struct trial *trial);

/* Student's t for a two-sided 95 % interval of so many repetitions (>= 2). */
double trial_student_t(int64_t replications);

#endif
