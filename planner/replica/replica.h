/* One serving replica: a model, laid out over accelerators, run by an engine. What a step costs on it and what it can hold.
 *
 * replica_prepare() turns names and shapes into numbers once; step_time() then costs well under a microsecond, so that
 * operating points and layouts can be searched. Equations E50-E54. Plain data: copy freely; borrows the model's shape only. */
#ifndef FLEETPLAN_PLANNER_REPLICA_REPLICA_H
#define FLEETPLAN_PLANNER_REPLICA_REPLICA_H

#include "planner/operators/collective.h"
#include "planner/replica/engine_rules.h"

enum { REPLICA_GEMMS_MAX = 8 };

/* How a replica is asked for. Parallel degrees are all >= 1. */
struct replica_layout {
	int tensor, pipeline, expert, attention_data;
	enum precision precision, kv_precision;
	enum engine engine;
	double release_years; /* since 2020-01; see engine_release_years() */
	double max_batch, chunk_tokens; /* absent: the engine's own */
	bool keeps_flags; /* what fits only with a raised fraction of the memory (E189) does not fit */
	int64_t gpus_per_node; /* 0: not known */
	double internode_bytes_per_s; /* per accelerator, one direction; 0: not known */
};

/* One matrix product of a layer, on one accelerator: rows x n x k. */
struct gemm {
	double n, k, weight_bytes, flops_per_s, memory_bytes_per_s; /* rates that are really reached */
};

/* One kind of layer on one accelerator. */
struct replica_kind {
	double layers; /* of this kind in the whole model; every token walks through all pipeline stages */
	int gemm_count;
	struct gemm gemms[REPLICA_GEMMS_MAX];
	double index_bytes_per_token, index_flops_per_pair; /* part of kv_bytes_per_token: an indexer's key, which each query meets in all of the context */
	double kv_bytes_per_token, window_tokens; /* per accelerator; window: tokens kept, 0: all of the context */
	double attended_tokens; /* at most so many are attended to; 0: all of the context */
	double chunk_tokens; /* attention starts anew every so many tokens; 0: it does not */
	double prefill_flops_per_pair, decode_flops_per_pair; /* of one query with one cached token */
	double state_bytes; /* of one sequence, read and written each step */
	double state_flops_per_token; /* of a prompt, to carry the state along */
	double experts, experts_active, experts_local; /* 0 experts: dense */
	double expert_width, expert_weight_bytes, expert_weights; /* of one expert's share on one accelerator */
	double expert_flops_per_s, expert_memory_fraction;
	double reduces; /* all-reduces per layer */
};

/* E140. How the ranks of a replica reach each other. Rates are bytes/s, one direction. */
struct replica_network {
	struct device device;            /* wiring and rates only */
	struct group tensor, exchange;   /* ranks of one tensor group; attention-data ranks */
	double tensor_bytes_per_s;       /* around the tensor group's ring */
	double stage_bytes_per_s;        /* from one pipeline stage to the next */
	double tensor_latency_s, exchange_latency_s, stage_latency_s; /* of network adapters, added to the link's */
	bool linked;                     /* a link joins the whole tensor group */
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
	double kernel_s, layer_s, reduce_s, pair_s, prefill_fraction, expert_speed, expert_product_speed, software_factor, front_end_factor, weight_memory_bytes_per_s;
	double cores; /* E201: that share a rank's heads: 2 on Neuron devices, else 1 */
	double balance; /* E188: operations for each byte of bandwidth, over those of the H100 */
	double kv_element_bytes;
	double dispatch_bytes; /* of one activation on its way to the experts */
	struct replica_network network;
	bool keeps_flags; /* as the layout's */
	bool keeps_window_only, attends_window_only; /* windowed layers drop what lies outside; do not read it */

	struct serving_memory memory; /* per accelerator; kv_tokens_capacity for the whole replica */
	double kv_budget_bytes; /* per accelerator */
};

/* What one engine step does, over the whole replica. */
struct batch {
	double decode_sequences, decode_context_tokens; /* sequences that each get a token; their mean context */
	double decode_spread_tokens; /* contexts lie evenly between the mean less this and the mean plus this, >= 0 */
	double prefill_tokens, prefill_sequences; /* prompt tokens in this step; prompts they belong to */
	double prefill_context_tokens; /* cached tokens that each of them attends to besides its own chunk, mean */
};

struct step {
	double time_s;
	double compute_s, memory_s, network_s, overhead_s; /* whole: their sum is time_s */
	double launch_s; /* part of overhead_s: the accelerators wait for kernels to be launched one by one */
	double flops, bytes; /* done and moved by one accelerator, for power */
};

/* Fills the replica. False, with the reason, when the layout cannot be (degrees that do not fit the model). Memory is filled
 * also when it does not fit: see replica_fits(). calibration may be NULL. */
bool replica_prepare(struct replica *replica, const struct model *model, const struct accelerator *accelerator,
	const struct calibration *calibration, const struct replica_layout *layout,
	const struct serving_constants *constants);

/* E190. What runs one static batch without a serving engine: no host between steps, graphs that are compiled whole, and all of the memory
 * that weights, activations and libraries leave for the cache. Given: a prepared replica of the generic engine. */
void replica_without_engine(struct replica *replica);

/* E140. Fills replica->network from the layout's degrees and its machine; replica_prepare() calls it. */
void replica_network(struct replica *replica, const struct accelerator *accelerator, const struct replica_layout *layout);

/* E54. Fills replica->memory and kv_budget_bytes; replica_prepare() calls it. Per parameter: weight_bytes; mixer_bytes, of what is not an expert;
 * wider_bytes, that attention takes beyond those in a checkpoint that leaves it wide. */
void replica_memory(struct replica *replica, const struct model *model, const struct accelerator *accelerator,
	enum precision precision, double weight_bytes, double mixer_bytes, double wider_bytes);

/* E53. Time of one step. */
void step_time(const struct replica *replica, const struct batch *batch, struct step *step);

/* E54. KV bytes per accelerator of one sequence at a context length, whole blocks, states included. */
double replica_sequence_bytes(const struct replica *replica, double context_tokens);

/* Weights, activations and one sequence of so many tokens fit. */
bool replica_fits(const struct replica *replica, double context_tokens);

/* E54. Sequences that the replica can hold at once, by KV memory and by the engine's limit on sequences. */
double replica_sequences_max(const struct replica *replica, double prompt_tokens, double output_tokens);

#endif
