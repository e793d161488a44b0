/* What serving engines do differently: memory, admission, and what drives their steps. */
#ifndef FLEETPLAN_PLANNER_SERVING_ENGINE_RULES_H
#define FLEETPLAN_PLANNER_SERVING_ENGINE_RULES_H

#include "planner/serving/constants.h"
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
	double stream_s; /* front end: per token sent out, one after the other, while the next step runs */
	double request_s; /* front end: per request, one after the other */
	double first_token_s; /* front end: latency of each request */
};

/* Engines by who drives the steps. TensorRT-LLM did it in C++ until 1.0 (2025-09) made PyTorch its default. */
enum runtime { RUNTIME_VLLM, RUNTIME_TENSORRT_NATIVE, RUNTIME_TENSORRT_PYTORCH, RUNTIME_SGLANG, RUNTIME_COUNT };

enum runtime engine_runtime(enum engine engine, double release_years);

/* The host times of a runtime, out of the constants. */
struct host_times host_times_of(const struct serving_constants *constants, enum runtime runtime);

/* E54. What each step of an older release waits for the host beside its runtime's own times, s: vLLM before its V1 engine. */
double engine_release_step_s(enum engine engine, double release_years);

/* What is known of a release, as an assumption's source says it. */
const char *engine_release_source(enum engine engine, double release_years);

/* Rules of an engine; ENGINE_UNSET stands for the generic one. */
const struct engine_rules *engine_rules_of(enum engine engine);

/* "2025-05" -> 5.333 years since 2020-01; absent or unreadable: the newest known. */
double engine_release_years(const char *release);
double engine_newest_release_years(void);

/* The engine's own KV precision for weights in a precision (E54). */
enum precision engine_kv_precision(enum engine engine, enum precision weights, const struct accelerator *accelerator);

#endif
