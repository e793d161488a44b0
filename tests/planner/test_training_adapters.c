/* LoRA and QLoRA: adapters with kernels of their own, weights that are widened,
 * and what frozen weights need not keep (E157). */
#include "planner/step/layout.h"
#include "support/assert.h"
#include "support/training_fixture.h"

static struct training_fixture fixture;
static struct setting setting;

struct priced {
	struct step_time time;
	struct memory_use memory;
};

static struct priced cost_of(enum fine_tuning_method method, enum stack stack, enum precision precision, double sequence)
{
	struct parallelism layout = {.tensor = 1,
		.pipeline = 1,
		.data = 1,
		.context = 1,
		.expert = 1,
		.interleave = 1,
		.micro_batch = 1,
		.zero_stage = 1,
		.zero_group = 1,
		.recompute = RECOMPUTE_NONE,
		.sequence_parallel = TRUTH_FALSE,
		.offload = TRUTH_FALSE};
	struct step_result step;
	struct priced cost;
	struct stages stages;

	fixture_init(&fixture);
	fixture.input.request.stack = stack;
	fixture.input.request.common.precision = precision;
	fixture.input.request.fine_tuning.method = method;
	fixture.input.request.fine_tuning.rank = 16;
	assert_true(setting_of_candidate(&fixture.input, &fixture.candidates[0], &physics_fitted, NULL, sequence, &setting));
	setting.batch = 8;
	stages_split(&fixture.input.model, 1, 1, true, &stages);
	memory_of_layout(&setting, &layout, &stages, &cost.memory);
	step_of_layout(&setting, &layout, &stages, &step);
	cost.time = step.time;
	return cost;
}

/* Separate adapters have kernels of their own: slower than the forward pass of full tuning where the host issues
 * kernels, and with every token. */
static void separate_adapters_cost_kernels(void **state)
{
	double fused_s = cost_of(FINE_TUNING_LORA, STACK_MEGATRON_CORE, PRECISION_BF16, 256).time.launch_overhead_s;
	struct priced few = cost_of(FINE_TUNING_LORA, STACK_FSDP, PRECISION_BF16, 256),
				  full = cost_of(FINE_TUNING_FULL, STACK_FSDP, PRECISION_BF16, 256);
	struct priced many = cost_of(FINE_TUNING_LORA, STACK_FSDP, PRECISION_BF16, 8192),
				  all = cost_of(FINE_TUNING_FULL, STACK_FSDP, PRECISION_BF16, 8192);
	struct priced other = cost_of(FINE_TUNING_LORA, STACK_MEGATRON_CORE, PRECISION_BF16, 8192);

	(void)state;
	assert_true(few.time.launch_overhead_s > 1.3 * full.time.launch_overhead_s && few.time.launch_overhead_s > fused_s);
	assert_true(many.time.compute_s < all.time.compute_s);          /* without gradients of weights */
	assert_true(many.time.compute_s > 1.05 * other.time.compute_s); /* but with more small kernels */
}

/* Widening a weight takes as long for one token as for many. There are three passes, two of them here. */
static void widening_is_per_weight(void **state)
{
	double widened_s[2];

	(void)state;
	for (int i = 0; i < 2; i++)
		widened_s[i] = cost_of(FINE_TUNING_QLORA, STACK_FSDP, PRECISION_BF16, i ? 8192 : 1024).time.compute_s -
			cost_of(FINE_TUNING_LORA, STACK_FSDP, PRECISION_BF16, i ? 8192 : 1024).time.compute_s;
	assert_close(widened_s[0], widened_s[1], 1e-6);
	assert_true(widened_s[0] / (8 * 2 * fixture.input.model.params_total) > 4e-12); /* s per weight and pass on an H100; 9 to 12 ps on an A100 */
	assert_true(widened_s[0] / (8 * 2 * fixture.input.model.params_total) < 9e-12);
}

/* Megatron Core in 8 bits: a byte per frozen weight, and 8-bit activations where products read them. */
static void frozen_weights_in_eight_bits_are_small(void **state)
{
	struct priced wide = cost_of(FINE_TUNING_LORA, STACK_MEGATRON_CORE, PRECISION_BF16, 8192),
				  narrow = cost_of(FINE_TUNING_LORA, STACK_MEGATRON_CORE, PRECISION_FP8, 8192);
	struct priced tuned = cost_of(FINE_TUNING_FULL, STACK_MEGATRON_CORE, PRECISION_FP8, 8192);

	(void)state;
	assert_close(narrow.memory.weights_bytes, wide.memory.weights_bytes / 2, 0.01);
	assert_true(narrow.memory.activations_bytes < 0.65 * tuned.memory.activations_bytes);
}

/* A compiled program places every buffer before it runs. Its overhead is its fragmentation, without a context. */
static void compiled_programs_have_no_context(void **state)
{
	const struct parallelism layout = {.tensor = 1,
		.pipeline = 1,
		.data = 8,
		.context = 1,
		.expert = 1,
		.interleave = 1,
		.micro_batch = 1,
		.zero_stage = 3,
		.zero_group = 8,
		.recompute = RECOMPUTE_FULL,
		.sequence_parallel = TRUTH_FALSE,
		.offload = TRUTH_FALSE};
	struct memory_use memory;
	struct stages stages;

	(void)state;
	fixture_init(&fixture);
	fixture.candidates[0].accelerator.id = "tpu-v5p";
	fixture.candidates[0].accelerator.vendor = "google";
	assert_true(setting_of_candidate(&fixture.input, &fixture.candidates[0], &physics_fitted, NULL, 2048, &setting));
	assert_true(setting.physics == &setting.compiled);
	setting.batch = 8;
	stages_split(&fixture.input.model, 1, 1, true, &stages);
	memory_of_layout(&setting, &layout, &stages, &memory);
	assert_close(memory.overhead_bytes, compiled_fragmentation * memory.model_bytes, 1e-12);
	assert_true(memory.model_bytes > 0);
	assert_close(memory.total_bytes, memory.model_bytes + memory.overhead_bytes, 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(separate_adapters_cost_kernels),
		cmocka_unit_test(widening_is_per_weight),
		cmocka_unit_test(frozen_weights_in_eight_bits_are_small),
		cmocka_unit_test(compiled_programs_have_no_context),
	};

	return cmocka_run_group_tests_name("adapters", tests, NULL, NULL);
}
