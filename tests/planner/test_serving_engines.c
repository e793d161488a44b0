/* Serving: how engines differ in windows, pipelines, experts and front ends; measured kernels; energy by phase. */
#include <math.h>
#include <string.h>

#include "planner/replica/kernels.h"
#include "planner/replica/replica_layout.h"
#include "planner/serving/performance.h"
#include "support/assert.h"
#include "support/serving_fixture.h"

static struct performance performance;
static struct failure failure;

static void operate(const struct performance_input *input)
{
	memset(&performance, 0, sizeof performance);
	failure_clear(&failure);
	assert_int_equal(planner_performance(input, &performance, &failure), STATUS_OK);
}

static struct replica_layout layout_of(enum engine engine, const char *release)
{
	return (struct replica_layout){.tensor = 4,
		.pipeline = 1,
		.expert = 1,
		.attention_data = 1,
		.precision = PRECISION_BF16,
		.kv_precision = PRECISION_BF16,
		.engine = engine,
		.release_years = engine_release_years(release),
		.max_batch = ABSENT_NUMBER,
		.chunk_tokens = ABSENT_NUMBER};
}

static struct replica prepared(const struct serving_fixture *fixture, const struct model *model, struct replica_layout layout)
{
	struct replica replica;

	assert_true(replica_prepare(&replica, model, &fixture->candidate.accelerator, NULL, &layout, &serving_constants));
	return replica;
}

static double step_s(const struct replica *replica, double sequences, double context, double prompt)
{
	struct batch batch = {
		.decode_sequences = sequences, .decode_context_tokens = context, .prefill_tokens = prompt, .prefill_sequences = prompt > 0};
	struct step step;

	step_time(replica, &batch, &step);
	assert_true(step.launch_s >= 0 && step.launch_s <= step.overhead_s && isfinite(step.time_s));
	return step.time_s;
}

/* Returns the fixture's model with a window of 4,096 tokens in every layer. */
static struct model windowed(const struct serving_fixture *fixture)
{
	struct model model = fixture->performance.model;

	for (int i = 0; i < model.kind_count; i++)
		model.kinds[i].window = 4096;
	return model;
}

static void windows_are_each_engines_own(void **state)
{
	static const double far = 40000;
	struct serving_fixture fixture;
	struct model model;
	struct replica vllm, native, pytorch;

	(void)state;
	serving_fixture_fill(&fixture);
	model = windowed(&fixture);
	vllm = prepared(&fixture, &model, layout_of(ENGINE_VLLM, "2025-11"));
	native = prepared(&fixture, &model, layout_of(ENGINE_TENSORRT_LLM, "2025-02"));
	pytorch = prepared(&fixture, &model, layout_of(ENGINE_TENSORRT_LLM, "2025-11"));
	/* vLLM frees the tokens that left the window. TensorRT-LLM keeps them all, ten times as many. */
	assert_close(replica_sequence_bytes(&vllm, far), replica_sequence_bytes(&vllm, 4096), 1e-9);
	assert_close(replica_sequence_bytes(&pytorch, far), replica_sequence_bytes(&vllm, 4096) * far / 4096, 1e-3);
	assert_close(replica_sequence_bytes(&native, far), replica_sequence_bytes(&pytorch, far), 1e-12);
	/* TensorRT-LLM's PyTorch models read only the window, its C++ models all of the context. */
	assert_close(step_s(&pytorch, 64, far, 0), step_s(&pytorch, 64, 4096, 0), 1e-12);
	assert_true(step_s(&native, 64, far, 0) > 1.5 * step_s(&native, 64, 4096, 0));
}

/* E204. Attention that starts anew every 4,096 tokens reads what full attention reads at the remainder of the
 * context, on average over the batch's contexts. */
static void chunks_start_anew(void **state)
{
	static const struct {
		double mean, spread, attended;
	} cases[] = {
		{3000, 0, 3000}, {3000, 1000, 3000}, {4096 + 512, 0, 512}, {4096 + 512, 512, 512}, /* contexts evenly between 4,096 and 5,120 */
		{2 * 4096, 4096, 2048},                                                            /* contexts evenly over two whole chunks */
		{4096, 1024, 2048}, /* half of the contexts near the end of a chunk, half near its start */
	};
	struct serving_fixture fixture;
	struct model chunked;
	struct replica full, anew;

	(void)state;
	serving_fixture_fill(&fixture);
	chunked = windowed(&fixture);
	for (int i = 0; i < chunked.kind_count; i++)
		chunked.kinds[i].chunked = true;
	full = prepared(&fixture, &fixture.performance.model, layout_of(ENGINE_VLLM, "2025-11"));
	anew = prepared(&fixture, &chunked, layout_of(ENGINE_VLLM, "2025-11"));
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct batch batch = {.decode_sequences = 64, .decode_context_tokens = cases[i].mean, .decode_spread_tokens = cases[i].spread};
		struct batch same = {.decode_sequences = 64, .decode_context_tokens = cases[i].attended};
		struct step step, expected;

		step_time(&anew, &batch, &step);
		step_time(&full, &same, &expected);
		assert_close(step.bytes, expected.bytes, 1e-12);
		assert_close(step.time_s, expected.time_s, 1e-12);
	}
	/* A prompt of two chunks has half as many pairs as with full attention. */
	assert_true(step_s(&anew, 0, 0, 8192) < step_s(&full, 0, 0, 8192));
	assert_close(step_s(&anew, 0, 0, 4096), step_s(&full, 0, 0, 4096), 1e-12);
}

/* E205. Decoding alone waits for the host's step and for its work on each
 * sequence. Both are slower on a Grace host, until 2026. */
static void hosts_with_grace_are_slower_until_2026(void **state)
{
	struct serving_fixture fixture;
	struct replica x86, grace;
	double host_s;

	(void)state;
	serving_fixture_fill(&fixture);
	x86 = prepared(&fixture, &fixture.performance.model, layout_of(ENGINE_SGLANG, "2025-11"));
	host_s = serving_constants.sglang_step_s + 64 * serving_constants.sequence_s;
	fixture.candidate.accelerator.form_factor = "superchip";
	grace = prepared(&fixture, &fixture.performance.model, layout_of(ENGINE_SGLANG, "2025-11"));
	assert_close(step_s(&grace, 64, 1000, 0) - step_s(&x86, 64, 1000, 0), (serving_constants.grace_host - 1) * host_s, 1e-9);
	assert_true(step_s(&grace, 64, 1000, 512) > step_s(&x86, 64, 1000, 512));
	grace = prepared(&fixture, &fixture.performance.model, layout_of(ENGINE_SGLANG, "2026-01"));
	assert_close(step_s(&grace, 64, 1000, 0), step_s(&x86, 64, 1000, 0), 1e-12);
	grace = prepared(&fixture, &fixture.performance.model, layout_of(ENGINE_VLLM, "2025-11"));
	fixture.candidate.accelerator.form_factor = "sxm";
	x86 = prepared(&fixture, &fixture.performance.model, layout_of(ENGINE_VLLM, "2025-11"));
	assert_close(grace.host.sequence_s / x86.host.sequence_s, serving_constants.grace_host, 1e-12);
	x86 = prepared(&fixture, &fixture.performance.model, layout_of(ENGINE_SGLANG, "2025-11"));
	fixture.candidate.accelerator.form_factor = "superchip";
	fixture.candidate.accelerator.vendor = "amd";
	grace = prepared(&fixture, &fixture.performance.model, layout_of(ENGINE_SGLANG, "2025-11"));
	assert_close(step_s(&grace, 64, 1000, 0), step_s(&x86, 64, 1000, 0), 1e-12);
}

static void stages_repeat_the_hosts_work(void **state)
{
	struct serving_fixture fixture;
	struct replica_layout layout = layout_of(ENGINE_SGLANG, "2025-11");
	struct replica one, two;
	struct step step_one, step_two;
	struct batch batch = {.decode_sequences = 512, .decode_context_tokens = 1000};
	double host_s;

	(void)state;
	serving_fixture_fill(&fixture);
	one = prepared(&fixture, &fixture.performance.model, layout);
	layout.pipeline = 2;
	two = prepared(&fixture, &fixture.performance.model, layout);
	step_time(&one, &batch, &step_one);
	batch.decode_sequences = 1024; /* 512 in each of two micro-batches */
	step_time(&two, &batch, &step_two);
	host_s = one.host.step_s + one.host.sequence_s * 512;
	/* The kernels take as long as before. The host works twice on twice the
	 * sequences, and the stages hand over once. */
	assert_close(step_two.overhead_s - 2 * (two.host.step_s + two.host.sequence_s * 1024), step_one.overhead_s - host_s, 1e-9);
	assert_close(step_two.compute_s + step_two.memory_s, step_one.compute_s + step_one.memory_s, 1e-9);
	assert_true(step_two.network_s > step_one.network_s);
}

static void decoding_replays_the_next_captured_graph(void **state)
{
	struct serving_fixture fixture;
	struct replica replica;

	(void)state;
	serving_fixture_fill(&fixture);
	replica = prepared(&fixture, &fixture.performance.model, layout_of(ENGINE_VLLM, "2025-11"));
	replica.host = (struct host_times){.step_s = 0}; /* the host's cost grows by the sequence, not by the row */
	/* From 496 to 497 sequences the graph grows by eight rows, from 495 to 496 by none. */
	assert_true(step_s(&replica, 497, 1, 0) - step_s(&replica, 496, 1, 0) > 3 * (step_s(&replica, 496, 1, 0) - step_s(&replica, 495, 1, 0)));
	assert_true(step_s(&replica, 496, 1, 0) > step_s(&replica, 495, 1, 0));
	for (double sequences = 1; sequences < 700; sequences += 1)
		assert_true(step_s(&replica, sequences + 1, 500, 0) >= step_s(&replica, sequences, 500, 0));
}

static void one_process_sends_out_all_tokens(void **state)
{
	struct serving_fixture fixture;
	struct replica replica;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.performance.model.layer_count = 2; /* the steps are so short that the front end limits */
	model_finish(&fixture.performance.model);
	replica = prepared(&fixture, &fixture.performance.model, layout_of(ENGINE_VLLM, "2025-11"));
	assert_close(step_s(&replica, 1000, 10, 0), 1000 * replica.host.stream_s, 0.2);
	assert_true(step_s(&replica, 1000, 10, 0) >= 1000 * replica.host.stream_s);
	replica = prepared(&fixture, &fixture.performance.model, layout_of(ENGINE_TENSORRT_LLM, "2025-11"));
	assert_true(step_s(&replica, 1000, 10, 0) < 0.5 * 1000 * serving_constants.vllm_stream_s);
}

/* E185. An engine's default limits depend on the accelerator's memory and on the engine's release. */
static void start_values_follow_the_memory(void **state)
{
	struct accelerator h100 = {.id = "h100-sxm5-80gb", .memory_gb = 80, .memory_usable_bytes = 85.5e9}, a100 = h100, small = h100;

	(void)state;
	a100.id = "a100-sxm4-80gb";
	small.id = "l4";
	small.memory_usable_bytes = 24e9;
	assert_close(engine_rules_at(ENGINE_VLLM, &h100, 6).chunk_tokens, 8192, 1e-12);
	assert_close(engine_rules_at(ENGINE_VLLM, &h100, 6).max_batch, 1024, 1e-12);
	assert_close(engine_rules_at(ENGINE_VLLM, &h100, 4.8).max_batch, 256, 1e-12);
	assert_close(engine_rules_at(ENGINE_VLLM, &a100, 6).chunk_tokens, 2048, 1e-12);
	assert_close(engine_rules_at(ENGINE_VLLM, &a100, 6).max_batch, 256, 1e-12);
	assert_close(engine_rules_at(ENGINE_SGLANG, &a100, 6).chunk_tokens, 8192, 1e-12);
	assert_close(engine_rules_at(ENGINE_SGLANG, &small, 6).chunk_tokens, 2048, 1e-12);
	assert_close(engine_rules_at(ENGINE_TENSORRT_LLM, &small, 6).chunk_tokens, 8192, 1e-12);
}

/* E186, E187. Older releases are slower: before V1 by the rank, before 2025-11
 * with latent attention. A newer release is never slower. */
static void older_releases_are_not_faster(void **state)
{
	struct serving_fixture fixture;
	static const char *const releases[] = {"2023-10", "2024-07", "2024-10", "2025-02", "2025-03", "2025-09", "2025-12", "2026-02", "2026-06"};
	static const enum engine engines[] = {ENGINE_VLLM, ENGINE_SGLANG};

	(void)state;
	serving_fixture_fill(&fixture);
	assert_close(engine_release_step_s(&serving_constants, ENGINE_VLLM, 3.8, 8), 8 * serving_constants.rank_step_s, 1e-12);
	assert_close(engine_release_step_s(&serving_constants, ENGINE_VLLM, 4.9, 2), 2 * serving_constants.rank_late_s, 1e-12);
	assert_close(engine_release_step_s(&serving_constants, ENGINE_VLLM, 5.2, 8), 0, 1e-12);
	assert_close(engine_release_step_s(&serving_constants, ENGINE_SGLANG, 3.8, 8), 0, 1e-12);
	assert_close(engine_latent_lag_years(5 + 10.0 / 12), 0, 1e-12);
	assert_close(engine_latent_lag_years(5 + 4.0 / 12), 0.5, 1e-9);
	assert_close(engine_latent_lag_years(3), 1, 1e-12);
	for (size_t e = 0; e < COUNT_OF(engines); e++) {
		double before_s = INFINITY;

		for (size_t i = 0; i < COUNT_OF(releases); i++) {
			struct replica replica = prepared(&fixture, &fixture.performance.model, layout_of(engines[e], releases[i]));
			double now_s = step_s(&replica, 64, 1000, 0);

			assert_true(now_s <= before_s * (1 + 1e-12));
			before_s = now_s;
		}
	}
	/* On accelerators with 4-bit arithmetic TensorRT-LLM ran PyTorch models from the first release. */
	fixture.candidate.accelerator.tflops_fp4 = 9000;
	assert_int_equal(engine_runtime(ENGINE_TENSORRT_LLM, &fixture.candidate.accelerator, 5.1), RUNTIME_TENSORRT_PYTORCH);
	fixture.candidate.accelerator.tflops_fp4 = ABSENT_NUMBER;
	assert_int_equal(engine_runtime(ENGINE_TENSORRT_LLM, &fixture.candidate.accelerator, 5.1), RUNTIME_TENSORRT_NATIVE);
}

/* E190. A static batch without an engine has no host work between its steps, and all of the memory. */
static void a_batch_without_engine_is_faster(void **state)
{
	struct serving_fixture fixture;
	struct replica engine, bare;

	(void)state;
	serving_fixture_fill(&fixture);
	engine = bare = prepared(&fixture, &fixture.performance.model, layout_of(ENGINE_GENERIC, "2026-01"));
	replica_without_engine(&bare);
	assert_true(step_s(&bare, 1, 100, 0) < step_s(&engine, 1, 100, 0));
	assert_true(bare.kv_budget_bytes > engine.kv_budget_bytes);
	assert_close(bare.memory.total_bytes - engine.memory.total_bytes, bare.kv_budget_bytes - engine.kv_budget_bytes, 1e-9);
	assert_true(bare.memory.total_bytes <= bare.memory.capacity_bytes * (1 + 1e-12));
}

/* AWS Neuron: an all-reduce has a latency of its own, and attention costs by
 * the token in long and short contexts alike. */
static void neuron_has_a_stack_of_its_own(void **state)
{
	struct serving_fixture fixture;
	struct replica nvidia, neuron;
	double far_s, near_s;

	(void)state;
	serving_fixture_fill(&fixture);
	nvidia = prepared(&fixture, &fixture.performance.model, layout_of(ENGINE_GENERIC, "2026-01"));
	fixture.candidate.accelerator.vendor = "aws";
	neuron = prepared(&fixture, &fixture.performance.model, layout_of(ENGINE_GENERIC, "2026-01"));
	assert_close(neuron.reduce_s, serving_constants.neuron_reduce_s, 1e-12);
	assert_close(nvidia.reduce_s, serving_constants.reduce_s, 1e-12);
	far_s = step_s(&neuron, 1, 8000, 0) - step_s(&nvidia, 1, 8000, 0);
	near_s = step_s(&neuron, 1, 1000, 0) - step_s(&nvidia, 1, 1000, 0);
	assert_close(far_s - near_s, 80 * 2 * 7000 * serving_constants.neuron_pair_s, 1e-6);
	assert_true(layout_pads_heads(&fixture.candidate.accelerator));
	fixture.candidate.accelerator.vendor = "nvidia";
	assert_false(layout_pads_heads(&fixture.candidate.accelerator));
}

static void kernels_are_measured_or_a_mean(void **state)
{
	struct accelerator accelerator = {.id = "h100-sxm5-80gb"};
	struct kernel_rates h100 = kernel_rates_of(&accelerator), other;

	(void)state;
	assert_true(h100.measured);
	assert_close(h100.gemm_16, 0.732, 1e-12);
	accelerator.id = "gh200-96gb";
	other = kernel_rates_of(&accelerator);
	assert_close(other.gemm_8, h100.gemm_8, 1e-12);
	accelerator.id = "b200-sxm6-180gb";
	assert_true(kernel_rates_of(&accelerator).gemm_4 < kernel_rates_of(&accelerator).gemm_8); /* a smaller share, of a peak twice as high */
	assert_true(kernel_rates_of(&accelerator).least_s < h100.least_s && kernel_rates_of(&accelerator).memory < h100.memory);
	accelerator.id = "mi300x";
	assert_true(kernel_rates_of(&accelerator).memory > 0.7 && kernel_rates_of(&accelerator).gemm_4 > 0);
	accelerator.id = "a-new-one";
	other = kernel_rates_of(&accelerator);
	assert_true(!other.measured && other.gemm_16 > other.gemm_8 && other.gemm_8 > other.gemm_4);
	accelerator.id = NULL;
	assert_close(kernel_rates_of(&accelerator).gemm_16, other.gemm_16, 1e-12);
}

static double parts_joules(const struct performance_input *input)
{
	const struct performance_request *request = &input->request;

	return performance.energy.decode_joules_per_output_token + performance.energy.idle_joules_per_output_token +
		performance.energy.prefill_joules_per_prompt_token * request->prompt_tokens.mean / request->output_tokens.mean;
}

/* Tokens that the prefix cache holds are not computed. */
static void a_found_prefix_is_not_computed(void **state)
{
	struct serving_fixture fixture;
	struct performance_input *input = &fixture.performance;
	double throughput, ttft_ms;

	(void)state;
	serving_fixture_fill(&fixture);
	operate(input);
	throughput = performance.output_tokens_per_s;
	ttft_ms = performance.ttft_ms;
	input->request.prefix_cache_hit_rate = 0.8;
	operate(input);
	assert_true(performance.output_tokens_per_s > 1.02 * throughput);
	assert_true(performance.ttft_ms < 0.8 * ttft_ms);
}

/* E194. At a rate near saturation the interval of TTFT contains the queue of a slightly slower replica. */
static void a_queue_widens_the_interval(void **state)
{
	struct serving_fixture fixture;
	struct performance_input *input = &fixture.performance;
	double quiet, busy;

	(void)state;
	serving_fixture_fill(&fixture);
	input->request.concurrency = ABSENT_NUMBER;
	input->request.requests = 2000;
	input->request.requests_per_s = 0.2;
	operate(input);
	quiet = performance.interval.ttft_ms.p90 / performance.ttft_ms;
	input->request.requests_per_s = 6;
	while (operate(input), performance.ttft_ms < 400)
		input->request.requests_per_s *= 1.03;
	input->request.requests_per_s /= 1.03;
	operate(input);
	busy = performance.interval.ttft_ms.p90 / performance.ttft_ms;
	assert_true(busy > 2 * quiet);
	assert_true(performance.interval.ttft_ms.p10 <= performance.ttft_ms);
}

static void energy_by_phase_adds_up(void **state)
{
	struct serving_fixture fixture;
	struct performance_input *input = &fixture.performance;
	double decode_j;

	(void)state;
	serving_fixture_fill(&fixture);
	operate(input);
	assert_close(parts_joules(input), performance.energy.joules_per_output_token, 1e-9);
	assert_close(performance.energy.mean_w, performance.energy.joules_per_output_token * performance.output_tokens_per_s, 1e-9);
	assert_close(performance.energy.idle_joules_per_output_token, 0, 1e-12); /* a closed loop is never idle */
	/* An output token costs a pass over the weights. A prompt token shares the pass with its prompt. */
	assert_true(performance.energy.decode_joules_per_output_token > 3 * performance.energy.prefill_joules_per_prompt_token);
	assert_true(performance.energy.prefill_joules_per_prompt_token > 0);
	decode_j = performance.energy.decode_joules_per_output_token;
	input->request.concurrency *= 8; /* more sequences share each pass */
	operate(input);
	assert_true(performance.energy.decode_joules_per_output_token < 0.5 * decode_j);

	input->request.concurrency = ABSENT_NUMBER;
	input->request.requests_per_s = 0.05;
	operate(input);
	assert_close(parts_joules(input), performance.energy.joules_per_output_token, 1e-9);
	assert_true(performance.energy.idle_joules_per_output_token > 0);
	input->request.requests_per_s = ABSENT_NUMBER;
	input->request.concurrency = 16;
	input->request.static_batch = TRUTH_TRUE;
	operate(input);
	assert_close(parts_joules(input), performance.energy.joules_per_output_token, 1e-9);
}

/* A run with fewer requests than its concurrency has at most its own requests under way. */
static void a_short_run_is_as_many_as_it_has(void **state)
{
	struct serving_fixture fixture;
	struct performance few;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.performance.request.concurrency = 8;
	fixture.performance.request.requests = 8;
	operate(&fixture.performance);
	few = performance;
	fixture.performance.request.concurrency = 64;
	operate(&fixture.performance);
	assert_close(performance.ttft_ms, few.ttft_ms, 1e-12);
	assert_close(performance.tpot_ms, few.tpot_ms, 1e-12);
	assert_close(performance.output_tokens_per_s, few.output_tokens_per_s, 1e-12);
	fixture.performance.request.requests = 64;
	operate(&fixture.performance);
	assert_true(performance.ttft_ms > 2 * few.ttft_ms);
}

/* Ever faster arrivals become a run whose requests all start together. Waits never fall as arrivals come faster. */
static void arrivals_at_once_are_a_burst(void **state)
{
	struct serving_fixture fixture;
	double burst_ms, before_ms = 0;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.performance.request.engine = ENGINE_VLLM;
	fixture.performance.request.requests = 100;
	fixture.performance.request.concurrency = 100;
	operate(&fixture.performance);
	burst_ms = performance.ttft_ms;
	fixture.performance.request.concurrency = ABSENT_NUMBER;
	for (double rate = 0.5; rate < 1e6; rate *= 1.6) {
		fixture.performance.request.requests_per_s = rate;
		operate(&fixture.performance);
		assert_true(performance.ttft_ms >= before_ms * (1 - 1e-9) && performance.ttft_ms <= burst_ms * (1 + 1e-9));
		assert_close(performance.requests_per_s * 300, performance.output_tokens_per_s, 1e-9);
		before_ms = performance.ttft_ms;
	}
	assert_close(before_ms, burst_ms, 0.01);
}

static void tokens_are_those_read_and_those_written(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	operate(&fixture.performance);
	assert_close(performance.total_tokens_per_s, performance.requests_per_s * 1300, 1e-9);
	assert_close(performance.output_tokens_per_s, performance.requests_per_s * 300, 1e-9);
	assert_close(performance.output_tokens_per_s_per_gpu * 4, performance.output_tokens_per_s, 1e-12);
}

static void a_static_batch_beyond_the_cache_is_said(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.performance.request.static_batch = TRUTH_TRUE;
	fixture.performance.request.concurrency = 8;
	operate(&fixture.performance);
	assert_int_equal(performance.findings.warning_count, 0);
	fixture.performance.request.concurrency = 50000;
	operate(&fixture.performance);
	assert_int_equal(performance.findings.warning_count, 1);
	assert_contains(performance.findings.warnings[0].detail, "static batch");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_are_each_engines_own),
		cmocka_unit_test(chunks_start_anew),
		cmocka_unit_test(hosts_with_grace_are_slower_until_2026),
		cmocka_unit_test(stages_repeat_the_hosts_work),
		cmocka_unit_test(decoding_replays_the_next_captured_graph),
		cmocka_unit_test(one_process_sends_out_all_tokens),
		cmocka_unit_test(start_values_follow_the_memory),
		cmocka_unit_test(older_releases_are_not_faster),
		cmocka_unit_test(a_batch_without_engine_is_faster),
		cmocka_unit_test(neuron_has_a_stack_of_its_own),
		cmocka_unit_test(kernels_are_measured_or_a_mean),
		cmocka_unit_test(a_found_prefix_is_not_computed),
		cmocka_unit_test(a_queue_widens_the_interval),
		cmocka_unit_test(energy_by_phase_adds_up),
		cmocka_unit_test(a_short_run_is_as_many_as_it_has),
		cmocka_unit_test(arrivals_at_once_are_a_burst),
		cmocka_unit_test(a_static_batch_beyond_the_cache_is_said),
		cmocka_unit_test(tokens_are_those_read_and_those_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
