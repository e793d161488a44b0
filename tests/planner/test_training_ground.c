/* Accelerators, networks and kinds of training with few measurements: inputs of
 * layers in host memory, pairs of kernel library and accelerator, overlap on slow
 * networks, models as published, and the width of intervals (E159 to E163). */
#include "planner/operators/collective.h"
#include "planner/step/layout.h"
#include "planner/step/pairs.h"
#include "planner/training/ground.h"
#include "support/assert.h"
#include "support/training_fixture.h"

enum { LAYERS = 32, HIDDEN = 4096, SEQUENCE = 8192 };

static struct training_fixture fixture;
static struct setting setting;

static const struct parallelism eight = {.tensor = 1,
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

static void begin(const char *id, const char *vendor, enum stack stack)
{
	fixture_init(&fixture);
	if (id) {
		fixture.candidates[0].accelerator.id = id;
		fixture.candidates[0].accelerator.vendor = vendor;
	}
	fixture.input.request.stack = stack;
}

static void set(double batch)
{
	assert_true(setting_of_candidate(&fixture.input, &fixture.candidates[0], &physics_fitted, NULL, SEQUENCE, &setting));
	setting.batch = batch;
}

static struct step_time time_of(const struct parallelism *layout, struct memory_use *memory)
{
	struct step_result step;
	struct stages stages;

	stages_split(&fixture.input.model, (int)layout->pipeline, 1, setting.software.balances_ends, &stages);
	memory_of_layout(&setting, layout, &stages, memory);
	step_of_layout(&setting, layout, &stages, &step);
	return step.time;
}

/* E161. All but two of the inputs leave the accelerator. The passes hide this
 * unless the link is slower than they are. */
static void inputs_wait_on_the_host(void **state)
{
	struct parallelism hosted = eight;
	struct memory_use kept, moved;
	struct step_time with, without, slow;

	(void)state;
	begin(NULL, NULL, STACK_FSDP);
	set(8);
	hosted.offload_activations = TRUTH_TRUE;
	without = time_of(&eight, &kept);
	with = time_of(&hosted, &moved);
	assert_close(kept.activations_bytes - moved.activations_bytes, (LAYERS - 2.0) * 2 * HIDDEN * SEQUENCE, 1e-9);
	assert_close(with.time_s, without.time_s, 1e-12); /* 67 MB a layer beside milliseconds of work */
	setting.device.host_bytes_per_s = 2.0 * LAYERS * HIDDEN * SEQUENCE / (3 * without.time_s); /* three steps' time each way */
	slow = time_of(&hosted, &moved);
	assert_true(slow.host_transfer_s > 4 * without.time_s && slow.time_s > 5 * without.time_s);
	assert_close(slow.time_s - slow.host_transfer_s, without.time_s, 0.02);
}

/* A TPU's plan uses the host's memory where nothing else fits. A pin forbids it. */
static void memory_that_is_short_moves_inputs(void **state)
{
	(void)state;
	begin("tpu-v6e", "google", STACK_MAXTEXT);
	fixture.candidates[0].accelerator.memory_usable_bytes = 33.8e9;
	fixture.input.request.common.gpu_count = 8;
	fixture.input.request.global_batch_size = 24;
	fixture.input.request.parallelism = (struct parallelism){.tensor = 1,
		.pipeline = 1,
		.data = ABSENT_COUNT,
		.context = 1,
		.expert = 1,
		.interleave = ABSENT_COUNT,
		.micro_batch = 3,
		.zero_stage = 3,
		.zero_group = ABSENT_COUNT,
		.kept_layers = ABSENT_COUNT,
		.recompute = RECOMPUTE_FULL};
	fixture_planned(&fixture);
	assert_int_equal(fixture.plan.recommended.parallelism.offload_activations, TRUTH_TRUE);
	fixture.input.request.parallelism.offload_activations = TRUTH_FALSE;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	fixture.input.request.parallelism.offload_activations = TRUTH_TRUE;
	fixture.input.request.parallelism.recompute = RECOMPUTE_NONE;
	assert_int_equal(fixture_plan(&fixture), STATUS_INVALID);
	assert_string_equal(fixture.failure.faults[0].pointer, "/parallelism/offload_activations");
}

/* The layers' part of a first stage is the whole less its table: 2 + 4 + 12 bytes an entry. */
static void layers_are_a_part(void **state)
{
	struct parallelism two = eight;
	struct memory_use memory;
	struct stages stages;

	(void)state;
	begin(NULL, NULL, STACK_MEGATRON_CORE);
	set(8);
	two.zero_stage = 0;
	two.zero_group = 1;
	two.pipeline = 2;
	two.data = 4;
	stages_split(&fixture.input.model, 2, 1, true, &stages);
	memory_of_stage(&setting, &two, &stages, 0, &memory);
	assert_close(memory.model_bytes - memory.layers_bytes, 18.0 * fixture.input.model.vocabulary * HIDDEN, 1e-9);
	memory_of_stage(&setting, &two, &stages, 1, &memory); /* logits in 32 bits beside the table */
	assert_close(memory.model_bytes - memory.layers_bytes, fixture.input.model.vocabulary * (18.0 * HIDDEN + 4.0 * SEQUENCE), 1e-9);
}

/* E159. The speed of kernels depends on the pair of stack and accelerator. */
static void kernels_belong_to_pairs(void **state)
{
	double titan, core;

	(void)state;
	begin("mi300x", "amd", STACK_TORCHTITAN);
	set(8);
	titan = setting.software.speed;
	begin("mi300x", "nvidia", STACK_TORCHTITAN);
	set(8);
	assert_close(titan / setting.software.speed, torch_on_amd, 1e-12);
	begin("mi300x", "amd", STACK_MEGATRON_CORE);
	set(8);
	core = setting.software.narrow_speed;
	assert_close(core, 1, 1e-12);
	begin("gaudi2", "intel", STACK_GENERIC);
	set(8);
	assert_true(setting.software.fuses_adapters);
}

/* E160. A network with a tenth of the link's rate takes a tenth as much from the work beside it. */
static void slow_networks_disturb_less(void **state)
{
	struct group across = {.ranks = 64, .local = 8, .machine = 8}, inside = {.ranks = 8, .local = 8, .machine = 8};
	double slow, latency_s;

	(void)state;
	begin(NULL, NULL, STACK_FSDP);
	fixture.candidates[0].internode_gbs = 3;
	set(64);
	slow = 8 * setting.device.nic_bytes_per_s / setting.device.link_bytes_per_s;
	latency_s = collective_ring_latency_s(&setting.device, setting.physics, across);
	assert_close(collective_linked_s(&setting.device, setting.physics, inside, 1), 1, 1e-12);
	assert_close(collective_linked_s(&setting.device, setting.physics, across, latency_s), latency_s, 1e-12);
	assert_close(collective_linked_s(&setting.device, setting.physics, across, 1 + latency_s), slow + latency_s, 1e-9);
	assert_true(slow < 0.25);
}

/* E162. Fine-tuning before PyTorch 2.0 writes its scores to memory, kernel by
 * kernel. Pre-training did not, and later releases do not. */
static void published_models_are_unfused(void **state)
{
	(void)state;
	begin(NULL, NULL, STACK_GENERIC);
	fixture.input.request.stack_release = "2022-12";
	set(8);
	assert_true(setting.software.fused_attention);
	fixture.input.request.fine_tuning.method = FINE_TUNING_FULL;
	set(8);
	assert_false(setting.software.fused_attention);
	assert_close(setting.software.score_traffic, eager_scores, 1e-12);
	fixture.input.request.stack_release = "2023-06";
	set(8);
	assert_true(setting.software.fused_attention);
}

/* Experts of compiled programs are one batched product with a capacity of 1.25. */
static void compiled_experts_are_batched(void **state)
{
	struct physics compiled = physics_compiled(&physics_fitted);

	(void)state;
	assert_close(compiled.expert_fraction, 1 / 1.25, 1e-12);
	assert_close(compiled.expert_gain_per_year, 0, 0);
}

/* Adam on the host: 2.41 s for 8e9 parameters at 256 GB/s (Ren et al. 2021,
 * table 4), here at 204.8 GB/s for four accelerators. */
static void host_updates_at_the_measured_rate(void **state)
{
	struct parallelism offloaded = eight;
	struct memory_use memory;
	struct step_time time;

	(void)state;
	begin(NULL, NULL, STACK_GENERIC);
	set(8);
	offloaded.offload = TRUTH_TRUE;
	time = time_of(&offloaded, &memory);
	assert_close(time.host_transfer_s, 2.41 / 8e9 * fixture.input.model.params_total / 8 * 256 / 51.2, 0.03); /* and a third of the transfers */
}

/* E163. An interval is wider where fewer measurements of the kind were published. */
static void intervals_are_as_wide_as_the_ground_is_far(void **state)
{
	double near, far, kind;

	(void)state;
	begin(NULL, NULL, STACK_MEGATRON_CORE);
	fixture.candidates[0].accelerator.id = "h100-sxm5-80gb";
	near = ground_log_sigma(&fixture.input.request, &fixture.input.model, &fixture.candidates[0]);
	assert_close(near, 0, 1e-12);
	fixture.candidates[0].accelerator.id = "gaudi3";
	far = ground_log_sigma(&fixture.input.request, &fixture.input.model, &fixture.candidates[0]);
	fixture.input.request.fine_tuning.method = FINE_TUNING_FULL;
	kind = ground_log_sigma(&fixture.input.request, &fixture.input.model, &fixture.candidates[0]);
	assert_true(far > kind && kind > 0.2); /* only fine-tuning was measured there */
	fixture.input.request.fine_tuning.method = FINE_TUNING_UNSET;
	fixture.input.request.common.gpu_count = 64;
	fixture_planned(&fixture);
	assert_true(fixture_warned(&fixture, "no published measurement of a dense model on Gaudi 3"));
	far = fixture.plan.recommended.interval.step_time_s.p90 / fixture.plan.recommended.interval.step_time_s.p10;
	fixture.candidates[0].accelerator.id = "h100-sxm5-80gb";
	fixture_planned(&fixture);
	assert_false(fixture_warned(&fixture, "no published measurement"));
	near = fixture.plan.recommended.interval.step_time_s.p90 / fixture.plan.recommended.interval.step_time_s.p10;
	assert_true(far > 1.5 * near);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inputs_wait_on_the_host),
		cmocka_unit_test(memory_that_is_short_moves_inputs),
		cmocka_unit_test(layers_are_a_part),
		cmocka_unit_test(kernels_belong_to_pairs),
		cmocka_unit_test(slow_networks_disturb_less),
		cmocka_unit_test(published_models_are_unfused),
		cmocka_unit_test(compiled_experts_are_batched),
		cmocka_unit_test(host_updates_at_the_measured_rate),
		cmocka_unit_test(intervals_are_as_wide_as_the_ground_is_far),
	};

	return cmocka_run_group_tests_name("ground", tests, NULL, NULL);
}
