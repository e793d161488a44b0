/* Each part of a step and of a stage's memory by its own arithmetic: a changed constant or count fails here, and not
 * only on the accuracy page. */
#include "planner/operators/collective.h"
#include "planner/operators/memory_traffic.h"
#include "planner/step/layer_time.h"
#include "planner/step/memory.h"
#include "planner/step/step.h"
#include "support/assert.h"
#include "support/training_fixture.h"

enum { LAYERS = 32, HIDDEN = 4096, HEADS = 32, KV_HEADS = 8, WIDTH = 14336, VOCABULARY = 128256, SEQUENCE = 2048 };

static struct training_fixture fixture;
static struct setting setting;
static struct physics physics;
static struct stages stages;

static void begin(enum stack stack, const char *release)
{
	fixture_init(&fixture);
	fixture.input.request.stack = stack;
	fixture.input.request.stack_release = release;
	physics = physics_fitted;
}

static void set(const struct parallelism *layout, double batch)
{
	assert_true(setting_of_candidate(&fixture.input, &fixture.candidates[0], &physics, NULL, SEQUENCE, &setting));
	setting.batch = batch;
	stages_split(&fixture.input.model, (int)layout->pipeline, (int)layout->interleave, setting.software.balances_ends, &stages);
}

static struct step_time timed(const struct parallelism *layout, double batch)
{
	struct step_result result;

	set(layout, batch);
	step_of_layout(&setting, layout, &stages, &result);
	return result.time;
}

static struct parallelism piped(int64_t data, int64_t pipeline)
{
	return (struct parallelism){.tensor = 1,
		.pipeline = pipeline,
		.data = data,
		.context = 1,
		.expert = 1,
		.interleave = 1,
		.micro_batch = 1,
		.zero_stage = 1,
		.zero_group = data,
		.recompute = RECOMPUTE_NONE,
		.sequence_parallel = TRUTH_FALSE,
		.offload = TRUTH_FALSE};
}

/* Each chunk sends its activations on and receives their gradients. Interleaved software hides what it can. */
static void chunks_send_there_and_back(void **state)
{
	static const struct {
		enum stack stack;
		int64_t interleave;
		bool hidden;
	} cases[] = {{STACK_MEGATRON_DEEPSPEED, 1, false}, {STACK_MEGATRON_CORE, 1, false}, {STACK_MEGATRON_CORE, 2, true}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct parallelism layout = piped(8, 2);
		double once_s, shown;

		layout.interleave = cases[i].interleave;
		begin(cases[i].stack, "2025-05");
		set(&layout, 64);
		once_s = point_to_point_s(&setting.device, &physics, 8, 2.0 * SEQUENCE * HIDDEN);
		shown = cases[i].hidden ? 1 - physics.overlap : 1;
		assert_close(timed(&layout, 64).pipeline_comm_s, 8 * 2 * (double)layout.interleave * once_s * shown, 1e-9);
	}
}

/* AdamW moves 34 bytes a parameter through memory. The last stage has half of the layers and its table, and each rank
 * an eighth of them. */
static void an_update_moves_every_byte_of_its_states(void **state)
{
	struct parallelism layout = piped(8, 2);
	double params;

	(void)state;
	begin(STACK_GENERIC, "2025-05");
	set(&layout, 64);
	params = LAYERS / 2 *
			layer_params_of(setting.model, 0, &(struct degrees){.tensor = 1, .pipeline = 2, .expert = 1, .expert_tensor = 1}).dense +
		(double)VOCABULARY * HIDDEN;
	assert_close(timed(&layout, 64).optimizer_s, 34 * params / 8 / setting.device.memory_bytes_per_s, 0.001);
}

/* 33 layers: the second stage has 17 of them and the logits. */
static void the_last_stage_has_the_logits(void **state)
{
	struct parallelism layout = piped(8, 2);
	struct degrees degrees;
	struct layer_time layer, ends;

	(void)state;
	begin(STACK_GENERIC, "2025-05");
	fixture_model(&fixture.input.model, 33, HIDDEN, HEADS, KV_HEADS, WIDTH, VOCABULARY, false);
	set(&layout, 64);
	stages_split(&fixture.input.model, 2, 1, true, &stages);
	degrees = degrees_of(&setting, &layout);
	layer = layer_time_of(&setting, &layout, &degrees, 0);
	ends = ends_time_of(&setting, &degrees);
	setting.software.balances_ends = true;
	struct step_result result;

	step_of_layout(&setting, &layout, &stages, &result);
	assert_close(result.time.compute_s, 8 * (17 * (layer.forward_s + layer.backward_s) + ends.forward_s + ends.backward_s), 1e-9);
	assert_close(result.time.pipeline_bubble_s, 16 * layer_time_total_s(&layer) + result.time.pipeline_comm_s / 8, 1e-9);
}

/* Attention hides a ring's passes while it runs: for its own time forward, for two and a half times that backward. */
static void a_ring_hides_behind_attention(void **state)
{
	struct parallelism layout = piped(4, 1);
	double passes_s, attention_s;

	(void)state;
	layout.context = 4;
	layout.recompute = RECOMPUTE_SELECTIVE; /* only unfused attention is recomputed: recompute_s is its time */
	begin(STACK_MEGATRON_LM, "2021-05");
	fixture.candidates[0].internode_gbs = 0.01;
	set(&layout, 4);
	attention_s = timed(&layout, 4).recompute_s;
	passes_s = 3 * LAYERS *
		collective_all_gather_s(
			&setting.device, &physics, collective_group(&setting.device, 4, 1), 2.0 * SEQUENCE * KV_HEADS * 2 * HIDDEN / HEADS);
	assert_close(timed(&layout, 4).context_comm_s, passes_s - physics.overlap * fmin(passes_s, 3.5 * attention_s), 1e-9);
	fixture.candidates[0].accelerator.interconnect_gbs = 0.2; /* slower than the attention */
	set(&layout, 4);
	passes_s = 3 * LAYERS *
		collective_all_gather_s(
			&setting.device, &physics, collective_group(&setting.device, 4, 1), 2.0 * SEQUENCE * KV_HEADS * 2 * HIDDEN / HEADS);
	assert_true(passes_s > 3.5 * attention_s);
	assert_close(timed(&layout, 4).context_comm_s, passes_s - physics.overlap * 3.5 * attention_s, 1e-9);
}

/* Dispatch and combine, forward and backward: four exchanges, or six if the forward pass is recomputed. */
static void experts_exchange_again_when_done_again(void **state)
{
	struct parallelism layout = piped(16, 1);
	struct layer_kind *kind;
	double once_s;

	(void)state;
	begin(STACK_MEGATRON_CORE, "2025-05");
	kind = &fixture.input.model.kinds[0];
	kind->feed_forward = FEED_FORWARD_EXPERTS;
	kind->experts = 64;
	kind->experts_active = 4;
	kind->expert_width = 2048;
	model_finish(&fixture.input.model);
	layout.expert = 16;
	once_s = timed(&layout, 64).expert_comm_s / 4;
	layout.recompute = RECOMPUTE_FULL;
	assert_close(timed(&layout, 64).expert_comm_s, 6 * once_s, 1e-9);
}

/* A layer of norms and residuals alone moves ten widths through memory forward and twice as many backward, with the
 * gaps between kernels. */
static void norms_move_ten_widths(void **state)
{
	struct parallelism layout = piped(8, 1);
	struct degrees degrees;
	struct layer_time time;
	double moved_s;

	(void)state;
	begin(STACK_GENERIC, "2025-05");
	fixture.input.model.kinds[0].mixer = MIXER_NONE;
	fixture.input.model.kinds[0].feed_forward = FEED_FORWARD_NONE;
	set(&layout, 8);
	degrees = degrees_of(&setting, &layout);
	time = layer_time_of(&setting, &layout, &degrees, 0);
	moved_s = memory_traffic_s(&setting.device, &physics, 2.0 * 10 * SEQUENCE * HIDDEN);
	assert_close(time.forward_s, moved_s + physics.kernel_gap_s, 1e-9);
	assert_close(time.backward_s, 2 * (moved_s + physics.kernel_gap_s), 1e-9);
}

/* With a pipeline, FSDP gathers a stage's weights once a step, for any number of micro-batches. */
static void a_stage_is_gathered_once(void **state)
{
	struct parallelism layout = piped(8, 2);
	double few_s;

	(void)state;
	layout.zero_stage = 3;
	begin(STACK_TORCHTITAN, "2025-05");
	few_s = timed(&layout, 8 * 4).data_comm_exposed_s;
	assert_true(few_s > 0);
	assert_close(timed(&layout, 8 * 32).data_comm_exposed_s, few_s, 1e-9);
}

static struct memory_use held(const struct parallelism *layout, int stage)
{
	struct memory_use memory;

	set(layout, 1024);
	memory_of_stage(&setting, layout, &stages, stage, &memory);
	return memory;
}

/* A layer keeps 8 h of inputs of norms and products, queries and output, keys and values, the softmax's sums, gate,
 * up and activation. Under full recomputation only one layer's tensors exist, beside the inputs of all layers. */
static void a_layer_keeps_its_tensors(void **state)
{
	struct parallelism layout = piped(8, 2);
	const double whole = 8.0 * HIDDEN + 2 * 2 * (HIDDEN + (double)HIDDEN * KV_HEADS / HEADS) + 4 * HEADS + 2 * 3.0 * WIDTH;
	struct degrees degrees;

	(void)state;
	begin(STACK_GENERIC, "2025-05");
	set(&layout, 1024);
	degrees = degrees_of(&setting, &layout);
	assert_close(activation_bytes_per_token(&setting, &layout, &degrees, 0), whole, 1e-12);
	assert_close(held(&layout, 0).activations_bytes, whole * SEQUENCE * LAYERS, 1e-12); /* two micro-batches in flight, of half the layers */
	layout.recompute = RECOMPUTE_FULL;
	assert_close(held(&layout, 0).activations_bytes, SEQUENCE * (2.0 * HIDDEN * LAYERS + whole - 4.0 * HIDDEN - 2.0 * WIDTH), 1e-12);
}

/* Learned positions are on the first stage: their weights, gradients and an eighth of their optimizer states. */
static void positions_stand_on_the_first_stage(void **state)
{
	struct parallelism layout = piped(8, 2);
	double first_bytes, last_bytes;

	(void)state;
	begin(STACK_GENERIC, "2025-05");
	first_bytes = held(&layout, 0).model_bytes;
	last_bytes = held(&layout, 1).model_bytes;
	fixture.input.model.learned_positions = SEQUENCE;
	assert_close(held(&layout, 0).model_bytes - first_bytes, (2 + 4 + 12.0 / 8) * SEQUENCE * HIDDEN, 1e-6);
	assert_close(held(&layout, 1).model_bytes, last_bytes, 1e-12);
}

/* The overhead is 1.8 GB, 6 % of the model's bytes and, in PyTorch's allocator, 15 % of the activations. */
static void the_allocator_keeps_a_part_of_what_comes_and_goes(void **state)
{
	struct parallelism layout = piped(8, 8);
	struct memory_use memory;

	(void)state;
	begin(STACK_FSDP, "2025-05");
	layout.pipeline = 1;
	layout.data = layout.zero_group = 64;
	layout.zero_stage = 3;
	layout.recompute = RECOMPUTE_FULL;
	memory = held(&layout, 0);
	assert_close(memory.overhead_bytes, 1.3e9 + 0.5e9 + 0.06 * memory.model_bytes + 0.15 * memory.activations_bytes, 1e-9);
}

/* Megatron-LM and DeepSpeed were measured with unfused attention. With fused
 * kernels they have at most the generic factor. */
static void factors_hold_for_the_kernels_they_were_measured_with(void **state)
{
	static const enum stack stacks[] = {STACK_MEGATRON_LM, STACK_MEGATRON_DEEPSPEED};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(stacks); i++) {
		double before = software_of(stacks[i], "2022-09", PRECISION_BF16, 2020, &physics_fitted).speed /
			software_of(STACK_GENERIC, "2022-09", PRECISION_BF16, 2020, &physics_fitted).speed;
		double after = software_of(stacks[i], "2022-10", PRECISION_BF16, 2020, &physics_fitted).speed /
			software_of(STACK_GENERIC, "2022-10", PRECISION_BF16, 2020, &physics_fitted).speed;

		assert_close(before, physics_fitted.stack_speed[stacks[i]] / physics_fitted.stack_speed[STACK_GENERIC], 1e-9);
		assert_true(before > 1.05);
		assert_close(after, 1, 1e-9);
	}
	assert_close(software_of(STACK_INTERNEVO, "2024-01", PRECISION_BF16, 2020, &physics_fitted).speed /
			software_of(STACK_GENERIC, "2024-01", PRECISION_BF16, 2020, &physics_fitted).speed,
		physics_fitted.stack_speed[STACK_INTERNEVO] / physics_fitted.stack_speed[STACK_GENERIC], 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_send_there_and_back),
		cmocka_unit_test(an_update_moves_every_byte_of_its_states),
		cmocka_unit_test(the_last_stage_has_the_logits),
		cmocka_unit_test(a_ring_hides_behind_attention),
		cmocka_unit_test(experts_exchange_again_when_done_again),
		cmocka_unit_test(norms_move_ten_widths),
		cmocka_unit_test(a_stage_is_gathered_once),
		cmocka_unit_test(a_layer_keeps_its_tensors),
		cmocka_unit_test(positions_stand_on_the_first_stage),
		cmocka_unit_test(the_allocator_keeps_a_part_of_what_comes_and_goes),
		cmocka_unit_test(factors_hold_for_the_kernels_they_were_measured_with),
	};

	return cmocka_run_group_tests_name("training parts", tests, NULL, NULL);
}
