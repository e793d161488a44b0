/* Where a replica settles: closed loop at a concurrency, open loop at a rate, one static batch (E55-E57).
 *
 * Means over the run. Continuous batching: each step gives every running sequence a token, and some steps also take in prompt
 * chunks; what those steps cost is shared by all who wait for them. Pure; a point costs some microseconds. */
#ifndef FLEETPLAN_PLANNER_REPLICA_OPERATING_H
#define FLEETPLAN_PLANNER_REPLICA_OPERATING_H

#include "planner/replica/replica.h"

/* What requests look like. */
struct request_shape {
	double prompt_tokens, prompt_cv, output_tokens, output_cv; /* means >= 1; coefficients of variation */
	double cached_share; /* of the prompt, found in the prefix cache: 0..1 */
	double draft_tokens, accepted_tokens; /* speculative decoding: drafted, and accepted per step; 0: none */
	double acceptance; /* of a drafted token, 0..1: what accepted_tokens follows from; 0: not known */
	double run_requests; /* length of the run, which starts empty; absent: steady state */
};

/* What accelerators do while busy. Steps that take in prompts decode too: only what they cost more than bare ones is prefill. */
enum phase { PHASE_PREFILL, PHASE_DECODE, PHASE_COUNT };

struct phase_use {
	double share; /* of the busy time; the shares add to 1 */
	double compute_utilization, memory_utilization; /* of the dense peak and of the bandwidth, during the phase */
};

struct operating_point {
	double decode_sequences; /* mean batch */
	double in_flight; /* requests inside, waiting ones included */
	double step_s; /* mean time of a step */
	double prefill_share; /* of the steps take in prompts: 1 is prefill-bound */
	double prefill_s; /* one prompt's own way through */
	double requests_per_s, output_tokens_per_s, ttft_s, tpot_s;
	double busy_fraction; /* of the time, steps run */
	double compute_utilization, memory_utilization; /* while busy */
	struct phase_use phases[PHASE_COUNT];
	double shares[BOTTLENECK_COUNT]; /* of the step time */
	bool saturated; /* the offered load is more than the replica can take */
};

/* E55. `concurrency` requests are kept in flight; CONCURRENCY_MAX: as many as the replica holds. */
void operating_closed(const struct replica *replica, const struct request_shape *shape, double concurrency,
	struct operating_point *point);

/* E56. Poisson arrivals. When saturated, the point is that of saturation, and TTFT grows with the run (absent without one). */
void operating_open(const struct replica *replica, const struct request_shape *shape, double requests_per_s,
	struct operating_point *point);

/* E57. One batch that starts and ends together. */
void operating_static(const struct replica *replica, const struct request_shape *shape, double concurrency,
	struct operating_point *point);

/* Running sequences that the replica can keep busy: KV memory, the engine's limit, and the prompts that must come in with them. */
double operating_sequences_max(const struct replica *replica, const struct request_shape *shape);

#endif
