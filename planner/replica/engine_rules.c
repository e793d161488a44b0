#include "planner/replica/engine_rules.h"

#include <string.h>

static const struct engine_rules rules[ENGINE_COUNT] = {
	[ENGINE_GENERIC] = {.name = "generic",
		.source = "E54: the rules of vLLM, the most widely used engine",
		.engine = ENGINE_GENERIC,
		.budget = KV_BUDGET_OF_TOTAL,
		.memory_fraction = 0.90,
		.block_tokens = 16,
		.max_batch = 1024,
		.chunk_tokens = 8192},
	[ENGINE_VLLM] = {.name = "vllm",
		.source = "E54: vLLM engine arguments: gpu_memory_utilization 0.9, block 16, max_num_seqs 1024, 8192 batched tokens",
		.engine = ENGINE_VLLM,
		.budget = KV_BUDGET_OF_TOTAL,
		.memory_fraction = 0.90,
		.block_tokens = 16,
		.max_batch = 1024,
		.chunk_tokens = 8192},
	[ENGINE_TENSORRT_LLM] = {.name = "tensorrt_llm",
		.source = "E54: TensorRT-LLM: free_gpu_memory_fraction 0.9, block 32, max_batch_size 2048, max_num_tokens 8192, "
				  "guaranteed no evict",
		.engine = ENGINE_TENSORRT_LLM,
		.budget = KV_BUDGET_OF_FREE,
		.memory_fraction = 0.90,
		.block_tokens = 32,
		.max_batch = 2048,
		.chunk_tokens = 8192,
		.reserves_whole_output = true,
		.narrow_kv = true,
		.balances_ranks = true},
	[ENGINE_SGLANG] = {.name = "sglang",
		.source = "E54: SGLang server arguments: mem_fraction_static 0.88, page 1, chunked_prefill_size 8192",
		.engine = ENGINE_SGLANG,
		.budget = KV_BUDGET_OF_STATIC,
		.memory_fraction = 0.88,
		.block_tokens = 1,
		.max_batch = 2048,
		.chunk_tokens = 8192},
};

const struct engine_rules *engine_rules_of(enum engine engine)
{
	return &rules[engine == ENGINE_UNSET ? ENGINE_GENERIC : engine];
}

/* Below 70 GiB, and on the A100, vLLM starts with smaller steps. Below 35 GiB SGLang does. */
static const double large_memory_bytes = 70.0 * 1024 * 1024 * 1024, small_memory_bytes = 35.0 * 1024 * 1024 * 1024;
/* vLLM before V1 computed whole prompts up to this number of tokens, and reserved memory for one. */
static const double whole_prompt_tokens = 32768;
static const double small_step_tokens = 2048, small_batch = 256;

static const double v06_years = 4 + 8.0 / 12;

struct engine_rules engine_rules_at(enum engine engine, const struct accelerator *accelerator, double release_years)
{
	struct engine_rules rules_here = *engine_rules_of(engine);
	double capacity_bytes = accelerator_capacity_bytes(accelerator);
	const char *kin = accelerator_kin(accelerator);
	bool a100 = kin && strncmp(kin, "a100", 4) == 0;

	switch (rules_here.engine) {
	case ENGINE_VLLM:
	case ENGINE_GENERIC:
		if ((capacity_bytes > 0 && capacity_bytes < large_memory_bytes) || a100) {
			rules_here.chunk_tokens = small_step_tokens;
			rules_here.max_batch = small_batch;
		}
		if (engine == ENGINE_VLLM && release_years < ENGINE_V1_DEFAULT_YEARS) {
			rules_here.max_batch = small_batch;
			rules_here.profiled_tokens = whole_prompt_tokens;
		}
		break;
	case ENGINE_SGLANG:
		if (capacity_bytes > 0 && capacity_bytes < small_memory_bytes)
			rules_here.chunk_tokens = small_step_tokens;
		break;
	case ENGINE_TENSORRT_LLM:
	case ENGINE_UNSET:
	case ENGINE_COUNT:
		break;
	}
	return rules_here;
}

static const double pytorch_default_years = 5 + 8.0 / 12; /* 2025-09 */

enum runtime engine_runtime(enum engine engine, const struct accelerator *accelerator, double release_years)
{
	switch (engine) {
	case ENGINE_TENSORRT_LLM:
		return release_years < pytorch_default_years && !is_given(accelerator->tflops_fp4) ? RUNTIME_TENSORRT_NATIVE
																						   : RUNTIME_TENSORRT_PYTORCH;
	case ENGINE_SGLANG:
		return RUNTIME_SGLANG;
	case ENGINE_UNSET:
	case ENGINE_GENERIC:
	case ENGINE_VLLM:
	case ENGINE_COUNT:
		break;
	}
	return RUNTIME_VLLM;
}

struct host_times host_times_of(const struct serving_constants *constants, enum runtime runtime)
{
	switch (runtime) {
	case RUNTIME_VLLM:
		return (struct host_times){.sequence_s = constants->sequence_s,
			.stream_s = constants->vllm_stream_s,
			.request_s = constants->vllm_request_s,
			.first_token_s = constants->vllm_first_token_s};
	case RUNTIME_TENSORRT_NATIVE:
		return (struct host_times){
			.step_s = constants->native_step_s, .request_s = constants->native_request_s, .first_token_s = constants->native_first_token_s};
	case RUNTIME_TENSORRT_PYTORCH:
		return (struct host_times){.eager_layer_s = constants->launch_s,
			.step_s = constants->pytorch_step_s,
			.sequence_s = constants->sequence_s,
			.first_token_s = constants->pytorch_first_token_s};
	case RUNTIME_SGLANG:
	case RUNTIME_COUNT:
		break;
	}
	return (struct host_times){.eager_layer_s = constants->launch_s,
		.step_s = constants->sglang_step_s,
		.sequence_s = constants->sequence_s,
		.request_s = constants->sglang_request_s,
		.first_token_s = constants->sglang_first_token_s};
}

/* vLLM's V1 engine does host work beside the step. It is the default since v0.8.0 of 2025-03 (Red Hat, 2025-04-28,
 * "Performance boosts in vLLM 0.8.1"). */
double engine_release_step_s(const struct serving_constants *constants, enum engine engine, double release_years, double ranks)
{
	if (engine != ENGINE_VLLM || release_years >= ENGINE_V1_DEFAULT_YEARS)
		return 0;
	return ranks * (release_years >= v06_years ? constants->rank_late_s : constants->rank_step_s);
}

double engine_latent_lag_years(double release_years)
{
	return fmin(fmax(ENGINE_LATENT_DONE_YEARS - release_years, 0), 1);
}

const char *engine_release_source(enum engine engine, double release_years)
{
	switch (engine) {
	case ENGINE_VLLM:
		if (release_years >= ENGINE_V1_DEFAULT_YEARS)
			return "E54: vLLM with the V1 engine (since v0.8.0 of 2025-03): published pairs of its releases differ by 2 % at the median, so dense models are "
				   "as fast as on the newest release; experts and the scheduling of many sequences became faster in 2026-01, latent attention until 2025-11; the interval widens by 5 % a year";
		return release_years >= v06_years
			? "E186: vLLM before the V1 engine: each step waits for the driver process, for each tensor rank (Llama 3.1 405B on v0.6: 4.7 to 6.8 ms over eight ranks, dstack 2024-11)"
			: "E186: vLLM before v0.6.0: each step waits 3.1 ms for each tensor rank (70B on vLLM of 2023: some 9 ms over two ranks, 25 ms over eight); releases before "
			  "2023-06 were not measured and use the same value";
	case ENGINE_TENSORRT_LLM:
		return release_years < pytorch_default_years
			? "E54: TensorRT-LLM before 1.0 of 2025-09: its C++ runtime; its releases differ only in the interval, which widens by 5 % a year"
			: "E54: TensorRT-LLM since 1.0 of 2025-09: its PyTorch runtime; its releases differ only in the interval, which widens by 5 % a year";
	case ENGINE_SGLANG:
	case ENGINE_UNSET:
	case ENGINE_GENERIC:
	case ENGINE_COUNT:
		break;
	}
	return "E187: latent attention became faster until 2025-11; no other pair of releases of this engine is published: the figures are those of the newest release, and the interval widens by 5 % a year";
}

double engine_newest_release_years(void)
{
	return 6.0 + 5.0 / 12; /* 2026-06, the newest release in the measurements */
}

/* Reads a number and moves *text past its digits. Returns -1 without a digit. */
static int number_read(const char **text)
{
	int number = -1;

	for (; **text >= '0' && **text <= '9' && number < 100000; (*text)++)
		number = (number < 0 ? 0 : number * 10) + (**text - '0');
	return number;
}

double engine_release_years(const char *release)
{
	int year = release ? number_read(&release) : -1, month;

	if (year < 2020 || year > 2100 || *release++ != '-')
		return engine_newest_release_years();
	month = number_read(&release);
	if (month < 1 || month > 12)
		return engine_newest_release_years();
	return year - 2020 + (month - 1) / 12.0;
}

enum precision engine_kv_precision(enum engine engine, enum precision weights, const struct accelerator *accelerator)
{
	bool narrow = precision_weight_bytes(weights) < 1.5 && weights != PRECISION_INT8 && weights != PRECISION_INT4;

	if (narrow && engine_rules_of(engine)->narrow_kv && is_given(accelerator->tflops_fp8))
		return PRECISION_FP8;
	return is_given(accelerator->tflops_bf16) ? PRECISION_BF16 : PRECISION_FP16;
}
