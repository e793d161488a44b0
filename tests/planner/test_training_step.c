/* The step and its memory: published runs, and properties for any constants. */
#include "planner/operators/attention.h"
#include "planner/operators/collective.h"
#include "planner/operators/memory_traffic.h"
#include "planner/step/layer_time.h"
#include "planner/step/memory.h"
#include "planner/step/step.h"
#include "support/assert.h"
#include "support/golden.h"
#include "support/training_fixture.h"

static struct training_fixture fixture;

/* --- golden cases ------------------------------------------------------------------------------------------ */

static void fixture_of(const struct golden_case *golden)
{
	struct training_request *request;
	const char *recompute = golden_word(golden, "recompute");

	fixture_init(&fixture);
	request = &fixture.input.request;
	fixture.candidates[0] = fixture_a100();
	fixture_model(&fixture.input.model, (int)golden_number(golden, "layers"), (int)golden_number(golden, "hidden"),
		(int)golden_number(golden, "heads"), (int)golden_number(golden, "heads"), (int)golden_number(golden, "width"),
		(int)golden_number(golden, "vocabulary"), true);
	request->parallelism.zero_stage = (int64_t)golden_number_or(golden, "zero", 0);
	request->stack = request->parallelism.zero_stage > 0 ? STACK_MEGATRON_DEEPSPEED : STACK_MEGATRON_LM;
	request->stack_release = golden_word(golden, "release");
	request->common.precision = PRECISION_FP16;
	request->common.gpu_count = (int64_t)golden_number(golden, "gpus");
	request->common.enforce_memory = TRUTH_FALSE;
	request->sequence_length = golden_number(golden, "sequence");
	request->global_batch_size = golden_number(golden, "batch");
	request->parallelism.tensor = (int64_t)golden_number(golden, "tensor");
	request->parallelism.pipeline = (int64_t)golden_number(golden, "pipeline");
	request->parallelism.context = request->parallelism.expert = 1;
	request->parallelism.interleave = (int64_t)golden_number_or(golden, "interleave", ABSENT_COUNT);
	request->parallelism.micro_batch = (int64_t)golden_number_or(golden, "micro_batch", ABSENT_COUNT);
	request->parallelism.sequence_parallel = golden_number(golden, "sequence_parallel") > 0 ? TRUTH_TRUE : TRUTH_FALSE;
	request->parallelism.recompute = strcmp(recompute, "full") == 0 ? RECOMPUTE_FULL
		: strcmp(recompute, "none") == 0                            ? RECOMPUTE_NONE
																	: RECOMPUTE_SELECTIVE;
}

static double planned(const struct golden_case *golden, const char *expected)
{
	fixture_of(golden);
	if (fixture_plan(&fixture) != STATUS_OK)
		return ABSENT_NUMBER;
	return strcmp(expected, "step_s") == 0 ? fixture.plan.recommended.step.time_s : fixture.plan.recommended.memory.model_bytes;
}

static double layer_activations(const struct golden_case *golden, const char *expected)
{
	struct setting setting;
	struct parallelism layout;
	struct degrees degrees;

	(void)expected;
	fixture_of(golden);
	layout = fixture.input.request.parallelism;
	layout.data = layout.interleave = layout.zero_group = 1;
	assert_true(setting_of_candidate(
		&fixture.input, &fixture.candidates[0], &physics_fitted, NULL, fixture.input.request.sequence_length, &setting));
	setting.batch = 8;
	degrees = degrees_of(&setting, &layout);
	return activation_bytes_per_token(&setting, &layout, &degrees, 0);
}

static double schedule(const struct golden_case *golden, const char *expected)
{
	double stage = golden_number(golden, "stage");

	(void)expected;
	return pipeline_time_s(stage, stage * golden_number(golden, "stages"), golden_number(golden, "micro_batches"),
		golden_number(golden, "stages"), golden_number(golden, "interleave"));
}

/* A device of round numbers: 100 GB/s link, 10 GB/s adapter, 10 us, 20 us a doubling. */
static double collective(const struct golden_case *golden, const char *expected)
{
	struct physics physics = {.link_latency_s = 10e-6, .nic_latency_s = 20e-6};
	struct device device = {.link_bytes_per_s = 100e9,
		.nic_bytes_per_s = 10e9,
		.domain = (int64_t)golden_number(golden, "domain"),
		.node = 8,
		.torus_dimensions = (int64_t)golden_number_or(golden, "torus", 0)};
	struct group group = collective_group(&device, golden_number(golden, "ranks"), 1);

	if (strcmp(expected, "all_reduce_s") == 0)
		return collective_all_reduce_s(&device, &physics, group, golden_number(golden, "bytes"));
	return collective_all_to_all_s(&device, &physics, group, golden_number(golden, "bytes"), 0);
}

/* Returns the bytes/s of a ring of `ranks` in one machine of eight, of an
 * all-to-all, or of each of `stride` rings side by side. */
static double wiring(const struct golden_case *golden, const char *expected)
{
	struct accelerator accelerator = {.pcie_gen = (int64_t)golden_number(golden, "pcie_gen"),
		.max_nvlink_domain = (int64_t)golden_number_or(golden, "domain", 1),
		.interconnect_gbs = golden_number_or(golden, "interconnect_gbs", ABSENT_NUMBER)};
	double ranks = golden_number(golden, "ranks");
	struct device device = {.link_bytes_per_s = accelerator_link_bytes_per_s(&accelerator)};
	struct group group;

	device_wiring(&accelerator, 8, &device);
	group = collective_group(&device, ranks, golden_number_or(golden, "stride", 1));
	if (strcmp(expected, "exchange_bytes_per_s") == 0)
		return (ranks - 1) / ranks / collective_exchange_s(&device, group, 1, 0);
	return collective_rate_bytes_per_s(&device, group);
}

/* 1 TFLOP/s and 10 GB/s; a quarter of the shorter part shows; the last wave wastes 1e5 outputs. */
static double product_s(const struct golden_case *golden, const char *expected)
{
	struct physics physics = {.gemm_traffic = 0.25, .gemm_wave_outputs = 1e5};
	struct device device = {
		.wide_flops_per_s = 1e12, .wide_most_flops_per_s = 1e15, .memory_bytes_per_s = 1e10, .operand_bytes = 2, .wide_bytes = 2};
	struct product product = {.rows = golden_number(golden, "rows"),
		.inner = golden_number(golden, "inner"),
		.columns = golden_number(golden, "columns"),
		.count = golden_number(golden, "count")};

	return strcmp(expected, "forward_s") == 0 ? gemm_forward(&device, &physics, &product).time_s
											  : gemm_backward(&device, &physics, &product, false).time_s;
}

static void published_runs_come_out(void **state)
{
	static const struct golden_row rows[] = {{"E21", product_s}, {"E27", collective}, {"E32", planned}, {"E34", schedule}, {"E35", planned},
		{"E36", layer_activations}, {"E140", wiring}};

	(void)state;
	golden_run("tests/planner/golden/training_runs.txt", rows, COUNT_OF(rows), 24);
}

/* --- properties -------------------------------------------------------------------------------------------- */

static struct setting setting;

static struct parallelism layout_8b(void)
{
	return (struct parallelism){.tensor = 2,
		.pipeline = 2,
		.data = 8,
		.context = 1,
		.expert = 1,
		.interleave = 1,
		.micro_batch = 1,
		.zero_stage = 1,
		.zero_group = 8,
		.recompute = RECOMPUTE_NONE,
		.sequence_parallel = TRUTH_TRUE,
		.offload = TRUTH_FALSE};
}

static struct step_result timed(const struct parallelism *layout, const struct physics *physics)
{
	struct stages stages;
	struct step_result result;

	assert_true(setting_of_candidate(&fixture.input, &fixture.candidates[0], physics, NULL, 8192, &setting));
	setting.batch = 128;
	stages_split(&fixture.input.model, (int)layout->pipeline, (int)layout->interleave, true, &stages);
	step_of_layout(&setting, layout, &stages, &result);
	return result;
}

static struct memory_use held(const struct parallelism *layout)
{
	struct stages stages;
	struct memory_use memory;

	assert_true(setting_of_candidate(&fixture.input, &fixture.candidates[0], &physics_fitted, NULL, 8192, &setting));
	setting.batch = 128;
	stages_split(&fixture.input.model, (int)layout->pipeline, (int)layout->interleave, true, &stages);
	memory_of_layout(&setting, layout, &stages, &memory);
	return memory;
}

static double sum_of_parts(const struct step_time *time)
{
	return time->compute_s + time->recompute_s + time->tensor_comm_s + time->context_comm_s + time->pipeline_comm_s +
		time->pipeline_bubble_s + time->data_comm_exposed_s + time->expert_comm_s + time->optimizer_s + time->input_wait_s +
		time->host_transfer_s + time->launch_overhead_s;
}

static void parts_make_the_step(void **state)
{
	static const struct parallelism variants[] = {
		{.tensor = 1, .pipeline = 1, .data = 16, .context = 2, .zero_stage = 3, .zero_group = 32, .recompute = RECOMPUTE_FULL},
		{.tensor = 8, .pipeline = 4, .data = 1, .context = 1, .zero_stage = 0, .zero_group = 1, .recompute = RECOMPUTE_SELECTIVE, .offload = TRUTH_TRUE},
		{.tensor = 4, .pipeline = 3, .data = 2, .context = 4, .zero_stage = 2, .zero_group = 8, .recompute = RECOMPUTE_NONE},
	};

	(void)state;
	fixture_init(&fixture);
	for (size_t i = 0; i < COUNT_OF(variants); i++) {
		struct parallelism layout = variants[i];
		struct step_result result;
		struct bottleneck_use use;
		double shares = 0;

		layout.expert = layout.interleave = layout.micro_batch = 1;
		result = timed(&layout, &physics_fitted);
		use = step_bottleneck(&result);
		assert_close(result.time.time_s, sum_of_parts(&result.time), 1e-15);
		for (int kind = 0; kind < BOTTLENECK_COUNT; kind++)
			shares += use.shares[kind];
		assert_close(shares, 1, 1e-12);
		step_pin_mfu(&setting, 32, 0.5, &result);
		assert_close(result.model_flops / (result.time.time_s * 32 * setting.device.peak_flops_per_s), 0.5, 1e-12);
		assert_close(result.time.time_s, sum_of_parts(&result.time), 1e-15);
	}
}

static void faster_hardware_is_never_slower(void **state)
{
	struct parallelism layout = layout_8b();
	double before, after;

	(void)state;
	fixture_init(&fixture);
	before = timed(&layout, &physics_fitted).time.time_s;
	fixture.candidates[0].accelerator.memory_bandwidth_gbs *= 1.5;
	after = timed(&layout, &physics_fitted).time.time_s;
	assert_true(after < before);
	before = after;
	fixture.candidates[0].accelerator.interconnect_gbs *= 2;
	after = timed(&layout, &physics_fitted).time.time_s;
	assert_true(after < before);
	before = after;
	fixture.candidates[0].internode_gbs *= 2;
	after = timed(&layout, &physics_fitted).time.time_s;
	assert_true(after < before);
	before = after;
	fixture.candidates[0].accelerator.tflops_bf16 *= 2;
	assert_true(timed(&layout, &physics_fitted).time.time_s < before);
}

static void more_data_ranks_are_never_slower(void **state)
{
	struct parallelism layout = layout_8b();
	double last = INFINITY;

	(void)state;
	fixture_init(&fixture);
	for (layout.data = 1; layout.data <= 64; layout.data *= 2) {
		double time_s;

		layout.zero_group = layout.data;
		time_s = timed(&layout, &physics_fitted).time.time_s;
		assert_true(time_s < last);
		last = time_s;
	}
}

static void memory_grows_with_work_and_falls_with_sharding(void **state)
{
	struct parallelism layout = layout_8b();
	struct memory_use memory, other;
	static const enum recompute order[] = {RECOMPUTE_FULL, RECOMPUTE_SELECTIVE, RECOMPUTE_NONE};
	double last = 0;

	(void)state;
	fixture_init(&fixture);
	memory = held(&layout);
	assert_close(
		memory.model_bytes, memory.weights_bytes + memory.gradients_bytes + memory.optimizer_bytes + memory.activations_bytes, 1e-15);
	assert_close(memory.total_bytes, memory.model_bytes + memory.overhead_bytes, 1e-15);
	for (layout.micro_batch = 1; layout.micro_batch <= 16; layout.micro_batch *= 2) {
		other = held(&layout);
		assert_true(other.total_bytes > last);
		last = other.total_bytes;
	}
	layout = layout_8b();
	for (size_t i = 0; i < COUNT_OF(order); i++) {
		layout.recompute = order[i];
		other = held(&layout);
		assert_true(i == 0 || other.activations_bytes > last);
		last = other.activations_bytes;
	}
	layout = layout_8b();
	for (layout.zero_stage = 0, last = INFINITY; layout.zero_stage <= 3; layout.zero_stage++) {
		other = held(&layout);
		assert_true(other.weights_bytes + other.gradients_bytes + other.optimizer_bytes < last);
		last = other.weights_bytes + other.gradients_bytes + other.optimizer_bytes;
	}
	layout = layout_8b();
	layout.offload = TRUTH_TRUE;
	assert_true(held(&layout).optimizer_bytes == 0);
}

/* Sharded bytes fall as 1 / group. The layer at hand stays whole: ZeRO-3 gathers two layers (one ahead), and ZeRO-2
 * and 3 hold the gradients of one. */
static void sharding_keeps_the_layer_at_hand_whole(void **state)
{
	struct parallelism layout = layout_8b();
	const double layer = 4096.0 * 4096 * 2 + 4096.0 * 1024 * 2 + 3.0 * 4096 * 14336; /* without norms */
	struct memory_use eight, sixteen;

	(void)state;
	fixture_init(&fixture);
	layout.tensor = layout.pipeline = 1;
	layout.data = 16;
	for (layout.zero_stage = 1; layout.zero_stage <= 3; layout.zero_stage++) {
		layout.zero_group = 8;
		eight = held(&layout);
		layout.zero_group = 16;
		sixteen = held(&layout);
		assert_close(2 * sixteen.optimizer_bytes, eight.optimizer_bytes, 1e-12);
		if (layout.zero_stage >= 2)
			assert_close(2 * sixteen.gradients_bytes - eight.gradients_bytes, 2 * layer, 1e-9);
		if (layout.zero_stage == 3)
			assert_close(2 * sixteen.weights_bytes - eight.weights_bytes, 2 * 2 * layer, 1e-9);
	}
}

static void optimizers_keep_what_they_must(void **state)
{
	(void)state;
	assert_close(optimizer_bytes_per_param(OPTIMIZER_ADAMW, false), 12, 1e-12);
	assert_close(optimizer_bytes_per_param(OPTIMIZER_ADAMW, true), 8, 1e-12);
	assert_close(optimizer_bytes_per_param(OPTIMIZER_ADAMW_8BIT, false), 6, 1e-12);
	assert_close(optimizer_bytes_per_param(OPTIMIZER_SGD, false), 8, 1e-12);
	assert_close(optimizer_bytes_per_param(OPTIMIZER_LION, false), 8, 1e-12);
	assert_close(optimizer_bytes_per_param(OPTIMIZER_MUON, false), 8, 1e-12);
	assert_true(optimizer_bytes_per_param(OPTIMIZER_ADAFACTOR, false) < 4.1);
}

static void stages_hold_every_layer_once(void **state)
{
	static const struct {
		int layers, pipeline, interleave;
	} cases[] = {{80, 8, 1}, {126, 16, 1}, {126, 8, 16}, {61, 16, 1}, {61, 4, 4}, {7, 7, 1}, {70, 12, 1}};
	struct stages stages;

	(void)state;
	fixture_init(&fixture);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		int sum = 0, most = 0, chunks = cases[i].pipeline * cases[i].interleave;

		fixture.input.model.layer_count = cases[i].layers;
		stages_split(&fixture.input.model, cases[i].pipeline, cases[i].interleave, true, &stages);
		for (int s = 0; s < stages.count; s++) {
			sum += stages.layers[s][0];
			most = stages.layers[s][0] > most ? stages.layers[s][0] : most;
		}
		assert_int_equal(sum, cases[i].layers);
		assert_true(most <= (cases[i].layers + chunks - 1) / chunks * cases[i].interleave);
		assert_close(stages_in_flight(&stages, stages.count - 1, 1000),
			cases[i].interleave > 1 ? (1 + (cases[i].interleave - 1.0) * cases[i].pipeline) / cases[i].interleave : 1, 1e-12);
	}
}

static void work_scales_with_what_is_asked(void **state)
{
	const struct physics *physics = &physics_fitted;
	struct device device;
	struct product product = {.rows = 4096, .inner = 4096, .columns = 4096, .count = 1, .narrow = true}, twice = product, half = product;
	struct attention attention = {
		.tokens = 4096, .span_tokens = 2048.5, .sequence = 4096, .heads = 8, .key_dim = 128, .value_dim = 128, .fused = true};
	double fused_s, aligned_s;

	(void)state;
	fixture_init(&fixture);
	assert_true(device_of_candidate(&fixture.candidates[0], PRECISION_BF16, physics, 1, &device));
	twice.count = 2;
	half.rows /= 2;
	assert_true(
		gemm_forward(&device, physics, &twice).time_s < 2 * gemm_forward(&device, physics, &product).time_s); /* both share one last wave */
	assert_true(gemm_forward(&device, physics, &twice).time_s > 1.9 * gemm_forward(&device, physics, &product).time_s);
	assert_true(gemm_forward(&device, physics, &half).time_s > gemm_forward(&device, physics, &product).time_s / 2); /* efficiency saturates */
	assert_true(gemm_backward(&device, physics, &product, false).time_s > 2 * gemm_forward(&device, physics, &product).time_s);
	assert_close(gemm_backward(&device, physics, &product, true).time_s, gemm_forward(&device, physics, &product).time_s, 1e-12);
	fused_s = attention_forward(&device, physics, &attention).time_s;
	attention.fused = false;
	aligned_s = attention_forward(&device, physics, &attention).time_s;
	assert_true(aligned_s > fused_s);
	attention.key_dim = attention.value_dim = 108; /* not a multiple of 8: fewer FLOPs, slower */
	assert_true(attention_forward(&device, physics, &attention).time_s > aligned_s);
	assert_close(memory_traffic_s(&device, physics, 2e9), 2 * memory_traffic_s(&device, physics, 1e9), 1e-12);
	assert_true(point_to_point_s(&device, physics, 1, 1e9) < point_to_point_s(&device, physics, 8, 1e9));
	assert_close(exposed_s(10, 4, 0.5), 8, 1e-12);
	assert_close(exposed_s(3, 40, 1), 0, 1e-12);
}

/* On hardware with slow FP16, FP16 attention is as slow as FP16 products. */
static void every_format_is_held_to_its_own_rate(void **state)
{
	struct device fast, slow;

	(void)state;
	fixture_init(&fixture);
	assert_true(device_of_candidate(&fixture.candidates[0], PRECISION_FP16, &physics_fitted, 1, &fast));
	fixture.candidates[0].accelerator.tflops_fp16 /= 8;
	assert_true(device_of_candidate(&fixture.candidates[0], PRECISION_FP16, &physics_fitted, 1, &slow));
	assert_close(slow.linear_flops_per_s, fast.linear_flops_per_s / 8, 1e-12);
	assert_close(slow.attention_flops_per_s, fast.attention_flops_per_s / 8, 1e-12);
	assert_close(slow.wide_flops_per_s, fast.wide_flops_per_s / 8, 1e-12);
}

/* Without overlap a stage waits for what it sends: longer on a slower network, and not at all without stages. */
static void stages_pay_for_what_they_hand_on(void **state)
{
	struct parallelism layout = layout_8b();
	double fast_s;

	(void)state;
	fixture_init(&fixture);
	layout.tensor = 8;
	layout.data = 2;
	layout.zero_group = 2;
	fixture.candidates[0].internode_gbs = 2;
	fast_s = timed(&layout, &physics_fitted).time.pipeline_comm_s;
	fixture.candidates[0].internode_gbs = 1;
	assert_true(fast_s > 0 && timed(&layout, &physics_fitted).time.pipeline_comm_s > 1.8 * fast_s);
	layout.pipeline = 1;
	assert_close(timed(&layout, &physics_fitted).time.pipeline_comm_s, 0, 1e-12);
}

/* A ring of four: keys and values of the whole sequence pass each rank three times, three quarters of them from other
 * ranks. At half of the network's speed the ring costs as much again, whatever attention hides. */
static void contexts_pass_keys_and_values_three_times(void **state)
{
	struct parallelism layout = layout_8b();
	const double bytes = 8192.0 * 8 * 2 * 128 / 8 * 2, passes = 32 * 32 * 3 * 0.75; /* micro-batches x layers */
	double fast_s;

	(void)state;
	fixture_init(&fixture);
	layout.tensor = 8;
	layout.pipeline = 1;
	layout.data = layout.context = 4;
	layout.zero_group = 4;
	fixture.candidates[0].internode_gbs = 0.002;
	fast_s = timed(&layout, &physics_fitted).time.context_comm_s;
	fixture.candidates[0].internode_gbs = 0.001;
	assert_close(
		timed(&layout, &physics_fitted).time.context_comm_s - fast_s, passes * bytes / (0.001e9 * physics_fitted.nic_fraction) / 2, 1e-6);
}

/* No stack, however fast, beats the best measured rate: 2 r i c over that rate is the least time. */
static void no_product_outruns_the_best_measured(void **state)
{
	struct product product = {.rows = 16384, .inner = 8192, .columns = 8192, .count = 1, .narrow = true};
	const double floor_s = 2.0 * 16384 * 8192 * 8192 / (989.4e12 * 0.803);
	struct device device;

	(void)state;
	fixture_init(&fixture);
	fixture.candidates[0].accelerator.id = "h100-sxm5-80gb";
	fixture.candidates[0].accelerator.tflops_bf16 = 989.4;
	fixture.candidates[0].accelerator.tdp_w = 700;
	assert_true(device_of_candidate(&fixture.candidates[0], PRECISION_BF16, &physics_fitted, 10, &device));
	assert_close(gemm_forward(&device, &physics_fitted, &product).time_s, floor_s, 1e-9);
	assert_true(device_of_candidate(&fixture.candidates[0], PRECISION_BF16, &physics_fitted, 0.5, &device));
	assert_true(gemm_forward(&device, &physics_fitted, &product).time_s > 2 * floor_s);
}

/* At expert_half_rows tokens a grouped product runs at half its rate. */
static void few_rows_slow_experts(void **state)
{
	struct layer_kind *kind = &fixture.input.model.kinds[0];
	struct physics physics = physics_fitted;
	struct parallelism layout = {.tensor = 1,
		.pipeline = 1,
		.data = 1,
		.context = 1,
		.expert = 1,
		.interleave = 1,
		.micro_batch = 1,
		.zero_group = 1,
		.recompute = RECOMPUTE_NONE};
	struct setting own;
	struct degrees degrees;
	double unlimited_s, halved_s;

	(void)state;
	fixture_init(&fixture);
	fixture.input.model = (struct model){.kind = MODEL_TRANSFORMER,
		.hidden = 8192,
		.vocabulary = 32000,
		.layer_count = 1,
		.kind_count = 1,
		.params_total = ABSENT_NUMBER,
		.params_active = ABSENT_NUMBER,
		.params_embedding = ABSENT_NUMBER};
	*kind = (struct layer_kind){
		.mixer = MIXER_NONE, .feed_forward = FEED_FORWARD_EXPERTS, .gated = true, .experts = 8, .experts_active = 2, .expert_width = 8192};
	model_finish(&fixture.input.model);
	physics.kernel_gap_s = physics.gemm_traffic = physics.gemm_wave_outputs = physics.element_traffic = physics.expert_traffic = 1e-12;
	physics.expert_half_rows = 1e-9;
	assert_true(setting_of_candidate(&fixture.input, &fixture.candidates[0], &physics, NULL, 4096, &own));
	own.batch = 1;
	degrees = degrees_of(&own, &layout);
	unlimited_s = layer_time_of(&own, &layout, &degrees, 0).forward_s;
	physics.expert_half_rows = 1024; /* 4,096 tokens with two of eight experts each: 1,024 for one expert */
	halved_s = layer_time_of(&own, &layout, &degrees, 0).forward_s;
	assert_close(halved_s / unlimited_s, 2, 0.01); /* except for the router, which is 1/6,000 of it */
}

/* Newer software speeds up grouped products more than single ones, within the releases that were measured. */
static void grouped_products_ripen(void **state)
{
	struct software before = software_of(STACK_MEGATRON_CORE, "2025-06", PRECISION_BF16, 2022, &physics_fitted);
	struct software after = software_of(STACK_MEGATRON_CORE, "2026-06", PRECISION_BF16, 2022, &physics_fitted);
	struct software oldest = software_of(STACK_MEGATRON_CORE, "2020-01", PRECISION_BF16, 2022, &physics_fitted);

	(void)state;
	assert_close(after.expert_speed / before.expert_speed, exp(physics_fitted.expert_gain_per_year), 1e-9);
	assert_close(oldest.expert_speed, exp(-1.5 * physics_fitted.expert_gain_per_year), 1e-9);
}

/* Transformer Engine has kernels written for Hopper, and so have FSDP's trainers since FlashAttention-3. torchtitan's
 * own are FlashAttention-2, which is the newest for the A100. */
static void attention_is_as_new_as_its_software(void **state)
{
	struct software titan = software_of(STACK_TORCHTITAN, "2025-06", PRECISION_BF16, 2022, &physics_fitted);
	struct software fsdp = software_of(STACK_FSDP, "2025-06", PRECISION_BF16, 2022, &physics_fitted);
	struct software fsdp_before = software_of(STACK_FSDP, "2023-10", PRECISION_BF16, 2022, &physics_fitted);
	struct software megatron = software_of(STACK_MEGATRON_CORE, "2025-06", PRECISION_BF16, 2022, &physics_fitted);
	struct software before = software_of(STACK_MEGATRON_CORE, "2023-06", PRECISION_BF16, 2022, &physics_fitted);
	struct software ampere = software_of(STACK_FSDP, "2025-06", PRECISION_BF16, 2020, &physics_fitted);

	(void)state;
	assert_close(titan.attention_speed, physics_fitted.flash2_fraction, 1e-12);
	assert_close(fsdp_before.attention_speed, physics_fitted.flash2_fraction, 1e-12);
	assert_close(fsdp.attention_speed, 1, 1e-12);
	assert_close(megatron.attention_speed, 1, 1e-12);
	assert_close(before.attention_speed, physics_fitted.flash2_fraction, 1e-12);
	assert_close(ampere.attention_speed, 1, 1e-12);
	assert_true(physics_fitted.flash2_fraction < 0.8);
}

/* Since Hopper, heads of 64 run at two thirds of the rate of heads of 128; on the A100 at the full rate. */
static void narrow_heads_are_slow_since_hopper(void **state)
{
	struct attention wide = {.tokens = 4096, .span_tokens = 2048.5, .sequence = 4096, .heads = 8, .key_dim = 128, .value_dim = 128, .fused = true},
					 narrow = wide;
	static const struct {
		const char *id;
		double ratio;
	} cases[] = {{"a100-sxm4-80gb", 0.5}, {"h100-sxm5-80gb", 0.75}};

	(void)state;
	narrow.key_dim = narrow.value_dim = 64;
	fixture_init(&fixture);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct device device;

		fixture.candidates[0].accelerator.id = cases[i].id;
		assert_true(device_of_candidate(&fixture.candidates[0], PRECISION_BF16, &physics_fitted, 1, &device));
		assert_close(attention_forward(&device, &physics_fitted, &narrow).time_s / attention_forward(&device, &physics_fitted, &wide).time_s,
			cases[i].ratio, 1e-9);
	}
}

/* Since spring 2026, experts' products that cast on the way are as fast as single ones, on Blackwell. Since 2025,
 * outputs of experts are not kept. */
static void experts_are_as_new_as_their_software(void **state)
{
	struct software old = software_of(STACK_MEGATRON_CORE, "2024-12", PRECISION_MXFP8, 2024, &physics_fitted);
	struct software blackwell = software_of(STACK_MEGATRON_CORE, "2026-06", PRECISION_MXFP8, 2024, &physics_fitted);
	struct software hopper = software_of(STACK_MEGATRON_CORE, "2026-06", PRECISION_FP8, 2022, &physics_fitted);

	(void)state;
	assert_true(blackwell.fused_experts && !hopper.fused_experts && !old.fused_experts);
	assert_true(old.keeps_expert_outputs && !blackwell.keeps_expert_outputs);
	assert_close(blackwell.gradient_bytes, 2, 1e-12);
	assert_close(software_of(STACK_MEGATRON_CORE, "2026-06", PRECISION_BF16, 2024, &physics_fitted).gradient_bytes, 4, 1e-12);
}

/* With a pipeline, FSDP gathers a stage's weights once a step: 2 bytes of weights and 4 of gradients a parameter are
 * held whole. PyTorch's selective recomputation keeps more than full, less than none. Its allocator keeps spare
 * memory only while there is enough. */
static void torch_keeps_what_it_gathers(void **state)
{
	struct parallelism piped = layout_8b(), flat = layout_8b();
	struct memory_use whole, sharded, kept[3];
	double params;

	(void)state;
	fixture_init(&fixture);
	fixture.input.request.stack = STACK_TORCHTITAN;
	piped.zero_stage = 3;
	piped.zero_group = 8;
	whole = held(&piped);
	fixture.input.request.stack = STACK_MEGATRON_CORE;
	sharded = held(&piped);
	params = fixture.input.model.params_total / (double)(piped.tensor * piped.pipeline);
	assert_true(whole.weights_bytes > 2 * params && sharded.weights_bytes < params);
	assert_true(whole.gradients_bytes > 4 * params && sharded.gradients_bytes < 2 * params);
	fixture.input.request.stack = STACK_TORCHTITAN;
	flat.pipeline = 1;
	flat.zero_stage = 3;
	for (int i = 0; i < 3; i++) {
		flat.recompute = (enum recompute)(RECOMPUTE_NONE + i);
		kept[i] = held(&flat);
	}
	assert_true(kept[0].activations_bytes > kept[1].activations_bytes && kept[1].activations_bytes > kept[2].activations_bytes);
	assert_true(kept[2].overhead_bytes - 0.06 * kept[2].model_bytes >= 1.3e9 + 0.15 * kept[2].activations_bytes);
	fixture.candidates[0].accelerator.memory_gb = 1e-9 * (kept[2].model_bytes * 1.07 + 2.4e9);
	fixture.candidates[0].accelerator.memory_usable_bytes = ABSENT_NUMBER;
	assert_true(held(&flat).overhead_bytes < kept[2].overhead_bytes);
}

/* A part with more power than the measured one is faster, up to the best
 * fraction of any part. One with less is slower. */
static void power_sets_the_speed(void **state)
{
	static const double tdp_w[] = {800, 1100, 1400, 5000};
	double rates[COUNT_OF(tdp_w)];
	struct device device;

	(void)state;
	fixture_init(&fixture);
	fixture.candidates[0].accelerator.id = "gb300";
	for (size_t i = 0; i < COUNT_OF(tdp_w); i++) {
		fixture.candidates[0].accelerator.tdp_w = tdp_w[i];
		assert_true(device_of_candidate(&fixture.candidates[0], PRECISION_BF16, &physics_fitted, 1, &device));
		rates[i] = device.linear_flops_per_s;
	}
	assert_close(rates[0] / rates[1], sqrt(800.0 / 1100), 1e-9);
	assert_true(rates[2] > 1.05 * rates[1]);
	assert_close(rates[3] / rates[1], 0.869 / 0.786, 1e-9);
	fixture.candidates[0].accelerator.tdp_w = 1100; /* half of the H100's power for each FLOP */
	fixture.candidates[0].accelerator.tflops_bf16 = 2 * 989.4 * 1100 / 700;
	assert_true(device_of_candidate(&fixture.candidates[0], PRECISION_BF16, &physics_fitted, 1, &device));
	assert_close(device.linear_flops_per_s / (fixture.candidates[0].accelerator.tflops_bf16 * 1e12 * 0.786 * physics_fitted.gemm_fraction),
		pow(0.5, physics_fitted.power_exponent), 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_runs_come_out),
		cmocka_unit_test(attention_is_as_new_as_its_software),
		cmocka_unit_test(experts_are_as_new_as_their_software),
		cmocka_unit_test(narrow_heads_are_slow_since_hopper),
		cmocka_unit_test(power_sets_the_speed),
		cmocka_unit_test(torch_keeps_what_it_gathers),
		cmocka_unit_test(parts_make_the_step),
		cmocka_unit_test(faster_hardware_is_never_slower),
		cmocka_unit_test(more_data_ranks_are_never_slower),
		cmocka_unit_test(memory_grows_with_work_and_falls_with_sharding),
		cmocka_unit_test(sharding_keeps_the_layer_at_hand_whole),
		cmocka_unit_test(every_format_is_held_to_its_own_rate),
		cmocka_unit_test(stages_pay_for_what_they_hand_on),
		cmocka_unit_test(contexts_pass_keys_and_values_three_times),
		cmocka_unit_test(optimizers_keep_what_they_must),
		cmocka_unit_test(stages_hold_every_layer_once),
		cmocka_unit_test(work_scales_with_what_is_asked),
		cmocka_unit_test(no_product_outruns_the_best_measured),
		cmocka_unit_test(grouped_products_ripen),
		cmocka_unit_test(few_rows_slow_experts),
	};

	return cmocka_run_group_tests_name("training step", tests, NULL, NULL);
}
