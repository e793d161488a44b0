/* One serving replica: a model on accelerators in a layout, run by an engine. Time of a step, and memory (E50-E54).
 *
 * replica_prepare() turns names and shapes into numbers once. step_time() then takes well under a microsecond, so that
 * operating points and layouts can be searched. Replicas are plain data and can be copied; they borrow only the
 * constants. */
#ifndef FLEETPLAN_PLANNER_REPLICA_REPLICA_H
#define FLEETPLAN_PLANNER_REPLICA_REPLICA_H

#include "planner/operators/collective.h"
#include "planner/replica/engine_rules.h"

enum { REPLICA_GEMMS_MAX = 8 };

/* The requested layout of a replica. Every parallel degree is >= 1. */
struct replica_layout {
	int tensor, pipeline, expert, attention_data;
	enum precision precision, kv_precision;
	enum engine engine;
	double release_years;           /* since 2020-01; see engine_release_years() */
	double max_batch, chunk_tokens; /* absent: the engine's default */
	bool keeps_flags;      /* the engine keeps its default memory fraction, also where a raised one (E189) would make the layout fit */
	int64_t gpus_per_node; /* 0: not known */
	double internode_bytes_per_s; /* per accelerator, one direction; 0: not known */
};

/* One matrix product of a layer on one accelerator: rows x k by k x n. */
struct gemm {
	double n, k, weight_bytes, flops_per_s, memory_bytes_per_s; /* weight_bytes: of one weight; rates: achieved, not peak */
};

/* One kind of layer on one accelerator. */
struct replica_kind {
	double layers; /* of this kind in the whole model; every token passes through all pipeline stages */
	int gemm_count;
	struct gemm gemms[REPLICA_GEMMS_MAX];
	double index_bytes_per_token, index_flops_per_pair;       /* an indexer's key, part of kv_bytes_per_token; a query reads all of them */
	double kv_bytes_per_token, window_tokens;                 /* per accelerator; window: tokens kept, 0: the whole context */
	double attended_tokens;                                   /* limit of attended tokens; 0: the whole context */
	double chunk_tokens;                                      /* attention starts anew every chunk of this length; 0: it does not */
	double prefill_flops_per_pair, decode_flops_per_pair;     /* of one query with one cached token */
	double state_bytes;                                       /* of one sequence, read and written in each step */
	double state_flops_per_token;                             /* of a prompt token, to update the state */
	double experts, experts_active, experts_local;            /* experts 0: dense */
	double expert_width, expert_weight_bytes, expert_weights; /* of one expert's share on one accelerator */
	double expert_flops_per_s, expert_memory_fraction;
	double reduces; /* all-reduces per layer */
};

/* E140. Network between the ranks of a replica. Rates are bytes/s in one direction. */
struct replica_network {
	struct device device;                                         /* wiring and rates only */
	struct group tensor, exchange;                                /* ranks of one tensor group; attention-data ranks */
	double tensor_bytes_per_s;                                    /* around the tensor group's ring */
	double stage_bytes_per_s;                                     /* from one pipeline stage to the next */
	double tensor_latency_s, exchange_latency_s, stage_latency_s; /* of network adapters, added to the latency of the link */
	bool linked;                                                  /* a link connects the whole tensor group */
};

struct replica {
	const struct serving_constants *constants;
	struct engine_rules rules;
	struct host_times host;
	int gpus, tensor, pipeline, expert, attention_data;
	int kind_count;
	struct replica_kind kinds[MODEL_LAYER_KINDS_MAX];
	struct gemm logits;
	double hidden, attention_flops_per_s, bandwidth_bytes_per_s, link_bytes_per_s, peak_flops_per_s;
	double kernel_s, layer_s, reduce_s, pair_s, prefill_fraction, expert_speed, expert_product_speed, software_factor, front_end_factor,
		weight_memory_bytes_per_s;
	double cores;   /* E201: cores that share a rank's heads: 2 on Neuron devices, else 1 */
	double balance; /* E188: 16-bit operations per byte of bandwidth, over those of the H100 */
	double kv_element_bytes;
	double dispatch_bytes; /* of one activation that is sent to the experts */
	struct replica_network network;
	bool keeps_flags;                            /* as in the layout */
	bool keeps_window_only, attends_window_only; /* windowed layers do not keep, do not read tokens outside the window */

	struct serving_memory memory; /* per accelerator; kv_tokens_capacity for the whole replica */
	double kv_budget_bytes;       /* per accelerator */
};

/* The work of one engine step on the whole replica. */
struct batch {
	double decode_sequences, decode_context_tokens; /* sequences that each get a token; their mean context */
	double decode_spread_tokens;                    /* >= 0; contexts are even between the mean less this and the mean plus this */
	double prefill_tokens, prefill_sequences;       /* prompt tokens in this step; number of their prompts */
	double prefill_context_tokens;                  /* cached tokens that a prompt token attends to besides its own chunk, mean */
};

struct step {
	double time_s;
	double compute_s, memory_s, network_s, overhead_s; /* their sum is time_s */
	double launch_s;                                   /* part of overhead_s: the accelerators wait while kernels are launched one by one */
	double flops, bytes;                               /* computed and moved by one accelerator, for power */
};

/* Fills the replica. False if the layout is impossible: its degrees do not fit the model, or a rate is unknown. Memory
 * is filled also where the model does not fit; see replica_fits(). calibration may be NULL. */
bool replica_prepare(struct replica *replica, const struct model *model, const struct accelerator *accelerator,
	const struct calibration *calibration, const struct replica_layout *layout, const struct serving_constants *constants);

/* E190. Turns a replica into one that runs a static batch without a serving engine: no host work between steps, fully
 * compiled graphs, and a cache of all memory that weights, activations and libraries leave.
 * Given:    replica: prepared, of the generic engine.
 * Returned: *replica changed.
 * Case:     tests/planner/test_serving_engines.c, a_batch_without_engine_is_faster. */
void replica_without_engine(struct replica *replica);

/* E140. Fills replica->network; replica_prepare() calls it.
 * Given:    accelerator; layout: degrees, gpus_per_node and internode_bytes_per_s.
 * Returned: replica->network, rates in bytes/s, latencies in s.
 * Case:     tests/planner/test_serving_models.c, networks_slow_with_their_domains. */
void replica_network(struct replica *replica, const struct accelerator *accelerator, const struct replica_layout *layout);

/* E54. Fills replica->memory and kv_budget_bytes; replica_prepare() calls it.
 * Given:    model; accelerator; precision: of the weights; weight_bytes: per parameter of an expert; mixer_bytes: per
 *           other parameter; wider_bytes: added per attention parameter in a checkpoint that keeps attention in 16
 *           bits.
 * Returned: bytes on one accelerator; memory.kv_tokens_capacity in tokens of the whole replica.
 * Case:     tests/planner/golden/serving.txt (E54); tests/planner/test_serving_limits.c,
 *           engines_set_aside_memory_by_their_own_rules. */
void replica_memory(struct replica *replica, const struct model *model, const struct accelerator *accelerator, enum precision precision,
	double weight_bytes, double mixer_bytes, double wider_bytes);

/* E53. Computes the time of one step.
 * Given:    replica: prepared; batch: work of the step.
 * Returned: *step, times in s.
 * Case:     tests/planner/test_serving_operating.c; tests/planner/test_serving_models.c. */
void step_time(const struct replica *replica, const struct batch *batch, struct step *step);

/* E54. Computes the cache of one sequence on one accelerator.
 * Given:    replica: prepared; context_tokens: length of the sequence (>= 0).
 * Returned: bytes, in whole blocks, states included.
 * Case:     tests/planner/test_serving_models.c, caches_of_replicas_are_the_models. */
double replica_sequence_bytes(const struct replica *replica, double context_tokens);

/* True if weights, activations and one sequence of context_tokens fit into memory. */
bool replica_fits(const struct replica *replica, double context_tokens);

/* E54. Computes the number of sequences that the replica can hold at once.
 * Given:    replica: prepared; prompt_tokens, output_tokens: means of a request (>= 0).
 * Returned: sequences (>= 1); KV memory and the engine's limit on sequences bound it.
 * Case:     tests/planner/test_serving_operating.c, engines_count_answers_in_as_they_admit. */
double replica_sequences_max(const struct replica *replica, double prompt_tokens, double output_tokens);

#endif
