/* Verification of a plan: what is measured, which figures correct the plan, and
 * verdicts. Each rule is checked by its own arithmetic. */
#include <math.h>
#include <string.h>

#include "planner/measurement/evidence.h"
#include "planner/measurement/observation.h"
#include "planner/measurement/products.h"
#include "planner/measurement/shapes.h"
#include "planner/measurement/trust.h"
#include "planner/measurement/verification.h"
#include "planner/operators/gemm.h"
#include "planner/serving/serving_practice.h"
#include "planner/training/range.h"
#include "support/assert.h"
#include "support/golden.h"
#include "support/training_fixture.h"

#define DAY_US INT64_C(86400000000)
#define NOW_US (1000 * DAY_US)

static struct training_fixture fixture;
static struct shapes_room room;
static struct bench_spec spec;

/* --- shapes ------------------------------------------------------------------------------------------------------------ */

static const struct bench_spec_product *product_named(const char *role, enum bench_product product)
{
	static const struct bench_spec_product none;

	for (size_t i = 0; i < spec.products.count; i++)
		if (strcmp(spec.products.items[i].role, role) == 0 && spec.products.items[i].product == product)
			return &spec.products.items[i];
	fail_msg("no %s", role);
	return &none;
}

static void assert_shape(const char *role, enum bench_product product, int64_t m, int64_t n, int64_t k, double count)
{
	const struct bench_spec_product *found = product_named(role, product);

	assert_int_equal(found->m, m);
	assert_int_equal(found->n, n);
	assert_int_equal(found->k, k);
	assert_close(found->count, count, 1e-12);
	assert_int_equal(found->precision, PRECISION_BF16);
}

static struct parallelism layout_of(int64_t tensor, int64_t pipeline, int64_t data)
{
	return (struct parallelism){.tensor = tensor,
		.pipeline = pipeline,
		.data = data,
		.context = 1,
		.expert = 1,
		.interleave = 1,
		.micro_batch = 1,
		.zero_stage = 1,
		.zero_group = data,
		.recompute = RECOMPUTE_NONE};
}

/* Llama 3 8B, 1,024 sequences of 8,192 on 2 x 2 x 4: a rank computes 256 micro-batches on 16 layers, with half of the
 * heads and half of the width. */
static void a_rank_of_a_training_multiplies_its_part(void **state)
{
	struct parallelism layout = layout_of(2, 2, 4);
	double flops = 0, params = 32.0 * (4096.0 * 6144 + 4096.0 * 4096 + 3 * 4096.0 * 14336) + 4096.0 * 128256;

	(void)state;
	fixture_init(&fixture);
	assert_true(shapes_of_training(&fixture.input, &fixture.candidates[0], &layout, &room, &spec));
	assert_shape("qkv", PRODUCT_FORWARD, 8192, 3072, 4096, 16 * 256);
	assert_shape("qkv", PRODUCT_INPUT_GRADIENT, 8192, 4096, 3072, 16 * 256);
	assert_shape("qkv", PRODUCT_WEIGHT_GRADIENT, 4096, 3072, 8192, 16 * 256);
	assert_shape("attention_output", PRODUCT_FORWARD, 8192, 4096, 2048, 16 * 256);
	assert_shape("mlp_up", PRODUCT_FORWARD, 8192, 14336, 4096, 16 * 256);
	assert_shape("mlp_down", PRODUCT_FORWARD, 8192, 4096, 7168, 16 * 256);
	assert_shape("head", PRODUCT_FORWARD, 8192, 64128, 4096, 128);
	/* all ranks together: six operations a parameter and token */
	for (size_t i = 0; i < spec.products.count; i++)
		flops += spec.products.items[i].count * 2.0 * (double)spec.products.items[i].m * (double)spec.products.items[i].n *
			(double)spec.products.items[i].k;
	assert_close(flops * 16, 6 * params * 1024 * 8192, 1e-12);
	assert_int_equal(spec.attention.count, 2);
	assert_int_equal(spec.attention.items[0].shape.heads, 16);
	assert_int_equal(spec.attention.items[0].shape.kv_heads, 4);
	assert_int_equal(spec.attention.items[0].shape.keys, 8192);
	assert_true(spec.attention.items[0].shape.causal && spec.attention.items[1].shape.backward);
	assert_close(spec.sample_bytes, 8192 * 4, 1e-12); /* a vocabulary of 128,256 takes 32 bits a token */
	/* activations of a micro-batch in 16 bits; a layer's gradients in 32 */
	assert_close(spec.collective_bytes.items[1], 8192.0 * 4096 * 2, 1e-12);
	assert_close(spec.collective_bytes.items[0], 4 * (4096.0 * 6144 + 4096.0 * 4096 + 3 * 4096.0 * 14336) / 2, 1e-12);
	assert_close(spec.transfer_bytes.items[0], 8192 * 8, 1e-12);
}

static int64_t least_side(const struct bench_spec_product *product)
{
	int64_t least = product->m < product->n ? product->m : product->n;

	return least < product->k ? least : product->k;
}

/* Eight kinds of layers have 57 products, and a spec has room for 48. The nine that are left out belong to the two
 * narrow kinds, whether these come first or last. */
static void the_lightest_products_are_left_out(void **state)
{
	static const int widths[] = {64, 2304, 3328, 4352, 5376, 6400, 7424, 96};
	struct parallelism layout = layout_of(1, 1, 1);
	struct model *model = &fixture.input.model;
	size_t narrow = 0;

	(void)state;
	fixture_init(&fixture);
	model->kind_count = (int)COUNT_OF(widths);
	for (int k = 0; k < model->kind_count; k++) {
		model->kinds[k] = model->kinds[0];
		model->kinds[k].width = widths[k];
	}
	for (int i = 0; i < model->layer_count; i++)
		model->layers[i] = (uint8_t)(i % model->kind_count);
	assert_true(shapes_of_training(&fixture.input, &fixture.candidates[0], &layout, &room, &spec));
	assert_int_equal(spec.products.count, BENCH_PRODUCTS_MAX);
	for (size_t i = 0; i < spec.products.count; i++)
		if (least_side(&spec.products.items[i]) < 1024) {
			narrow++;
			assert_int_equal(least_side(&spec.products.items[i]), 2 * 96); /* gated: one product for both first matrices */
		}
	assert_int_equal(narrow, 3);
}

/* Keys that serve as values are projected once. */
static void keys_that_are_values_are_projected_once(void **state)
{
	struct parallelism layout = layout_of(2, 1, 1);

	(void)state;
	fixture_init(&fixture);
	fixture.input.model.kinds[0].key_is_value = true;
	assert_true(shapes_of_training(&fixture.input, &fixture.candidates[0], &layout, &room, &spec));
	assert_shape("qkv", PRODUCT_FORWARD, 8192, (4096 + 1024) / 2, 4096, 32 * 1024);
}

static void frozen_weights_get_no_gradient(void **state)
{
	struct parallelism layout = layout_of(1, 1, 1);

	(void)state;
	fixture_init(&fixture);
	fixture.input.request.fine_tuning.method = FINE_TUNING_LORA;
	fixture.input.request.fine_tuning.rank = 16;
	assert_true(shapes_of_training(&fixture.input, &fixture.candidates[0], &layout, &room, &spec));
	for (size_t i = 0; i < spec.products.count; i++)
		assert_int_not_equal(spec.products.items[i].product, PRODUCT_WEIGHT_GRADIENT);
	assert_int_equal(spec.collective_bytes.count, 0); /* a single rank has no collectives */
}

/* 64 sequences decode at once: products of 64 rows, and those of a prompt. The
 * cache holds the prompt and half of the answer. */
static void a_replica_multiplies_batches_and_prompts(void **state)
{
	struct shapes_serving serving = {.layout = {.tensor = 4, .pipeline = 1, .expert = 1, .attention_data = 1},
		.precision = PRECISION_BF16,
		.kv_precision = PRECISION_FP8,
		.batch = 64,
		.prompt_tokens = 1000,
		.output_tokens = 400};

	(void)state;
	fixture_init(&fixture);
	serving.candidate = &fixture.candidates[0];
	assert_true(shapes_of_inference(&fixture.input.model, &serving, &room, &spec));
	assert_shape("qkv", PRODUCT_FORWARD, 64, 1536, 4096, 32);
	assert_int_equal(spec.products.count, 9); /* four for decoding, four for prompts, and the head */
	assert_int_equal(spec.kv_read.items[0].shape.keys, 1200);
	assert_int_equal(spec.kv_read.items[0].shape.batch, 64);
	assert_int_equal(spec.kv_read.items[0].shape.kv_heads, 2);
	assert_int_equal(spec.kv_read.items[0].precision, PRECISION_FP8);
	assert_int_equal(spec.attention.items[0].shape.queries, 1000);
	assert_close(spec.collective_bytes.items[0], 64.0 * 4096 * 2, 1e-12);
}

/* A block that is short enough stays whole. On a part a thousand times slower
 * it loses a layer, the head, and then tokens. */
static void blocks_are_as_long_as_a_slice_bears(void **state)
{
	struct parallelism layout = layout_of(1, 1, 1);
	struct bench_block whole, part;

	(void)state;
	fixture_init(&fixture);
	whole = shapes_block(&fixture.input.model, &fixture.candidates[0], &layout, 2048, PRECISION_BF16);
	assert_int_equal(whole.layers, 2);
	assert_int_equal(whole.vocabulary, 128256);
	assert_int_equal(whole.sequence, 2048);
	assert_close(whole.predicted_s, block_predicted_s(&fixture.candidates[0], &whole), 1e-12);
	layout.tensor = 2;
	layout.context = 4;
	part = shapes_block(&fixture.input.model, &fixture.candidates[0], &layout, 2048, PRECISION_BF16);
	assert_int_equal(part.sequence, 512);
	assert_int_equal(part.heads, whole.heads / 2);
	assert_int_equal(part.kv_heads, whole.kv_heads / 2);
	assert_int_equal(part.ffn, whole.ffn / 2);
	assert_int_equal(part.vocabulary, whole.vocabulary / 2);
	layout = layout_of(1, 1, 1);
	fixture.candidates[0].accelerator.tflops_bf16 /= 1000;
	fixture.candidates[0].accelerator.tflops_fp16 /= 1000;
	part = shapes_block(&fixture.input.model, &fixture.candidates[0], &layout, 2048, PRECISION_BF16);
	assert_int_equal(part.layers, 1);
	assert_true(part.vocabulary < 1 && part.sequence < 2048 && part.sequence >= 16);
	assert_int_equal(part.hidden, 4096);
	fixture.input.model.kind = MODEL_GENERIC;
	assert_int_equal(shapes_block(&fixture.input.model, &fixture.candidates[0], &layout, 2048, PRECISION_BF16).layers, ABSENT_COUNT);
}

/* Returns the candidate of a golden case of E120, E121 or E151: tests/planner/golden/measurement.txt. */
static struct candidate golden_candidate(const struct golden_case *golden)
{
	struct candidate candidate = fixture_h100();

	candidate.accelerator.tflops_bf16 = golden_number(golden, "tflops");
	candidate.accelerator.memory_bandwidth_gbs = golden_number(golden, "gbs");
	candidate.calibration = (struct calibration){.id = "golden",
		.gemm_efficiency = golden_number_or(golden, "efficiency", 0),
		.gemm_precision = PRECISION_BF16,
		.memory_efficiency = golden_number_or(golden, "memory_efficiency", 0)};
	return candidate;
}

static double golden_block(const struct golden_case *golden, const char *expected)
{
	struct candidate candidate = golden_candidate(golden);
	struct bench_block block = {.layers = (int64_t)golden_number(golden, "layers"),
		.hidden = (int64_t)golden_number(golden, "hidden"),
		.heads = (int64_t)golden_number(golden, "heads"),
		.kv_heads = (int64_t)golden_number(golden, "kv_heads"),
		.head_dimension = (int64_t)golden_number(golden, "head_dimension"),
		.ffn = (int64_t)golden_number(golden, "ffn"),
		.vocabulary = (int64_t)golden_number_or(golden, "vocabulary", -1),
		.sequence = (int64_t)golden_number(golden, "sequence"),
		.micro_batch = (int64_t)golden_number(golden, "micro_batch"),
		.gated = TRUTH_TRUE,
		.precision = PRECISION_BF16,
		.optimizer_bytes_per_parameter = golden_number_or(golden, "optimizer_bytes", ABSENT_NUMBER)};

	return strcmp(expected, "time_s") == 0 ? block_predicted_s(&candidate, &block) : ABSENT_NUMBER;
}

static double golden_product(const struct golden_case *golden, const char *expected)
{
	struct candidate candidate = golden_candidate(golden);
	struct bench_shape shape = {
		(int64_t)golden_number(golden, "m"), (int64_t)golden_number(golden, "n"), (int64_t)golden_number(golden, "k")};

	return strcmp(expected, "efficiency") == 0
		? product_implied_efficiency(&candidate, PRECISION_BF16, &shape, golden_number(golden, "time_s"))
		: ABSENT_NUMBER;
}

static double golden_sigma(const struct golden_case *golden, const char *expected)
{
	struct calibration calibration = {.id = "golden",
		.memory_low = golden_number(golden, "memory_low"),
		.memory_high = golden_number(golden, "memory_high"),
		.kernel_launch_low_s = golden_number(golden, "launch_low"),
		.kernel_launch_high_s = golden_number(golden, "launch_high")};
	struct bottleneck_use use = {.shares = {[BOTTLENECK_MEMORY_BANDWIDTH] = golden_number(golden, "memory_share"),
									 [BOTTLENECK_LAUNCH_OVERHEAD] = golden_number(golden, "launch_share")}};

	return strcmp(expected, "sigma") == 0 ? range_measured_log_sigma(&calibration, &use) : ABSENT_NUMBER;
}

static void golden_cases(void **state)
{
	const struct golden_row rows[] = {{"E120", golden_block}, {"E121", golden_product}, {"E151", golden_sigma}};

	(void)state;
	golden_run("tests/planner/golden/measurement.txt", rows, COUNT_OF(rows), 7);
}

/* The efficiency that a product's time implies predicts this time again, in every class, unless memory limits it. */
static void implied_efficiency_predicts_the_time(void **state)
{
	static const struct bench_shape shapes[] = {{8192, 8192, 8192}, {4096, 14336, 4096}, {512, 4096, 4096}, {400, 8192, 4096}};
	struct bench_shape thin = {64, 4096, 4096}, low = {8192, 8192, 64};
	struct bench_shape below = {1270, 1270, 8192}, above = {1280, 1280, 8192}; /* half a wave is 1.62e6 outputs */

	(void)state;
	fixture_init(&fixture);
	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		struct candidate candidate = fixture.candidates[0];
		double time_s;

		candidate.calibration = (struct calibration){.id = "c", .gemm_efficiency = 0.61, .gemm_precision = PRECISION_BF16};
		time_s = product_predicted_s(&candidate, PRECISION_BF16, &shapes[i]);
		assert_close(product_implied_efficiency(&candidate, PRECISION_BF16, &shapes[i], time_s), 0.61, 1e-9);
		assert_true(product_implied_efficiency(&candidate, PRECISION_BF16, &shapes[i], time_s * 1.2) < 0.61);
		assert_close(product_implied_efficiency(&candidate, PRECISION_BF16, &shapes[i], time_s * 0.57), 1, 0); /* faster than the peak allows */
	}
	assert_true(isnan(product_implied_efficiency(&fixture.candidates[0], PRECISION_BF16, &below, 1e-3)));
	assert_true(product_implied_efficiency(&fixture.candidates[0], PRECISION_BF16, &above, 1e-3) > 0);
	assert_true(isnan(product_implied_efficiency(&fixture.candidates[0], PRECISION_BF16, &thin, 1e-4))); /* half of each tile is empty */
	assert_true(isnan(product_implied_efficiency(&fixture.candidates[0], PRECISION_BF16, &low,
		product_predicted_s(&fixture.candidates[0], PRECISION_BF16, &low)))); /* writing its result takes longer */
}

/* The software that slows a step does not slow a bare kernel. */
static void no_software_is_in_a_bare_kernel(void **state)
{
	static const struct bench_shape shape = {4096, 4096, 4096};
	struct candidate candidate;
	struct bench_block block;
	struct parallelism layout = {.tensor = 1, .pipeline = 1, .data = 1, .context = 1, .expert = 1, .micro_batch = 1};

	(void)state;
	fixture_init(&fixture);
	candidate = fixture.candidates[0];
	block = shapes_block(&fixture.input.model, &candidate, &layout, 2048, PRECISION_BF16);
	candidate.calibration = (struct calibration){.id = "c", .stack_speed = 0.5};
	assert_close(product_predicted_s(&candidate, PRECISION_BF16, &shape),
		product_predicted_s(&fixture.candidates[0], PRECISION_BF16, &shape), 1e-12);
	assert_close(block_predicted_s(&candidate, &block), block_predicted_s(&fixture.candidates[0], &block), 1e-12);
}

/* --- which figures of a calibration a plan uses ------------------------------------------------------------------- */

/* A calibration equal to the published figures changes nothing. */
static void a_calibration_equal_to_the_prior_changes_no_device(void **state)
{
	static const enum precision precisions[] = {PRECISION_BF16, PRECISION_FP8};
	struct device prior, same;

	(void)state;
	fixture_init(&fixture);
	for (size_t i = 0; i < COUNT_OF(precisions); i++) {
		struct candidate candidate = fixture.candidates[0];
		const struct accelerator *accelerator = &candidate.accelerator;

		assert_true(device_of_candidate(&candidate, precisions[i], &physics_fitted, 1, &prior));
		candidate.calibration = (struct calibration){.id = "c",
			.gemm_efficiency = device_prior_gemm_efficiency(accelerator, precisions[i]),
			.gemm_precision = precisions[i],
			.memory_efficiency = device_prior_memory_efficiency(),
			.host_bytes_per_s = device_prior_host_bytes_per_s(accelerator)};
		assert_true(device_of_candidate(&candidate, precisions[i], &physics_fitted, 1, &same));
		assert_close(same.linear_flops_per_s, prior.linear_flops_per_s, 1e-12);
		assert_close(same.wide_flops_per_s, prior.wide_flops_per_s, 1e-12);
		assert_close(same.memory_bytes_per_s, prior.memory_bytes_per_s, 1e-12);
		assert_close(same.host_bytes_per_s, prior.host_bytes_per_s, 1e-12);
	}
}

/* Each figure changes its own term and no other. */
static void each_figure_feeds_its_term(void **state)
{
	struct device prior, now;
	struct candidate candidate;
	struct product large = {.rows = 4096, .inner = 4096, .columns = 4096, .count = 1, .narrow = true},
				   small = {.rows = 512, .inner = 4096, .columns = 4096, .count = 1, .narrow = true};

	(void)state;
	fixture_init(&fixture);
	candidate = fixture.candidates[0];
	assert_true(device_of_candidate(&candidate, PRECISION_BF16, &physics_fitted, 1, &prior));
	candidate.calibration = (struct calibration){
		.id = "c", .collective_bytes_per_s = 123e9, .collective_latency_s = 7e-6, .host_bytes_per_s = 11e9, .host_latency_s = 9e-6};
	assert_true(device_of_candidate(&candidate, PRECISION_BF16, &physics_fitted, 1, &now));
	assert_close(now.link_bytes_per_s, 123e9, 1e-12);
	assert_close(now.link_latency_s, 7e-6, 1e-12);
	assert_close(now.host_bytes_per_s, 11e9, 1e-12);
	assert_close(now.linear_flops_per_s, prior.linear_flops_per_s, 1e-12);
	candidate.calibration = (struct calibration){.id = "c",
		.gemm_efficiency = 0.7,
		.gemm_precision = PRECISION_BF16,
		.gemm_class_efficiency = {[PRODUCT_SMALL] = 0.35, [PRODUCT_LARGE] = 0.7}};
	assert_true(device_of_candidate(&candidate, PRECISION_BF16, &physics_fitted, 1, &now));
	candidate.calibration.gemm_class_efficiency[PRODUCT_SMALL] = 0.7;
	assert_true(device_of_candidate(&candidate, PRECISION_BF16, &physics_fitted, 1, &prior));
	assert_close(gemm_forward(&now, &physics_fitted, &large).time_s, gemm_forward(&prior, &physics_fitted, &large).time_s, 1e-12);
	assert_true(gemm_forward(&now, &physics_fitted, &small).time_s > 1.5 * gemm_forward(&prior, &physics_fitted, &small).time_s);
	candidate.calibration = (struct calibration){.id = "c", .memory_efficiency = 0.4};
	assert_true(device_of_candidate(&candidate, PRECISION_BF16, &physics_fitted, 1, &now));
	candidate.calibration.id = NULL; /* without an id, no member counts */
	assert_true(device_of_candidate(&candidate, PRECISION_BF16, &physics_fitted, 1, &prior));
	assert_true(now.memory_bytes_per_s < 0.7 * prior.memory_bytes_per_s);
	candidate.calibration = (struct calibration){.id = "c", .stack_speed = 0.8}; /* of whole steps, not of a kernel */
	assert_true(device_of_candidate(&candidate, PRECISION_BF16, &physics_fitted, 1, &now));
	assert_close(now.linear_flops_per_s, prior.linear_flops_per_s, 1e-12);
}

/* A measured efficiency narrows the interval. A wide measurement narrows it less, and none widens it. */
static void measuring_narrows_the_interval_as_far_as_it_is_sure(void **state)
{
	double published, sure, unsure;

	(void)state;
	fixture_init(&fixture);
	fixture.input.request.common.gpu_count = 64;
	fixture_planned(&fixture);
	published = fixture.plan.recommended.interval.step_time_s.p90 / fixture.plan.recommended.interval.step_time_s.p50;
	fixture.candidates[0].calibration = (struct calibration){
		.id = "c", .gemm_efficiency = 0.8, .gemm_precision = PRECISION_BF16, .gemm_low = 0.795, .gemm_high = 0.805, .source = "s"};
	fixture_planned(&fixture);
	sure = fixture.plan.recommended.interval.step_time_s.p90 / fixture.plan.recommended.interval.step_time_s.p50;
	fixture.candidates[0].calibration.gemm_low = 0.72;
	fixture.candidates[0].calibration.gemm_high = 0.88;
	fixture_planned(&fixture);
	unsure = fixture.plan.recommended.interval.step_time_s.p90 / fixture.plan.recommended.interval.step_time_s.p50;
	assert_true(sure < unsure && unsure <= published);
	fixture.candidates[0].calibration.gemm_low = 0.4;
	fixture_planned(&fixture);
	assert_close(fixture.plan.recommended.interval.step_time_s.p90 / fixture.plan.recommended.interval.step_time_s.p50, published, 1e-12);
}

static double step_ratio(void)
{
	fixture_planned(&fixture);
	return fixture.plan.recommended.interval.step_time_s.p90 / fixture.plan.recommended.interval.step_time_s.p50;
}

/* The plan's p10 to p90 is as wide as the ranges of memory and launches make it. It contains the steps that either
 * end of the range of products predicts. */
static void measured_intervals_move_the_plans(void **state)
{
	struct calibration *calibration = &fixture.candidates[0].calibration;
	struct interval range;
	double narrow, wide;

	(void)state;
	fixture_init(&fixture);
	fixture.input.request.common.gpu_count = 64;
	*calibration = (struct calibration){.id = "c",
		.gemm_efficiency = 0.7,
		.gemm_precision = PRECISION_BF16,
		.gemm_low = 0.65,
		.gemm_high = 0.75,
		.memory_efficiency = 0.8,
		.memory_low = 0.79,
		.memory_high = 0.81,
		.source = "s"};
	narrow = step_ratio();
	range = fixture.plan.recommended.interval.step_time_s;
	calibration->memory_low = 0.4;
	calibration->memory_high = 1;
	wide = step_ratio();
	assert_true(wide > 1.001 * narrow);
	for (int end = 0; end < 2; end++) {
		calibration->gemm_efficiency = end ? 0.75 : 0.65;
		fixture_planned(&fixture);
		assert_true(fixture.plan.recommended.step.time_s > range.p10 && fixture.plan.recommended.step.time_s < range.p90);
	}
}

/* In serving, the time to the first token depends on products, the time per token on memory. */
static void measured_intervals_move_a_services(void **state)
{
	struct calibration calibration = {.id = "c", .gemm_efficiency = 0.7, .memory_efficiency = 0.8, .source = "s"};
	struct residuals exact, products, memory;
	struct ground ground = {
		.model = &fixture.input.model, .accelerator = &fixture.candidates[0].accelerator, .engine = ENGINE_VLLM, .release_years = 6.4};

	(void)state;
	fixture_init(&fixture);
	exact = residuals_of(&ground, &calibration);
	calibration.gemm_low = 0.65;
	calibration.gemm_high = 0.75;
	products = residuals_of(&ground, &calibration);
	assert_true(products.ttft > exact.ttft && products.throughput > exact.throughput);
	assert_close(products.tpot, exact.tpot, 0);
	calibration.gemm_low = calibration.gemm_high = 0;
	calibration.memory_low = 0.74;
	calibration.memory_high = 0.86;
	memory = residuals_of(&ground, &calibration);
	assert_true(memory.tpot > exact.tpot && memory.throughput > exact.throughput);
	assert_close(memory.ttft, exact.ttft, 0);
}

/* --- evidence ---------------------------------------------------------------------------------------------------------- */

static struct evidence figure(const char *id, const char *device, double value)
{
	return (struct evidence){.id = id,
		.accelerator = "h100",
		.device = device,
		.class = "large",
		.method = "library_gemm",
		.quantity = QUANTITY_GEMM_EFFICIENCY,
		.precision = PRECISION_BF16,
		.value = value,
		.low = value * 0.99,
		.high = value * 1.01,
		.disagreement = ABSENT_NUMBER,
		.measured_at_us = NOW_US - DAY_US};
}

static const struct evidence_wish wish = {
	.accelerator = "h100", .class = "large", .quantity = QUANTITY_GEMM_EFFICIENCY, .precision = PRECISION_BF16};

static enum standing alone(const struct evidence *item)
{
	char why[200];
	enum standing standing = evidence_standing(item, 1, 0, NOW_US, why, sizeof why);

	assert_int_equal(standing == STANDING_USED, why[0] == '\0');
	return standing;
}

static void a_figure_by_itself(void **state)
{
	struct evidence item = figure("a", "gpu-1", 0.7);

	(void)state;
	assert_int_equal(alone(&item), STANDING_USED);
	item.disagreement = 0.05;
	assert_int_equal(alone(&item), STANDING_USED);
	item.disagreement = 0.0501;
	assert_int_equal(alone(&item), STANDING_REPETITION);
	item.disagreement = 0.119; /* two halves of a figure that is known from 0.97 to 1.03 of itself may differ by 0.12 */
	item.low = 0.97 * item.value;
	item.high = 1.03 * item.value;
	assert_int_equal(alone(&item), STANDING_USED);
	item.disagreement = 0.121;
	assert_int_equal(alone(&item), STANDING_REPETITION);
	item.disagreement = ABSENT_NUMBER;
	item.measured_at_us = NOW_US - 90 * DAY_US;
	assert_int_equal(alone(&item), STANDING_USED);
	item.measured_at_us = NOW_US - 90 * DAY_US - 1;
	assert_int_equal(alone(&item), STANDING_STALE);
	item = figure("a", "gpu-1", 0.7);
	item.method = "kernel_gemm";
	assert_int_equal(alone(&item), STANDING_METHOD);
	item.quantity = QUANTITY_MEMORY_EFFICIENCY; /* only products need a library */
	assert_int_equal(alone(&item), STANDING_USED);
}

/* The others are 0.70, 0.71 and 0.72: median 0.71, deviation 0.01. So 0.74 is used, and 0.741 is not. */
static void a_device_beside_its_fleet(void **state)
{
	struct evidence items[] = {
		figure("a", "gpu-1", 0.74), figure("b", "gpu-2", 0.70), figure("c", "gpu-3", 0.71), figure("d", "gpu-4", 0.72)};
	char why[200];

	(void)state;
	assert_int_equal(evidence_standing(items, 4, 0, NOW_US, why, sizeof why), STANDING_USED);
	items[0].value = 0.741;
	assert_int_equal(evidence_standing(items, 4, 0, NOW_US, why, sizeof why), STANDING_FLEET);
	assert_contains(why, "other devices disagree");
	items[0].value = 0.679;
	assert_int_equal(evidence_standing(items, 4, 0, NOW_US, NULL, 0), STANDING_FLEET);
	assert_int_equal(evidence_standing(items, 3, 0, NOW_US, NULL, 0), STANDING_USED); /* two others are not a fleet */
	items[3].measured_at_us = NOW_US - 91 * DAY_US; /* a device measured more than 90 days ago does not count */
	assert_int_equal(evidence_standing(items, 4, 0, NOW_US, NULL, 0), STANDING_USED);
	items[3] = figure("d", "gpu-1", 0.72); /* nor does another measurement of the same device */
	assert_int_equal(evidence_standing(items, 4, 0, NOW_US, NULL, 0), STANDING_USED);
}

/* Three figures that agree to the last digit do not exclude a fourth that is a hundredth off. */
static void agreement_to_the_last_digit_is_no_measure(void **state)
{
	struct evidence items[] = {
		figure("a", "gpu-1", 0.71), figure("b", "gpu-2", 0.70), figure("c", "gpu-3", 0.70), figure("d", "gpu-4", 0.70)};

	(void)state;
	assert_int_equal(evidence_standing(items, 4, 0, NOW_US, NULL, 0), STANDING_USED);
	items[0].value = 0.722;
	assert_int_equal(evidence_standing(items, 4, 0, NOW_US, NULL, 0), STANDING_FLEET);
}

/* A figure out of range from an agent's key waits until a device of another key shows about the same. While it waits,
 * it does not count for or against other figures. */
static void what_waits_is_spoken_for_by_another_key(void **state)
{
	struct evidence items[] = {
		figure("a", "gpu-1", 0.30), figure("b", "gpu-2", 0.31), figure("c", "gpu-3", 0.32), figure("d", "gpu-4", 0.70)};
	struct evidence_choice choice;
	char why[200];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		items[i].held = "out of range";
		items[i].bearer = "key-1";
	}
	assert_int_equal(evidence_standing(items, 4, 0, NOW_US, why, sizeof why), STANDING_HELD);
	assert_contains(why, "out of range");
	assert_int_equal(evidence_standing(items, 4, 3, NOW_US, NULL, 0), STANDING_USED); /* three waiting: not a fleet */
	assert_true(evidence_choose(items, 4, &wish, NOW_US, &choice));
	assert_close(choice.value, 0.70, 0);
	items[2].bearer = "key-2"; /* each of the first two agrees with it */
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(evidence_standing(items, 3, i, NOW_US, NULL, 0), STANDING_USED);
	items[2].value = 0.345; /* agrees with 0.3105 and more: at most 0.1 of the larger apart */
	assert_int_equal(evidence_standing(items, 3, 0, NOW_US, NULL, 0), STANDING_HELD);
	assert_int_equal(evidence_standing(items, 3, 1, NOW_US, NULL, 0), STANDING_HELD);
	items[1].value = 0.3106;
	assert_int_equal(evidence_standing(items, 3, 1, NOW_US, NULL, 0), STANDING_USED);
	items[2].bearer = NULL; /* the daemon's own device */
	assert_int_equal(evidence_standing(items, 3, 1, NOW_US, NULL, 0), STANDING_USED);
	items[2].measured_at_us = NOW_US - 91 * DAY_US; /* too old to confirm another */
	assert_int_equal(evidence_standing(items, 3, 1, NOW_US, NULL, 0), STANDING_HELD);
}

/* A figure within its range is used at once. The accelerator has 312 TFLOP/s,
 * 2,039 GB/s, 400 W, PCIe 4 and links of 600 GB/s. */
static void what_is_believed_at_once_has_a_range(void **state)
{
	const struct accelerator a100 = {.id = "x",
		.tflops_bf16 = 312,
		.tflops_fp16 = 312,
		.tflops_fp8 = ABSENT_NUMBER,
		.tflops_fp4 = ABSENT_NUMBER,
		.tops_int8 = ABSENT_NUMBER,
		.tflops_tf32 = 156,
		.tflops_fp32 = 19.5,
		.memory_bandwidth_gbs = 2039,
		.tdp_w = 400,
		.idle_w = 46,
		.load_w = ABSENT_NUMBER,
		.interconnect_gbs = 600,
		.pcie_gen = 4,
		.vendor = "nvidia",
		.form_factor = "sxm",
		.interconnect = "nvlink3"};
	struct trust_range range;

	(void)state;
	assert_true(trust_range_of(&a100, QUANTITY_GEMM_EFFICIENCY, PRECISION_BF16, &range));
	assert_in_range((uint64_t)(range.low * 1000), 350, 450); /* half of the share of published products */
	assert_close(range.high, 1.2, 1e-12);
	assert_true(trust_range_of(&a100, QUANTITY_MEMORY_EFFICIENCY, PRECISION_UNSET, &range));
	assert_close(range.low, 0.41, 1e-12);
	assert_true(trust_range_of(&a100, QUANTITY_HOST_RATE, PRECISION_UNSET, &range));
	assert_close(range.low, 0.5 * 0.75 * 31.5e9, 1e-12);
	assert_true(trust_range_of(&a100, QUANTITY_IDLE_POWER, PRECISION_UNSET, &range));
	assert_close(range.low, 23, 1e-12);
	assert_close(range.high, 55.2, 1e-12);
	assert_true(trust_range_of(&a100, QUANTITY_LOAD_POWER, PRECISION_UNSET, &range));
	assert_close(range.high, 480, 1e-12);
	for (int quantity = QUANTITY_UNSET + 1; quantity < QUANTITY_COUNT; quantity++) {
		bool known = trust_range_of(&a100, (enum quantity)quantity, PRECISION_BF16, &range);

		assert_int_equal(known, quantity != QUANTITY_STACK_SPEED && quantity != QUANTITY_RUN_PRACTICE);
		assert_true(!known || (range.low > 0 && range.low < range.high && range.of));
	}
}

static void the_fleet_is_its_median(void **state)
{
	struct evidence items[] = {figure("a", "gpu-1", 0.70), figure("b", "gpu-2", 0.72), figure("c", "gpu-3", 0.71),
		figure("old", "gpu-1", 0.705), figure("d", "gpu-4", 0.20)};
	struct evidence_choice choice;

	(void)state;
	items[3].measured_at_us -= DAY_US; /* gpu-1 was measured again later */
	assert_true(evidence_choose(items, 3, &wish, NOW_US, &choice));
	assert_close(choice.value, 0.71, 1e-12);
	assert_close(choice.spread, 0.01, 1e-9);
	assert_close(choice.low, 0.70 * 0.99, 1e-12);
	assert_close(choice.high, 0.72 * 1.01, 1e-12);
	assert_int_equal(choice.devices, 3);
	assert_false(choice.of_plan);
	assert_close(choice.age_days, 1, 1e-12);
	assert_true(evidence_choose(items, 5, &wish, NOW_US, &choice)); /* 0.20 is stored, but not used */
	assert_close(choice.value, 0.71, 1e-12);
	assert_close(choice.low, 0.70 * 0.99, 1e-12); /* the newest of gpu-1 */
	assert_int_equal(choice.devices, 3);
	items[3].measured_at_us = items[0].measured_at_us; /* measured at the same moment: the first counts, once */
	assert_true(evidence_choose(items, 5, &wish, NOW_US, &choice));
	assert_close(choice.low, 0.70 * 0.99, 1e-12);
	assert_int_equal(choice.devices, 3);
	items[3].measured_at_us += DAY_US / 2;
	items[3].disagreement = 0.06; /* newer, but not used: the one before still counts */
	assert_true(evidence_choose(items, 5, &wish, NOW_US, &choice));
	assert_close(choice.low, 0.70 * 0.99, 1e-12);
}

/* A measurement of a plan counts for this plan and for no other. */
static void a_plans_own_is_its_own(void **state)
{
	struct evidence items[6] = {figure("a", "gpu-1", 0.70), figure("p", "gpu-1", 0.55)};
	struct evidence_wish own = wish;
	struct evidence_choice choice;

	(void)state;
	items[1].class = own.class = "plan";
	items[1].plan_id = own.plan_id = "plan-1";
	assert_true(evidence_choose(items, 2, &own, NOW_US, &choice));
	assert_close(choice.value, 0.55, 1e-12);
	assert_true(choice.of_plan);
	for (size_t i = 2; i < 6; i++) { /* measurements of another plan do not contradict it */
		static const char *const others[] = {"gpu-2", "gpu-3", "gpu-4", "gpu-5"};

		items[i] = figure("q", others[i - 2], 0.70 + 0.001 * (double)i);
		items[i].class = "plan";
		items[i].plan_id = "plan-3";
	}
	assert_int_equal(evidence_standing(items, 6, 1, NOW_US, NULL, 0), STANDING_USED);
	own.plan_id = "plan-2";
	assert_false(evidence_choose(items, 2, &own, NOW_US, &choice));
	assert_true(evidence_choose(items, 2, &wish, NOW_US, &choice));
	assert_close(choice.value, 0.70, 1e-12);
	own = wish;
	own.precision = PRECISION_FP8;
	assert_false(evidence_choose(items, 2, &own, NOW_US, &choice));
	own = wish;
	own.accelerator = "a100";
	assert_false(evidence_choose(items, 2, &own, NOW_US, &choice));
}

static void quantities_have_names(void **state)
{
	(void)state;
	for (int quantity = QUANTITY_UNSET + 1; quantity < QUANTITY_COUNT; quantity++)
		assert_int_equal(quantity_of_name(quantity_name((enum quantity)quantity)), quantity);
	assert_int_equal(quantity_of_name("gemm"), QUANTITY_UNSET);
	assert_int_equal(quantity_of_name(NULL), QUANTITY_UNSET);
}

static void products_are_classed_by_their_least_side(void **state)
{
	(void)state;
	assert_int_equal(product_class_of(255, 4096, 4096), PRODUCT_THIN);
	assert_int_equal(product_class_of(4096, 256, 4096), PRODUCT_SMALL);
	assert_int_equal(product_class_of(4096, 4096, 2047), PRODUCT_SMALL);
	assert_int_equal(product_class_of(2048, 4096, 2048), PRODUCT_LARGE);
}

/* --- verdicts ---------------------------------------------------------------------------------------------------------- */

static void verdicts_have_their_bounds(void **state)
{
	(void)state;
	assert_int_equal(verification_verdict_of(0.9), VERIFICATION_CONFIRMED);
	assert_int_equal(verification_verdict_of(1.1), VERIFICATION_CONFIRMED);
	assert_int_equal(verification_verdict_of(1.1001), VERIFICATION_ADJUSTED);
	assert_int_equal(verification_verdict_of(0.8999), VERIFICATION_ADJUSTED);
	assert_int_equal(verification_verdict_of(0.75), VERIFICATION_ADJUSTED);
	assert_int_equal(verification_verdict_of(1.33), VERIFICATION_ADJUSTED);
	assert_int_equal(verification_verdict_of(0.7499), VERIFICATION_REFUTED);
	assert_int_equal(verification_verdict_of(1.3301), VERIFICATION_REFUTED);
	assert_int_equal(verification_verdict_of(ABSENT_NUMBER), VERIFICATION_UNSET);
}

/* Half the time is as far off as twice the time. Half the rate is twice the time. */
static void the_dominant_term_is_the_farthest_off(void **state)
{
	struct verification verification = {.predicted_s = 1, .measured_s = 1.5, .calibrated_s = 1.4};

	(void)state;
	verification_add(&verification, "compute", "s", 1, 1.6, false);
	verification_add(&verification, "memory_bandwidth", "bytes_per_s", 100, 190, true);
	verification_add(&verification, "input", "bytes_per_s", ABSENT_NUMBER, 190, true);
	verification_add(&verification, "launch_overhead", "s", 1, 0, false);
	assert_int_equal(verification.terms.count, 2);
	assert_close(verification.terms.items[1].ratio, 100.0 / 190, 1e-12);
	verification_conclude(&verification);
	assert_close(verification.ratio, 1.5, 1e-12);
	assert_close(verification.calibrated_ratio, 1.5 / 1.4, 1e-12);
	assert_int_equal(verification.verdict, VERIFICATION_REFUTED);
	assert_string_equal(verification.dominant, "memory_bandwidth");
	verification.measured_s = 1.05;
	verification_conclude(&verification);
	assert_int_equal(verification.verdict, VERIFICATION_CONFIRMED);
	assert_null(verification.dominant);
	verification.measured_s = 0;
	verification_conclude(&verification);
	assert_int_equal(verification.verdict, VERIFICATION_UNSET);
}

/* --- observations ------------------------------------------------------------------------------------------------------ */

static void five_from_two_plans_agree(void **state)
{
	struct observed_speed items[] = {{"p1", 0.90}, {"p1", 0.92}, {"p2", 0.88}, {"p1", 0.91}, {"p1", 0.89}, {"p2", 0.30}};
	struct observed_consensus consensus;

	(void)state;
	assert_false(observation_consensus(items, 4, &consensus));
	assert_contains(consensus.why, "5 from 2 plans are needed");
	assert_true(observation_consensus(items, 5, &consensus));
	assert_close(consensus.value, 0.90, 1e-12);
	assert_close(consensus.low, 0.884, 1e-12); /* interpolated between 0.88 and 0.89 */
	assert_close(consensus.high, 0.916, 1e-12);
	assert_close(consensus.spread, 0.01, 1e-9);
	assert_int_equal(consensus.plans, 2);
	assert_true(observation_consensus(items, 6, &consensus)); /* an outlier is left out */
	assert_int_equal(consensus.count, 5);
	assert_close(consensus.value, 0.90, 1e-12);
	items[2].plan_id = "p1";
	assert_false(observation_consensus(items, 5, &consensus)); /* the plan may be wrong, so one plan is not enough */
}

static void those_that_disagree_say_so(void **state)
{
	struct observed_speed items[] = {{"p1", 0.5}, {"p2", 0.7}, {"p1", 0.9}, {"p2", 1.1}, {"p1", 1.3}, {"p2", 1.5}};
	struct observed_consensus consensus;

	(void)state;
	assert_false(observation_consensus(items, 6, &consensus)); /* median 1.0, deviation 0.3 */
	assert_contains(consensus.why, "30 %");
	assert_close(consensus.value, 1.0, 1e-12);
	assert_false(observation_consensus(items, 0, &consensus));
}

static void what_a_job_must_be_to_count(void **state)
{
	const struct observed_job good = {.step_time_s = 2,
		.tokens_per_s = 5e5,
		.step_tokens = 1e6,
		.predicted_step_time_s = 1.8,
		.gpu_count = 8,
		.planned_gpu_count = 8,
		.stack = "megatron_core",
		.planned_stack = "megatron_core"};
	struct observed_job job = good;

	(void)state;
	assert_null(observation_refusal(&job));
	job.step_time_s = ABSENT_NUMBER;
	assert_null(observation_refusal(&job));
	assert_close(observation_step_time_s(&job), 2, 1e-12);
	job.tokens_per_s = ABSENT_NUMBER;
	assert_contains(observation_refusal(&job), "neither");
	job = good;
	job.tokens_per_s = 4.7e5; /* 2.13 s a step */
	assert_contains(observation_refusal(&job), "contradict");
	job = good;
	job.step_time_s = 2000; /* milliseconds instead of seconds */
	job.tokens_per_s = ABSENT_NUMBER;
	assert_contains(observation_refusal(&job), "3 times");
	job.step_time_s = good.predicted_step_time_s / 3.01;
	assert_contains(observation_refusal(&job), "3 times");
	job.step_time_s = good.predicted_step_time_s / 2.99;
	assert_null(observation_refusal(&job));
	job = good;
	job.gpu_count = 16;
	assert_contains(observation_refusal(&job), "number of accelerators");
	job.gpu_count = ABSENT_COUNT;
	assert_null(observation_refusal(&job));
	job = good;
	job.stack = "fsdp";
	assert_contains(observation_refusal(&job), "another stack");
	job = good;
	job.pinned = true;
	assert_contains(observation_refusal(&job), "mfu was given");
	job = good;
	job.predicted_step_time_s = ABSENT_NUMBER;
	assert_contains(observation_refusal(&job), "predicts no time");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rank_of_a_training_multiplies_its_part),
		cmocka_unit_test(the_lightest_products_are_left_out),
		cmocka_unit_test(keys_that_are_values_are_projected_once),
		cmocka_unit_test(frozen_weights_get_no_gradient),
		cmocka_unit_test(a_replica_multiplies_batches_and_prompts),
		cmocka_unit_test(blocks_are_as_long_as_a_slice_bears),
		cmocka_unit_test(golden_cases),
		cmocka_unit_test(implied_efficiency_predicts_the_time),
		cmocka_unit_test(no_software_is_in_a_bare_kernel),
		cmocka_unit_test(a_calibration_equal_to_the_prior_changes_no_device),
		cmocka_unit_test(each_figure_feeds_its_term),
		cmocka_unit_test(measuring_narrows_the_interval_as_far_as_it_is_sure),
		cmocka_unit_test(a_figure_by_itself),
		cmocka_unit_test(a_device_beside_its_fleet),
		cmocka_unit_test(agreement_to_the_last_digit_is_no_measure),
		cmocka_unit_test(what_waits_is_spoken_for_by_another_key),
		cmocka_unit_test(what_is_believed_at_once_has_a_range),
		cmocka_unit_test(the_fleet_is_its_median),
		cmocka_unit_test(a_plans_own_is_its_own),
		cmocka_unit_test(quantities_have_names),
		cmocka_unit_test(products_are_classed_by_their_least_side),
		cmocka_unit_test(verdicts_have_their_bounds),
		cmocka_unit_test(the_dominant_term_is_the_farthest_off),
		cmocka_unit_test(five_from_two_plans_agree),
		cmocka_unit_test(those_that_disagree_say_so),
		cmocka_unit_test(what_a_job_must_be_to_count),
		cmocka_unit_test(measured_intervals_move_the_plans),
		cmocka_unit_test(measured_intervals_move_a_services),
	};

	return cmocka_run_group_tests_name("measurement", tests, NULL, NULL);
}
