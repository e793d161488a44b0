/* Levers: each is offered where it applies, with the effect that planning again with the change has. Also the effect
 * of spares and asynchronous checkpoints on goodput. */
#include "planner/footprint/reliability.h"
#include "planner/interval.h"
#include "planner/training/measured.h"
#include "planner/training/scaling.h"
#include "support/assert.h"
#include "support/training_fixture.h"

static struct training_fixture fixture;
static struct advice kept;
static double hours, usd, gigabytes;
#define REQUEST (fixture.input.request)
#define BEST    (fixture.plan.recommended)

static void begin(int64_t gpu_count)
{
	fixture_init(&fixture);
	REQUEST.common.gpu_count = gpu_count;
}

static const struct advice *lever(const char *code)
{
	for (size_t i = 0; i < fixture.plan.findings.advice_count; i++)
		if (strcmp(fixture.plan.findings.advice[i].code, code) == 0)
			return &fixture.plan.findings.advice[i];
	return NULL;
}

/* Plans, and stores the lever and the figures before it. */
static void expect(const char *code)
{
	const struct advice *offered;

	fixture_planned(&fixture);
	offered = lever(code);
	if (!offered) {
		fail_msg("%s is not offered", code);
		return;
	}
	kept = *offered;
	hours = BEST.wall_clock_hours;
	usd = BEST.cost.total_usd;
	gigabytes = BEST.memory.total_bytes / 1e9;
	assert_true(strlen(kept.detail) > 20 && strlen(kept.effect) > 10);
}

/* Plans again after the caller changed the request as the lever says. The figures must change as the lever said. */
static void verify(void)
{
	fixture_planned(&fixture);
	assert_close(BEST.wall_clock_hours, hours + kept.change_hours, 1e-9);
	assert_close(BEST.cost.total_usd, usd + kept.change_usd, 1e-9);
	assert_close(BEST.memory.total_bytes / 1e9, gigabytes + kept.change_gb, 1e-9);
}

static void numbers_and_precision(void **state)
{
	(void)state;
	begin(64);
	expect("precision");
	assert_true(kept.change_hours < 0 && kept.change_usd < 0);
	REQUEST.common.precision = PRECISION_FP8;
	verify();
	assert_null(lever("precision")); /* already applied */
	begin(64);
	expect("more_accelerators");
	assert_non_null(strstr(kept.effect, "hours less"));
	REQUEST.common.gpu_count = 128;
	verify();
	begin(2048);
	REQUEST.global_batch_size = 256;
	REQUEST.sequence_length = 8192;
	expect("fewer_accelerators");
	assert_true(kept.change_usd < 0 && kept.change_hours > 0);
	REQUEST.common.gpu_count = 1024;
	verify();
	fixture.candidates[0] = fixture_a100();
	fixture_planned(&fixture);
	assert_null(lever("precision")); /* an A100 has no FP8 */
}

/* Half the accelerators are cheaper but late: in time at the median, but not with the request's confidence. */
static void no_lever_breaks_a_promise(void **state)
{
	double half_p50, half_p80, likely_usd;

	(void)state;
	begin(1024);
	REQUEST.common.practice = PRACTICE_TYPICAL;
	REQUEST.common.confidence = 0.8;
	fixture_planned(&fixture);
	assert_true(fixture_advised(&fixture, "fewer_accelerators") && fixture_advised(&fixture, "more_accelerators"));
	likely_usd = interval_quantile(&BEST.interval.total_usd, 0.8);
	REQUEST.common.gpu_count = 512;
	fixture_planned(&fixture);
	half_p50 = BEST.wall_clock_hours;
	half_p80 = interval_quantile(&BEST.interval.wall_clock_hours, 0.8);
	REQUEST.common.gpu_count = 1024;
	REQUEST.deadline_hours = 1.01 * half_p80;
	fixture_planned(&fixture);
	assert_true(fixture_advised(&fixture, "fewer_accelerators"));
	REQUEST.deadline_hours = (half_p50 + half_p80) / 2;
	fixture_planned(&fixture);
	assert_false(fixture_advised(&fixture, "fewer_accelerators"));
	/* twice as many exceed the budget */
	REQUEST.deadline_hours = ABSENT_NUMBER;
	REQUEST.budget_usd = 1.001 * likely_usd;
	fixture_planned(&fixture);
	assert_true(fixture_advised(&fixture, "fewer_accelerators"));
	assert_false(fixture_advised(&fixture, "more_accelerators"));
}

static void layouts_that_are_pinned(void **state)
{
	(void)state;
	begin(64);
	fixture_planned(&fixture);
	assert_null(lever("layout")); /* nothing is pinned */
	REQUEST.parallelism.tensor = 8;
	REQUEST.parallelism.micro_batch = 1;
	REQUEST.parallelism.recompute = RECOMPUTE_FULL;
	expect("recompute");
	REQUEST.parallelism.recompute = RECOMPUTE_UNSET;
	verify();
	assert_null(lever("recompute"));
	expect("layout");
	REQUEST.parallelism.tensor = REQUEST.parallelism.micro_batch = ABSENT_COUNT;
	verify();
	begin(64);
	REQUEST.parallelism.tensor = 8;
	REQUEST.parallelism.pipeline = 1;
	REQUEST.parallelism.micro_batch = 1;
	expect("micro_batch");
	REQUEST.parallelism.micro_batch = ABSENT_COUNT;
	verify();
}

static void batches_below_the_critical_one(void **state)
{
	(void)state;
	begin(512);
	REQUEST.parallelism.tensor = 4;
	REQUEST.parallelism.pipeline = 8;
	REQUEST.global_batch_size = 128;
	expect("gradient_accumulation");
	REQUEST.global_batch_size = 256;
	verify();
	REQUEST.global_batch_size = 8192; /* 67 million tokens */
	fixture_planned(&fixture);
	assert_null(lever("gradient_accumulation"));
	assert_true(fixture_warned(&fixture, "critical batch"));
}

static void samples_that_come_late(void **state)
{
	(void)state;
	begin(64);
	REQUEST.input_pipeline.sample_bytes = 1e9;
	REQUEST.input_pipeline.storage_gbs = 10;
	expect("faster_storage");
	assert_close(fixture.plan.input.read_s, 1024 * 1e9 / 10e9, 1e-9);
	REQUEST.input_pipeline.storage_gbs = fixture.plan.input.storage_gbs_needed;
	verify();
	assert_close(BEST.step.input_wait_s + 1, 1, 1e-9);
	begin(64);
	REQUEST.input_pipeline.cpu_ms_per_sample = 5000;
	REQUEST.input_pipeline.workers = 4;
	expect("loader_workers");
	assert_close(fixture.plan.input.decode_s, 1024 * 5.0 / (64 * 4), 1e-9);
	REQUEST.input_pipeline.workers = (int64_t)fixture.plan.input.workers_needed;
	verify();
	assert_true(BEST.step.input_wait_s < 1e-12);
	assert_null(lever("loader_workers"));
}

static void memory_and_host(void **state)
{
	(void)state;
	begin(16);
	fixture_model(&fixture.input.model, 48, 8192, 64, 8, 28672, 128256, false); /* 43 billion parameters: memory is short */
	expect("optimizer_8bit");
	assert_true(kept.change_gb < 0 || kept.change_hours < 0);
	REQUEST.optimizer = OPTIMIZER_ADAMW_8BIT;
	verify();
	assert_null(lever("optimizer_8bit"));
	begin(8);
	fixture_model(&fixture.input.model, 24, 1024, 16, 16, 4096, 50257, true); /* 0.35 billion: the host is too slow */
	REQUEST.sequence_length = 512;
	REQUEST.global_batch_size = 32;
	REQUEST.tokens = 1e10;
	expect("fused_kernels");
	assert_true(kept.change_hours < 0);
	expect("host_syncs");
	begin(64);
	REQUEST.stack = STACK_MEGATRON_LM;
	REQUEST.stack_release = "2021-04";
	expect("newer_software");
	REQUEST.stack_release = NULL;
	verify();
	begin(64);
	REQUEST.fine_tuning.method = FINE_TUNING_FULL;
	expect("lora");
	REQUEST.fine_tuning.method = FINE_TUNING_LORA;
	REQUEST.fine_tuning.rank = 16;
	verify();
}

static void sizes_and_steps(void **state)
{
	double loss;

	(void)state;
	begin(64);
	REQUEST.tokens = 15e12; /* 1,900 tokens a parameter */
	expect("fewer_steps");
	loss = fixture.plan.compute_optimal.predicted_loss;
	assert_true(fixture.plan.compute_optimal.compute_factor > 2 && fixture.plan.compute_optimal.verdict == VERDICT_DATA_INEFFICIENT);
	REQUEST.tokens = scaling_optimum_of_params(scaling_law_named(NULL), fixture.input.model.params_active).tokens;
	verify();
	assert_close(fixture.plan.compute_optimal.compute_factor, 1, 1e-6);
	assert_true(fixture.plan.compute_optimal.predicted_loss > loss);
	REQUEST.tokens = 15e12;
	expect("model_size");
	REQUEST.tokens = scaling_optimum(scaling_law_named(NULL), scaling_compute_of_loss(scaling_law_named(NULL), loss)).tokens;
	model_from_size(&fixture.input.model,
		scaling_optimum(scaling_law_named(NULL), scaling_compute_of_loss(scaling_law_named(NULL), loss)).params, ABSENT_NUMBER);
	verify();
	assert_close(fixture.plan.compute_optimal.predicted_loss, loss, 0.005); /* the standard shape of a size is only near it */
	begin(64);
	REQUEST.epochs = 40;
	REQUEST.tokens = 1e10;
	fixture_planned(&fixture);
	assert_close(fixture.plan.compute_optimal.tokens_effective, 1e10 * scaling_repeated_worth(40), 1e-9);
	assert_close(fixture.plan.compute_optimal.tokens_effective, 15.17e10, 0.005); /* Muennighoff: 40 epochs are worth 15.2 */
	assert_non_null(strstr(fixture.plan.compute_optimal.detail, "repeated"));
}

static void experts_and_layers(void **state)
{
	struct layer_kind *kind;

	(void)state;
	begin(64);
	kind = &fixture.input.model.kinds[0];
	kind->feed_forward = FEED_FORWARD_EXPERTS;
	kind->width = 0;
	kind->experts = 64;
	kind->experts_active = 8;
	kind->expert_width = 2048;
	fixture.input.model.params_total = fixture.input.model.params_active = fixture.input.model.params_embedding = ABSENT_NUMBER;
	model_finish(&fixture.input.model);
	REQUEST.parallelism.expert = 64;
	expect("fewer_experts");
	kind->experts_active = 4;
	fixture.input.model.params_total = fixture.input.model.params_active = fixture.input.model.params_embedding = ABSENT_NUMBER;
	model_finish(&fixture.input.model);
	verify();
	begin(64);
	fixture_model(&fixture.input.model, 33, 4096, 32, 8, 14336, 32000, false);
	REQUEST.parallelism.pipeline = 16;
	REQUEST.parallelism.interleave = 1;
	expect("fewer_layers");
	fixture_model(&fixture.input.model, 32, 4096, 32, 8, 14336, 32000, false);
	verify();
	assert_null(lever("fewer_layers"));
	begin(256); /* large for its data: without a quarter of its layers the loss rises by less than a hundredth */
	fixture_model(&fixture.input.model, 80, 8192, 64, 8, 28672, 128256, false);
	REQUEST.tokens = 1e11;
	expect("fewer_layers");
	assert_true(kept.change_hours < -0.2 * hours);
	assert_non_null(strstr(kept.detail, "60 layers instead of 80"));
	fixture_model(&fixture.input.model, 60, 8192, 64, 8, 28672, 128256, false);
	verify();
	REQUEST.fine_tuning.method = FINE_TUNING_FULL;
	fixture_planned(&fixture);
	assert_null(lever("fewer_layers")); /* no law says how a trained model's loss rises */
	REQUEST.fine_tuning.method = FINE_TUNING_UNSET;
	begin(8);
	fixture_model(&fixture.input.model, 16, 2048, 16, 16, 5632, 32000, false); /* narrow: element-wise work takes a share of the step */
	expect("cheaper_activation");
	fixture.input.model.kinds[0].gated = false;
	fixture.input.model.params_total = fixture.input.model.params_active = fixture.input.model.params_embedding = ABSENT_NUMBER;
	model_finish(&fixture.input.model);
	verify();
}

static void networks_and_machines(void **state)
{
	(void)state;
	begin(64);
	fixture.candidates[0].internode_gbs = 8;
	REQUEST.global_batch_size = 64;
	expect("faster_network");
	assert_true(kept.change_hours < 0 && kept.change_usd < 0);
	fixture.candidates[0].internode_gbs = 16;
	verify();
	begin(8);
	REQUEST.global_batch_size = 64;
	fixture.candidates[0].internode_gbs = 8;
	fixture_planned(&fixture);
	assert_null(lever("faster_network")); /* one machine */
	begin(64);
	fixture.candidates[0] = fixture_a100();
	fixture_planned(&fixture);
	assert_null(lever("newer_accelerator"));
	fixture.candidates[1] = fixture_h100();
	fixture.input.newer = &fixture.candidates[1];
	expect("newer_accelerator");
	assert_true(kept.change_hours < 0);
	fixture.candidates[0] = fixture.candidates[1];
	fixture.input.newer = NULL;
	verify();
}

/* Samples arrive too slowly for a batch above the critical one: fewer of them reach the same loss. */
static void a_batch_that_input_cannot_fill(void **state)
{
	double critical, over;

	(void)state;
	begin(64);
	REQUEST.global_batch_size = 8192;
	REQUEST.input_pipeline.sample_bytes = 1e9;
	REQUEST.input_pipeline.storage_gbs = 10;
	expect("reduce_batch");
	critical = fixture.plan.batch.critical_batch_tokens;
	over = 8192.0 * 8192 / critical;
	assert_true(over > 4 && kept.change_hours < -0.5 * hours);
	REQUEST.global_batch_size = floor(critical / 8192);
	REQUEST.tokens *= 2 / (1 + over);
	verify();
	assert_null(lever("reduce_batch"));
	REQUEST.global_batch_size = 8192;
	REQUEST.input_pipeline.sample_bytes = REQUEST.input_pipeline.storage_gbs = ABSENT_NUMBER;
	fixture_planned(&fixture);
	assert_null(lever("reduce_batch")); /* nothing waits for samples */
	/* The critical batch of a generic model is not known. On ImageNet twenty thousand samples still help. */
	begin(8);
	fixture.input.model = (struct model){.kind = MODEL_GENERIC, .generic_flops_per_sample = 4e9, .params_total = 25e6, .source = "a test"};
	model_finish(&fixture.input.model);
	REQUEST.tokens = 1.28e9;
	REQUEST.global_batch_size = 65536;
	REQUEST.input_pipeline.sample_bytes = 110e3;
	REQUEST.input_pipeline.storage_gbs = 0.5;
	expect("reduce_batch");
	assert_true(kept.change_hours < -0.4 * hours);
	REQUEST.global_batch_size = 20000;
	fixture_planned(&fixture);
	assert_null(lever("reduce_batch"));
}

static void memory_that_is_short(void **state)
{
	(void)state;
	begin(16);
	fixture_model(&fixture.input.model, 48, 8192, 64, 8, 28672, 128256, false);
	expect("more_memory");
	assert_true(kept.change_hours < 0);
	fixture.candidates[0].accelerator.memory_usable_bytes = 2 * accelerator_capacity_bytes(&fixture.candidates[0].accelerator);
	verify();
	REQUEST.parallelism.recompute = RECOMPUTE_FULL;
	fixture_planned(&fixture);
	assert_null(lever("more_memory")); /* the recomputation that it would avoid is requested */
	begin(8);
	fixture_model(&fixture.input.model, 48, 6656, 52, 4, 17920, 32000, false); /* 21 billion parameters: their states do not fit on 8 */
	REQUEST.parallelism.offload = TRUTH_TRUE;
	REQUEST.global_batch_size = 16;
	expect("offload");
	assert_true(kept.change_hours < 0);
	REQUEST.parallelism.offload = TRUTH_FALSE;
	REQUEST.optimizer = OPTIMIZER_ADAMW_8BIT;
	verify();
	assert_null(lever("offload"));
}

static void samples_decoded_beforehand(void **state)
{
	(void)state;
	begin(64);
	REQUEST.input_pipeline.cpu_ms_per_sample = 5000;
	REQUEST.input_pipeline.workers = 4;
	expect("data_format");
	assert_true(kept.change_hours < 0);
	assert_null(lever("faster_storage")); /* reading is not slow */
	REQUEST.input_pipeline.cpu_ms_per_sample = ABSENT_NUMBER;
	verify();
	begin(64);
	REQUEST.input_pipeline.sample_bytes = 1e9;
	REQUEST.input_pipeline.storage_gbs = 10;
	REQUEST.input_pipeline.cpu_ms_per_sample = 1;
	fixture_planned(&fixture);
	assert_non_null(lever("faster_storage"));
	assert_null(lever("data_format")); /* reading limits */
	assert_null(lever("loader_workers"));
}

static void gradients_of_32_bits(void **state)
{
	(void)state;
	begin(64);
	REQUEST.stack = STACK_MEGATRON_CORE;
	REQUEST.parallelism.tensor = 8;
	REQUEST.parallelism.pipeline = 1;
	REQUEST.parallelism.zero_stage = 1;
	fixture.candidates[0].internode_gbs = 2;
	REQUEST.global_batch_size = 64;
	expect("gradient_compression");
	assert_true(kept.change_hours < 0);
	REQUEST.parallelism.zero_stage = 3;
	fixture_planned(&fixture);
	assert_null(lever("gradient_compression"));
	begin(8); /* one machine: the exchange does not show */
	REQUEST.stack = STACK_MEGATRON_CORE;
	fixture_planned(&fixture);
	assert_null(lever("gradient_compression"));
	assert_null(lever("host_syncs")); /* nor does the host's work of each step */
	assert_null(lever("fused_kernels"));
}

static void a_teacher_asked_once(void **state)
{
	(void)state;
	begin(64);
	fixture_planned(&fixture);
	assert_null(lever("teacher_outputs"));
	REQUEST.distillation.teacher.params = 30e9;
	expect("teacher_outputs");
	assert_true(kept.change_hours < 0 && kept.change_usd < 0);
	REQUEST.distillation.teacher.params = ABSENT_NUMBER;
	verify();
}

static void no_lever_for_the_figure_alone(void **state)
{
	(void)state;
	begin(64);
	REQUEST.common.alternatives = 0;
	fixture_planned(&fixture);
	assert_null(lever("precision"));
	assert_int_equal(fixture.plan.findings.dropped, 0);
}

/* Daly 2006, eq. 37, up to a checkpoint of twice the time between failures. A
 * longer one is written once in that time. */
static void checkpoints_are_as_far_apart_as_daly_has_them(void **state)
{
	const double delta = 40.0 / 3600, mtbf = 3.093;

	(void)state;
	assert_close(reliability_daly_interval(delta, mtbf),
		sqrt(2 * delta * mtbf) * (1 + sqrt(delta / (2 * mtbf)) / 3 + delta / (18 * mtbf)) - delta, 1e-12);
	assert_close(reliability_daly_interval(1.999, 1), sqrt(2 * 1.999) * (1 + sqrt(1.999 / 2) / 3 + 1.999 / 18) - 1.999, 1e-12);
	assert_close(reliability_daly_interval(2.001, 1), 1, 1e-12);
	assert_close(reliability_daly_interval(7, 3), 3, 1e-12);
}

/* Two of 128 hosts fail a day and take a day to repair: six spares, near the 5 to 10 % of ml-engineering.
 * Poisson(2): P(N <= 5) = 0.98344, P(N <= 6) = 0.99547. */
static void spares_are_enough(void **state)
{
	double without;

	(void)state;
	assert_close(reliability_spares_suffice(2, 5), 0.983436, 1e-5);
	assert_close(reliability_spares_suffice(2, 6), 0.995466, 1e-5);
	assert_int_equal(reliability_spares_needed(2, 0.99), 6);
	assert_int_equal(reliability_spares_needed(0, 0.99), 0);
	begin(1024);
	REQUEST.reliability.mtbf_gpu_hours = 1024 * 24 * 0.78 / 2; /* two broken nodes a day */
	fixture_planned(&fixture);
	assert_int_equal(BEST.goodput.spare_nodes, 6);
	without = BEST.goodput.fraction;
	assert_close(BEST.gpu_hours, BEST.wall_clock_hours * 1024, 1e-12);
	REQUEST.reliability.spare_nodes = 6;
	fixture_planned(&fixture);
	assert_close(BEST.goodput.fraction, without * 0.995466, 1e-5);
	assert_close(BEST.gpu_hours, BEST.wall_clock_hours * (1024 + 6 * 8), 1e-12); /* spares are paid for */
	REQUEST.reliability.spare_nodes = 0;
	fixture_planned(&fixture);
	assert_close(BEST.goodput.fraction, without * exp(-2), 1e-5);
}

static void checkpoints_beside_the_training(void **state)
{
	(void)state;
	begin(4096);
	REQUEST.reliability.checkpoint_gbs = 1; /* 8 billion parameters x 14 bytes: 112 s */
	expect("asynchronous_checkpoints");
	assert_close(BEST.goodput.checkpoint_s, fixture.input.model.params_total * 14 / 1e9, 1e-9);
	REQUEST.reliability.asynchronous = TRUTH_TRUE;
	verify();
	assert_true(BEST.goodput.checkpoint_s < 0.01);
	assert_true(BEST.goodput.checkpoint_interval_minutes * 60 >=
		fixture.input.model.params_total * 14 / 1e9 * (1 - 1e-9)); /* not more often than they can be written */
	assert_null(lever("asynchronous_checkpoints"));
}

/* A teacher costs its forward pass and its weights, which ZeRO-3 shards and gathers. */
static void a_teacher_is_held_and_run(void **state)
{
	double alone_s, whole_s, bytes;

	(void)state;
	begin(64);
	REQUEST.parallelism = (struct parallelism){.tensor = 8,
		.pipeline = 1,
		.data = 8,
		.context = 1,
		.expert = 1,
		.interleave = 1,
		.micro_batch = 1,
		.zero_stage = 1,
		.zero_group = 8,
		.recompute = RECOMPUTE_NONE};
	fixture_planned(&fixture);
	alone_s = BEST.step.compute_s;
	bytes = BEST.memory.weights_bytes;
	REQUEST.distillation.teacher.params = 30e9;
	fixture_planned(&fixture);
	assert_close(BEST.memory.weights_bytes - bytes, 2 * 30e9 / 8, 0.02);
	whole_s = BEST.step.compute_s - alone_s;
	assert_true(whole_s > 2 * 30e9 * 1024 * 8192 / (64 * 989.5e12)); /* two FLOP a parameter, at the peak or below */
	assert_true(whole_s < 3 * 2 * 30e9 * 1024 * 8192 / (64 * 989.5e12));
	REQUEST.parallelism.zero_stage = 3;
	fixture_planned(&fixture);
	assert_true(BEST.memory.weights_bytes < 2 * 30e9 / 8);
	assert_true(BEST.step.compute_s - alone_s > whole_s * (1 + 1e-6)); /* gathered for each micro-batch */
}

static void a_day_less_six_hours(void **state)
{
	(void)state;
	fixture_init(&fixture);
	REQUEST.tokens = 1e11;
	REQUEST.cadence_hours = 24;
	REQUEST.reserved_hours = 6;
	fixture_planned(&fixture);
	assert_true(BEST.wall_clock_hours <= 18 && BEST.wall_clock_hours > 9);
	assert_close(BEST.monthly.total_usd, BEST.cost.total_usd * 730 / 24, 1e-9);
	hours = BEST.wall_clock_hours;
	REQUEST.cadence_hours = ABSENT_NUMBER;
	REQUEST.reserved_hours = ABSENT_NUMBER;
	REQUEST.deadline_hours = 18; /* the same limit as a deadline */
	fixture_planned(&fixture);
	assert_close(BEST.wall_clock_hours, hours, 1e-12);
}

/* A measured step equal to the prediction changes nothing. A step that is twice as long in every part doubles the
 * gain. If one part alone is longer, levers on this part gain more. */
static void levers_of_a_measured_step(void **state)
{
	struct measured_step measured = {0};
	struct advice predicted;
	double predicted_hours;

	(void)state;
	begin(512);
	REQUEST.parallelism.tensor = 4;
	REQUEST.parallelism.pipeline = 8;
	REQUEST.global_batch_size = 128;
	expect("gradient_accumulation");
	predicted = kept;
	predicted_hours = hours;
	for (int i = 0; i < BOTTLENECK_COUNT; i++)
		measured.parts_s[i] = BEST.bottleneck.shares[i] * BEST.step.time_s;
	measured.time_s = BEST.step.time_s;
	fixture.input.measured = &measured;
	expect("gradient_accumulation");
	assert_close(kept.change_hours, predicted.change_hours, 1e-9);
	for (int i = 0; i < BOTTLENECK_COUNT; i++)
		measured.parts_s[i] *= 2;
	measured.time_s *= 2;
	expect("gradient_accumulation");
	assert_close(kept.change_hours, 2 * predicted.change_hours, 1e-9);
	assert_close(kept.change_usd, 2 * predicted.change_usd, 1e-9);
	assert_close(kept.sample_time_ratio, predicted.sample_time_ratio, 1e-9);
	assert_close(hours, predicted_hours, 1e-12); /* the plan itself stays a prediction */
	measured.parts_s[BOTTLENECK_PIPELINE_BUBBLE] *= 2;
	measured.time_s += measured.parts_s[BOTTLENECK_PIPELINE_BUBBLE] / 2;
	expect("gradient_accumulation");
	assert_true(kept.change_hours < 2 * predicted.change_hours);
	assert_true(kept.sample_time_ratio < predicted.sample_time_ratio);
}

/* A deadline is checked against the measured step: half the accelerators keep it as predicted, but not as measured.
 * If it is already missed, levers that bring it nearer are still offered. */
static void a_measured_step_decides_what_keeps_the_deadline(void **state)
{
	struct measured_step measured = {0};

	(void)state;
	begin(1024);
	expect("fewer_accelerators");
	for (int i = 0; i < BOTTLENECK_COUNT; i++)
		measured.parts_s[i] = 2 * BEST.bottleneck.shares[i] * BEST.step.time_s;
	measured.time_s = 2 * BEST.step.time_s;
	REQUEST.deadline_hours = 3 * hours; /* half of them are predicted to take twice the hours */
	expect("fewer_accelerators");
	fixture.input.measured = &measured;
	expect("precision");
	assert_null(lever("fewer_accelerators"));
	REQUEST.deadline_hours = 1.2 * hours;
	expect("precision");
	assert_true(2 * hours + kept.change_hours > REQUEST.deadline_hours);
}

/* E83 by hand. Predicted: compute 0.6 s, memory 0.2 s, interconnect 0.195 s, input 0.005 s. Measured: compute and
 * memory 1.2 s together, interconnect 0.39 s, input 0.5 s, and 0.1 s of no part. */
static void measured_over_predicted(void **state)
{
	struct step_result predicted = {
		.time = {.time_s = 1, .compute_s = 0.6, .recompute_s = 0.2, .tensor_comm_s = 0.195, .input_wait_s = 0.005}, .samples = 64};
	struct step_result less = {
		.time = {.time_s = 0.9, .compute_s = 0.6, .recompute_s = 0.1, .tensor_comm_s = 0.195, .input_wait_s = 0.005}, .samples = 128};
	struct measured_step measured = {.time_s = 2.19,
		.parts_s = {[BOTTLENECK_COMPUTE] = 1.2,
			[BOTTLENECK_MEMORY] = ABSENT_NUMBER,
			[BOTTLENECK_MEMORY_BANDWIDTH] = ABSENT_NUMBER,
			[BOTTLENECK_INTERCONNECT] = 0.39,
			[BOTTLENECK_INPUT] = 0.5,
			[BOTTLENECK_PIPELINE_BUBBLE] = ABSENT_NUMBER,
			[BOTTLENECK_HOST_TRANSFER] = ABSENT_NUMBER,
			[BOTTLENECK_LAUNCH_OVERHEAD] = ABSENT_NUMBER}};
	struct measured_scale scale = measured_scale_of(&measured, &predicted, 8);

	(void)state;
	assert_close(scale.factors[BOTTLENECK_COMPUTE], 1.5, 1e-12);
	assert_close(scale.factors[BOTTLENECK_MEMORY], 1.5, 1e-12);
	assert_close(scale.factors[BOTTLENECK_INTERCONNECT], 2, 1e-12);
	assert_close(scale.factors[BOTTLENECK_INPUT], 1, 1e-12); /* too small a share to scale by */
	assert_close(scale.shares[BOTTLENECK_INPUT], 0.5 / 2.19, 1e-12);
	assert_close(scale.rest_s, 0.495 + 0.1, 1e-12);
	assert_close(measured_step_s(&scale, &predicted, 8), 2.19, 1e-12);
	assert_close(measured_step_s(&scale, &less, 8), 1.5 * 0.7 + 0.39 + 0.005 + 2 * 0.595, 1e-12);
	assert_close(measured_step_s(&scale, &less, 16), 1.5 * 0.7 + 0.39 + 0.005 + 0.595, 1e-12);
	scale = measured_scale_of(NULL, &predicted, 8);
	assert_close(measured_step_s(&scale, &less, 8), 0.9, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_and_precision),
		cmocka_unit_test(no_lever_breaks_a_promise),
		cmocka_unit_test(layouts_that_are_pinned),
		cmocka_unit_test(batches_below_the_critical_one),
		cmocka_unit_test(samples_that_come_late),
		cmocka_unit_test(memory_and_host),
		cmocka_unit_test(sizes_and_steps),
		cmocka_unit_test(experts_and_layers),
		cmocka_unit_test(networks_and_machines),
		cmocka_unit_test(a_batch_that_input_cannot_fill),
		cmocka_unit_test(memory_that_is_short),
		cmocka_unit_test(samples_decoded_beforehand),
		cmocka_unit_test(gradients_of_32_bits),
		cmocka_unit_test(a_teacher_asked_once),
		cmocka_unit_test(no_lever_for_the_figure_alone),
		cmocka_unit_test(levers_of_a_measured_step),
		cmocka_unit_test(a_measured_step_decides_what_keeps_the_deadline),
		cmocka_unit_test(measured_over_predicted),
		cmocka_unit_test(checkpoints_are_as_far_apart_as_daly_has_them),
		cmocka_unit_test(spares_are_enough),
		cmocka_unit_test(checkpoints_beside_the_training),
		cmocka_unit_test(a_teacher_is_held_and_run),
		cmocka_unit_test(a_day_less_six_hours),
	};

	return cmocka_run_group_tests_name("training levers", tests, NULL, NULL);
}
