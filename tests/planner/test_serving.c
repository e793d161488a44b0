/* Serving: one replica at an operating point, golden cases, and queues. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "planner/replica/latency.h"
#include "planner/serving/fleet_cost.h"
#include "planner/serving/hosted.h"
#include "planner/serving/serving_fleet.h"
#include "planner/serving/serving_front.h"
#include "planner/serving/serving_option.h"
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
	assert_close(performance.memory.total_bytes,
		performance.memory.weights_bytes + performance.memory.kv_cache_bytes + performance.memory.activations_bytes +
			performance.memory.overhead_bytes,
		1e-12);
	assert_true(performance.memory.total_bytes <= performance.memory.capacity_bytes);
	/* 70.55e9 parameters in 16 bits over 4 accelerators, without norms and rounding. */
	assert_close(performance.memory.weights_bytes, 70.5537e9 * 2 / 4, 0.01);
	/* 80 layers x 8 heads x 2 x 128 x 2 bytes = 327,680 a token, over four accelerators. */
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
		/* Little's law: requests inside = rate x time inside. */
		assert_close(performance.requests_per_s * (performance.ttft_ms + 299 * performance.tpot_ms) / 1000, concurrency, 0.03);
		last_tpot = performance.tpot_ms;
		last_rate = performance.output_tokens_per_s;
	}
	fixture.performance.request.concurrency = CONCURRENCY_MAX;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_true(performance.output_tokens_per_s >= last_rate * 0.999);
}

/* --- golden ------------------------------------------------------------------------------------------------------ */

static enum precision precision_of(const char *word)
{
	for (int i = 1; i < PRECISION_COUNT; i++)
		if (strcmp(precision_name((enum precision)i), word) == 0)
			return (enum precision)i;
	fail_msg("no precision %s", word);
	return PRECISION_UNSET;
}

static enum engine engine_of(const char *word)
{
	for (int i = 1; i < ENGINE_COUNT; i++)
		if (strcmp(engine_rules_of((enum engine)i)->name, word) == 0)
			return (enum engine)i;
	fail_msg("no engine %s", word);
	return ENGINE_UNSET;
}

static void golden_operate(const struct golden_case *golden)
{
	struct serving_fixture fixture;
	struct performance_request *request = &fixture.performance.request;

	serving_fixture_fill(&fixture);
	request->engine = engine_of(golden_word(golden, "engine"));
	request->engine_release = golden_word_or(golden, "release", NULL);
	request->common.precision = precision_of(golden_word(golden, "precision"));
	request->common.gpu_count = (int64_t)golden_number(golden, "gpus");
	request->prompt_tokens.mean = golden_number_or(golden, "prompt", 1000);
	request->output_tokens.mean = golden_number_or(golden, "output", 300);
	request->requests_per_s = golden_number_or(golden, "requests_per_s", ABSENT_NUMBER);
	request->concurrency = golden_number_or(golden, "concurrency", is_given(request->requests_per_s) ? ABSENT_NUMBER : CONCURRENCY_MAX);
	request->requests = (int64_t)golden_number_or(golden, "requests", -1);
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
}

static double golden_point(const struct golden_case *golden, const char *expected)
{
	golden_operate(golden);
	if (strcmp(expected, "tpot_ms") == 0)
		return performance.tpot_ms;
	if (strcmp(expected, "ttft_ms") == 0)
		return performance.ttft_ms;
	return strcmp(expected, "output_tokens_per_s") == 0 ? performance.output_tokens_per_s : NAN;
}

static double golden_cache(const struct golden_case *golden, const char *expected)
{
	(void)expected;
	golden_operate(golden);
	return performance.memory.kv_cache_bytes / performance.memory.kv_tokens_capacity;
}

static double golden_rule(const struct golden_case *golden, const char *expected)
{
	struct serving_fixture fixture;

	serving_fixture_fill(&fixture);
	fixture.inference.request.output_tokens.mean = golden_number(golden, "output_tokens");
	fixture.inference.request.throughput_tokens_per_s_per_gpu = golden_number(golden, "throughput");
	fixture.inference.request.queries_per_minute = golden_number(golden, "queries_per_minute");
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	return strcmp(expected, "gpu_count") == 0 ? plan.rule_of_thumb.gpu_count : plan.rule_of_thumb.gpu_count_exact;
}

static double golden_spread(const struct golden_case *golden, const char *expected)
{
	struct token_distribution tokens = {
		.mean = golden_number(golden, "mean"), .p50 = golden_number(golden, "p50"), .p95 = ABSENT_NUMBER, .cv = ABSENT_NUMBER};
	double mean, cv;

	(void)expected;
	assert_true(demand_tokens(&tokens, &mean, &cv));
	return cv;
}

static double golden_accepted(const struct golden_case *golden, const char *expected)
{
	struct serving_fixture fixture;
	struct findings findings;
	struct demand demand;

	(void)expected;
	serving_fixture_fill(&fixture);
	findings_clear(&findings);
	failure_clear(&failure);
	fixture.inference.request.speculative.draft_tokens = golden_number(golden, "draft");
	fixture.inference.request.speculative.acceptance = golden_number(golden, "acceptance");
	assert_int_equal(demand_read(&fixture.inference.request, &demand, &findings, &failure), STATUS_OK);
	return demand.shape.accepted_tokens;
}

static double golden_data(const struct golden_case *golden, const char *expected)
{
	struct pricing pricing = {.storage_usd_per_gb_month = golden_number(golden, "storage_usd"),
		.egress_usd_per_gb = golden_number(golden, "egress_usd"),
		.storage_gb = golden_number_or(golden, "storage_gb", ABSENT_NUMBER),
		.egress_gb = golden_number_or(golden, "egress_gb", ABSENT_NUMBER)};
	struct data_cost cost = cost_of_serving_data(
		&pricing, golden_number(golden, "weights_bytes"), golden_number(golden, "output_tokens"), NULL);

	return strcmp(expected, "storage_usd") == 0 ? cost.storage_usd : cost.egress_usd;
}

static double golden_step(const struct golden_case *golden, const char *expected)
{
	(void)expected;
	return service_time_step_s(golden_number(golden, "e2e_s"));
}

/* Two days from Thursday, 1970-01-01: one hour of each differs from the rest. */
static double golden_clock(const struct golden_case *golden, const char *expected)
{
	static double gco2e_per_kwh[48], integral[49];
	double offset = golden_number_or(golden, "utc_offset_hours", 0);
	size_t shown = (size_t)golden_number(golden, "hour"), hour = shown - (size_t)offset, thursday = 72;
	struct grid_hours series = {.start_us = 0, .step_minutes = 60, .count = 48, .integral = integral};
	struct clock_grid day, week;

	for (size_t i = 0; i < 48; i++)
		gco2e_per_kwh[i] = i == hour ? golden_number(golden, "first")
			: i == hour + 24         ? golden_number(golden, "second")
									 : golden_number(golden, "rest");
	grid_hours_integrate(gco2e_per_kwh, 48, 60, integral);
	assert_true(demand_grid(&series, 24, offset, &day) && demand_grid(&series, 168, offset, &week));
	return strcmp(expected, "day") == 0      ? day.gco2e_per_kwh[shown]
		: strcmp(expected, "week") == 0      ? week.gco2e_per_kwh[thursday + shown]
		: strcmp(expected, "week_next") == 0 ? week.gco2e_per_kwh[thursday + 24 + shown]
											 : week.covered_fraction;
}

static double golden_spot(const struct golden_case *golden, const char *expected)
{
	(void)expected;
	return spot_hours_factor(golden_number(golden, "interruptions"), golden_number(golden, "gpus"), golden_number(golden, "startup_s"));
}

static double golden_hosted(const struct golden_case *golden, const char *expected)
{
	const struct hosted_price price = {"test", "test", NULL, "test", golden_number(golden, "input"), golden_number(golden, "output")};
	struct hosted hosted = hosted_beside(&price, golden_number(golden, "prompt"), golden_number(golden, "answer"),
		golden_number(golden, "usd_per_hour"), golden_number(golden, "rate"), golden_number(golden, "most"));

	return strcmp(expected, "usd_per_month") == 0         ? hosted.usd_per_month
		: strcmp(expected, "usd_per_million_tokens") == 0 ? hosted.usd_per_million_tokens
		: strcmp(expected, "own_over_hosted") == 0        ? hosted.own_over_hosted
		: strcmp(expected, "input") == 0                  ? hosted.break_even_input_usd_per_million_tokens
		: strcmp(expected, "output") == 0                 ? hosted.break_even_output_usd_per_million_tokens
		: strcmp(expected, "requests_per_s") == 0         ? hosted.break_even_requests_per_s
														  : !is_given(hosted.break_even_requests_per_s);
}

static void golden_cases_hold(void **state)
{
	static const struct golden_row table[] = {{"E11", golden_rule}, {"E54", golden_cache}, {"E55", golden_point}, {"E56", golden_point},
		{"E58", golden_accepted}, {"E113", golden_data}, {"E114", golden_step}, {"E115", golden_clock}, {"E116", golden_spot},
		{"E138", golden_spread}, {"E156", golden_hosted}};

	(void)state;
	golden_run("tests/planner/golden/serving.txt", table, COUNT_OF(table), 25);
}

/* Pollaczek-Khinchine for one server. Erlang's C for two: at rho 0.8 C is 0.7111, and the mean wait is C / (2 x 0.2)
 * = 1.7778 service times. */
static void queues_wait_as_theory_says(void **state)
{
	(void)state;
	assert_close(queue_wait_s(0.5, 1, 3, 1, 1), 3, 1e-12);
	assert_close(queue_wait_s(0.5, 1, 3, 1, 0), 1.5, 1e-12);
	assert_close(queue_wait_s(0.9, 1, 1, 1, 4), 22.5, 1e-12);
	assert_close(queue_wait_s(0.8, 2, 1, 1, 1), 1.7778, 0.03);
	assert_close(queue_wait_s(0, 4, 1, 1, 1), 0, 1e-12);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(golden_cases_hold),
	cmocka_unit_test(memory_parts_sum_to_the_total),
	cmocka_unit_test(kv_capacity_doubles_with_half_the_bytes),
	cmocka_unit_test(faster_hardware_is_never_slower),
	cmocka_unit_test(decoding_alone_streams_the_weights),
	cmocka_unit_test(load_moves_what_it_must),
	cmocka_unit_test(queues_wait_as_theory_says),
};

int main(void)
{
	(void)run;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
