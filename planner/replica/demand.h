/* What is asked of a fleet, in numbers: load, lengths, burstiness, promises. Read from a request, every choice noted. */
#ifndef FLEETPLAN_PLANNER_REPLICA_DEMAND_H
#define FLEETPLAN_PLANNER_REPLICA_DEMAND_H

#include "planner/replica/operating.h"

enum { SHARED_PREFIXES_MAX = 10000 };

struct promise {
	double ttft_s, tpot_s, e2e_s; /* absent: not promised */
	double percentile; /* 0..1 */
	double log_ttft, log_tpot; /* factors (their logarithms) that latencies get before limits are held against them (E137) */
};

/* A request's time with those factors: its first token's part, and the rest. */
double promise_e2e_s(const struct promise *promise, double ttft_s, double e2e_s);

/* E115. A grid by the hour of the clock. */
struct clock_grid {
	size_t count; /* as the profile, else 24 */
	double gco2e_per_kwh[168]; /* absent: the series does not tell of that hour */
	double covered_fraction;   /* of the hours, that it tells of; above 0 */
};

struct demand {
	double requests_per_s; /* at peak; absent: as much as the fleet holds */
	struct request_shape shape;
	double arrival_cv; /* of the gaps between arrivals; 1: Poisson */
	struct promise promise;
	bool disaggregated; /* prompts have replicas of their own */
	double headroom; /* part of the capacity that stays free at peak, 0 <= headroom < 1 */
	bool has_end; /* a trace: a run that is over, so that a queue may build up in it (E203) */
	int64_t spare_replicas;
	enum routing routing;
	double first_share; /* of the requests: goes ahead of those that wait, and has the promise; 0: all are alike */
	int32_t prefix_count; /* prompts begin with one of so many; 0: what is shared is shape.cached_share, wherever it is */
	double prefix_tokens;
	const struct rate_piece *pieces; /* NULL: arrivals are stationary; else requests_per_s is the busiest's */
	size_t piece_count, busiest_piece;
	const double *hour_loads; /* of the daily profile, relative to hour_peak */
	size_t hour_count; /* 24, 168, or 0: no profile */
	double hour_peak;
	const struct clock_grid *grid; /* NULL: known by its mean alone */
	double mean_load; /* mean over peak of the profile, 0 < mean_load <= 1 */
};

/* Mean and coefficient of variation of a token distribution: samples, or mean and cv, or the log-normal through p50 and p95.
 * False when nothing of it was given. */
bool demand_tokens(const struct token_distribution *distribution, double *mean, double *cv);

/* E58. Tokens that a step accepts beyond the certain one, of `draft` drafted ones, each right with probability `acceptance`. */
double demand_accepted_tokens(double draft, double acceptance);

/* E115. Means of a series over the hours that the clock shows alike: 24, or 168 from Monday on. utc_offset_hours: by which the clock is
 * ahead of UTC. False: it holds no whole hour. */
bool demand_grid(const struct grid_hours *series, size_t count, double utc_offset_hours, struct clock_grid *grid);

/* Fills `demand`; what the request leaves out is chosen and noted in `findings`. INVALID with the faults otherwise. */
FALLIBLE enum status demand_read(
	const struct inference_request *request, struct demand *demand, struct findings *findings, struct failure *failure);

#endif
