/* The operating point of a replica: closed loop at a concurrency, open loop at a rate, one static batch (E55-E57).
 *
 * All figures are means over the run. With continuous batching each step gives every running sequence a token. Some
 * steps also compute prompt chunks; they delay all running sequences. The functions are pure; a point takes some
 * microseconds. */
#ifndef FLEETPLAN_PLANNER_REPLICA_OPERATING_H
#define FLEETPLAN_PLANNER_REPLICA_OPERATING_H

#include "planner/replica/replica.h"

/* Lengths of requests, caching and speculation. */
struct request_shape {
	double prompt_tokens, prompt_cv, output_tokens, output_cv; /* means >= 1; coefficients of variation */
	double cached_share;                                       /* part of the prompt that the prefix cache holds, 0..1 */
	double draft_tokens, accepted_tokens;                      /* speculative decoding: drafted, and accepted per step; 0: none */
	double acceptance;   /* chance that a drafted token is right, 0..1; accepted_tokens follows from it; 0: not known */
	double run_requests; /* requests of the run, which starts empty; absent: steady state */
};

/* Phases of the busy time. Steps with prompts decode too; only their time beyond that of bare decoding steps counts as
 * prefill. */
enum phase { PHASE_PREFILL, PHASE_DECODE, PHASE_COUNT };

struct phase_use {
	double share;                                   /* of the busy time; the shares add to 1 */
	double compute_utilization, memory_utilization; /* of the dense peak and of the bandwidth, during the phase */
};

struct operating_point {
	double decode_sequences; /* mean batch */
	double in_flight;        /* requests in the replica, waiting ones included */
	double step_s;           /* mean time of a step */
	double prefill_share;    /* part of the steps that compute prompts, 0..1; 1: prefill-bound */
	double prefill_s;        /* time of one prompt's own chunks */
	double requests_per_s, output_tokens_per_s, ttft_s, tpot_s;
	double busy_fraction;                           /* part of the time in which steps run */
	double compute_utilization, memory_utilization; /* while busy */
	struct phase_use phases[PHASE_COUNT];
	double shares[BOTTLENECK_COUNT]; /* of the step time */
	bool saturated;                  /* the offered load exceeds the capacity */
};

/* E55. Computes the operating point of a closed loop.
 * Given:    replica; shape; concurrency: requests in flight (> 0), or CONCURRENCY_MAX: as many as fit into the replica.
 * Returned: *point.
 * Case:     tests/planner/golden/serving.txt (E55); tests/planner/test_serving_operating.c,
 *           a_closed_loop_is_its_steps. */
void operating_closed(const struct replica *replica, const struct request_shape *shape, double concurrency, struct operating_point *point);

/* E56. Computes the operating point under Poisson arrivals.
 * Given:    replica; shape; requests_per_s: arrival rate (> 0).
 * Returned: *point. Above the capacity it is the point of saturation; TTFT then grows with the length of the run, and
 *           is absent without shape->run_requests.
 * Case:     tests/planner/golden/serving.txt (E56); tests/planner/test_serving_operating.c,
 *           an_overloaded_run_is_a_plateau. */
void operating_open(const struct replica *replica, const struct request_shape *shape, double requests_per_s, struct operating_point *point);

/* E57. Computes the operating point of one batch that starts and ends together.
 * Given:    replica; shape; concurrency: requests of the batch (> 0).
 * Returned: *point.
 * Case:     tests/planner/test_serving_operating.c, a_static_batch_is_two_phases. */
void operating_static(const struct replica *replica, const struct request_shape *shape, double concurrency, struct operating_point *point);

/* Returns the largest number of running sequences. KV memory, the engine's limit and the room for their prompts bound
 * it. */
double operating_sequences_max(const struct replica *replica, const struct request_shape *shape);

#endif
