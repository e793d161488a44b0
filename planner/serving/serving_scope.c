#include "planner/serving/serving_scope.h"

#include <string.h>

/* The measured ranges, with the models or the ids of the cases at both ends: scored cases of
 * tests/validation/inference.jsonl. */
static const struct serving_scope_row rows[SERVING_QUANTITY_COUNT] = {
	[SERVING_PARAMS] = {"parameters of the model", 6.05e9, 1.027e12,
		"gemm_fraction_16 neuron_gemm latent_layer_s latent_gain gemm_fraction_8 gemm_fraction_4 memory_fraction widening_memory expert_widening kernel_s layer_s elementwise_passes",
		"gpt-j-6b, kimi-k2.5"},
	[SERVING_PROMPT] = {"tokens of a prompt", 128, 32768,
		"prefill_efficiency neuron_attention prefill_half_tokens state_efficiency launch_s vllm_first_token_s native_first_token_s pytorch_first_token_s sglang_first_token_s",
		"inf0001, inf0719"},
	[SERVING_OUTPUT] = {"tokens of an answer", 1, 32768,
		"vllm_stream_s sequence_s grace_host vllm_sequence_s native_step_s pytorch_step_s batch_kernels sglang_step_s", "inf0876, inf0697"},
	[SERVING_CONTEXT] = {"tokens of prompt and answer", 129, 33792,
		"decode_efficiency neuron_pair_s decode_flops_efficiency decode_attention_s", "inf0876, inf0697"},
	[SERVING_ACCELERATORS] = {"accelerators of a replica", 1, 8, "vllm_request_s native_request_s sglang_request_s", "inf0001, inf0133"},
	[SERVING_TENSOR] = {"tensor-parallel degree", 1, 8,
		"reduce_s reduce_rank_s rank_late_s rank_step_s neuron_reduce_s neuron_link_fraction reduce_knee_bytes", "inf0001, inf0133"},
	[SERVING_EXPERT_RANKS] = {"expert-parallel degree", 1, 8,
		"expert_efficiency triton_experts triton_products expert_tile_tokens expert_half_width expert_half_memory expert_imbalance expert_spread reduce_rank_s",
		"inf0001, inf0692"},
};

const struct serving_scope_row *serving_scope_row_of(enum serving_quantity quantity)
{
	return &rows[quantity];
}

bool serving_scope_rests_on(const struct serving_scope_row *row, const char *constant)
{
	return findings_list_has(row->constants, constant);
}

static void check_quantity(struct serving_scope *scope, enum serving_quantity quantity, double value)
{
	double distance = value > 0 ? fmax(log(rows[quantity].from / value), log(value / rows[quantity].to)) : 0;

	if (!(distance > 1e-6))
		return;
	scope->outside[scope->count].quantity = quantity;
	scope->outside[scope->count++].value = value;
	scope->log_sigma = interval_joint_sigma(scope->log_sigma, SERVING_SCOPE_LOG_SIGMA * distance);
}

struct serving_scope serving_scope_of(
	const struct model *model, const struct replica_layout *layout, double prompt_tokens, double output_tokens)
{
	struct serving_scope scope = {.count = 0};
	bool experts = false;

	for (int k = 0; k < model->kind_count; k++)
		experts |= model->kinds[k].experts > 0;
	check_quantity(&scope, SERVING_PARAMS, model->params_total);
	check_quantity(&scope, SERVING_PROMPT, prompt_tokens);
	check_quantity(&scope, SERVING_OUTPUT, output_tokens);
	check_quantity(&scope, SERVING_CONTEXT, prompt_tokens + output_tokens);
	check_quantity(&scope, SERVING_ACCELERATORS, (double)layout->tensor * layout->pipeline * layout->attention_data);
	check_quantity(&scope, SERVING_TENSOR, layout->tensor);
	check_quantity(&scope, SERVING_EXPERT_RANKS, experts ? layout->expert : 0);
	return scope;
}

struct residuals serving_scope_widen(struct residuals residuals, const struct serving_scope *scope)
{
	double *const members[] = {&residuals.throughput, &residuals.tpot, &residuals.ttft};

	for (size_t i = 0; i < COUNT_OF(members); i++)
		if (*members[i] > 0)
			*members[i] = interval_joint_sigma(*members[i], scope->log_sigma);
	return residuals;
}

void serving_scope_warn(const struct serving_scope *scope, struct findings *findings)
{
	char list[240] = "";

	for (size_t i = 0; i < scope->count; i++) {
		const struct serving_scope_row *row = &rows[scope->outside[i].quantity];
		size_t length = strlen(list);

		snprintf(list + length, sizeof list - length, "%s%s %.3g (%.3g to %.3g)", i > 0 ? ", " : "", row->name, scope->outside[i].value,
			row->from, row->to);
	}
	if (scope->count > 0)
		findings_warn(findings, "outside of what was measured: %s. Intervals are wider", list);
}
