/* The demand on a fleet in numbers: load, lengths, burstiness, promises. It is read from a request; every default is
 * noted. */
#ifndef FLEETPLAN_PLANNER_REPLICA_DEMAND_H
#define FLEETPLAN_PLANNER_REPLICA_DEMAND_H

#include "planner/replica/operating.h"

enum { SHARED_PREFIXES_MAX = 10000 };

struct promise {
	double ttft_s, tpot_s, e2e_s; /* absent: not promised */
	double percentile;            /* 0..1 */
	double log_ttft, log_tpot;    /* natural logarithms of the factors that latencies get before the comparison with limits (E137) */
};

/* E137. Applies the promise's factors to the latency of a whole request.
 * Given:    promise; ttft_s, e2e_s: modelled times, s (>= 0).
 * Returned: min(ttft_s, e2e_s) exp(log_ttft) + the rest of e2e_s x exp(log_tpot), s.
 * Case:     tests/planner/test_serving_practice.c, one_error_moves_capacity_and_latency_together. */
double promise_e2e_s(const struct promise *promise, double ttft_s, double e2e_s);

/* E115. Carbon intensity of a grid by the hour of the clock. */
struct clock_grid {
	size_t count;              /* hours: as the daily profile, else 24 */
	double gco2e_per_kwh[168]; /* absent: the series has no value for that hour */
	double covered_fraction;   /* part of the hours with a value; above 0 */
};

struct demand {
	double requests_per_s; /* at peak; absent: the most that the fleet carries */
	struct request_shape shape;
	double arrival_cv; /* of the gaps between arrivals; 1: Poisson */
	struct promise promise;
	bool disaggregated; /* separate replicas compute prompts */
	double headroom;    /* part of the capacity that stays free at peak, 0 <= headroom < 1 */
	bool has_end;       /* the load is a trace, which ends, so that a queue may build up during it (E203) */
	int64_t spare_replicas;
	enum routing routing;
	double first_share;   /* part of the requests that goes ahead of waiting ones and has the promise; 0: one class */
	int32_t prefix_count; /* shared prefixes that prompts begin with; 0: shape.cached_share is found on every replica */
	double prefix_tokens;
	const struct rate_piece *pieces; /* NULL: arrivals are stationary; else requests_per_s is that of the busiest piece */
	size_t piece_count, busiest_piece;
	const double *hour_loads; /* of the daily profile; hour_peak is its largest value */
	size_t hour_count;        /* 24, 168, or 0: no profile */
	double hour_peak;
	const struct clock_grid *grid; /* NULL: only the mean is known */
	double mean_load;              /* mean over peak of the profile, 0 < mean_load <= 1 */
};

/* E138. Computes mean and coefficient of variation of a token distribution.
 * Given:    distribution: samples; else a log-normal by two of cv, mean, p50 and p95. A given cv decides over
 *           percentiles.
 * Returned: *mean, tokens (>= 1); *cv (>= 0; 0 where one value alone is given). False if the distribution has no value.
 * Source:   Johnson, Kotz and Balakrishnan 1994, Continuous univariate distributions, volume 1, chapter 14
 *           (log-normal).
 * Case:     tests/planner/golden/serving.txt (E138); tests/planner/test_serving_limits.c, token_distributions_agree. */
bool demand_tokens(const struct token_distribution *distribution, double *mean, double *cv);

/* E58. Computes the mean number of drafts that a step accepts, beyond the token that every step yields.
 * Given:    draft: d, drafted tokens of a step; acceptance: a, chance that a draft is right if all before it are
 *           (0..1).
 * Returned: a (1 - a^d) / (1 - a), tokens; d for a >= 1; 0 for d <= 0.
 * Source:   Leviathan et al. 2023, equation 1.
 * Case:     tests/planner/golden/serving.txt (E58). */
double demand_accepted_tokens(double draft, double acceptance);

/* E115. Averages a carbon series over the hours that the clock shows alike.
 * Given:    series; count: 24 hours of a day, or 168 of a week from Monday on; utc_offset_hours: clock minus UTC, h.
 * Returned: *grid. False if the series has no whole hour.
 * Case:     tests/planner/golden/serving.txt (E115). */
bool demand_grid(const struct grid_hours *series, size_t count, double utc_offset_hours, struct clock_grid *grid);

/* Fills `demand` from the request. Defaults are noted in `findings`. Returns STATUS_INVALID with the faults in
 * `failure` otherwise. */
FALLIBLE enum status demand_read(
	const struct inference_request *request, struct demand *demand, struct findings *findings, struct failure *failure);

#endif
