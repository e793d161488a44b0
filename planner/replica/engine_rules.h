/* Differences between serving engines: memory, admission, and the runtime that drives their steps. */
#ifndef FLEETPLAN_PLANNER_REPLICA_ENGINE_RULES_H
#define FLEETPLAN_PLANNER_REPLICA_ENGINE_RULES_H

#include "planner/plan/serving.h"
#include "planner/replica/constants.h"

enum kv_budget {
	KV_BUDGET_OF_TOTAL,  /* a fraction of all memory is for weights, activations and cache */
	KV_BUDGET_OF_STATIC, /* a fraction of all memory is for weights and cache; the rest is for activations */
	KV_BUDGET_OF_FREE    /* a fraction of the memory that weights and activations leave is for the cache */
};

/* E54. How an engine reserves its KV cache and admits sequences. */
struct engine_rules {
	const char *name, *source;
	enum engine engine;
	enum kv_budget budget;
	double memory_fraction;
	double block_tokens;
	double max_batch;           /* sequences that run at once, per attention-data rank */
	double chunk_tokens;        /* tokens of one step, per attention-data rank */
	double profiled_tokens;     /* prompt for which activations are reserved, at most the model's positions; 0: chunk_tokens */
	bool reserves_whole_output; /* admits only requests that can finish without eviction */
	bool narrow_kv;             /* FP8 cache for FP8 and FP4 weights */
	bool balances_ranks;        /* attention-data ranks compute prompts in the same steps */
};

/* Times of the host beside the accelerators' work, s. */
struct host_times {
	double eager_layer_s; /* launch of a layer's kernels one by one, in steps with prompts */
	double step_s;        /* between steps */
	double sequence_s;    /* per sequence and step: scheduling, sampling, detokenising */
	double stream_s;      /* front end: per token sent, one after the other, while the next step runs */
	double request_s;     /* front end: per request, one after the other */
	double first_token_s; /* front end: latency of each request */
};

/* Engines by the runtime that drives their steps. TensorRT-LLM used C++ until 1.0 (2025-09) made PyTorch its default.
 * On accelerators with 4-bit arithmetic it used PyTorch from the first release that ran there. */
enum runtime { RUNTIME_VLLM, RUNTIME_TENSORRT_NATIVE, RUNTIME_TENSORRT_PYTORCH, RUNTIME_SGLANG, RUNTIME_COUNT };

/* Dates at which an engine's speed changed, in years since 2020-01: the V1 engine became vLLM's default (2025-03);
 * latent attention reached its present speed (2025-11); vLLM took experts' kernels from a library and scheduled steps
 * ahead (2026-01); Python engines stopped being slower beside Grace hosts (2026). Sources: engine_rules.c, E205. */
#define ENGINE_V1_DEFAULT_YEARS      (5 + 2.0 / 12)
#define ENGINE_LATENT_DONE_YEARS     (5 + 10.0 / 12)
#define ENGINE_LIBRARY_EXPERTS_YEARS 6.0
#define ENGINE_GRACE_HOST_YEARS      6.0

/* Returns the runtime of an engine's release (years since 2020-01) on an accelerator. */
enum runtime engine_runtime(enum engine engine, const struct accelerator *accelerator, double release_years);

/* Returns the host times of a runtime from the constants. */
struct host_times host_times_of(const struct serving_constants *constants, enum runtime runtime);

/* E186. Computes the time that each step of an older vLLM waits for the host, beside the host times of its runtime.
 * Before the V1 engine a driver process passes the inputs of each step to every tensor rank. Before v0.6.0 it also does
 * the bookkeeping of a full batch between two steps.
 * Given:    constants; engine; release_years: since 2020-01; ranks: of one tensor group (>= 1).
 * Returned: s; ranks x rank_step_s before v0.6.0, ranks x rank_late_s until V1; 0 since V1 and for other engines.
 * Valid:    2023-06 to 2025-03.
 * Source:   vLLM blog, 2024-09-05; dstack, 2024-11; Splitwise (Patel et al. 2024).
 * Case:     tests/planner/test_serving_engines.c, older_releases_are_not_faster. */
double engine_release_step_s(const struct serving_constants *constants, enum engine engine, double release_years, double ranks);

/* E187. Computes by how many years a release is older than the fast kernels for latent attention of 2025-11.
 * Given:    release_years: since 2020-01.
 * Returned: years, 0 .. 1: 0 from 2025-11 on; at most 1, because no older release was measured.
 * Source:   DeepSeek-R1 on MI300X, 2025-03 (dstack); AMD, 2025-03-21.
 * Case:     tests/planner/test_serving_engines.c, older_releases_are_not_faster. */
double engine_latent_lag_years(double release_years);

/* Returns what is known about a release, as the source of an assumption. */
const char *engine_release_source(enum engine engine, double release_years);

/* Returns the rules of an engine's newest release on large accelerators. ENGINE_UNSET means the generic engine. */
const struct engine_rules *engine_rules_of(enum engine engine);

/* E185. Returns the rules of an engine with the defaults that it takes from the accelerator's memory and from its
 * release.
 * Given:    engine; accelerator; release_years: since 2020-01.
 * Returned: the rules of engine_rules_of(), but: vLLM and the generic engine have 2,048 tokens a step and 256 sequences
 *           on the A100 and below 70 GiB; vLLM before V1 has 256 sequences on every accelerator; SGLang has 2,048
 *           tokens a step below 35 GiB.
 * Source:   vLLM, EngineArgs.get_batch_defaults and its test of defaults by usage; SGLang v0.4.8, server_args.py.
 * Case:     tests/planner/test_serving_engines.c, start_values_follow_the_memory. */
struct engine_rules engine_rules_at(enum engine engine, const struct accelerator *accelerator, double release_years);

/* Converts a release to years since 2020-01: "2025-05" is 5.333. NULL or unreadable: the newest known release. */
double engine_release_years(const char *release);
double engine_newest_release_years(void);

/* E54. Returns the engine's default KV precision.
 * Given:    engine; weights: their precision; accelerator.
 * Returned: FP8 for FP8 and FP4 weights where the engine and the accelerator support it; else BF16, or FP16 without
 *           BF16.
 * Case:     tests/planner/test_serving_limits.c, engines_choose_their_own_cache_format. */
enum precision engine_kv_precision(enum engine engine, enum precision weights, const struct accelerator *accelerator);

#endif
