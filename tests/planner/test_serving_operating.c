/* Serving: operating points, steps and waits, each part by its own arithmetic from the cost of a step. */
#include <math.h>
#include <string.h>

#include "planner/replica/latency.h"
#include "planner/serving/disaggregated.h"
#include "support/assert.h"
#include "support/serving_fixture.h"

static struct serving_fixture fixture;
static struct operating_point point;

static struct replica prepared(enum engine engine, int tensor)
{
	struct replica_layout layout = {.tensor = tensor,
		.pipeline = 1,
		.expert = 1,
		.attention_data = 1,
		.precision = PRECISION_BF16,
		.kv_precision = PRECISION_BF16,
		.engine = engine,
		.release_years = engine_newest_release_years(),
		.max_batch = ABSENT_NUMBER,
		.chunk_tokens = ABSENT_NUMBER};
	struct replica replica;

	serving_fixture_fill(&fixture);
	assert_true(replica_prepare(&replica, &fixture.inference.model, &fixture.candidate.accelerator, NULL, &layout, &serving_constants));
	return replica;
}

static struct request_shape shape_of(double prompt, double output, double output_cv)
{
	return (struct request_shape){.prompt_tokens = prompt, .output_tokens = output, .output_cv = output_cv, .run_requests = ABSENT_NUMBER};
}

static struct step step_of(const struct replica *replica, double sequences, double context, double prompt, double prompts)
{
	struct batch batch = {
		.decode_sequences = sequences, .decode_context_tokens = context, .prefill_tokens = prompt, .prefill_sequences = prompts};
	struct step step;

	step_time(replica, &batch, &step);
	return step;
}

/* --- one replica ------------------------------------------------------------------------------------------------ */

/* Checks a closed loop in balance. The shares of bare and mixed steps follow from the prompts that replace finished
 * requests. Launches hide behind bare steps, as far as there are any. The first token comes after half a step, the
 * prompts ahead and the request's own prompt. */
static void closed_loop_is(const struct replica *replica, const struct request_shape *shape, double concurrency)
{
	double sequences, wanted, budget, tokens, share, load, hidden_s, step_s, context;
	static const double not_settled = 4e-3; /* the batch is iterated for some rounds only */
	struct step bare, mixed;

	operating_closed(replica, shape, concurrency, &point);
	sequences = point.decode_sequences;
	wanted = sequences / (shape->output_tokens - 1) * shape->prompt_tokens;
	budget = replica->rules.chunk_tokens - sequences;
	assert_true(wanted < budget);
	tokens = fmax(shape->prompt_tokens, wanted);
	share = wanted / tokens;
	context = shape->prompt_tokens + shape->output_tokens * (1 + shape->output_cv * shape->output_cv) / 2;
	bare = step_of(replica, sequences, context, 0, 0);
	mixed = step_of(replica, sequences, context, tokens, tokens / shape->prompt_tokens);
	hidden_s = fmin(mixed.launch_s, (1 - share) * bare.time_s);
	step_s = (1 - share) * bare.time_s + share * (mixed.time_s - hidden_s);
	load = wanted / budget;
	assert_close(point.prefill_share, share, not_settled);
	assert_close(point.step_s, step_s, not_settled);
	assert_close(point.requests_per_s, sequences / (shape->output_tokens - 1) / step_s, not_settled);
	assert_close(point.ttft_s,
		replica->host.first_token_s + step_s / 2 + (mixed.time_s - hidden_s) * load / 2 / fmax(1 - load, 1 / (concurrency + 1)) + mixed.time_s,
		not_settled);
	/* Little's law, as far as the fixed point is iterated. */
	assert_close(
		sequences, concurrency * (shape->output_tokens - 1) * step_s / ((shape->output_tokens - 1) * step_s + point.ttft_s), not_settled);
}

static void a_closed_loop_is_its_steps(void **state)
{
	struct replica vllm = prepared(ENGINE_VLLM, 4), sglang = prepared(ENGINE_SGLANG, 4);
	struct request_shape plain = shape_of(1000, 300, 0), spread = shape_of(1000, 300, 0.8), brief = shape_of(20, 3, 0);

	(void)state;
	closed_loop_is(&vllm, &plain, 1);
	closed_loop_is(&vllm, &spread, 32);
	closed_loop_is(&sglang, &plain, 64);
	/* Every step has prompts, whose kernels are launched one by one: nothing hides the launches. */
	closed_loop_is(&sglang, &brief, 60);
	assert_close(point.prefill_share, 1, 1e-9);
	assert_true(step_of(&sglang, 1, 20, 20, 1).launch_s > 1e-3);
}

/* A batch that starts and ends together: the times of its prompts and of its
 * steps add up, and give the shares of phases. */
static void a_static_batch_is_two_phases(void **state)
{
	struct replica replica = prepared(ENGINE_VLLM, 4);
	struct request_shape shape = shape_of(1000, 300, 0.8);
	double prompts_s, total_s;

	(void)state;
	operating_static(&replica, &shape, 16, &point);
	prompts_s = step_of(&replica, 0, 0, 8192, 8.192).time_s * 16000 / 8192;
	assert_close(point.tpot_s, step_of(&replica, 16, 1000 + 300 * 1.64 / 2, 0, 0).time_s, 1e-12);
	assert_close(point.ttft_s, prompts_s + serving_constants.kernel_s, 1e-9);
	total_s = prompts_s + 299 * point.tpot_s;
	assert_close(point.requests_per_s, 16 / total_s, 1e-9);
	assert_close(point.phases[PHASE_PREFILL].share, prompts_s / total_s, 1e-9);
	assert_close(point.phases[PHASE_DECODE].share, 299 * point.tpot_s / total_s, 1e-9);
}

/* All requests come at once, three times as many as the cache holds. They run in waves, and a wave waits for those
 * before it, on average for one. */
static void a_burst_beyond_the_cache_comes_in_waves(void **state)
{
	struct replica replica = prepared(ENGINE_VLLM, 4);
	struct request_shape shape = shape_of(1000, 300, 0);
	double held = replica_sequences_max(&replica, 1000, 2 * 300), decode_s; /* equal answers reach their full length together (E191) */
	struct operating_point wave;

	(void)state;
	operating_static(&replica, &shape, held, &wave);
	decode_s = 299 * wave.tpot_s;
	shape.run_requests = 3 * held;
	operating_closed(&replica, &shape, 3 * held, &point);
	assert_close(point.ttft_s,
		replica.host.first_token_s + replica.host.request_s * 3 * held / 2 + wave.ttft_s / 2 + (wave.ttft_s + decode_s), 2e-3);
	assert_close(point.requests_per_s, 3 * held / (3 * (wave.ttft_s + decode_s)), 2e-3);
}

/* Two requests start together. The run lasts as long as the longer answer: the
 * 75th percentile of two log-normal ones. */
static void a_burst_lasts_as_long_as_its_longest_answer(void **state)
{
	struct replica replica = prepared(ENGINE_VLLM, 4);
	struct request_shape even = shape_of(100, 300, 0), spread = shape_of(100, 300, 0.5);
	double even_s, spread_s, prompts_s, sigma = sqrt(log(1.25));

	(void)state;
	operating_static(&replica, &even, 2, &point);
	prompts_s = point.ttft_s;
	even.run_requests = spread.run_requests = 2;
	operating_closed(&replica, &even, 2, &point);
	even_s = 2 / point.requests_per_s - prompts_s;
	operating_closed(&replica, &spread, 2, &point);
	spread_s = 2 / point.requests_per_s - prompts_s;
	/* Steps of one and of two sequences take nearly the same time. */
	assert_close(spread_s / even_s, exp(0.6745 * sigma - sigma * sigma / 2), 0.02);
}

/* Ten requests, one every two seconds: the run ends when the last has come and has been answered. */
static void a_run_ends_with_its_last_answer(void **state)
{
	struct replica replica = prepared(ENGINE_VLLM, 4);
	struct request_shape shape = shape_of(1000, 300, 0);

	(void)state;
	shape.run_requests = 10;
	operating_open(&replica, &shape, 0.5, &point);
	assert_close(point.output_tokens_per_s, 10 * 300 / (10 / 0.5 + point.prefill_s + 299 * point.tpot_s), 0.02);
	assert_true(point.prefill_s > 0.02 && point.prefill_s < 0.5);
}

/* E192. Arrivals faster than the replica only lengthen the queue. The run's
 * throughput rises to that of all requests at once. */
static void an_overloaded_run_is_a_plateau(void **state)
{
	struct replica replica = prepared(ENGINE_VLLM, 4);
	struct request_shape shape = shape_of(200, 120, 0.5);
	double before = 0, at_once;

	(void)state;
	shape.run_requests = 1000;
	operating_closed(&replica, &shape, 1000, &point);
	at_once = point.output_tokens_per_s;
	for (double rate = 1; rate < 3000; rate *= 1.25) {
		operating_open(&replica, &shape, rate, &point);
		assert_true(point.output_tokens_per_s >= before * (1 - 1e-9));
		assert_true(point.output_tokens_per_s <= at_once * (1 + 1e-9));
		before = point.output_tokens_per_s;
	}
	assert_close(before, at_once, 1e-3);
}

/* E191. Equal answers that start together all reach their full length at once,
 * so fewer fit than of unequal answers. */
static void unequal_answers_hold_less_at_once(void **state)
{
	struct replica replica = prepared(ENGINE_VLLM, 4);
	struct request_shape even = shape_of(1000, 3000, 0), spread = shape_of(1000, 3000, 1.5);
	double even_ttft_s, most = 4 * replica_sequences_max(&replica, 1000, 3000);

	(void)state;
	even.run_requests = spread.run_requests = most;
	operating_closed(&replica, &even, most, &point);
	even_ttft_s = point.ttft_s;
	operating_static(&replica, &even, replica_sequences_max(&replica, 1000, 3000), &point);
	assert_true(replica_sequences_max(&replica, 1000, 6000) < replica_sequences_max(&replica, 1000, 3000));
	assert_true(even_ttft_s > 0.5 * most / replica_sequences_max(&replica, 1000, 6000) * 2000 * point.tpot_s);
}

/* A load of 1.5 times the replica's rate, for 4,000 requests. Requests that
 * find the batch full wait for half of the backlog. */
static void an_overloaded_run_waits_for_what_is_behind(void **state)
{
	struct replica replica = prepared(ENGINE_VLLM, 4);
	struct request_shape shape = shape_of(1000, 300, 0);
	struct operating_point steady;
	double rate, behind, waiting;

	(void)state;
	operating_closed(&replica, &shape, CONCURRENCY_MAX, &steady);
	rate = 1.5 * steady.requests_per_s;
	shape.run_requests = 4000;
	operating_open(&replica, &shape, rate, &point);
	assert_true(point.saturated);
	behind = 4000.0 / 3;
	waiting = behind - steady.decode_sequences;
	assert_true(waiting > 0.2 * behind && waiting < 0.95 * behind);
	assert_close(point.ttft_s, steady.ttft_s + waiting * waiting / behind / steady.requests_per_s / 2, 1e-9);
	/* A run of twice the length has twice the backlog, and the batch is full for more of it. */
	shape.run_requests = 8000;
	operating_open(&replica, &shape, rate, &point);
	waiting = 2 * behind - steady.decode_sequences;
	assert_close(point.ttft_s, steady.ttft_s + waiting * waiting / (2 * behind) / steady.requests_per_s / 2, 1e-9);
}

/* --- steps ------------------------------------------------------------------------------------------------------ */

/* A chunk of twice the length has four times the pairs of tokens and predecessors. The rest of a step is linear,
 * except for the one token that each chunk samples. */
static void prompts_attend_to_what_is_before_them(void **state)
{
	struct replica replica = prepared(ENGINE_VLLM, 4);
	double one = step_of(&replica, 0, 0, 2000, 1).flops, two = step_of(&replica, 0, 0, 4000, 1).flops;
	double pairs = 80 * replica.kinds[0].prefill_flops_per_pair * 2000 * 2000, logits = 2 * replica.logits.n * replica.logits.k;

	(void)state;
	assert_close(two - 2 * one, pairs - logits, 1e-9);
	assert_close(replica.kinds[0].prefill_flops_per_pair, 2 * 64.0 / 4 * 256, 1e-12);
}

/* Chunks attend to 30,000 earlier tokens at the rate of attention kernels, which is half at 900 tokens
 * (aiconfigurator's 0.55 c / (c + 900)). */
static void short_chunks_attend_slowly(void **state)
{
	struct replica replica = prepared(ENGINE_VLLM, 4);

	(void)state;
	for (double chunk = 100; chunk < 9000; chunk *= 3) {
		struct batch batch = {.prefill_tokens = chunk, .prefill_sequences = 1};
		struct step near, far;
		double flops = 80 * chunk * 30000 * replica.kinds[0].prefill_flops_per_pair;

		step_time(&replica, &batch, &near);
		batch.prefill_context_tokens = 30000;
		step_time(&replica, &batch, &far);
		assert_close(far.flops - near.flops, flops, 1e-9);
		assert_close(far.compute_s - near.compute_s, flops / (989.5e12 * 0.55 * chunk / (chunk + 900)), 1e-9);
	}
}

static void several_accelerators_hold_buffers_for_collectives(void **state)
{
	struct replica two = prepared(ENGINE_VLLM, 2), one = prepared(ENGINE_VLLM, 1);

	(void)state;
	assert_close(two.memory.overhead_bytes - one.memory.overhead_bytes, 0.6e9, 1e-9);
}

/* vLLM admits what fits now, with half of an answer on average; TensorRT-LLM admits what can end without eviction. */
static void engines_count_answers_in_as_they_admit(void **state)
{
	struct replica vllm = prepared(ENGINE_VLLM, 4), native = prepared(ENGINE_TENSORRT_LLM, 4);

	(void)state;
	assert_close(replica_sequences_max(&vllm, 1000, 2000), floor(vllm.kv_budget_bytes / replica_sequence_bytes(&vllm, 2000)), 1e-12);
	assert_close(replica_sequences_max(&native, 1000, 2000), floor(native.kv_budget_bytes / replica_sequence_bytes(&native, 3000)), 1e-12);
}

/* TensorRT-LLM stores the cache in FP8 for FP8 and FP4 checkpoints. Integer
 * weights do not decide the cache's format. */
static void caches_are_narrow_for_narrow_floats(void **state)
{
	static const struct {
		enum precision weights, cache;
	} pairs[] = {{PRECISION_FP8, PRECISION_FP8}, {PRECISION_NVFP4, PRECISION_FP8}, {PRECISION_MXFP4, PRECISION_FP8},
		{PRECISION_INT8, PRECISION_BF16}, {PRECISION_INT4, PRECISION_BF16}, {PRECISION_BF16, PRECISION_BF16}};

	(void)state;
	serving_fixture_fill(&fixture);
	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		assert_int_equal(engine_kv_precision(ENGINE_TENSORRT_LLM, pairs[i].weights, &fixture.candidate.accelerator), pairs[i].cache);
		assert_int_equal(engine_kv_precision(ENGINE_VLLM, pairs[i].weights, &fixture.candidate.accelerator), PRECISION_BF16);
	}
}

/* Each of four accelerators sends two of eight heads: 80 layers x 2 x 256 x 2 bytes, over its own 50 GB/s. */
static void a_prompts_cache_goes_over_its_own_adapters(void **state)
{
	struct replica replica = prepared(ENGINE_VLLM, 4);

	(void)state;
	assert_close(handoff_token_s(&replica, &fixture.candidate), 80 * 2 * 256 * 2 / 50e9, 1e-12);
	fixture.candidate.internode_gbs = 0;
	assert_close(handoff_token_s(&replica, &fixture.candidate), 0, 0);
}

/* --- waits ------------------------------------------------------------------------------------------------------ */

/* The waits of requests that wait are exponential. A mean wait of 2 s over all requests, of which half wait, is 4 s
 * over those that do. */
static void waits_fall_off_exponentially(void **state)
{
	struct latency_model model = {.wait_s = 2, .wait_probability = 0.5, .shape = {.output_tokens = 1}};

	(void)state;
	assert_close(latency_quantile_s(&model, LATENCY_TTFT, 0.95), 4 * log(10), 1e-12);
	assert_close(latency_quantile_s(&model, LATENCY_TTFT, 0.75), 4 * log(2), 1e-12);
	assert_close(latency_quantile_s(&model, LATENCY_TTFT, 0.5), 0, 0);
	model.wait_probability = 1;
	assert_close(latency_quantile_s(&model, LATENCY_TTFT, 0.5), 2 * log(2), 1e-12);
}

/* Gaps of cv 3 that are divided at random over four replicas have a squared cv of 1 + (9 - 1)/4 on each. */
static void shared_arrivals_come_nearer_to_poisson(void **state)
{
	struct replica replica = prepared(ENGINE_VLLM, 4);
	struct demand demand = {.shape = shape_of(1000, 300, 0.5), .arrival_cv = 3};
	struct latency_model shared, alone;

	(void)state;
	assert_true(latency_prepare(&replica, &demand, 4, 20, &shared));
	demand.arrival_cv = sqrt(3);
	assert_true(latency_prepare(&replica, &demand, 1, 5, &alone));
	assert_close(shared.wait_s, alone.wait_s, 1e-12);
	assert_true(alone.wait_s > 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_closed_loop_is_its_steps),
	cmocka_unit_test(a_static_batch_is_two_phases),
	cmocka_unit_test(a_burst_beyond_the_cache_comes_in_waves),
	cmocka_unit_test(a_burst_lasts_as_long_as_its_longest_answer),
	cmocka_unit_test(a_run_ends_with_its_last_answer),
	cmocka_unit_test(an_overloaded_run_is_a_plateau),
	cmocka_unit_test(unequal_answers_hold_less_at_once),
	cmocka_unit_test(an_overloaded_run_waits_for_what_is_behind),
	cmocka_unit_test(prompts_attend_to_what_is_before_them),
	cmocka_unit_test(short_chunks_attend_slowly),
	cmocka_unit_test(several_accelerators_hold_buffers_for_collectives),
	cmocka_unit_test(engines_count_answers_in_as_they_admit),
	cmocka_unit_test(caches_are_narrow_for_narrow_floats),
	cmocka_unit_test(a_prompts_cache_goes_over_its_own_adapters),
	cmocka_unit_test(waits_fall_off_exponentially),
	cmocka_unit_test(shared_arrivals_come_nearer_to_poisson),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
