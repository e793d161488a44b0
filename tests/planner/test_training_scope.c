/* Inputs outside the range that the step model was measured on are named, and widen the interval. */
#include "planner/step/adapters.h"
#include "planner/step/generic.h"
#include "planner/step/pairs.h"
#include "planner/training/scope.h"

#include <string.h>

#include "support/assert.h"
#include "support/training_fixture.h"

static struct training_fixture fixture;
static struct setting setting;

static int begin(void **state)
{
	(void)state;
	fixture_init(&fixture);
	return 0;
}

static struct scope looked(const struct parallelism *layout)
{
	struct scope scope;

	assert_true(setting_of_candidate(
		&fixture.input, &fixture.candidates[0], &physics_fitted, NULL, fixture.input.request.sequence_length, &setting));
	setting.batch = fixture.input.request.global_batch_size;
	scope_of(&setting, layout, &scope);
	return scope;
}

static struct parallelism over(int64_t data)
{
	return (struct parallelism){.tensor = 1,
		.pipeline = 1,
		.data = data,
		.context = 1,
		.expert = 1,
		.interleave = 1,
		.micro_batch = 1,
		.zero_stage = 1,
		.zero_group = data,
		.recompute = RECOMPUTE_NONE};
}

/* Each fitted constant depends on at least one quantity, and the rows of
 * quantities name only constants that exist. */
static void every_constant_has_a_range(void **state)
{
#define NAME(member_, ...)          #member_,
#define COMPILED_NAME(member_, ...) "compiled_" #member_,
	static const char *const names[] = {
		PHYSICS_CONSTANTS(NAME) COMPILED_CONSTANTS(COMPILED_NAME) ADAPTER_CONSTANTS(NAME) GENERIC_CONSTANTS(NAME) PAIR_CONSTANTS(NAME)};
#undef COMPILED_NAME
#undef NAME
	size_t letters[SCOPE_COUNT] = {0};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		bool found = false;

		for (int quantity = 0; quantity < SCOPE_COUNT; quantity++) {
			if (!scope_rests_on(scope_row_of((enum scope_quantity)quantity), names[i]))
				continue;
			found = true;
			letters[quantity] += strlen(names[i]) + 1;
		}
		if (!found)
			fail_msg("%s depends on no quantity", names[i]);
	}
	for (int quantity = 0; quantity < SCOPE_COUNT; quantity++) {
		const struct scope_row *row = scope_row_of((enum scope_quantity)quantity);

		assert_true(row->from <= row->to);
		if (letters[quantity] != strlen(row->constants) + 1)
			fail_msg("%s names an unknown constant: %s", row->name, row->constants);
	}
}

static void inside_nothing_widens(void **state)
{
	struct parallelism layout = over(64);
	struct scope scope = looked(&layout);

	(void)state;
	assert_int_equal(scope.count, 0);
	assert_close(scope.log_sigma, 0, 0);
}

static void the_distance_widens(void **state)
{
	struct parallelism layout = over(10240);
	struct scope scope;

	(void)state;
	fixture.input.request.global_batch_size = 10240;
	fixture.input.request.sequence_length = 4096;
	scope = looked(&layout);
	assert_int_equal(scope.count, 2);
	assert_int_equal(scope.outside[0].quantity, SCOPE_ACCELERATORS);
	assert_int_equal(scope.outside[1].quantity, SCOPE_RANKS);
	assert_close(scope.outside[1].value, 10240, 0);
	assert_close(scope.log_sigma, SCOPE_LOG_SIGMA * sqrt(log(10) * log(10) + log(10240.0 / 3072) * log(10240.0 / 3072)), 1e-9);
	/* a factor of ten beyond the range doubles a dense step's spread */
	assert_close(sqrt(0.12 * 0.12 + SCOPE_LOG_SIGMA * log(10) * SCOPE_LOG_SIGMA * log(10)), 2 * 0.12, 0.01);
}

/* With DeepSpeed's ZeRO-1 a rank holds its whole stage, with ZeRO-3 its shard. */
static void held_parameters_are_those_of_a_rank(void **state)
{
	struct parallelism layout = over(8);
	struct scope scope;

	(void)state;
	fixture.input.request.stack = STACK_MEGATRON_DEEPSPEED;
	fixture.input.request.stack_release = "2022-02";
	scope = looked(&layout);
	assert_int_equal(scope.count, 1);
	assert_int_equal(scope.outside[0].quantity, SCOPE_HELD);
	assert_close(scope.outside[0].value, fixture.input.model.params_total, 1e-9);
	layout.zero_stage = 3;
	assert_int_equal(looked(&layout).count, 0);
}

static void releases_are_those_of_the_stack(void **state)
{
	struct parallelism layout = over(64);
	struct scope scope;

	(void)state;
	fixture.input.request.stack = STACK_MEGATRON_LM;
	fixture.input.request.stack_release = "2022-05";
	assert_int_equal(looked(&layout).count, 0);
	fixture.input.request.stack_release = "2024-05";
	scope = looked(&layout);
	assert_int_equal(scope.count, 1);
	assert_int_equal(scope.outside[0].quantity, SCOPE_RELEASE);
	assert_close(scope.log_sigma, SCOPE_LOG_SIGMA * (2024 + 4.5 / 12 - 2022.38 - 0.05), 1e-6);
	fixture.input.request.stack = STACK_MEGATRON_CORE;
	fixture.input.request.stack_release = "2026-08";
	assert_int_equal(looked(&layout).count, 0);
}

/* Only ResNet-50 was measured: a network of ten times its FLOPs is a factor of ten beyond. */
static void another_network_is_outside(void **state)
{
	struct parallelism layout = over(8);
	struct scope scope;

	(void)state;
	fixture.input.model = (struct model){.kind = MODEL_GENERIC,
		.params_total = 25.6e6,
		.params_active = 25.6e6,
		.generic_flops_per_sample = 8.2e9,
		.generic_sample_bytes = 150e3};
	assert_int_equal(looked(&layout).count, 0);
	fixture.input.model.generic_flops_per_sample = 8.2e10;
	scope = looked(&layout);
	assert_int_equal(scope.count, 1);
	assert_int_equal(scope.outside[0].quantity, SCOPE_SAMPLE);
	assert_close(scope.log_sigma, SCOPE_LOG_SIGMA * log(10), 1e-9);
}

static void adapters_were_measured_on_shorter_sequences(void **state)
{
	struct parallelism layout = over(8);
	struct scope scope;

	(void)state;
	fixture.input.request.fine_tuning.method = FINE_TUNING_LORA;
	fixture.input.request.fine_tuning.rank = 16;
	fixture.input.request.sequence_length = 8192;
	assert_int_equal(looked(&layout).count, 0);
	fixture.input.request.sequence_length = 32768;
	scope = looked(&layout);
	assert_int_equal(scope.count, 1);
	assert_int_equal(scope.outside[0].quantity, SCOPE_ADAPTED);
	assert_close(scope.log_sigma, SCOPE_LOG_SIGMA * log(4), 1e-9);
	fixture.input.request.stack = STACK_MEGATRON_CORE; /* this stack fuses adapters */
	assert_int_equal(looked(&layout).count, 0);
}

static void an_answer_says_so(void **state)
{
	double inside;

	(void)state;
	fixture.input.request.common.gpu_count = 64;
	fixture_planned(&fixture);
	assert_false(fixture_warned(&fixture, "outside of what was measured"));
	inside = fixture.plan.recommended.interval.step_time_s.p90 / fixture.plan.recommended.step.time_s;
	fixture.input.request.global_batch_size = 16384;
	fixture.input.request.sequence_length = 65536; /* 1.07e9 tokens a step: 17 times the most that was measured */
	fixture_planned(&fixture);
	assert_true(fixture_warned(&fixture, "outside of what was measured: tokens of a step 1.07e+09 (2.05e+03 to 6.29e+07)"));
	assert_true(fixture.plan.recommended.interval.step_time_s.p90 / fixture.plan.recommended.step.time_s > 1.1 * inside);
	fixture.input.request.mfu = 0.4;
	fixture_planned(&fixture);
	assert_false(fixture_warned(&fixture, "outside of what was measured"));
}

/* Releases are reported as they are given: as year and month. */
static void a_release_is_a_month(void **state)
{
	(void)state;
	fixture.input.request.common.gpu_count = 64;
	fixture.input.request.stack = STACK_MEGATRON_LM;
	fixture.input.request.stack_release = "2024-03";
	fixture_planned(&fixture);
	assert_true(fixture_warned(&fixture, "outside of what was measured: release of the software 2024-03 (2020-03 to 2022-05)"));
	fixture.input.request.stack_release = "2023-12";
	fixture_planned(&fixture);
	assert_true(fixture_warned(&fixture, "release of the software 2023-12 (2020-03 to 2022-05)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_constant_has_a_range, begin),
		cmocka_unit_test_setup(inside_nothing_widens, begin),
		cmocka_unit_test_setup(the_distance_widens, begin),
		cmocka_unit_test_setup(held_parameters_are_those_of_a_rank, begin),
		cmocka_unit_test_setup(releases_are_those_of_the_stack, begin),
		cmocka_unit_test_setup(another_network_is_outside, begin),
		cmocka_unit_test_setup(adapters_were_measured_on_shorter_sequences, begin),
		cmocka_unit_test_setup(an_answer_says_so, begin),
		cmocka_unit_test_setup(a_release_is_a_month, begin),
	};

	return cmocka_run_group_tests_name("training scope", tests, NULL, NULL);
}
