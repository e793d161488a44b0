#include "planner/serving/engine_rules.h"

static const struct engine_rules rules[ENGINE_COUNT] = {
	[ENGINE_GENERIC] = {.name = "generic",
		.source = "E54: as vLLM, the most widely used rules",
		.engine = ENGINE_GENERIC,
		.budget = KV_BUDGET_OF_TOTAL,
		.memory_fraction = 0.90,
		.block_tokens = 16,
		.max_batch = 1024,
		.chunk_tokens = 8192},
	[ENGINE_VLLM] = {.name = "vllm",
		.source =
			"E54: vLLM engine arguments: gpu_memory_utilization 0.9, block 16, max_num_seqs 1024, 8192 batched tokens",
		.engine = ENGINE_VLLM,
		.budget = KV_BUDGET_OF_TOTAL,
		.memory_fraction = 0.90,
		.block_tokens = 16,
		.max_batch = 1024,
		.chunk_tokens = 8192},
	[ENGINE_TENSORRT_LLM] = {.name = "tensorrt_llm",
		.source =
			"E54: TensorRT-LLM: free_gpu_memory_fraction 0.9, block 32, max_batch_size 2048, max_num_tokens 8192, "
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

enum runtime engine_runtime(enum engine engine, double release_years)
{
	static const double pytorch_default_years = 5 + 8.0 / 12; /* 2025-09 */

	switch (engine) {
	case ENGINE_TENSORRT_LLM:
		return release_years < pytorch_default_years ? RUNTIME_TENSORRT_NATIVE : RUNTIME_TENSORRT_PYTORCH;
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
		return (struct host_times){.step_s = constants->native_step_s,
			.request_s = constants->native_request_s,
			.first_token_s = constants->native_first_token_s};
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

double engine_newest_release_years(void)
{
	return 6.0 + 5.0 / 12; /* 2026-06, the newest release in the measurements */
}

/* Digits from *text on, which is moved past them; -1 when there is none. */
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
