#include "planner/serving/engine_rules.h"

#include <stdlib.h>

/* Fitted to the published serving measurements under tests/validation; first values from measured kernels (TensorRT-LLM
 * operator database as read by AIConfigurator: GEMM, attention and all-reduce of A100 to B300). `make validate` prints the residuals. */
const struct serving_constants serving_constants = {
	.gemm_efficiency_16 = 0.75, .gemm_efficiency_8 = 0.60, .gemm_efficiency_4 = 0.45,
	.memory_efficiency = 0.83,
	.kernel_s = 2.0e-6, .narrow_kernel_s = 1.0e-6,
	.layer_s = 6e-6, .elementwise_passes = 12,
	.prefill_efficiency = 0.52, .prefill_half_tokens = 600,
	.decode_efficiency = 0.70, .decode_attention_s = 4e-6, .decode_flops_efficiency = 0.35,
	.expert_efficiency = 0.5, .expert_tile_tokens = 32, .expert_half_width = 300, .expert_imbalance = 1.2,
	.reduce_s = 3e-6, .reduce_rank_s = 6e-6, .reduce_knee_bytes = 3.8e6, .reduce_efficiency = 0.85, .pcie_efficiency = 0.68,
	.eager_layer_s = 0.4e-3, .eager_expert_s = 0.6e-3, .eager_state_s = 1e-3, .state_efficiency = 0.1,
	.exchange_s = 20e-6,
	.step_s = {[ENGINE_GENERIC] = 1e-3, [ENGINE_VLLM] = 1e-3, [ENGINE_TENSORRT_LLM] = 0.6e-3, [ENGINE_SGLANG] = 1e-3},
	.sequence_s = {[ENGINE_GENERIC] = 5e-6, [ENGINE_VLLM] = 5e-6, [ENGINE_TENSORRT_LLM] = 4e-6, [ENGINE_SGLANG] = 5e-6},
	.request_s = {[ENGINE_GENERIC] = 1e-3, [ENGINE_VLLM] = 1e-3, [ENGINE_TENSORRT_LLM] = 1e-3, [ENGINE_SGLANG] = 1e-3},
	.first_token_s = {[ENGINE_GENERIC] = 10e-3, [ENGINE_VLLM] = 10e-3, [ENGINE_TENSORRT_LLM] = 10e-3, [ENGINE_SGLANG] = 20e-3},
	.yearly_gain = 1.10,
};

static const struct engine_rules rules[ENGINE_COUNT] = {
	[ENGINE_GENERIC] = {"generic", "E54: as vLLM, the most widely used rules", ENGINE_GENERIC, KV_BUDGET_OF_TOTAL, 0.90, 16, 1024, 8192, false, false},
	[ENGINE_VLLM] = {"vllm", "E54: vLLM engine arguments: gpu_memory_utilization 0.9, block 16, max_num_seqs 1024, 8192 batched tokens",
		ENGINE_VLLM, KV_BUDGET_OF_TOTAL, 0.90, 16, 1024, 8192, false, false},
	[ENGINE_TENSORRT_LLM] = {"tensorrt_llm", "E54: TensorRT-LLM: free_gpu_memory_fraction 0.9, block 32, max_batch_size 2048, max_num_tokens 8192, guaranteed no evict",
		ENGINE_TENSORRT_LLM, KV_BUDGET_OF_FREE, 0.90, 32, 2048, 8192, true, true},
	[ENGINE_SGLANG] = {"sglang", "E54: SGLang server arguments: mem_fraction_static 0.88, page 1, chunked_prefill_size 8192",
		ENGINE_SGLANG, KV_BUDGET_OF_TOTAL, 0.88, 1, 2048, 8192, false, false},
};

const struct engine_rules *engine_rules_of(enum engine engine)
{
	return &rules[engine == ENGINE_UNSET ? ENGINE_GENERIC : engine];
}

double engine_newest_release_years(void)
{
	return 6.0 + 5.0 / 12; /* 2026-06, the newest release in the measurements */
}

double engine_release_years(const char *release)
{
	char *end;
	long year, month;

	if (!release)
		return engine_newest_release_years();
	year = strtol(release, &end, 10);
	if (end == release || *end != '-')
		return engine_newest_release_years();
	month = strtol(end + 1, NULL, 10);
	if (year < 2020 || year > 2100 || month < 1 || month > 12)
		return engine_newest_release_years();
	return (double)(year - 2020) + (double)(month - 1) / 12;
}

enum precision engine_kv_precision(enum engine engine, enum precision weights, const struct accelerator *accelerator)
{
	bool narrow = precision_weight_bytes(weights) < 1.5 && weights != PRECISION_INT8 && weights != PRECISION_INT4;

	if (narrow && engine_rules_of(engine)->narrow_kv && is_given(accelerator->tflops_fp8))
		return PRECISION_FP8;
	return is_given(accelerator->tflops_bf16) ? PRECISION_BF16 : PRECISION_FP16;
}
