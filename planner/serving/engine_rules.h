/* What serving engines do differently, and the constants of the step model. */
#ifndef FLEETPLAN_PLANNER_SERVING_ENGINE_RULES_H
#define FLEETPLAN_PLANNER_SERVING_ENGINE_RULES_H

#include "planner/serving/serving.h"

enum kv_budget {
	KV_BUDGET_OF_TOTAL, /* a fraction of all memory holds everything */
	KV_BUDGET_OF_STATIC, /* a fraction of all memory holds weights and cache; the rest is for what comes and goes */
	KV_BUDGET_OF_FREE /* a fraction of what weights and activations leave */
};

/* E54: how an engine sets aside its KV cache and admits sequences. */
struct engine_rules {
	const char *name, *source;
	enum engine engine;
	enum kv_budget budget;
	double memory_fraction;
	double block_tokens;
	double max_batch; /* sequences that run at once, per attention-data rank */
	double chunk_tokens; /* tokens of one step, per attention-data rank */
	bool reserves_whole_output; /* admits only what can finish without eviction */
	bool narrow_kv; /* FP8 cache for FP8 and FP4 weights */
	bool balances_ranks; /* attention-data ranks take in prompts in the same steps */
};

/* What the host does around the accelerators' work. */
struct host_times {
	double eager_layer_s; /* launching a layer's kernels one by one, when a step takes in prompts */
	double step_s; /* between steps */
	double sequence_s; /* per sequence and step: scheduling, sampling, detokenising */
	double request_s; /* front end: per request, one after the other */
	double first_token_s; /* front end: latency of each request */
};

/* Engines by who drives the steps. TensorRT-LLM did it in C++ until 1.0 (2025-09) made PyTorch its default. */
enum runtime { RUNTIME_VLLM, RUNTIME_TENSORRT_NATIVE, RUNTIME_TENSORRT_PYTORCH, RUNTIME_SGLANG, RUNTIME_COUNT };

enum runtime engine_runtime(enum engine engine, double release_years);

/* Every constant of the step model that was fitted or taken from measured kernels; one set for all models and accelerators.
 * Sources stand beside the values in engine_rules.c. */
struct serving_constants {
	double gemm_efficiency_16, gemm_efficiency_8, gemm_efficiency_4; /* of the dense peak, large products */
	double memory_efficiency; /* of the bandwidth, weights streaming */
	double kernel_s; /* one kernel inside a CUDA graph */
	double layer_s; /* norms, rotary, cache write: fixed part */
	double elementwise_passes; /* times that a token's hidden state crosses memory per layer */
	double prefill_efficiency, prefill_half_tokens; /* attention on long chunks; chunk length at half of it */
	double decode_efficiency, decode_attention_s; /* of the bandwidth; fixed part per layer */
	double decode_flops_efficiency;
	/* Where weights are narrower than the arithmetic and widened inside the kernel: of its rate, in the layers' products and in
	 * grouped ones of experts; and of the rate at which weights of 8 and of 4 bits stream. */
	double widening_efficiency, expert_widening_efficiency, widening_memory_8, widening_memory_4;
	double expert_efficiency, expert_tile_tokens, expert_half_width, expert_imbalance;
	double expert_spread; /* tokens that choose experts as if independent, of all: similar tokens choose alike */
	double stage_wait; /* of a step, lost to micro-batches of unlike work in a deep pipeline */
	double reduce_s, reduce_rank_s,
		reduce_knee_bytes; /* all-reduce: latency, a part that grows with ranks up to a knee;
	                                                       * the part of one rank is also an expert exchange's latency */
	double eager_experts; /* layers with experts take the host so many times more (host_times.eager_layer_s) */
	double state_efficiency; /* of the dense peak, scan of state-space and linear attention over a prompt */
	struct host_times host[RUNTIME_COUNT];
};

extern const struct serving_constants serving_constants;

/* Rules of an engine; ENGINE_UNSET stands for the generic one. */
const struct engine_rules *engine_rules_of(enum engine engine);

/* "2025-05" -> 5.333 years since 2020-01; absent or unreadable: the newest known. */
double engine_release_years(const char *release);
double engine_newest_release_years(void);

/* The engine's own KV precision for weights in a precision (E54). */
enum precision engine_kv_precision(enum engine engine, enum precision weights, const struct accelerator *accelerator);

#endif
