/* What ranks send each other in a step: gathers, scatters, schedules, and which ranks send when. */
#include "planner/operators/collective.h"
#include "planner/step/layer_time.h"
#include "planner/step/pipeline.h"
#include "planner/step/step.h"
#include "support/assert.h"
#include "support/training_fixture.h"

static struct training_fixture fixture;
static struct setting setting;

/* Many tests use DeepSpeed, which hides nothing: all that is sent shows. */
static struct physics used; /* the shipped constants, unless a test changes one */

static void begin(enum stack stack)
{
	fixture_init(&fixture);
	fixture.input.request.stack = stack;
	fixture.input.request.stack_release = "2022-06";
	used = physics_fitted;
}

static struct step_time timed(const struct parallelism *layout, double batch)
{
	struct stages stages;
	struct step_result result;

	assert_true(setting_of_candidate(&fixture.input, &fixture.candidates[0], &used, NULL, 2048, &setting));
	setting.batch = batch;
	stages_split(&fixture.input.model, (int)layout->pipeline, (int)layout->interleave, true, &stages);
	step_of_layout(&setting, layout, &stages, &result);
	return result.time;
}

static struct parallelism flat(int64_t data, int64_t zero_stage)
{
	return (struct parallelism){.tensor = 1,
		.pipeline = 1,
		.data = data,
		.context = 1,
		.expert = 1,
		.interleave = 1,
		.micro_batch = 1,
		.zero_stage = zero_stage,
		.zero_group = data,
		.recompute = RECOMPUTE_FULL,
		.sequence_parallel = TRUTH_FALSE,
		.offload = TRUTH_FALSE};
}

/* 10 us inside a domain of eight, 20 us between domains: a ring passes all domains, a tree only its depth. */
static void rings_pass_every_domain(void **state)
{
	struct physics physics = {.link_latency_s = 10e-6, .nic_latency_s = 20e-6};
	struct device device = {.link_bytes_per_s = 100e9, .nic_bytes_per_s = 10e9, .domain = 8, .node = 8};

	(void)state;
	assert_close(collective_all_gather_s(&device, &physics, collective_group(&device, 8, 1), 0), 5e-6, 1e-12);
	assert_close(collective_all_gather_s(&device, &physics, collective_group(&device, 512, 1), 0), 5e-6 + 63 * 10e-6, 1e-12);
	assert_close(collective_all_reduce_s(&device, &physics, collective_group(&device, 512, 1), 0), 10e-6 + 6 * 20e-6, 1e-12);
	assert_close(collective_all_reduce_s(&device, &physics, collective_group(&device, 1, 1), 1e9), 0, 1e-12);
}

/* A slice of 4 x 4 x 8 chips: eight tensor ranks use one axis, and the sixteen data ranks across them the other two.
 * A group alone uses all three. */
static void a_slice_leaves_axes_to_its_outermost_group(void **state)
{
	struct device cube = {.link_bytes_per_s = 300e9, .domain = 8960, .node = 4, .torus_dimensions = 3}, square = cube;

	(void)state;
	square.domain = 256;
	square.torus_dimensions = 2;
	assert_close(collective_group(&cube, 8, 1).axes, 1, 0);
	assert_close(collective_outer_group(&cube, 16, 8).axes, 2, 0);
	assert_close(collective_outer_group(&cube, 64, 1).axes, 3, 0);
	assert_close(collective_outer_group(&square, 256, 1).axes, 2, 0);
	assert_close(collective_outer_group(&square, 16, 16).axes, 1, 0);
	assert_close(collective_rate_bytes_per_s(&cube, collective_outer_group(&cube, 16, 8)), 200e9, 1e-12);
	cube.torus_dimensions = 0;
	assert_close(collective_rate_bytes_per_s(&cube, collective_outer_group(&cube, 16, 8)), 300e9, 1e-12);
}

/* The same chip under another name issues its step layer by layer, and recomputes the last product of each layer. */
static void a_compiled_step_issues_nothing(void **state)
{
	struct parallelism layout = flat(8, 3);
	struct step_time compiled, issued;

	(void)state;
	begin(STACK_MAXTEXT);
	fixture.candidates[0].accelerator.id = "tpu-v5p";
	compiled = timed(&layout, 8);
	assert_true(setting.physics == &setting.compiled && setting.software.drops_unread);
	fixture.candidates[0].accelerator.id = "chip";
	issued = timed(&layout, 8);
	assert_true(setting.physics == &used && !setting.software.drops_unread);
	assert_true(compiled.launch_overhead_s <= 1e-3 && issued.launch_overhead_s > 1e-3);
	/* the last product is a quarter of a gated layer's forward pass; recomputation
	 * is about a third of the arithmetic */
	assert_true(compiled.recompute_s / compiled.compute_s < 0.87 * issued.recompute_s / issued.compute_s);
	assert_true(compiled.recompute_s / compiled.compute_s > 0.6 * issued.recompute_s / issued.compute_s);
}

/* The search rules out layouts by their least recomputation. In a compiled step it is less than the forward pass. */
static void the_least_recomputation_is_no_more_than_it_takes(void **state)
{
	static const char *const ids[] = {"tpu-v5p", "chip"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(ids); i++) {
		struct parallelism layout = flat(1, 0);
		struct step_time time;

		begin(STACK_MAXTEXT);
		fixture.candidates[0].accelerator.id = ids[i];
		layout.micro_batch = 1024;
		time = timed(&layout, 1024);
		least_token_times(&setting);
		assert_close(setting.least_again_token_s * 1024 * 2048, time.recompute_s, 1e-9);
	}
}

/* Interleaved schedules take micro-batches in groups of as many as stages; plain 1F1B takes any number. */
static void short_groups_leave_places_empty(void **state)
{
	(void)state;
	assert_close(pipeline_time_s(1, 8, 86, 8, 9), 88 + 7.0 / 9, 1e-12);
	assert_close(pipeline_time_s(1, 8, 88, 8, 9), 88 + 7.0 / 9, 1e-12);
	assert_close(pipeline_time_s(1, 8, 86, 8, 1), 86 + 7, 1e-12);
}

/* ZeRO-2 cannot store sums of whole gradients, so each micro-batch scatters its
 * own. ZeRO-1 sums first and sends once. */
static void sharded_gradients_are_sent_with_every_micro_batch(void **state)
{
	struct parallelism layout = flat(16, 1);
	double once_s, scatter_s, tables_s, few_s, params;

	(void)state;
	begin(STACK_MEGATRON_DEEPSPEED);
	once_s = timed(&layout, 16 * 4).data_comm_exposed_s;
	assert_close(timed(&layout, 16 * 8).data_comm_exposed_s, once_s, 1e-9);
	layout.zero_stage = 2;
	few_s = timed(&layout, 16 * 4).data_comm_exposed_s;
	params = layer_params_of(setting.model, 0, &(struct degrees){.tensor = 1, .pipeline = 1, .expert = 1, .expert_tensor = 1}).dense;
	scatter_s = collective_all_gather_s(&setting.device, setting.physics, collective_group(&setting.device, 16, 1), 2 * params);
	tables_s = collective_all_gather_s(&setting.device, setting.physics, collective_group(&setting.device, 16, 1),
		2 * 2.0 * setting.model->vocabulary * setting.model->hidden);
	assert_close(timed(&layout, 16 * 8).data_comm_exposed_s - few_s, 4 * (32 * scatter_s + tables_s), 1e-6);
	assert_close(timed(&layout, 16).data_comm_exposed_s, once_s, 1e-9); /* one micro-batch: the same as ZeRO-1 */
}

/* Returns the time of one gather of `bytes` without help between the ranks of a machine: 25 GB/s x nic_fraction into
 * each of 16 ranks. */
static double alone_s(double bytes)
{
	return 15.0 / 16 * bytes / setting.device.nic_bytes_per_s;
}

/* ZeRO-3 gathers the tables like the layers, twice a micro-batch, and scatters
 * their gradients. The overlap is off here. */
static void tables_are_gathered_too(void **state)
{
	struct parallelism layout = flat(16, 3);
	double with_s, without_s, tables;

	(void)state;
	begin(STACK_INTERNEVO);
	used.overlap = 0;
	with_s = timed(&layout, 16 * 4).data_comm_exposed_s;
	tables = 2.0 * fixture.input.model.vocabulary * fixture.input.model.hidden;
	fixture.input.model.vocabulary = 0;
	without_s = timed(&layout, 16 * 4).data_comm_exposed_s;
	assert_close(with_s - without_s,
		4 * 3 * collective_all_gather_s(&setting.device, setting.physics, collective_group(&setting.device, 16, 1), 2 * tables), 1e-6);
}

/* DeepSpeed's ZeRO-3 sends each submodule alone, over each rank's own adapter, and once more if the forward pass is
 * recomputed. Inside a machine the link carries it. */
static void submodules_come_over_each_ranks_own_adapter(void **state)
{
	struct parallelism layout = flat(16, 3);
	double layers, full_s, none_s, tables_s, params;

	(void)state;
	begin(STACK_MEGATRON_DEEPSPEED);
	used.overlap = 0;
	full_s = timed(&layout, 16 * 4).data_comm_exposed_s;
	layout.recompute = RECOMPUTE_NONE;
	none_s = timed(&layout, 16 * 4).data_comm_exposed_s;
	layers = (double)model_kind_layers(&fixture.input.model, 0);
	params = layer_params_of(setting.model, 0, &(struct degrees){.tensor = 1, .pipeline = 1, .expert = 1, .expert_tensor = 1}).dense;
	tables_s = 3 * alone_s(2 * 2.0 * setting.model->vocabulary * setting.model->hidden);
	assert_close(full_s - none_s, 4 * layers * alone_s(2 * params), 1e-6);
	assert_close(none_s, 4 * (3 * layers * alone_s(2 * params) + tables_s), 1e-6);
	layout = flat(8, 3);
	assert_close(timed(&layout, 8).data_comm_exposed_s,
		4 * layers * collective_all_gather_s(&setting.device, setting.physics, collective_group(&setting.device, 8, 1), 2 * params) +
			3 *
				collective_all_gather_s(&setting.device, setting.physics, collective_group(&setting.device, 8, 1),
					2 * 2.0 * setting.model->vocabulary * setting.model->hidden),
		1e-6);
}

/* The host's cost in BLOOM's ZeRO-1 is proportional to what a rank holds between steps: its shard under ZeRO-3. */
static void hosts_synchronise_what_they_hold(void **state)
{
	struct parallelism layout = flat(16, 2);
	double with_s, shards_s;

	(void)state;
	begin(STACK_MEGATRON_DEEPSPEED);
	with_s = timed(&layout, 16).optimizer_s;
	used.synchronise_s = 0;
	assert_close(with_s - timed(&layout, 16).optimizer_s, physics_fitted.synchronise_s * fixture.input.model.params_total, 1e-2);
	layout.zero_stage = 3;
	shards_s = -timed(&layout, 16).optimizer_s;
	used.synchronise_s = physics_fitted.synchronise_s;
	shards_s += timed(&layout, 16).optimizer_s;
	assert_close(shards_s, physics_fitted.synchronise_s * fixture.input.model.params_total / 16, 1e-2);
}

/* Weights are gathered inside the shard group: over one machine's link instead of the adapters. */
static void a_smaller_shard_group_gathers_faster(void **state)
{
	struct parallelism layout = flat(64, 1);
	double all_s, within_s, params;

	(void)state;
	begin(STACK_MEGATRON_DEEPSPEED);
	all_s = timed(&layout, 64).data_comm_exposed_s;
	layout.zero_group = 8;
	within_s = timed(&layout, 64).data_comm_exposed_s;
	params = fixture.input.model.params_total;
	assert_close(all_s - within_s,
		collective_all_gather_s(&setting.device, setting.physics, collective_group(&setting.device, 64, 1), 2 * params) -
			collective_all_gather_s(&setting.device, setting.physics, collective_group(&setting.device, 8, 1), 2 * params),
		0.01);
}

/* InternEvo sends every tensor of a shard alone, around the whole shard group
 * (its published scaling from 16 to 1,024 accelerators). */
static void single_tensors_pay_latency_each(void **state)
{
	struct parallelism layout = flat(512, 1);
	double many_s, few_s, physics_s;

	(void)state;
	begin(STACK_INTERNEVO);
	many_s = timed(&layout, 512).data_comm_exposed_s;
	begin(STACK_MEGATRON_DEEPSPEED);
	few_s = timed(&layout, 512).data_comm_exposed_s;
	physics_s = 2 * 9 * 32 * (physics_fitted.link_latency_s + 63 * physics_fitted.nic_latency_s) / 2;
	assert_true(physics_s > 0.1);
	assert_close(many_s - few_s, physics_s, 0.02);
}

/* The first and the last stage hold the same table and sum its gradients. */
static void tied_tables_are_summed_over_the_ends(void **state)
{
	struct parallelism layout = flat(8, 1);
	double tied_s, untied_s;

	(void)state;
	layout.pipeline = 2;
	begin(STACK_MEGATRON_DEEPSPEED);
	fixture_model(&fixture.input.model, 32, 4096, 32, 32, 16384, 50304, true);
	tied_s = timed(&layout, 64).data_comm_exposed_s;
	fixture.input.model.tied_embeddings = false;
	untied_s = timed(&layout, 64).data_comm_exposed_s;
	assert_close(tied_s - untied_s,
		collective_all_reduce_s(&setting.device, setting.physics, collective_group(&setting.device, 2, 8), 4.0 * 50304 * 4096), 1e-9);
	layout.pipeline = 1;
	layout.data = layout.zero_group = 16;
	untied_s = timed(&layout, 64).data_comm_exposed_s;
	fixture.input.model.tied_embeddings = true; /* one table instead of two: no sum over the ends, and one less to scatter and to gather */
	assert_close(untied_s - timed(&layout, 64).data_comm_exposed_s,
		15.0 / 16 * (4 + 2) * 50304 * 4096 / collective_rate_bytes_per_s(&setting.device, collective_group(&setting.device, 16, 1)), 1e-9);
}

/* The generic stack has the methods that DeepSeek published in February 2025 (DualPipe, DeepEP, DeepGEMM) since then.
 * Megatron's own came later. */
static void published_methods_are_anybodys(void **state)
{
	struct software before = software_of(STACK_GENERIC, "2024-12", PRECISION_FP8, 2022, &physics_fitted);
	struct software after = software_of(STACK_GENERIC, "2025-06", PRECISION_FP8, 2022, &physics_fitted);
	struct software ampere = software_of(STACK_GENERIC, "2025-06", PRECISION_BF16, 2020, &physics_fitted);
	struct software megatron = software_of(STACK_MEGATRON_CORE, "2025-06", PRECISION_FP8, 2022, &physics_fitted);

	(void)state;
	assert_true(!before.hides_expert_across && !before.fused_experts && before.waits_for_counts);
	assert_true(
		after.hides_expert_across && after.hides_expert_inside && after.fused_experts && after.merges_copies && !after.waits_for_counts);
	assert_true(ampere.hides_expert_across && !ampere.fused_experts);
	assert_true(!megatron.hides_expert_inside && !megatron.fused_experts && megatron.waits_for_counts);
}

static void begin_experts(int64_t domain, const char *release)
{
	struct layer_kind *kind;

	begin(STACK_MEGATRON_CORE);
	fixture.input.request.stack_release = release;
	fixture.candidates[0].accelerator.max_nvlink_domain = domain;
	kind = &fixture.input.model.kinds[0];
	kind->feed_forward = FEED_FORWARD_EXPERTS;
	kind->experts = 64;
	kind->experts_active = 4;
	kind->expert_width = 2048;
	model_finish(&fixture.input.model);
}

/* The host waits twice per layer of experts and micro-batch, but not where one domain spans machines. */
static void counts_of_tokens_are_waited_for(void **state)
{
	struct parallelism layout = flat(16, 1);
	double waiting_s, running_s;

	(void)state;
	layout.expert = 8;
	layout.micro_batch = 8;
	begin_experts(8, "2026-02");
	waiting_s = timed(&layout, 16 * 8 * 4).launch_overhead_s;
	begin_experts(72, "2026-02");
	running_s = timed(&layout, 16 * 8 * 4).launch_overhead_s;
	assert_close(waiting_s - running_s, 4 * 2 * 32 * physics_fitted.expert_wait_s, 0.02);
}

/* Since Megatron Core 0.14 the experts' exchange overlaps other work inside a
 * domain. Across machines it still shows. */
static void exchange_across_machines_shows(void **state)
{
	static const struct {
		const char *release;
		int64_t expert;
		bool hidden;
	} cases[] = {{"2025-09", 8, false}, {"2025-11", 8, true}, {"2025-11", 16, false}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct parallelism layout = flat(16, 1);
		double bytes = 8 * 2048 * 4 * 4096 * 2, whole_s;

		layout.expert = cases[i].expert;
		layout.recompute = RECOMPUTE_NONE;
		layout.micro_batch = 8;
		begin_experts(8, cases[i].release);
		timed(&layout, 16 * 8);
		whole_s = 32 * 4 *
			collective_all_to_all_s(
				&setting.device, setting.physics, collective_group(&setting.device, (double)cases[i].expert, 1), bytes, 4);
		assert_close(timed(&layout, 16 * 8).expert_comm_s / whole_s, cases[i].hidden ? 1 - physics_fitted.overlap : 1, 1e-6);
	}
}

/* E140. Returns a machine of eight with a link over 1, 2, 4 or 8 of them. */
static struct device linked(int64_t domain)
{
	struct accelerator accelerator = {.pcie_gen = 5, .max_nvlink_domain = domain, .interconnect_gbs = 900};
	struct device device = {.link_bytes_per_s = 270e9, .nic_bytes_per_s = 45e9};

	device_wiring(&accelerator, 8, &device);
	return device;
}

static void smaller_domains_are_never_faster(void **state)
{
	static const struct physics physics = {.link_latency_s = 10e-6, .nic_latency_s = 20e-6};

	(void)state;
	for (double ranks = 2; ranks <= 32; ranks *= 2)
		for (double stride = 1; stride <= 16; stride *= 2)
			for (int64_t domain = 1; domain <= 4; domain *= 2) {
				struct device narrow = linked(domain), wide = linked(2 * domain);
				struct group few = collective_group(&narrow, ranks, stride), more = collective_group(&wide, ranks, stride);

				assert_true(few.local <= more.local && few.machine == more.machine);
				assert_true(collective_all_reduce_s(&narrow, &physics, few, 1e8) >= collective_all_reduce_s(&wide, &physics, more, 1e8));
				assert_true(collective_all_gather_s(&narrow, &physics, few, 1e8) >= collective_all_gather_s(&wide, &physics, more, 1e8));
				assert_true(
					collective_all_to_all_s(&narrow, &physics, few, 1e8, 0) >= collective_all_to_all_s(&wide, &physics, more, 1e8, 0));
				assert_true(point_to_point_s(&narrow, &physics, stride, 1e8) >= point_to_point_s(&wide, &physics, stride, 1e8));
			}
}

/* A domain of the whole machine does not use PCIe. A slightly slower port or
 * bus makes slightly slower collectives. */
static void machines_in_one_domain_use_no_pcie(void **state)
{
	static const struct physics physics = {.link_latency_s = 10e-6, .nic_latency_s = 20e-6};
	struct device whole = linked(8), bare = {.link_bytes_per_s = 270e9, .nic_bytes_per_s = 45e9, .domain = 8, .node = 8};

	(void)state;
	for (double ranks = 2; ranks <= 64; ranks *= 2)
		for (double stride = 1; stride <= 8; stride *= 2) {
			struct group group = collective_group(&whole, ranks, stride), same = collective_group(&bare, ranks, stride);

			assert_close(collective_all_reduce_s(&whole, &physics, group, 1e8), collective_all_reduce_s(&bare, &physics, same, 1e8), 1e-12);
			assert_close(
				collective_all_to_all_s(&whole, &physics, group, 1e8, 0), collective_all_to_all_s(&bare, &physics, same, 1e8, 0), 1e-12);
			for (int64_t domain = 1; domain <= 8; domain *= 2) {
				struct device now = linked(domain), then = now;
				struct group of = collective_group(&now, ranks, stride);
				double now_s, then_s;

				then.link_bytes_per_s *= 0.99, then.peer_bytes_per_s *= 0.99, then.socket_bytes_per_s *= 0.99,
					then.sockets_bytes_per_s *= 0.99;
				now_s = collective_all_reduce_s(&now, &physics, of, 1e8), then_s = collective_all_reduce_s(&then, &physics, of, 1e8);
				assert_true(then_s >= now_s && then_s <= now_s / 0.99 * (1 + 1e-12));
			}
		}
}

/* Tensor 8 over bridged pairs: the ring crosses PCIe, nothing hides it, and the sequence is gathered once more. Over
 * one domain nothing changes. */
static void bridges_do_not_make_a_machine(void **state)
{
	struct parallelism layout = flat(1, 0);
	double whole_s, last_s = 0;

	(void)state;
	layout.tensor = 8;
	layout.sequence_parallel = TRUTH_TRUE;
	for (int64_t domain = 8; domain >= 1; domain /= 2) {
		begin(STACK_MEGATRON_CORE);
		fixture.candidates[0].accelerator.max_nvlink_domain = domain;
		whole_s = timed(&layout, 8).time_s;
		assert_true(whole_s >= last_s);
		if (domain == 4) {
			struct group group = collective_group(&setting.device, 8, 1);
			double once_s = collective_all_reduce_s(&setting.device, setting.physics, group, 2048.0 * 4096 * 2);

			assert_close(timed(&layout, 8).tensor_comm_s, 8 * 32 * 2 * 3.5 * once_s, 1e-9);
			assert_true(whole_s > 2 * last_s);
		}
		last_s = whole_s;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(smaller_domains_are_never_faster),
		cmocka_unit_test(machines_in_one_domain_use_no_pcie),
		cmocka_unit_test(bridges_do_not_make_a_machine),
		cmocka_unit_test(rings_pass_every_domain),
		cmocka_unit_test(a_slice_leaves_axes_to_its_outermost_group),
		cmocka_unit_test(a_compiled_step_issues_nothing),
		cmocka_unit_test(the_least_recomputation_is_no_more_than_it_takes),
		cmocka_unit_test(short_groups_leave_places_empty),
		cmocka_unit_test(sharded_gradients_are_sent_with_every_micro_batch),
		cmocka_unit_test(tables_are_gathered_too),
		cmocka_unit_test(submodules_come_over_each_ranks_own_adapter),
		cmocka_unit_test(hosts_synchronise_what_they_hold),
		cmocka_unit_test(a_smaller_shard_group_gathers_faster),
		cmocka_unit_test(single_tensors_pay_latency_each),
		cmocka_unit_test(tied_tables_are_summed_over_the_ends),
		cmocka_unit_test(published_methods_are_anybodys),
		cmocka_unit_test(counts_of_tokens_are_waited_for),
		cmocka_unit_test(exchange_across_machines_shows),
	};

	return cmocka_run_group_tests_name("training communication", tests, NULL, NULL);
}
