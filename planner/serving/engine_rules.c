#include "planner/serving/engine_rules.h"

/* One set for all models and accelerators, fitted to the 1,161 published serving measurements under tests/validation (TensorRT-LLM
 * 0.5 to 1.x, vLLM 0.10 to 0.18, SGLang 0.5; A100 to B200); `make validate` prints the residuals. First values, and the prompt
 * attention which is not fitted, from the kernel measurements of NVIDIA's AIConfigurator (GEMM, attention, all-reduce; A100 to B300). */
const struct serving_constants serving_constants = {
	.gemm_efficiency_16 = 0.741,
	.gemm_efficiency_8 = 0.625,
	.gemm_efficiency_4 = 0.444, /* measured: 0.57-0.85, 0.46-0.71, 0.33-0.65 */
	.memory_efficiency = 0.805, /* measured: 0.74-0.83 */
	.kernel_s = 8.35e-6,
	.layer_s = 11.9e-6,
	.elementwise_passes = 11.8,
	.prefill_efficiency = 0.55,
	.prefill_half_tokens = 900, /* measured: 0.18 at 512, 0.42 at 4096, 0.52 beyond */
	.decode_efficiency = 0.789,
	.decode_attention_s = 4.45e-6,
	.decode_flops_efficiency = 0.7,
	/* Measured kernels, weight-only over 16 bits (AIConfigurator; A100, L40S, H200): 0.96, 1.18, 1.10 of the arithmetic in INT4; 0.91,
	 * 1.00, 0.76 of the stream in INT8; 0.75, 1.01, 0.48 in INT4. The least of the first, geometric means of the others. */
	.widening_efficiency = 0.96,
	.widening_memory_8 = 0.88,
	.widening_memory_4 = 0.71,
	.expert_widening_efficiency = 0.605, /* fitted with the others: Kimi K2.5 in INT4, gpt-oss in MXFP4 on H100 and H200 */
	.expert_efficiency = 0.709,
	.expert_tile_tokens = 42.5,
	.expert_half_width = 382,
	.expert_imbalance = 1.86,
	.expert_spread = 0.735,
	.stage_wait = 0.0657,
	.reduce_s = 3.79e-6,
	.reduce_rank_s = 13.9e-6,
	.reduce_knee_bytes = 5.71e6,
	.eager_experts = 1.07,
	.state_efficiency = 0.00388,
	/* clang-format off */
	.host = { /*                   eager_layer_s  step_s  sequence_s  request_s  first_token_s */
		[RUNTIME_VLLM] = {0, 0, 13.9e-6, 23.1e-3, 30.6e-3},
		[RUNTIME_TENSORRT_NATIVE] = {0, 919e-6, 0, 3.4e-3, 7.43e-3},
		[RUNTIME_TENSORRT_PYTORCH] = {413e-6, 265e-6, 7.04e-6, 0, 93.6e-3},
		[RUNTIME_SGLANG] = {329e-6, 712e-6, 6.88e-6, 111e-3, 166e-3},
	},
	/* clang-format on */
};

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
