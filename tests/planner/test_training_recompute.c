/* Layers that keep their activations while the others are recomputed: memory for time, layer by layer. */
#include "planner/step/layout.h"
#include "support/assert.h"
#include "support/training_fixture.h"

static struct training_fixture fixture;
static struct setting setting;

#define PINS fixture.input.request.parallelism
#define BEST fixture.plan.recommended

struct price {
	double bytes, time_s, recompute_s, hardware_flops;
};

static struct price cost_of(enum recompute recompute, int64_t kept_layers)
{
	struct parallelism layout = {.tensor = 1,
		.pipeline = 2,
		.data = 8,
		.context = 1,
		.expert = 1,
		.interleave = 1,
		.micro_batch = 1,
		.zero_stage = 1,
		.zero_group = 8,
		.recompute = recompute,
		.kept_layers = kept_layers,
		.sequence_parallel = TRUTH_FALSE,
		.offload = TRUTH_FALSE};
	struct memory_use memory;
	struct step_result step;
	struct stages stages;

	fixture_init(&fixture);
	assert_true(setting_of_candidate(&fixture.input, &fixture.candidates[0], &physics_fitted, NULL, 8192, &setting));
	setting.batch = 64;
	stages_split(&fixture.input.model, 2, 1, true, &stages);
	memory_of_layout(&setting, &layout, &stages, &memory);
	step_of_layout(&setting, &layout, &stages, &step);
	return (struct price){memory.total_bytes, step.time.time_s, step.time.recompute_s, step.hardware_flops};
}

/* Sixteen layers a stage: keeping none is full recomputation, keeping all is none. Each layer in between saves as
 * much as the next. */
static void each_kept_layer_buys_its_time(void **state)
{
	struct price full = cost_of(RECOMPUTE_FULL, 0), none = cost_of(RECOMPUTE_NONE, 0), before = full;

	(void)state;
	assert_true(full.bytes < none.bytes && full.time_s > none.time_s);
	for (int64_t kept = 1; kept <= 16; kept++) {
		struct price now = cost_of(RECOMPUTE_FULL, kept);

		assert_true(now.bytes > before.bytes && now.time_s < before.time_s);
		assert_close(now.recompute_s, full.recompute_s * (1 - (double)kept / 16), 1e-9);
		assert_close(now.hardware_flops, full.hardware_flops + (none.hardware_flops - full.hardware_flops) * (double)kept / 16, 1e-9);
		before = now;
	}
	assert_close(before.time_s, none.time_s, 1e-12);
	assert_close(cost_of(RECOMPUTE_FULL, 1000).time_s, none.time_s, 1e-12);
}

/* A run that fills its memory keeps as many layers as fit under the comfortable fill. One more does not fit. */
static void as_many_are_kept_as_fit(void **state)
{
	int64_t kept;

	(void)state;
	fixture_init(&fixture);
	fixture_model(&fixture.input.model, 48, 8192, 64, 8, 28672, 128256, false);
	fixture.input.request.common.gpu_count = 64;
	PINS.tensor = PINS.pipeline = PINS.context = PINS.micro_batch = 1;
	PINS.zero_stage = 3;
	fixture_planned(&fixture);
	kept = BEST.parallelism.kept_layers;
	assert_int_equal(BEST.parallelism.recompute, RECOMPUTE_FULL);
	assert_true(kept > 0 && kept < 48);
	PINS.recompute = RECOMPUTE_FULL;
	PINS.kept_layers = kept + 1;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	PINS.kept_layers = kept - 1;
	fixture_planned(&fixture);
	assert_int_equal(BEST.parallelism.kept_layers, kept - 1);
	PINS.kept_layers = ABSENT_COUNT; /* full without a count: all layers are recomputed */
	fixture_planned(&fixture);
	assert_int_equal(BEST.parallelism.kept_layers, 0);
}

static void only_full_recomputation_keeps_some(void **state)
{
	(void)state;
	fixture_init(&fixture);
	fixture.input.request.common.gpu_count = 8;
	PINS.recompute = RECOMPUTE_SELECTIVE;
	PINS.kept_layers = 4;
	assert_int_equal(fixture_plan(&fixture), STATUS_INVALID);
	assert_string_equal(fixture.failure.faults[0].pointer, "/parallelism/kept_layers");
	PINS.recompute = RECOMPUTE_UNSET;
	fixture_planned(&fixture);
	assert_int_equal(BEST.parallelism.recompute, RECOMPUTE_FULL);
	assert_int_equal(BEST.parallelism.kept_layers, 4);
}

/* Two stages of sixteen layers cannot keep seventeen. A model whose layers are not known cannot keep any. */
static void no_more_is_kept_than_there_is(void **state)
{
	(void)state;
	fixture_init(&fixture);
	fixture.input.request.common.gpu_count = 8;
	PINS.pipeline = 2;
	PINS.kept_layers = 16;
	fixture_planned(&fixture);
	PINS.kept_layers = 17;
	assert_int_equal(fixture_plan(&fixture), STATUS_INVALID);
	assert_string_equal(fixture.failure.faults[0].pointer, "/parallelism/kept_layers");
	assert_non_null(strstr(fixture.failure.faults[0].detail, "at most 16 layers"));
	PINS.pipeline = ABSENT_COUNT;
	fixture_planned(&fixture);
	fixture.input.model = (struct model){
		.kind = MODEL_GENERIC, .params_total = 25e6, .params_active = 25e6, .generic_flops_per_sample = 8e9, .generic_sample_bytes = 1e5};
	PINS.kept_layers = 1;
	assert_int_equal(fixture_plan(&fixture), STATUS_INVALID);
	assert_string_equal(fixture.failure.faults[0].pointer, "/parallelism/kept_layers");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kept_layer_buys_its_time),
		cmocka_unit_test(as_many_are_kept_as_fit),
		cmocka_unit_test(only_full_recomputation_keeps_some),
		cmocka_unit_test(no_more_is_kept_than_there_is),
	};

	return cmocka_run_group_tests_name("training recompute", tests, NULL, NULL);
}
