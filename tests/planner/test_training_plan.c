/* Whole plans: what is fixed and what is solved for, constraints, awkward requests, and figures that agree with each other. */
#include "planner/training/memory_estimate.h"
#include "planner/training/scaling_estimate.h"
#include "support/assert.h"
#include "support/training_fixture.h"

static struct training_fixture fixture;
#define REQUEST (fixture.input.request)
#define BEST (fixture.plan.recommended)

static void begin(void)
{
	fixture_init(&fixture);
}

static void planned(void)
{
	if (fixture_plan(&fixture) != STATUS_OK)
		fail_msg("%s %s", fixture.failure.detail, fixture.failure.fault_count > 0 ? fixture.failure.faults[0].detail : "");
}

static bool warned(const char *part)
{
	for (size_t i = 0; i < fixture.plan.findings.warning_count; i++)
		if (strstr(fixture.plan.findings.warnings[i].detail, part))
			return true;
	return false;
}

static bool assumed(const char *field)
{
	for (size_t i = 0; i < fixture.plan.findings.assumption_count; i++)
		if (strcmp(fixture.plan.findings.assumptions[i].field, field) == 0)
			return true;
	return false;
}

static bool advised(const char *code)
{
	for (size_t i = 0; i < fixture.plan.findings.advice_count; i++)
		if (strcmp(fixture.plan.findings.advice[i].code, code) == 0)
			return true;
	return false;
}

static void check_option(const struct training_option *option)
{
	const struct parallelism *layout = &option->parallelism;
	double tokens = option->tokens_per_s * option->wall_clock_hours * option->goodput.fraction * 3600;

	assert_int_equal(layout->tensor * layout->pipeline * layout->data * layout->context, option->gpu_count);
	assert_close(option->gpu_hours, option->wall_clock_hours * (double)option->gpu_count, 1e-12);
	assert_close(option->cost.total_usd, option->gpu_hours * option->cost.usd_per_gpu_hour, 1e-12);
	assert_close(option->goodput.lost_hours, option->wall_clock_hours * (1 - option->goodput.fraction), 1e-9);
	assert_close(option->carbon.total_kgco2e, option->carbon.operational_kgco2e + option->carbon.embodied_kgco2e, 1e-12);
	assert_close(option->tokens_per_s, option->tokens_per_s_per_gpu * (double)option->gpu_count, 1e-12);
	assert_true(option->memory.total_bytes <= option->memory.capacity_bytes);
	assert_true(option->hfu >= option->mfu && option->mfu > 0.05 && option->hfu < 0.9);
	assert_true(option->interval.total_usd.p10 < option->cost.total_usd && option->cost.total_usd < option->interval.total_usd.p90);
	assert_true(option->provenance_count >= 8);
	assert_close(tokens, fixture.plan.workload.tokens_total, 0.01); /* whole steps */
}

static void a_deadline_gives_the_smallest_number(void **state)
{
	int64_t enough;

	(void)state;
	begin();
	REQUEST.deadline_hours = 720;
	planned();
	check_option(&BEST);
	assert_true(BEST.wall_clock_hours <= 720);
	enough = BEST.gpu_count;
	assert_int_equal(enough % 8, 0);
	REQUEST.common.gpu_count = enough - 8;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "% more time");
	REQUEST.common.gpu_count = enough;
	planned();
	assert_close(fixture.plan.rule_of_thumb.gpu_count_exact * 720, fixture.plan.rule_of_thumb.gpu_hours, 1e-12);
	assert_contains(fixture.plan.rule_of_thumb.formula, "13.3");
}

static void reserved_hours_come_off_the_deadline(void **state)
{
	(void)state;
	begin();
	REQUEST.tokens = 1e9;
	REQUEST.cadence_hours = 24;
	REQUEST.reserved_hours = 6;
	planned();
	assert_true(BEST.wall_clock_hours <= 18);
	/* the rule's number is for 24 - 6 = 18 hours */
	assert_close(fixture.plan.rule_of_thumb.gpu_count_exact, fixture.plan.rule_of_thumb.gpu_hours / 18, 1e-12);
	assert_close(BEST.monthly.total_usd, BEST.cost.total_usd * 730 / 24, 1e-12);
	assert_close(BEST.monthly.total_kwh, BEST.energy.total_kwh * 730 / 24, 1e-12);
	REQUEST.reserved_hours = 24;
	assert_int_equal(fixture_plan(&fixture), STATUS_INVALID);
}

static void open_requests_answer_a_front(void **state)
{
	(void)state;
	begin();
	fixture.candidates[1] = fixture_a100();
	fixture.input.candidate_count = 2;
	planned();
	check_option(&BEST);
	assert_true(fixture.plan.alternative_count >= 2 && fixture.plan.alternative_count <= 5);
	for (size_t i = 0; i < fixture.plan.alternative_count; i++) {
		const struct training_option *a = &fixture.plan.alternatives[i];

		check_option(a);
		assert_false(BEST.wall_clock_hours < a->wall_clock_hours && BEST.cost.total_usd < a->cost.total_usd &&
			BEST.carbon.total_kgco2e < a->carbon.total_kgco2e); /* nobody is worse in everything */
	}
	REQUEST.common.objective = OBJECTIVE_GPUS;
	planned();
	assert_true(BEST.gpu_count <= 8);
	REQUEST.common.objective = OBJECTIVE_TIME;
	planned();
	assert_true(BEST.gpu_count >= 512);
	REQUEST.common.alternatives = 0;
	planned();
	assert_int_equal(fixture.plan.alternative_count, 0);
}

static void budgets_and_caps_bind(void **state)
{
	double cost, carbon;

	(void)state;
	begin();
	REQUEST.common.gpu_count = 256;
	planned();
	cost = BEST.cost.total_usd;
	carbon = BEST.carbon.total_kgco2e;
	REQUEST.budget_usd = cost / 2;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "budget_usd");
	REQUEST.budget_usd = cost * 1.01;
	planned();
	REQUEST.common.gpu_count = ABSENT_COUNT;
	planned();
	assert_true(BEST.cost.total_usd <= REQUEST.budget_usd);
	REQUEST.budget_usd = ABSENT_NUMBER;
	REQUEST.common.gpu_count = 256;
	REQUEST.common.carbon_cap_kgco2e = carbon / 2;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "carbon_cap_kgco2e");
	REQUEST.common.carbon_cap_kgco2e = ABSENT_NUMBER;
	REQUEST.common.energy_cap_kwh = 1;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "energy_cap_kwh");
	REQUEST.common.energy_cap_kwh = ABSENT_NUMBER;
	REQUEST.common.pricing.usd_per_gpu_hour = ABSENT_NUMBER;
	REQUEST.budget_usd = 1e9;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "no price");
	REQUEST.budget_usd = ABSENT_NUMBER;
	planned();
	assert_true(warned("no price"));
	assert_true(isnan(BEST.cost.total_usd));
}

static void memory_says_what_would_help(void **state)
{
	(void)state;
	begin();
	fixture_model(&fixture.input.model, 80, 8192, 64, 8, 28672, 128256, false);
	REQUEST.common.gpu_count = 8;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "memory");
	assert_contains(fixture.failure.detail, "GB");
	REQUEST.common.gpu_count = 64;
	REQUEST.parallelism.tensor = 8;
	REQUEST.parallelism.pipeline = 1;
	REQUEST.parallelism.micro_batch = 4;
	REQUEST.parallelism.recompute = RECOMPUTE_NONE;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "full recomputation");
	REQUEST.common.enforce_memory = TRUTH_FALSE;
	planned();
	assert_true(warned("would not run"));
	assert_true(BEST.memory.total_bytes > BEST.memory.capacity_bytes);
	REQUEST.common.enforce_memory = TRUTH_TRUE;
	REQUEST.parallelism.recompute = RECOMPUTE_FULL;
	planned();
	assert_true(BEST.memory.total_bytes <= BEST.memory.capacity_bytes);
	assert_true(BEST.step.recompute_s > 0);
}

static void contradictory_pins_are_named(void **state)
{
	static const struct {
		struct parallelism pins;
		int64_t gpus;
		const char *pointer;
	} cases[] = {
		{{.tensor = 3, .pipeline = -1, .data = -1, .context = -1, .expert = -1, .interleave = -1, .micro_batch = -1}, 48, "/parallelism/tensor"},
		{{.tensor = 8, .pipeline = -1, .data = -1, .context = -1, .expert = -1, .interleave = -1, .micro_batch = -1}, 12, "/parallelism"},
		{{.tensor = 2, .pipeline = 2, .data = 2, .context = 1, .expert = -1, .interleave = -1, .micro_batch = -1}, 16, "/parallelism"},
		{{.tensor = 1, .pipeline = 64, .data = -1, .context = -1, .expert = -1, .interleave = -1, .micro_batch = -1}, 64, "/parallelism/pipeline"},
		{{.tensor = -1, .pipeline = -1, .data = -1, .context = -1, .expert = 8, .interleave = -1, .micro_batch = -1}, 64, "/parallelism/expert"},
		{{.tensor = 1, .pipeline = 1, .data = -1, .context = -1, .expert = -1, .interleave = 4, .micro_batch = -1}, 64, "/parallelism/interleave"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		begin();
		REQUEST.parallelism = cases[i].pins;
		REQUEST.parallelism.zero_stage = REQUEST.parallelism.zero_group = ABSENT_COUNT;
		REQUEST.common.gpu_count = cases[i].gpus;
		assert_int_equal(fixture_plan(&fixture), STATUS_INVALID);
		assert_true(fixture.failure.fault_count >= 1);
		assert_string_equal(fixture.failure.faults[0].pointer, cases[i].pointer);
	}
}

static void pins_are_kept(void **state)
{
	const struct parallelism pins = {.tensor = 2, .pipeline = 4, .data = 8, .context = 1, .expert = 1, .interleave = 2, .micro_batch = 2, .zero_stage = 2,
		.zero_group = 8, .recompute = RECOMPUTE_SELECTIVE, .sequence_parallel = TRUTH_FALSE, .offload = TRUTH_FALSE};

	(void)state;
	begin();
	REQUEST.parallelism = pins; /* all four degrees: the number follows */
	planned();
	assert_int_equal(BEST.gpu_count, 64);
	assert_true(BEST.parallelism.tensor == 2 && BEST.parallelism.pipeline == 4 && BEST.parallelism.data == 8 && BEST.parallelism.context == 1);
	assert_true(BEST.parallelism.expert == 1 && BEST.parallelism.interleave == 2 && BEST.parallelism.micro_batch == 2);
	assert_true(BEST.parallelism.zero_stage == 2 && BEST.parallelism.zero_group == 8 && BEST.parallelism.recompute == RECOMPUTE_SELECTIVE);
	assert_true(BEST.parallelism.sequence_parallel == TRUTH_FALSE && BEST.parallelism.offload == TRUTH_FALSE);
	assert_int_equal(fixture.plan.search.evaluated, 1);
	assert_int_equal(fixture.plan.batch.gradient_accumulation_steps, 64);
	check_option(&BEST);
	REQUEST.parallelism.offload = TRUTH_TRUE;
	planned();
	assert_true(BEST.step.host_transfer_s > 0 && BEST.memory.optimizer_bytes == 0);
}

/* Every layout pinned in turn, each planned alone: the search must find the fastest of them. */
static void the_search_finds_the_true_best(void **state)
{
	static const enum recompute recomputes[] = {RECOMPUTE_NONE, RECOMPUTE_SELECTIVE, RECOMPUTE_FULL};
	double best = INFINITY, found;
	struct parallelism pins;
	int64_t layouts = 0;

	(void)state;
	begin();
	fixture_model(&fixture.input.model, 24, 6144, 48, 8, 16384, 128256, false);
	REQUEST.common.gpu_count = 16;
	REQUEST.common.alternatives = 0;
	REQUEST.global_batch_size = 64;
	planned();
	found = BEST.step.time_s;
	REQUEST.parallelism.context = REQUEST.parallelism.expert = 1;
	REQUEST.parallelism.offload = TRUTH_FALSE;
	pins = REQUEST.parallelism;
	for (pins.tensor = 1; pins.tensor <= 8; pins.tensor *= 2)
		for (pins.pipeline = 1; pins.pipeline * pins.tensor <= 16; pins.pipeline *= 2)
			for (pins.interleave = 1; pins.interleave <= 12; pins.interleave++)
				for (pins.micro_batch = 1; pins.micro_batch <= 16; pins.micro_batch *= 2)
					for (pins.zero_stage = 1; pins.zero_stage <= 3; pins.zero_stage++)
						for (size_t r = 0; r < COUNT_OF(recomputes); r++) {
							pins.recompute = recomputes[r];
							pins.data = 16 / (pins.tensor * pins.pipeline);
							REQUEST.parallelism = pins;
							layouts++;
							if (fixture_plan(&fixture) == STATUS_OK)
								best = fmin(best, BEST.step.time_s);
						}
	assert_true(layouts > 2000 && isfinite(best));
	assert_true(found <= best * (1 + 1e-12));
	assert_close(found, best, 1e-9);
}

static void a_given_mfu_is_the_answer(void **state)
{
	double wide;

	(void)state;
	begin();
	REQUEST.common.gpu_count = 128;
	planned();
	wide = BEST.interval.step_time_s.p90 / BEST.interval.step_time_s.p10;
	REQUEST.mfu = 0.40;
	planned();
	assert_close(BEST.mfu, 0.40, 1e-9);
	assert_close(BEST.tflops_per_gpu, 0.40 * 989.5, 1e-9);
	assert_true(BEST.interval.step_time_s.p90 / BEST.interval.step_time_s.p10 < wide);
	assert_int_equal(BEST.provenance[0].status, PROVENANCE_GIVEN);
	REQUEST.mfu = 1.5;
	assert_int_equal(fixture_plan(&fixture), STATUS_INVALID);
}

static void a_measurement_corrects_the_plan(void **state)
{
	double before;

	(void)state;
	begin();
	REQUEST.common.gpu_count = 64;
	planned();
	before = BEST.step.time_s;
	fixture.candidates[0].calibration = (struct calibration){.id = "c1", .gemm_efficiency = 0.5, .memory_efficiency = ABSENT_NUMBER,
		.kernel_launch_s = ABSENT_NUMBER, .idle_w = ABSENT_NUMBER, .load_w = ABSENT_NUMBER, .source = "benchmark 1"};
	planned();
	assert_true(BEST.step.time_s > before * 1.2);
	assert_int_equal(BEST.provenance[0].status, PROVENANCE_MEASURED);
	assert_string_equal(BEST.provenance[0].source, "benchmark 1");
}

static void intervals_follow_their_inputs(void **state)
{
	struct interval usd, kg, hours;

	(void)state;
	begin();
	REQUEST.common.gpu_count = 64;
	REQUEST.common.pricing.usd_per_gpu_hour = ABSENT_NUMBER;
	fixture.candidates[0].has_offer = true;
	fixture.candidates[0].offer = (struct offer){.provider = "p", .usd_per_gpu_hour = 2, .low_usd_per_gpu_hour = 1.9, .high_usd_per_gpu_hour = 2.1, .term = TERM_ON_DEMAND};
	planned();
	usd = BEST.interval.total_usd;
	kg = BEST.interval.total_kgco2e;
	hours = BEST.interval.wall_clock_hours;
	fixture.candidates[0].offer.high_usd_per_gpu_hour = 5;
	fixture.candidates[0].site.grid_high_gco2e_per_kwh = 900;
	planned();
	assert_true(BEST.interval.total_usd.p90 > usd.p90 * 1.02);
	assert_true(BEST.interval.total_kgco2e.p90 > kg.p90 * 1.02);
	assert_close(BEST.interval.wall_clock_hours.p90, hours.p90, 1e-12);
	REQUEST.reliability.mtbf_gpu_hours = 40e3; /* given: its published spread no longer applies */
	planned();
	assert_true(BEST.interval.wall_clock_hours.p90 / BEST.interval.wall_clock_hours.p10 < hours.p90 / hours.p10);
	/* spot interruptions come on top of failures */
	hours = BEST.interval.wall_clock_hours;
	fixture.candidates[0].offer.term = TERM_SPOT;
	REQUEST.common.pricing.spot_interruptions_per_gpu_hour = 0.01;
	planned();
	assert_true(BEST.wall_clock_hours > hours.p50);
}

static void every_field_moves_something(void **state)
{
	double step, hours, loss;

	(void)state;
	begin();
	REQUEST.common.gpu_count = 64;
	planned();
	step = BEST.step.time_s;
	hours = BEST.wall_clock_hours;
	loss = fixture.plan.compute_optimal.predicted_loss;
	REQUEST.epochs = 3;
	planned();
	assert_close(BEST.wall_clock_hours, 3 * hours, 0.01);
	assert_true(fixture.plan.compute_optimal.predicted_loss < loss);
	REQUEST.epochs = 1;
	REQUEST.common.precision = PRECISION_FP8;
	planned();
	assert_true(BEST.step.time_s < step && BEST.mfu < 0.5);
	REQUEST.common.precision = PRECISION_BF16;
	REQUEST.input_pipeline.sample_bytes = 1e9;
	REQUEST.input_pipeline.storage_gbs = 10;
	planned();
	assert_true(BEST.step.input_wait_s > 0 && BEST.bottleneck.kind == BOTTLENECK_INPUT && advised("input_pipeline"));
	REQUEST.input_pipeline.sample_bytes = REQUEST.input_pipeline.storage_gbs = ABSENT_NUMBER;
	REQUEST.input_pipeline.cpu_ms_per_sample = 1e5;
	REQUEST.input_pipeline.workers = 2;
	planned();
	assert_true(BEST.step.input_wait_s > 0);
	REQUEST.input_pipeline.cpu_ms_per_sample = ABSENT_NUMBER;
	planned();
	assert_true(warned("workers"));
	REQUEST.input_pipeline.workers = ABSENT_COUNT;
	REQUEST.reliability.restart_minutes = 600;
	REQUEST.reliability.checkpoint_gbs = 0.1;
	planned();
	assert_true(BEST.wall_clock_hours > hours);
	REQUEST.reliability.checkpoint_interval_minutes = 45;
	planned();
	assert_close(BEST.goodput.checkpoint_interval_minutes, 45, 1e-12);
	begin();
	REQUEST.common.gpu_count = 64;
	REQUEST.stack = STACK_MEGATRON_CORE;
	REQUEST.stack_release = "2023-01";
	planned();
	step = BEST.step.time_s;
	REQUEST.stack_release = "2026-01";
	planned();
	assert_true(BEST.step.time_s < step);
	REQUEST.stack_release = NULL;
	REQUEST.distillation.teacher.params = 70e9;
	REQUEST.distillation.teacher.params_active = ABSENT_NUMBER;
	planned();
	assert_true(BEST.step.time_s > step * 1.2);
	REQUEST.distillation.teacher.params = ABSENT_NUMBER;
	REQUEST.distillation.teacher.id = "unknown";
	planned();
	assert_true(warned("teacher"));
	begin();
	REQUEST.global_batch_size = ABSENT_NUMBER;
	planned();
	assert_true(assumed("global_batch_size"));
	assert_close(fixture.plan.batch.learning_rate_scale, 1, 1e-9);
	REQUEST.global_batch_tokens = fixture.plan.batch.global_batch_tokens * 4;
	planned();
	assert_close(fixture.plan.batch.learning_rate_scale, 2, 1e-9);
}

static void stages_are_summed(void **state)
{
	struct training_stage stages[2] = {{.tokens = 9e11, .sequence_length = 4096, .global_batch_tokens = 4194304},
		{.tokens = 1e11, .sequence_length = 65536, .global_batch_tokens = 4194304}};
	double first, second;

	(void)state;
	begin();
	REQUEST.common.gpu_count = 128;
	REQUEST.common.alternatives = 0;
	REQUEST.global_batch_size = ABSENT_NUMBER;
	REQUEST.tokens = ABSENT_NUMBER;
	REQUEST.stages.items = stages;
	REQUEST.stages.count = 1;
	planned();
	first = BEST.wall_clock_hours * BEST.goodput.fraction;
	REQUEST.stages.items = stages + 1;
	planned();
	second = BEST.wall_clock_hours * BEST.goodput.fraction;
	REQUEST.stages.items = stages;
	REQUEST.stages.count = 2;
	planned();
	assert_close(BEST.wall_clock_hours * BEST.goodput.fraction, first + second, 1e-9);
	assert_close(fixture.plan.workload.tokens_total, 1e12, 1e-12);
}

static void fine_tuning_needs_less(void **state)
{
	double full;

	(void)state;
	begin();
	fixture_model(&fixture.input.model, 80, 8192, 64, 8, 28672, 128256, false);
	REQUEST.tokens = 1e8;
	REQUEST.common.gpu_count = 8;
	REQUEST.global_batch_size = 32;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	REQUEST.fine_tuning.method = FINE_TUNING_LORA;
	REQUEST.fine_tuning.rank = 16;
	planned();
	full = BEST.memory.weights_bytes;
	assert_true(BEST.memory.optimizer_bytes < 0.1 * full);
	REQUEST.parallelism = BEST.parallelism;
	REQUEST.fine_tuning.method = FINE_TUNING_QLORA;
	planned();
	assert_true(BEST.memory.weights_bytes < 0.5 * full);
	REQUEST.fine_tuning.method = FINE_TUNING_FULL;
	REQUEST.common.enforce_memory = TRUTH_FALSE;
	planned();
	assert_true(warned("rank"));
}

static void what_is_no_transformer_is_planned(void **state)
{
	(void)state;
	begin();
	fixture.input.model = (struct model){.kind = MODEL_GENERIC, .params_total = 25.6e6, .params_active = 25.6e6, .params_embedding = 0,
		.generic_flops_per_sample = 8.2e9, .generic_sample_bytes = 150e3};
	REQUEST.tokens = 1281167;
	REQUEST.epochs = 90;
	REQUEST.sequence_length = REQUEST.global_batch_size = ABSENT_NUMBER;
	REQUEST.common.gpu_count = 8;
	fixture.candidates[0] = fixture_a100();
	planned();
	/* MLPerf v1.0: about 2,500 to 2,900 images/s on an A100 */
	assert_true(BEST.tokens_per_s_per_gpu > 1500 && BEST.tokens_per_s_per_gpu < 3500);
	assert_true(assumed("global_batch_size"));
}

static void awkward_requests_stay_finite(void **state)
{
	(void)state;
	begin();
	REQUEST.common.gpu_count = 1;
	fixture_model(&fixture.input.model, 2, 64, 2, 2, 256, 1000, true);
	REQUEST.sequence_length = 128;
	REQUEST.global_batch_size = 8;
	REQUEST.tokens = 1e8;
	planned();
	assert_true(BEST.bottleneck.kind == BOTTLENECK_LAUNCH_OVERHEAD || BEST.bottleneck.kind == BOTTLENECK_MEMORY_BANDWIDTH);
	begin();
	model_from_size(&fixture.input.model, 1e13, 1e13);
	REQUEST.common.gpu_count = 102400;
	REQUEST.global_batch_size = 25600;
	REQUEST.common.alternatives = 0;
	planned();
	assert_true(BEST.goodput.fraction > 0.2 && BEST.goodput.fraction < 0.99);
	begin();
	fixture.candidates[0].accelerator.tflops_bf16 = fixture.candidates[0].accelerator.tflops_fp16 = ABSENT_NUMBER;
	fixture.candidates[0].accelerator.tflops_fp8 = ABSENT_NUMBER;
	fixture.candidates[0].accelerator.interconnect_gbs = ABSENT_NUMBER;
	fixture.candidates[0].internode_gbs = ABSENT_NUMBER;
	fixture.candidates[0].accelerator.id = "made-up";
	REQUEST.common.gpu_count = 16;
	planned();
	assert_true(warned("no bf16 rate"));
	fixture.candidates[0].accelerator.tflops_tf32 = fixture.candidates[0].accelerator.tflops_fp32 = ABSENT_NUMBER;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "no dense rate");
	begin();
	REQUEST.tokens = ABSENT_NUMBER;
	assert_int_equal(fixture_plan(&fixture), STATUS_INVALID);
	begin();
	fixture.input.candidate_count = 0;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	begin();
	REQUEST.deadline_hours = 1e-4;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.detail, "more time");
	begin();
	REQUEST.global_batch_size = 4;
	REQUEST.common.gpu_count = 4096;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
}

static void mixtures_spread_their_experts(void **state)
{
	struct layer_kind *kind = &fixture.input.model.kinds[0];

	(void)state;
	begin();
	fixture.input.model = (struct model){.kind = MODEL_TRANSFORMER, .hidden = 2048, .vocabulary = 151936, .layer_count = 48, .kind_count = 1,
		.params_total = ABSENT_NUMBER, .params_active = ABSENT_NUMBER, .params_embedding = ABSENT_NUMBER};
	*kind = (struct layer_kind){.mixer = MIXER_ATTENTION, .heads = 32, .kv_heads = 4, .head_dim = 128, .value_head_dim = 128,
		.feed_forward = FEED_FORWARD_EXPERTS, .gated = true, .experts = 128, .experts_active = 8, .expert_width = 768};
	model_finish(&fixture.input.model);
	REQUEST.common.gpu_count = 64;
	REQUEST.common.alternatives = 0;
	planned();
	assert_true(BEST.parallelism.expert > 1 && BEST.step.expert_comm_s > 0);
	REQUEST.parallelism.expert = 1;
	planned();
	assert_true(BEST.step.expert_comm_s == 0);
	REQUEST.parallelism.expert = 3;
	assert_int_equal(fixture_plan(&fixture), STATUS_INVALID);
	/* a mixer without scores, and one with latents */
	REQUEST.parallelism.expert = ABSENT_COUNT;
	*kind = (struct layer_kind){.mixer = MIXER_MAMBA2, .heads = 64, .kv_heads = 1, .head_dim = 64, .value_head_dim = 64, .state_dim = 128, .conv_kernel = 4,
		.groups = 1, .feed_forward = FEED_FORWARD_NONE};
	fixture.input.model.params_total = fixture.input.model.params_active = fixture.input.model.params_embedding = ABSENT_NUMBER;
	model_finish(&fixture.input.model);
	planned();
	*kind = (struct layer_kind){.mixer = MIXER_MLA, .heads = 16, .kv_heads = 16, .head_dim = 128, .value_head_dim = 128, .q_lora_rank = 768,
		.kv_lora_rank = 512, .rope_head_dim = 64, .feed_forward = FEED_FORWARD_DENSE, .width = 8192, .gated = true};
	fixture.input.model.params_total = fixture.input.model.params_active = fixture.input.model.params_embedding = ABSENT_NUMBER;
	model_finish(&fixture.input.model);
	REQUEST.parallelism.recompute = RECOMPUTE_SELECTIVE;
	planned();
	assert_true(BEST.step.recompute_s > 0);
}

static void findings_are_few_and_complete(void **state)
{
	const struct findings *findings = &fixture.plan.findings;

	(void)state;
	begin();
	REQUEST.common.gpu_count = 512;
	REQUEST.parallelism.tensor = 8;
	REQUEST.parallelism.pipeline = 32;
	REQUEST.parallelism.interleave = 1;
	REQUEST.global_batch_size = 64;
	planned();
	assert_true(advised("pipeline_bubble") && advised("layout") && advised("precision_fp8"));
	assert_int_equal(findings->dropped, 0);
	assert_true(findings->sensitivity_count >= 4);
	for (size_t i = 1; i < findings->sensitivity_count; i++)
		assert_true(fabs(findings->sensitivities[i - 1].relative) >= fabs(findings->sensitivities[i].relative));
	for (size_t i = 0; i < findings->assumption_count; i++)
		assert_null(strstr(findings->assumptions[i].source, "default"));
	assert_true(assumed("reliability.mtbf_gpu_hours") && assumed("stack_release"));
}

/* --- the smaller calculators -------------------------------------------------------------------------------- */

static void scaling_answers_the_missing_two(void **state)
{
	struct scaling_request request = {.compute_flops = 5.76e23, .tokens = ABSENT_NUMBER, .params = ABSENT_NUMBER, .epochs = ABSENT_NUMBER};
	static struct scaling_estimate estimate;

	(void)state;
	failure_clear(&fixture.failure);
	assert_int_equal(planner_scaling(&request, &estimate, &fixture.failure), STATUS_OK);
	assert_close(estimate.optimum.params, 72.4e9, 0.004);
	assert_int_equal(estimate.curve_count, SCALING_CURVE_MAX);
	for (size_t i = 0; i < estimate.curve_count; i++) {
		assert_close(estimate.curve[i].compute_flops, 5.76e23, 1e-9);
		assert_true(estimate.curve[i].loss >= estimate.optimum.loss - 1e-12);
	}
	request = (struct scaling_request){.compute_flops = ABSENT_NUMBER, .tokens = 300e9, .params = 175e9, .epochs = 1};
	assert_int_equal(planner_scaling(&request, &estimate, &fixture.failure), STATUS_OK);
	assert_int_equal(estimate.verdict, VERDICT_COMPUTE_INEFFICIENT);
	assert_true(estimate.given.loss > estimate.optimum.loss);
	request.params = ABSENT_NUMBER;
	assert_int_equal(planner_scaling(&request, &estimate, &fixture.failure), STATUS_OK);
	assert_close(estimate.optimum.tokens, 300e9, 1e-9);
	request = (struct scaling_request){.compute_flops = 1, .tokens = 300e9, .params = 175e9, .epochs = ABSENT_NUMBER, .law = "kaplan"};
	assert_int_equal(planner_scaling(&request, &estimate, &fixture.failure), STATUS_INVALID);
	assert_int_equal(fixture.failure.fault_count, 2);
}

static void memory_of_a_model_alone_and_on_hardware(void **state)
{
	static struct memory_estimate estimate;
	struct memory_request request = {.sequence_length = 4096, .optimizer = OPTIMIZER_ADAMW, .context_tokens = ABSENT_NUMBER, .concurrency = ABSENT_NUMBER};
	struct candidate h100 = fixture_h100();

	(void)state;
	begin();
	failure_clear(&fixture.failure);
	request.parallelism = REQUEST.parallelism;
	request.common.gpu_count = request.common.gpus_per_node = ABSENT_COUNT;
	request.common.internode_gbs = ABSENT_NUMBER;
	request.common.precision = PRECISION_BF16;
	findings_clear(&estimate.findings);
	assert_int_equal(planner_memory(&request, &fixture.input.model, NULL, &estimate, &fixture.failure), STATUS_OK);
	assert_close(estimate.weights_bf16_bytes, 2 * fixture.input.model.params_total, 1e-9);
	assert_close(estimate.training.optimizer_bytes, 12 * fixture.input.model.params_total, 0.001);
	assert_true(estimate.fits == TRUTH_UNSET && isnan(estimate.training.capacity_bytes));
	request.common.gpu_count = 8;
	assert_int_equal(planner_memory(&request, &fixture.input.model, &h100.accelerator, &estimate, &fixture.failure), STATUS_OK);
	assert_int_equal(estimate.fits, TRUTH_FALSE);
	assert_true(estimate.headroom_bytes < 0 && estimate.gpu_count_min > 1 && estimate.gpu_count_min <= 8);
	request.parallelism.zero_stage = 3;
	request.parallelism.recompute = RECOMPUTE_FULL;
	assert_int_equal(planner_memory(&request, &fixture.input.model, &h100.accelerator, &estimate, &fixture.failure), STATUS_OK);
	assert_int_equal(estimate.fits, TRUTH_TRUE);
	request.parallelism.tensor = 3;
	assert_int_equal(planner_memory(&request, &fixture.input.model, &h100.accelerator, &estimate, &fixture.failure), STATUS_INVALID);
	request.parallelism.tensor = ABSENT_COUNT;
	request.purpose = MEMORY_PURPOSE_INFERENCE;
	request.common.gpu_count = 1;
	failure_clear(&fixture.failure);
	assert_int_equal(planner_memory(&request, &fixture.input.model, &h100.accelerator, &estimate, &fixture.failure), STATUS_OK);
	assert_int_equal(estimate.fits, TRUTH_TRUE);
	assert_int_equal(estimate.gpu_count_min, 1);
	assert_close(estimate.kv_bytes_per_token, 2.0 * 32 * 8 * 128 * 2, 1e-9);
	request.concurrency = 1e6;
	assert_int_equal(planner_memory(&request, &fixture.input.model, &h100.accelerator, &estimate, &fixture.failure), STATUS_OK);
	assert_int_equal(estimate.fits, TRUTH_FALSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deadline_gives_the_smallest_number),
		cmocka_unit_test(reserved_hours_come_off_the_deadline),
		cmocka_unit_test(open_requests_answer_a_front),
		cmocka_unit_test(budgets_and_caps_bind),
		cmocka_unit_test(memory_says_what_would_help),
		cmocka_unit_test(contradictory_pins_are_named),
		cmocka_unit_test(pins_are_kept),
		cmocka_unit_test(the_search_finds_the_true_best),
		cmocka_unit_test(a_given_mfu_is_the_answer),
		cmocka_unit_test(a_measurement_corrects_the_plan),
		cmocka_unit_test(intervals_follow_their_inputs),
		cmocka_unit_test(every_field_moves_something),
		cmocka_unit_test(stages_are_summed),
		cmocka_unit_test(fine_tuning_needs_less),
		cmocka_unit_test(what_is_no_transformer_is_planned),
		cmocka_unit_test(awkward_requests_stay_finite),
		cmocka_unit_test(mixtures_spread_their_experts),
		cmocka_unit_test(findings_are_few_and_complete),
		cmocka_unit_test(scaling_answers_the_missing_two),
		cmocka_unit_test(memory_of_a_model_alone_and_on_hardware),
	};

	return cmocka_run_group_tests_name("training plans", tests, NULL, NULL);
}
