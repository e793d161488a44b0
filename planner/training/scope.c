#include "planner/training/scope.h"

#include <string.h>

/* The ends of the ranges are ids of runs in tests/validation/training.jsonl. TPU runs (suite maxtext) lie within the
 * ranges, except for the numbers of chips. */
static const struct scope_row scope_rows[SCOPE_COUNT] = {
	[SCOPE_PARAMS] = {"parameters of the model", 1.245e8, 1.026e12,
		"gemm_fraction power_exponent narrow_fraction nvfp4_fraction gemm_wave_outputs element_traffic", "mosaic-129, mbridge-26.06-052"},
	[SCOPE_ACCELERATORS] = {"accelerators", 1, 3072, "nic_fraction nic_latency_s overlap", "meg20-1B-A100-1, meg21-t1-1008.0B"},
	[SCOPE_SEQUENCE] = {"tokens of a sequence", 512, 1048576,
		"attention_fraction blackwell_attention flash2_fraction attention_half_tokens attention_backward score_traffic_bytes eager_scores",
		"mosaic-060, nemo-long-l3-8b-1024k"},
	[SCOPE_STEP_TOKENS] = {"tokens of a step", 2048, 6.291e7, "step_fixed_s", "vtrain-s-0114, mbridge-26.06-040"},
	[SCOPE_ROWS] = {"tokens of a micro-batch on a rank", 1024, 131072, "gemm_traffic host_layer_s kernel_gap_s",
		"vtrain-s-0004, titan-70b-256-2d"},
	[SCOPE_TENSOR] = {"tensor-parallel degree", 1, 16, "link_fraction link_latency_s", "meg21-t1-1.7B, vtrain-m-021"},
	[SCOPE_STAGES] = {"pipeline stages", 1, 64, "overlap", "meg21-t1-1.7B, meg21-t1-1008.0B"},
	[SCOPE_CONTEXT] = {"context-parallel degree", 1, 64, "overlap link_fraction", "meg21-t1-1.7B, nemo-long-l3-8b-1024k"},
	[SCOPE_RANKS] = {"ranks that exchange gradients (data x context)", 1, 1024, "nic_latency_s overlap",
		"meg20-1B-A100-1, internevo-full-1024-4x1"},
	/* published steps exist on 2,240 ranks, which the fit did not use: Narayanan et al. 2021, table 2 */
	[SCOPE_SHARDS] = {"ranks that share ZeRO-3's weights", 8, 2240, "link_fraction nic_fraction overlap",
		"mosaic-024, Narayanan et al. 2021, arXiv 2104.04473, table 2"},
	[SCOPE_HELD] = {"parameters that a rank of DeepSpeed's ZeRO holds", 2.3e8, 7.599e9, "synchronise_s",
		"Narayanan et al. 2021, table 2, 2,240 ranks; bloom-tune-082"},
	[SCOPE_EXPERT_RANKS] = {"expert-parallel degree", 1, 64, "expert_traffic", "nemo's dense runs, mbridge-26.08-001"},
	[SCOPE_EXPERT_ACCELERATORS] = {"accelerators of a mixture of experts", 8, 1024,
		"expert_fraction expert_half_rows expert_gain_per_year expert_host_s expert_wait_s", "mbridge-26.08-006, mbridge-25.09-275"},
	[SCOPE_CHIPS] = {"chips of a compiled step", 64, 2048,
		"compiled_wave_outputs compiled_overlap compiled_link_fraction compiled_expert_fraction compiled_fragmentation",
		"maxtext-v5p-128-32b, maxtext-v5p-4096-1024b"},
	[SCOPE_ADAPTED] = {"tokens of a sequence, with adapters", 256, 8192, "adapter_moves adapter_moves_fused added_kernels widening_bytes",
		"qwen-72b-lora-256, qwen-1.8b-lora-8192"},
	/* one network only: any other is outside */
	[SCOPE_SAMPLE] = {"FLOPs of a sample of a network that is no transformer", 8.2e9, 8.2e9, "generic_fraction generic_moves",
		"resnet50-lambda-rtx-3090-1, all of the suite"},
	[SCOPE_RELEASE] = {"release of the software", 2020.2, 2026.63, "youth release_gain_per_year torch_on_amd torch_on_amd_narrow",
		"megatron2020, mbridge-26.08-001"},
};

const struct scope_row *scope_row_of(enum scope_quantity quantity)
{
	return &scope_rows[quantity];
}

/* Releases with published runs, for stacks with runs of their own (0: none), as release_year(): the middle of the
 * month. */
static const double releases[STACK_COUNT][2] = {
	[STACK_MEGATRON_LM] = {2020.2, 2022.38},
	[STACK_MEGATRON_DEEPSPEED] = {2021.29, 2022.46},
	[STACK_MEGATRON_CORE] = {2024.54, 2026.63},
	[STACK_FSDP] = {2023.79, 2023.8},
	[STACK_TORCHTITAN] = {2024.95, 2025.46},
	[STACK_INTERNEVO] = {2024.04, 2024.05},
	[STACK_MAXTEXT] = {2024.04, 2025.46},
};

bool scope_rests_on(const struct scope_row *row, const char *constant)
{
	return findings_list_has(row->constants, constant);
}

struct scope_releases scope_releases_of(enum stack stack)
{
	if (releases[stack][1] > 0)
		return (struct scope_releases){releases[stack][0], releases[stack][1]};
	return (struct scope_releases){scope_rows[SCOPE_RELEASE].from, scope_rows[SCOPE_RELEASE].to};
}

static void check_range(struct scope *scope, enum scope_quantity quantity, double value, double from, double to, double distance)
{
	if (!(distance > 1e-6))
		return;
	scope->outside[scope->count].quantity = quantity;
	scope->outside[scope->count].value = value;
	scope->outside[scope->count].from = from;
	scope->outside[scope->count++].to = to;
	scope->log_sigma = sqrt(scope->log_sigma * scope->log_sigma + SCOPE_LOG_SIGMA * SCOPE_LOG_SIGMA * distance * distance);
}

/* A `value` of 0 or less: the setting does not have the quantity. */
static void check_quantity(struct scope *scope, enum scope_quantity quantity, double value)
{
	const struct scope_row *row = &scope_rows[quantity];

	if (value > 0)
		check_range(scope, quantity, value, row->from, row->to, fmax(log(row->from / value), log(value / row->to)));
}

void scope_of(const struct setting *setting, const struct parallelism *layout, struct scope *scope)
{
	struct degrees degrees = degrees_of(setting, layout);
	const struct model *model = setting->model;
	double ranks = degrees.data * degrees.context, gpu_count = ranks * degrees.tensor * degrees.pipeline, year = setting->software.year;
	bool experts = layout_experts(model) > 0,
		 deepspeed = setting->software.synchronise_s > 0 && layout->zero_stage >= 1 && degrees.zero_group > 1;
	struct scope_releases released = scope_releases_of(setting->input->request.stack);

	*scope = (struct scope){.count = 0};
	if (model->kind !=
		MODEL_GENERIC) { /* a network that is not a transformer has one published rate: ground.h's spread covers these quantities */
		check_quantity(scope, SCOPE_PARAMS, model->params_total);
		check_quantity(scope, SCOPE_SEQUENCE, setting->sequence);
		check_quantity(scope, SCOPE_STEP_TOKENS, degrees.batch * setting->sequence);
		check_quantity(scope, SCOPE_ROWS, degrees.rows);
	}
	check_quantity(scope, SCOPE_ACCELERATORS, gpu_count);
	check_quantity(scope, SCOPE_TENSOR, degrees.tensor);
	check_quantity(scope, SCOPE_STAGES, degrees.pipeline);
	check_quantity(scope, SCOPE_CONTEXT, degrees.context);
	check_quantity(scope, SCOPE_RANKS, layout->zero_stage >= 3 ? 0 : ranks);
	check_quantity(scope, SCOPE_SHARDS, layout->zero_stage >= 3 ? fmax(degrees.zero_group, scope_rows[SCOPE_SHARDS].from) : 0);
	check_quantity(scope, SCOPE_HELD,
		deepspeed ? model->params_total / (degrees.tensor * degrees.pipeline * (layout->zero_stage >= 3 ? degrees.zero_group : 1)) : 0);
	check_quantity(scope, SCOPE_EXPERT_RANKS, experts ? degrees.expert : 0);
	check_quantity(scope, SCOPE_EXPERT_ACCELERATORS, experts ? gpu_count : 0);
	check_quantity(scope, SCOPE_CHIPS, setting->physics == &setting->compiled ? gpu_count : 0);
	check_quantity(scope, SCOPE_ADAPTED, setting->frozen && setting->software.separate_adapters ? setting->sequence : 0);
	check_quantity(scope, SCOPE_SAMPLE, model->kind == MODEL_GENERIC ? model->generic_flops_per_sample : 0);
	check_range(scope, SCOPE_RELEASE, year, released.from, released.to, fmax(released.from - 0.05 - year, year - released.to - 0.05));
}

static void scope_of_candidate_plan(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct scope *scope)
{
	struct setting setting;

	*scope = (struct scope){.count = 0};
	if (!candidate_plan->found.any ||
		!setting_of_candidate(schedule->input, &schedule->input->candidates[candidate_plan->candidate], schedule->physics,
			schedule->teacher, schedule->stages[candidate_plan->main_stage].sequence, &setting))
		return;
	setting.batch = schedule->stages[candidate_plan->main_stage].batch;
	setting.batch_free = schedule->stages[candidate_plan->main_stage].batch_source != NULL;
	scope_of(&setting, &candidate_plan->found.layout, scope);
}

double scope_log_sigma(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan)
{
	struct scope scope;

	scope_of_candidate_plan(schedule, candidate_plan, &scope);
	return scope.log_sigma;
}

enum { SCOPE_TEXT_MAX = 24 };

/* Formats a value; a release as year and month. */
static const char *say_value(enum scope_quantity quantity, double value, char text[SCOPE_TEXT_MAX])
{
	double year = floor(value);

	if (quantity == SCOPE_RELEASE)
		snprintf(text, SCOPE_TEXT_MAX, "%.0f-%02.0f", year, floor((value - year) * 12) + 1);
	else
		snprintf(text, SCOPE_TEXT_MAX, "%.3g", value);
	return text;
}

void scope_warn(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct findings *findings)
{
	char list[240] = "";
	struct scope scope;

	if (is_given(schedule->input->request.mfu)) /* then no figure depends on the step model */
		return;
	scope_of_candidate_plan(schedule, candidate_plan, &scope);
	for (size_t i = 0; i < scope.count; i++) {
		enum scope_quantity quantity = scope.outside[i].quantity;
		size_t length = strlen(list);
		char value[SCOPE_TEXT_MAX], from[SCOPE_TEXT_MAX], to[SCOPE_TEXT_MAX];

		snprintf(list + length, sizeof list - length, "%s%s %s (%s to %s)", i > 0 ? ", " : "", scope_rows[quantity].name,
			say_value(quantity, scope.outside[i].value, value), say_value(quantity, scope.outside[i].from, from),
			say_value(quantity, scope.outside[i].to, to));
	}
	if (scope.count > 0)
		findings_warn(findings, "outside of what was measured: %s: the interval is wider for it", list);
}
