/* Whole plans: fixed inputs, solved figures, and figures that agree with each other. */
#include "planner/training/remarks.h"
#include "support/assert.h"
#include "support/training_fixture.h"

static struct training_fixture fixture;
#define REQUEST (fixture.input.request)
#define BEST    (fixture.plan.recommended)

static void begin(void)
{
	fixture_init(&fixture);
}

static void open_requests_answer_a_front(void **state)
{
	(void)state;
	begin();
	fixture.candidates[1] = fixture_a100();
	fixture.input.candidate_count = 2;
	fixture_planned(&fixture);
	fixture_check_option(&fixture, &BEST);
	assert_true(fixture.plan.alternative_count >= 2 && fixture.plan.alternative_count <= 5);
	for (size_t i = 0; i < fixture.plan.alternative_count; i++) {
		const struct training_option *a = &fixture.plan.alternatives[i];

		fixture_check_option(&fixture, a);
		assert_false(BEST.wall_clock_hours < a->wall_clock_hours && BEST.cost.total_usd < a->cost.total_usd &&
			BEST.carbon.total_kgco2e < a->carbon.total_kgco2e); /* no alternative is worse in every figure */
	}
	REQUEST.common.objective = OBJECTIVE_GPUS;
	fixture_planned(&fixture);
	assert_true(BEST.gpu_count <= 8);
	REQUEST.common.objective = OBJECTIVE_TIME;
	fixture_planned(&fixture);
	assert_true(BEST.gpu_count >= 512);
	REQUEST.common.alternatives = 0;
	fixture_planned(&fixture);
	assert_int_equal(fixture.plan.alternative_count, 0);
}

static void pins_are_kept(void **state)
{
	const struct parallelism pins = {.tensor = 2,
		.pipeline = 4,
		.data = 8,
		.context = 1,
		.expert = 1,
		.interleave = 2,
		.micro_batch = 2,
		.zero_stage = 2,
		.zero_group = 8,
		.recompute = RECOMPUTE_SELECTIVE,
		.sequence_parallel = TRUTH_FALSE,
		.offload = TRUTH_FALSE};

	(void)state;
	begin();
	REQUEST.parallelism = pins; /* all four degrees are pinned: the number follows */
	fixture_planned(&fixture);
	assert_int_equal(BEST.gpu_count, 64);
	assert_true(
		BEST.parallelism.tensor == 2 && BEST.parallelism.pipeline == 4 && BEST.parallelism.data == 8 && BEST.parallelism.context == 1);
	assert_true(BEST.parallelism.expert == 1 && BEST.parallelism.interleave == 2 && BEST.parallelism.micro_batch == 2);
	assert_true(BEST.parallelism.zero_stage == 2 && BEST.parallelism.zero_group == 8 && BEST.parallelism.recompute == RECOMPUTE_SELECTIVE);
	assert_true(BEST.parallelism.sequence_parallel == TRUTH_FALSE && BEST.parallelism.offload == TRUTH_FALSE);
	assert_int_equal(fixture.plan.search.evaluated, 1);
	assert_int_equal(fixture.plan.batch.gradient_accumulation_steps, 64);
	fixture_check_option(&fixture, &BEST);
	REQUEST.parallelism.offload = TRUTH_TRUE;
	fixture_planned(&fixture);
	assert_true(BEST.step.host_transfer_s > 0 && BEST.memory.optimizer_bytes == 0);
}

/* Pins every layout in turn and plans each alone: the search must find the fastest of them. */
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
	fixture_planned(&fixture);
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
	fixture_planned(&fixture);
	wide = BEST.interval.step_time_s.p90 / BEST.interval.step_time_s.p10;
	REQUEST.mfu = 0.40;
	fixture_planned(&fixture);
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
	fixture_planned(&fixture);
	before = BEST.step.time_s;
	fixture.candidates[0].calibration = (struct calibration){.id = "c1",
		.gemm_efficiency = 0.5,
		.memory_efficiency = ABSENT_NUMBER,
		.kernel_launch_s = ABSENT_NUMBER,
		.idle_w = ABSENT_NUMBER,
		.load_w = ABSENT_NUMBER,
		.source = "benchmark 1"};
	fixture_planned(&fixture);
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
	fixture.candidates[0].offer = (struct offer){
		.provider = "p", .usd_per_gpu_hour = 2, .low_usd_per_gpu_hour = 1.9, .high_usd_per_gpu_hour = 2.1, .term = TERM_ON_DEMAND};
	fixture_planned(&fixture);
	usd = BEST.interval.total_usd;
	kg = BEST.interval.total_kgco2e;
	hours = BEST.interval.wall_clock_hours;
	fixture.candidates[0].offer.high_usd_per_gpu_hour = 5;
	fixture.candidates[0].site.grid_high_gco2e_per_kwh = 900;
	fixture_planned(&fixture);
	assert_true(BEST.interval.total_usd.p90 > usd.p90 * 1.02);
	assert_true(BEST.interval.total_kgco2e.p90 > kg.p90 * 1.02);
	assert_close(BEST.interval.wall_clock_hours.p90, hours.p90, 1e-12);
	REQUEST.reliability.mtbf_gpu_hours = 40e3; /* given: its published spread no longer applies */
	fixture_planned(&fixture);
	assert_true(BEST.interval.wall_clock_hours.p90 / BEST.interval.wall_clock_hours.p10 < hours.p90 / hours.p10);
	/* spot interruptions are added to failures */
	hours = BEST.interval.wall_clock_hours;
	fixture.candidates[0].offer.term = TERM_SPOT;
	REQUEST.common.pricing.spot_interruptions_per_gpu_hour = 0.01;
	fixture_planned(&fixture);
	assert_true(BEST.wall_clock_hours > hours.p50);
}

/* E104: 1,000 GB for the hours of the run at 0.023 USD a month, and 10 GB out at 0.09 USD. Without given sizes: two
 * checkpoints and the weights in 16 bits. */
static void kept_and_sent_data_cost_what_they_cost(void **state)
{
	double gpus_usd;

	(void)state;
	begin();
	REQUEST.common.gpu_count = 64;
	REQUEST.common.pricing.storage_usd_per_gb_month = REQUEST.common.pricing.egress_usd_per_gb = ABSENT_NUMBER;
	fixture_planned(&fixture);
	gpus_usd = BEST.cost.total_usd;
	assert_close(BEST.carbon.gco2e_per_thousand_tokens * fixture.plan.workload.tokens_total / 1000, 1000 * BEST.carbon.total_kgco2e, 1e-12);
	assert_close(gpus_usd, BEST.gpu_hours * BEST.cost.usd_per_gpu_hour, 1e-12);
	assert_false(is_given(BEST.cost.storage_usd) || is_given(BEST.cost.egress_usd));
	REQUEST.common.pricing.storage_usd_per_gb_month = 0.023;
	REQUEST.common.pricing.storage_gb = 1000;
	REQUEST.common.pricing.egress_usd_per_gb = 0.09;
	REQUEST.common.pricing.egress_gb = 10;
	fixture_planned(&fixture);
	assert_close(BEST.cost.storage_usd, 23 * BEST.wall_clock_hours / 730, 1e-12);
	assert_close(BEST.cost.egress_usd, 0.9, 1e-12);
	assert_close(BEST.cost.total_usd, gpus_usd + BEST.cost.storage_usd + 0.9, 1e-12);
	REQUEST.common.pricing.storage_gb = REQUEST.common.pricing.egress_gb = ABSENT_NUMBER;
	fixture_planned(&fixture);
	assert_close(BEST.cost.storage_usd, 0.023 * 28e-9 * fixture.input.model.params_total * BEST.wall_clock_hours / 730, 1e-9);
	assert_close(BEST.cost.egress_usd, 0.09 * 2e-9 * fixture.input.model.params_total, 1e-12);
}

static void every_field_moves_something(void **state)
{
	double step, hours, loss, chosen, critical;

	(void)state;
	begin();
	REQUEST.common.gpu_count = 64;
	fixture_planned(&fixture);
	step = BEST.step.time_s;
	hours = BEST.wall_clock_hours;
	loss = fixture.plan.compute_optimal.predicted_loss;
	REQUEST.epochs = 3;
	fixture_planned(&fixture);
	assert_close(BEST.wall_clock_hours, 3 * hours, 0.01);
	assert_true(fixture.plan.compute_optimal.predicted_loss < loss);
	REQUEST.epochs = 1;
	REQUEST.common.precision = PRECISION_FP8;
	fixture_planned(&fixture);
	assert_true(BEST.step.time_s < step && BEST.mfu < 0.5);
	REQUEST.common.precision = PRECISION_BF16;
	REQUEST.input_pipeline.sample_bytes = 1e9;
	REQUEST.input_pipeline.storage_gbs = 10;
	fixture_planned(&fixture);
	assert_true(BEST.step.input_wait_s > 0 && BEST.bottleneck.kind == BOTTLENECK_INPUT && fixture_advised(&fixture, "faster_storage"));
	REQUEST.input_pipeline.sample_bytes = REQUEST.input_pipeline.storage_gbs = ABSENT_NUMBER;
	REQUEST.input_pipeline.cpu_ms_per_sample = 1e5;
	REQUEST.input_pipeline.workers = 2;
	fixture_planned(&fixture);
	assert_true(BEST.step.input_wait_s > 0);
	REQUEST.input_pipeline.cpu_ms_per_sample = ABSENT_NUMBER;
	fixture_planned(&fixture);
	assert_true(fixture_warned(&fixture, "workers"));
	REQUEST.input_pipeline.workers = ABSENT_COUNT;
	REQUEST.reliability.restart_minutes = 600;
	REQUEST.reliability.checkpoint_gbs = 0.1;
	fixture_planned(&fixture);
	assert_true(BEST.wall_clock_hours > hours);
	REQUEST.reliability.checkpoint_interval_minutes = 45;
	fixture_planned(&fixture);
	assert_close(BEST.goodput.checkpoint_interval_minutes, 45, 1e-12);
	begin();
	REQUEST.common.gpu_count = 64;
	REQUEST.stack = STACK_MEGATRON_CORE;
	REQUEST.stack_release = "2023-01";
	fixture_planned(&fixture);
	step = BEST.step.time_s;
	REQUEST.stack_release = "2026-01";
	fixture_planned(&fixture);
	assert_true(BEST.step.time_s < step);
	REQUEST.stack_release = NULL;
	REQUEST.distillation.teacher.params = 70e9;
	REQUEST.distillation.teacher.params_active = ABSENT_NUMBER;
	fixture_planned(&fixture);
	assert_true(BEST.step.time_s > step * 1.2);
	REQUEST.distillation.teacher.params = ABSENT_NUMBER;
	REQUEST.distillation.teacher.id = "unknown";
	fixture_planned(&fixture);
	assert_true(fixture_warned(&fixture, "teacher"));
	begin();
	REQUEST.common.gpu_count = 64; /* the number divides the chosen batch */
	REQUEST.global_batch_size = ABSENT_NUMBER;
	fixture_planned(&fixture);
	assert_true(fixture_assumed(&fixture, "global_batch_size"));
	assert_close(fixture.plan.batch.learning_rate_scale, 1, 1e-9);
	chosen = fixture.plan.batch.global_batch_tokens;
	critical = fixture.plan.batch.critical_batch_tokens;
	assert_true(critical > chosen && critical < 4 * chosen);
	for (int times = 4; times <= 16;
		 times *= 4) { /* above the critical batch the rate is that of the critical batch, in the figure and in the text */
		REQUEST.global_batch_tokens = chosen * times;
		REQUEST.optimizer = OPTIMIZER_ADAMW;
		fixture_planned(&fixture);
		assert_close(fixture.plan.batch.learning_rate_scale, sqrt(critical / chosen), 1e-9);
		assert_non_null(strstr(fixture.plan.batch.detail, "learning_rate_scale is the critical batch's"));
		REQUEST.optimizer = OPTIMIZER_SGD;
		fixture_planned(&fixture);
		assert_close(fixture.plan.batch.learning_rate_scale, critical / chosen, 1e-9);
	}
	REQUEST.optimizer = OPTIMIZER_ADAMW;
	REQUEST.global_batch_tokens = chosen / 4;
	fixture_planned(&fixture);
	assert_close(fixture.plan.batch.learning_rate_scale, 0.5, 1e-9);
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
	fixture_planned(&fixture);
	first = BEST.wall_clock_hours * BEST.goodput.fraction;
	REQUEST.stages.items = stages + 1;
	fixture_planned(&fixture);
	second = BEST.wall_clock_hours * BEST.goodput.fraction;
	REQUEST.stages.items = stages;
	REQUEST.stages.count = 2;
	fixture_planned(&fixture);
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
	fixture_planned(&fixture);
	full = BEST.memory.weights_bytes;
	assert_true(BEST.memory.optimizer_bytes < 0.1 * full);
	REQUEST.parallelism = BEST.parallelism;
	REQUEST.fine_tuning.method = FINE_TUNING_QLORA;
	fixture_planned(&fixture);
	assert_true(BEST.memory.weights_bytes < 0.5 * full);
	REQUEST.fine_tuning.method = FINE_TUNING_FULL;
	REQUEST.common.enforce_memory = TRUTH_FALSE;
	fixture_planned(&fixture);
	assert_true(fixture_warned(&fixture, "rank"));
}

static void what_is_no_transformer_is_planned(void **state)
{
	(void)state;
	begin();
	fixture.input.model = (struct model){.kind = MODEL_GENERIC,
		.params_total = 25.6e6,
		.params_active = 25.6e6,
		.params_embedding = 0,
		.generic_flops_per_sample = 8.2e9,
		.generic_sample_bytes = 150e3};
	REQUEST.tokens = 1281167;
	REQUEST.epochs = 90;
	REQUEST.sequence_length = REQUEST.global_batch_size = ABSENT_NUMBER;
	REQUEST.common.gpu_count = 8;
	fixture.candidates[0] = fixture_a100();
	fixture_planned(&fixture);
	/* MLPerf v1.0: about 2,500 to 2,900 images/s on an A100 */
	assert_true(BEST.tokens_per_s_per_gpu > 1500 && BEST.tokens_per_s_per_gpu < 3500);
	assert_true(fixture_assumed(&fixture, "global_batch_size"));
}

static void mixtures_spread_their_experts(void **state)
{
	struct layer_kind *kind = &fixture.input.model.kinds[0];

	(void)state;
	begin();
	fixture.input.model = (struct model){.kind = MODEL_TRANSFORMER,
		.hidden = 2048,
		.vocabulary = 151936,
		.layer_count = 48,
		.kind_count = 1,
		.params_total = ABSENT_NUMBER,
		.params_active = ABSENT_NUMBER,
		.params_embedding = ABSENT_NUMBER};
	*kind = (struct layer_kind){.mixer = MIXER_ATTENTION,
		.heads = 32,
		.kv_heads = 4,
		.head_dim = 128,
		.value_head_dim = 128,
		.feed_forward = FEED_FORWARD_EXPERTS,
		.gated = true,
		.experts = 128,
		.experts_active = 8,
		.expert_width = 768};
	model_finish(&fixture.input.model);
	REQUEST.common.gpu_count = 64;
	REQUEST.common.alternatives = 0;
	fixture_planned(&fixture);
	assert_true(BEST.parallelism.expert > 1 && BEST.step.expert_comm_s > 0);
	REQUEST.parallelism.expert = 1;
	fixture_planned(&fixture);
	assert_true(BEST.step.expert_comm_s == 0);
	REQUEST.parallelism.expert = 3;
	assert_int_equal(fixture_plan(&fixture), STATUS_INVALID);
	/* a mixer without scores, and one with latents */
	REQUEST.parallelism.expert = ABSENT_COUNT;
	*kind = (struct layer_kind){.mixer = MIXER_MAMBA2,
		.heads = 64,
		.kv_heads = 1,
		.head_dim = 64,
		.value_head_dim = 64,
		.state_dim = 128,
		.conv_kernel = 4,
		.groups = 1,
		.feed_forward = FEED_FORWARD_NONE};
	fixture.input.model.params_total = fixture.input.model.params_active = fixture.input.model.params_embedding = ABSENT_NUMBER;
	model_finish(&fixture.input.model);
	fixture_planned(&fixture);
	/* a larger state takes longer to scan, though the projections stay */
	double projections = kind->mixer_params, compute_s = BEST.step.compute_s;
	kind->state_dim *= 4;
	kind->mixer_params = projections;
	fixture_planned(&fixture);
	assert_true(BEST.step.compute_s > 1.02 * compute_s && BEST.step.compute_s < 3 * compute_s);
	*kind = (struct layer_kind){.mixer = MIXER_MLA,
		.heads = 16,
		.kv_heads = 16,
		.head_dim = 128,
		.value_head_dim = 128,
		.q_lora_rank = 768,
		.kv_lora_rank = 512,
		.rope_head_dim = 64,
		.feed_forward = FEED_FORWARD_DENSE,
		.width = 8192,
		.gated = true};
	fixture.input.model.params_total = fixture.input.model.params_active = fixture.input.model.params_embedding = ABSENT_NUMBER;
	model_finish(&fixture.input.model);
	REQUEST.parallelism.recompute = RECOMPUTE_SELECTIVE;
	fixture_planned(&fixture);
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
	fixture_planned(&fixture);
	assert_true(fixture_advised(&fixture, "gradient_accumulation") && fixture_advised(&fixture, "layout") &&
		fixture_advised(&fixture, "precision"));
	assert_int_equal(findings->dropped, 0);
	assert_true(findings->sensitivity_count >= 4);
	for (size_t i = 1; i < findings->sensitivity_count; i++)
		assert_true(fabs(findings->sensitivities[i - 1].relative) >= fabs(findings->sensitivities[i].relative));
	for (size_t i = 0; i < findings->assumption_count; i++)
		assert_null(strstr(findings->assumptions[i].source, "default"));
	assert_true(fixture_assumed(&fixture, "reliability.mtbf_gpu_hours") && fixture_assumed(&fixture, "stack_release"));
}

/* A layout that the search chooses leaves room where it can. A pinned one may fill the memory, with a warning. */
static void chosen_layouts_leave_room(void **state)
{
	const struct memory_use *memory = &BEST.memory;
	double chosen_bytes;

	(void)state;
	begin();
	REQUEST.common.gpu_count = 64;
	fixture_planned(&fixture);
	chosen_bytes = memory->total_bytes;
	assert_true(chosen_bytes <= LAYOUT_COMFORTABLE_FILL * memory->capacity_bytes);
	assert_true(fixture.plan.search.evaluated > fixture.plan.search.feasible && fixture.plan.search.feasible > 0);
	fixture.candidates[0].accelerator.memory_gb = ABSENT_NUMBER;
	fixture.candidates[0].accelerator.memory_usable_bytes = chosen_bytes * 1.01; /* the same layout, now tight */
	REQUEST.parallelism = BEST.parallelism;
	fixture_planned(&fixture);
	assert_close(memory->total_bytes, chosen_bytes, 1e-9);
	assert_true(fixture.plan.findings.warning_count >= 1);
	assert_non_null(strstr(fixture.plan.findings.warnings[0].detail, "memory"));
}

/* A pinned micro-batch may cost time and never saves any, so the chosen batch
 * is the same. If all degrees are pinned, the batch grows. */
static void a_pin_does_not_change_the_chosen_batch(void **state)
{
	double time_s, tokens;

	(void)state;
	begin();
	REQUEST.global_batch_size = REQUEST.global_batch_tokens = ABSENT_NUMBER;
	REQUEST.common.gpu_count = 1024;
	fixture_planned(&fixture);
	time_s = BEST.step.time_s;
	tokens = fixture.plan.batch.global_batch_tokens;
	REQUEST.parallelism.micro_batch = 2;
	fixture_planned(&fixture);
	assert_close(fixture.plan.batch.global_batch_tokens, tokens, 1e-9);
	assert_true(BEST.step.time_s >= time_s * (1 - 1e-9));
	REQUEST.parallelism.micro_batch = REQUEST.parallelism.tensor = REQUEST.parallelism.pipeline = 1;
	REQUEST.parallelism.context = 1;
	REQUEST.common.gpu_count = 2 * (int64_t)(tokens / REQUEST.sequence_length);
	REQUEST.common.enforce_memory = TRUTH_FALSE;
	fixture_planned(&fixture);
	assert_int_equal(BEST.parallelism.data, REQUEST.common.gpu_count);
}

/* Planning the completed request gives the same plan. */
static void a_completed_request_plans_the_same(void **state)
{
	int64_t gpu_count;
	double time_s, hours;

	(void)state;
	begin();
	REQUEST.common.practice = PRACTICE_TYPICAL;
	REQUEST.common.confidence = 0.8;
	REQUEST.sequence_length = REQUEST.global_batch_size = REQUEST.global_batch_tokens = ABSENT_NUMBER;
	REQUEST.deadline_hours = 24 * 90;
	fixture.input.model.max_positions = 2048;
	fixture_planned(&fixture);
	gpu_count = BEST.gpu_count;
	time_s = BEST.step.time_s;
	hours = BEST.wall_clock_hours;
	training_request_complete(&fixture.input, &fixture.plan, &REQUEST);
	assert_close(REQUEST.sequence_length, 2048, 1e-12); /* the model has no more positions */
	assert_close(REQUEST.global_batch_size * 2048, fixture.plan.batch.global_batch_tokens, 1e-12);
	fixture_planned(&fixture);
	assert_int_equal(BEST.gpu_count, gpu_count);
	assert_close(BEST.wall_clock_hours, hours, 1e-12);
	assert_close(BEST.step.time_s, time_s, 1e-12);
}

/* Frozen weights have no gradient: two of the linear layers' three products are
 * left, which saves less than a third of all. */
static void frozen_weights_count_less(void **state)
{
	double all, rest;

	(void)state;
	begin();
	REQUEST.common.gpu_count = 8;
	REQUEST.sequence_length = 4096;
	all = training_flops_per_token(&fixture.input, 4096);
	REQUEST.fine_tuning.method = FINE_TUNING_LORA;
	rest = training_flops_per_token(&fixture.input, 4096);
	assert_close(all - rest,
		model_forward_flops_per_token(&fixture.input.model, 4096) - model_attention_flops_per_token(&fixture.input.model, 4096), 1e-12);
	assert_true(rest > all * 2 / 3 && rest < all * 0.75);
	fixture_planned(&fixture);
	assert_close(fixture.plan.workload.flops_per_token, rest, 1e-12);
	assert_true(BEST.mfu < 0.803);
}

/* ZeRO-2 and ZeRO-3 are not searched where the software lacks them. */
static void software_limits_sharding(void **state)
{
	(void)state;
	begin();
	REQUEST.common.gpu_count = 64;
	REQUEST.stack = STACK_MEGATRON_LM;
	fixture_planned(&fixture);
	assert_true(BEST.parallelism.zero_stage <= 1);
	REQUEST.stack = STACK_FSDP;
	fixture_planned(&fixture);
	assert_int_equal(BEST.parallelism.zero_stage, 3);
}

/* If the smallest count is recommended but a larger one is faster and cheaper, the advice says so. */
static void a_better_larger_number_is_mentioned(void **state)
{
	struct candidate_plan front[2] = {{.gpu_count = 640, .priced = true, .wall_clock_hours = 90, .total_usd = 95},
		{.gpu_count = 700, .priced = true, .wall_clock_hours = 80, .total_usd = 101}};
	struct candidate_plan best = {.gpu_count = 600, .priced = true, .wall_clock_hours = 100, .total_usd = 100};

	(void)state;
	begin();
	findings_clear(&fixture.plan.findings);
	advice_of_larger(&front[1], 1, &best, &fixture.plan);
	assert_int_equal(fixture.plan.findings.advice_count, 0);
	advice_of_larger(front, 2, &best, &fixture.plan);
	assert_int_equal(fixture.plan.findings.advice_count, 1);
	assert_string_equal(fixture.plan.findings.advice[0].code, "more_accelerators");
	assert_non_null(strstr(fixture.plan.findings.advice[0].effect, "10 hours and 5 USD less"));
	for (int sooner = 0; sooner < 2; sooner++) { /* hardly cheaper: advised only if it is a tenth sooner */
		front[0] = (struct candidate_plan){.gpu_count = 640, .priced = true, .wall_clock_hours = sooner ? 89 : 91, .total_usd = 99.9};
		findings_clear(&fixture.plan.findings);
		advice_of_larger(front, 2, &best, &fixture.plan);
		assert_int_equal(fixture.plan.findings.advice_count, sooner);
	}
}

/* A recommender's tables are split over the ranks, and their gradients are not
 * all-reduced: a day's samples take hours, not days. */
static void tables_are_looked_up(void **state)
{
	double dense_hours;

	(void)state;
	begin();
	fixture.candidates[0] = fixture_a100();
	fixture.input.model = (struct model){
		.kind = MODEL_GENERIC, .params_total = 10e9, .generic_flops_per_sample = 20e6, .generic_sample_bytes = 2000};
	model_finish(&fixture.input.model);
	REQUEST.tokens = 10e9;
	REQUEST.sequence_length = ABSENT_NUMBER;
	REQUEST.global_batch_size = 65536;
	REQUEST.common.gpu_count = 4;
	fixture_planned(&fixture);
	assert_true(BEST.wall_clock_hours < 18);
	assert_close(BEST.memory.weights_bytes, 2 * (fixture.input.model.params_embedding / 4 + 10e6), 1e-6);
	assert_true(BEST.step.expert_comm_s > 0);
	dense_hours = BEST.wall_clock_hours;
	fixture.input.model.params_active = 10e9; /* as if every sample used all of it */
	fixture.input.model.params_embedding = 0;
	fixture_planned(&fixture);
	assert_true(BEST.wall_clock_hours > 3 * dense_hours);
}

/* Interruptions count with the caller's own price, which no offer contradicts. They do not count with an on-demand
 * offer, and a warning says so. */
static void interruptions_are_those_of_spot(void **state)
{
	double steady;

	(void)state;
	begin();
	REQUEST.common.gpu_count = 64;
	fixture.candidates[0].has_offer = false;
	REQUEST.common.pricing.usd_per_gpu_hour = 1;
	fixture_planned(&fixture);
	steady = BEST.goodput.fraction;
	REQUEST.common.pricing.spot_interruptions_per_gpu_hour = 0.01;
	fixture_planned(&fixture);
	assert_true(BEST.goodput.fraction < steady - 0.01);
	assert_close(BEST.goodput.expected_failures, BEST.gpu_hours * (0.01 + 1 / 50700.0), 0.01);
	fixture.candidates[0].has_offer = true;
	fixture.candidates[0].offer.term = TERM_ON_DEMAND;
	fixture_planned(&fixture);
	assert_close(BEST.goodput.fraction, steady, 1e-9);
	assert_true(fixture.plan.findings.warning_count >= 1);
	REQUEST.reliability.mtbf_gpu_hours = 1;
	findings_clear(&fixture.plan.findings);
	fixture_planned(&fixture);
	assert_true(fixture_warned(&fixture, "goodput: only"));
	assert_non_null(strstr(fixture.plan.findings.warnings[0].detail, "length: ")); /* the first warning */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_requests_answer_a_front),
		cmocka_unit_test(pins_are_kept),
		cmocka_unit_test(kept_and_sent_data_cost_what_they_cost),
		cmocka_unit_test(the_search_finds_the_true_best),
		cmocka_unit_test(a_given_mfu_is_the_answer),
		cmocka_unit_test(a_measurement_corrects_the_plan),
		cmocka_unit_test(intervals_follow_their_inputs),
		cmocka_unit_test(every_field_moves_something),
		cmocka_unit_test(stages_are_summed),
		cmocka_unit_test(fine_tuning_needs_less),
		cmocka_unit_test(what_is_no_transformer_is_planned),
		cmocka_unit_test(mixtures_spread_their_experts),
		cmocka_unit_test(findings_are_few_and_complete),
		cmocka_unit_test(tables_are_looked_up),
		cmocka_unit_test(interruptions_are_those_of_spot),
		cmocka_unit_test(chosen_layouts_leave_room),
		cmocka_unit_test(a_pin_does_not_change_the_chosen_batch),
		cmocka_unit_test(a_completed_request_plans_the_same),
		cmocka_unit_test(frozen_weights_count_less),
		cmocka_unit_test(software_limits_sharding),
		cmocka_unit_test(a_better_larger_number_is_mentioned),
	};

	return cmocka_run_group_tests_name("training plans", tests, NULL, NULL);
}
