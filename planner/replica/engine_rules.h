/* What serving engines do differently: memory, admission, and what drives their steps. */
#ifndef FLEETPLAN_PLANNER_REPLICA_ENGINE_RULES_H
#define FLEETPLAN_PLANNER_REPLICA_ENGINE_RULES_H

#include "planner/plan/serving.h"
#include "planner/replica/constants.h"

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
	double profiled_tokens; /* activations are set aside for a prompt of so many, as far as the model takes them; 0: for chunk_tokens */
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

/* Engines by who drives the steps. TensorRT-LLM did it in C++ until 1.0 (2025-09) made PyTorch its default; on parts with 4-bit arithmetic it was
 * PyTorch from the first release that ran there. */
enum runtime { RUNTIME_VLLM, RUNTIME_TENSORRT_NATIVE, RUNTIME_TENSORRT_PYTORCH, RUNTIME_SGLANG, RUNTIME_COUNT };

/* Releases that part an engine's history, in years since 2020-01: vLLM's V1 engine (2025-03), latent attention as fast as it is (2025-11), vLLM's
 * experts of a library, and its steps scheduled ahead (2026-01); the last releases that are slow beside Grace (2025; measured fast in 2026-06).
 * Sources: engine_rules.c. */
#define ENGINE_V1_DEFAULT_YEARS (5 + 2.0 / 12)
#define ENGINE_LATENT_DONE_YEARS (5 + 10.0 / 12)
#define ENGINE_LIBRARY_EXPERTS_YEARS 6.0
#define ENGINE_GRACE_HOST_YEARS 6.0

enum runtime engine_runtime(enum engine engine, const struct accelerator *accelerator, double release_years);

/* The host times of a runtime, out of the constants. */
struct host_times host_times_of(const struct serving_constants *constants, enum runtime runtime);

/* E186. What each step of an older release waits for the host beside its runtime's own times, s: vLLM before its V1 engine, whose driver process hands
 * the inputs of each step to every tensor rank, and before v0.6.0 also keeps the books of a full batch between two steps.
 * Given: constants; engine; release_years since 2020-01; ranks: of one tensor group, >= 1. Valid: 2023-06 to 2025-03. Source: vLLM blog, 2024-09-05;
 * dstack, 2024-11; Splitwise (Patel et al. 2024). */
double engine_release_step_s(const struct serving_constants *constants, enum engine engine, double release_years, double ranks);

/* E187. Years by which a release is older than kernels for latent attention that are no longer the bottleneck: 0 from 2025-11 on, at most 1 (no
 * older release was measured). Given: release_years since 2020-01. */
double engine_latent_lag_years(double release_years);

/* What is known of a release, as an assumption's source says it. */
const char *engine_release_source(enum engine engine, double release_years);

/* Rules of an engine on large accelerators in its newest release; ENGINE_UNSET stands for the generic one. */
const struct engine_rules *engine_rules_of(enum engine engine);

/* E185. The same with what an engine sets by the accelerator's memory and by its release. Given: engine; accelerator; release_years since 2020-01.
 * Returned: vLLM and the generic engine take in 2,048 tokens a step and 256 sequences on the A100 and below 70 GiB; vLLM before V1 takes
 * 256 sequences everywhere; SGLang 2,048 tokens below 35 GiB. Source: vLLM, EngineArgs.get_batch_defaults and its test of defaults by usage; SGLang
 * v0.4.8, server_args.py. */
struct engine_rules engine_rules_at(enum engine engine, const struct accelerator *accelerator, double release_years);

/* "2025-05" -> 5.333 years since 2020-01; absent or unreadable: the newest known. */
double engine_release_years(const char *release);
double engine_newest_release_years(void);

/* The engine's own KV precision for weights in a precision (E54). */
enum precision engine_kv_precision(enum engine engine, enum precision weights, const struct accelerator *accelerator);

#endif
