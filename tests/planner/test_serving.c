/* Serving: one replica at an operating point, fleets for a load, and what must hold between their answers. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "planner/serving/fleet.h"
#include "planner/serving/latency.h"
#include "planner/serving/option.h"
#include "support/assert.h"
#include "support/golden.h"
#include "support/serving_fixture.h"

static struct inference_plan plan;
static struct performance performance;
static struct failure failure;

static enum status run(const struct inference_input *input)
{
	memset(&plan, 0, sizeof plan);
	failure_clear(&failure);
	return planner_inference(input, &plan, &failure);
}

static enum status operate(const struct performance_input *input)
{
	memset(&performance, 0, sizeof performance);
	failure_clear(&failure);
	return planner_performance(input, &performance, &failure);
}

/* --- one replica ------------------------------------------------------------------------------------------- */

static void memory_parts_sum_to_the_total(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_close(performance.memory.total_bytes, performance.memory.weights_bytes + performance.memory.kv_cache_bytes
		+ performance.memory.activations_bytes + performance.memory.overhead_bytes, 1e-12);
	assert_true(performance.memory.total_bytes <= performance.memory.capacity_bytes);
	/* 70.55e9 parameters in 16 bits over 4 accelerators: norms and rounding aside. */
	assert_close(performance.memory.weights_bytes, 70.5537e9 * 2 / 4, 0.01);
	/* 80 layers x 8 heads x 2 x 128 x 2 bytes = 327,680 a token, over four. */
	assert_close(performance.memory.kv_tokens_capacity, performance.memory.kv_cache_bytes / (327680.0 / 4), 1e-9);
}

static void kv_capacity_doubles_with_half_the_bytes(void **state)
{
	struct serving_fixture fixture;
	double wide;

	(void)state;
	serving_fixture_fill(&fixture);
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	wide = performance.memory.kv_tokens_capacity;
	fixture.performance.request.kv_precision = PRECISION_FP8;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_close(performance.memory.kv_tokens_capacity, 2 * wide, 1e-9);
}

static void faster_hardware_is_never_slower(void **state)
{
	struct serving_fixture fixture;
	double before;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.performance.request.concurrency = 16;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	before = performance.tpot_ms;
	fixture.candidate.accelerator.memory_bandwidth_gbs *= 1.5;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_true(performance.tpot_ms < before * 0.9); /* decoding 16 sequences is bound by memory */
	before = performance.ttft_ms;
	fixture.candidate.accelerator.tflops_bf16 *= 1.5;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_true(performance.ttft_ms < before * 0.95);
	before = performance.tpot_ms;
	fixture.candidate.accelerator.interconnect_gbs *= 2;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_true(performance.tpot_ms < before);
}

static void decoding_alone_streams_the_weights(void **state)
{
	struct serving_fixture fixture;
	double floor_ms;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.performance.request.concurrency = 1;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	floor_ms = performance.memory.weights_bytes / (3350e9) * 1000;
	assert_true(performance.tpot_ms > floor_ms && performance.tpot_ms < 2.5 * floor_ms);
}

static void load_moves_what_it_must(void **state)
{
	struct serving_fixture fixture;
	double last_tpot = 0, last_rate = 0;

	(void)state;
	serving_fixture_fill(&fixture);
	for (double concurrency = 1; concurrency <= 256; concurrency *= 2) {
		fixture.performance.request.concurrency = concurrency;
		assert_int_equal(operate(&fixture.performance), STATUS_OK);
		assert_true(performance.tpot_ms >= last_tpot && performance.output_tokens_per_s >= last_rate * 0.999);
		/* Little: requests inside = rate x time inside. */
		assert_close(performance.requests_per_s * (performance.ttft_ms + 299 * performance.tpot_ms) / 1000, concurrency, 0.03);
		last_tpot = performance.tpot_ms;
		last_rate = performance.output_tokens_per_s;
	}
	fixture.performance.request.concurrency = CONCURRENCY_MAX;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_true(performance.output_tokens_per_s >= last_rate * 0.999);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(memory_parts_sum_to_the_total),
	cmocka_unit_test(kv_capacity_doubles_with_half_the_bytes),
	cmocka_unit_test(faster_hardware_is_never_slower),
	cmocka_unit_test(decoding_alone_streams_the_weights),
	cmocka_unit_test(load_moves_what_it_must),
};

int main(void)
{
	(void)run;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
