/* Serving: the demand that a request states, in numbers, and how certain an answer is. */
#include <math.h>
#include <string.h>

#include "planner/replica/demand.h"
#include "planner/serving/serving_option.h"
#include "support/assert.h"
#include "support/serving_fixture.h"

static struct serving_fixture fixture;
static struct demand demand;
static struct findings findings;
static struct failure failure;

static enum status demanded(void)
{
	findings_clear(&findings);
	failure_clear(&failure);
	return demand_read(&fixture.inference.request, &demand, &findings, &failure);
}

/* Pairs arrive together, three seconds apart: the gaps are 0 and 3 s in turn,
 * with a mean and a deviation of 1.5 s. */
static void a_trace_tells_its_rate_and_gaps(void **state)
{
	struct trace_arrival arrivals[101];

	(void)state;
	serving_fixture_fill(&fixture);
	for (int i = 0; i <= 100; i++)
		arrivals[i] = (struct trace_arrival){.t_s = 7 + (i + 1) / 2 * 3, .prompt_tokens = i % 2 ? 600 : 200, .output_tokens = 50};
	fixture.inference.request.trace = (struct request_trace){.arrivals = arrivals, .count = 101};
	fixture.inference.request.queries_per_minute = ABSENT_NUMBER;
	assert_int_equal(demanded(), STATUS_OK);
	assert_close(demand.requests_per_s, 1 / 1.5, 1e-12);
	assert_close(demand.arrival_cv, 1, 1e-12);
	for (int i = 0; i <= 100; i++)
		arrivals[i].t_s = (i + 3) / 4 * 3; /* in fours: gaps of 3, 0, 0, 0 */
	assert_int_equal(demanded(), STATUS_OK);
	assert_close(demand.arrival_cv, sqrt(3), 1e-12);
	assert_close(demand.requests_per_s, 4.0 / 3, 1e-12);
	assert_close(demand.shape.prompt_tokens, (51 * 200 + 50 * 600) / 101.0, 1e-12);
	assert_close(demand.shape.output_cv, 0, 1e-12);
}

/* The shared part of a prompt is never all of it: the last token is computed. */
static void prefixes_end_before_their_prompts_do(void **state)
{
	(void)state;
	serving_fixture_fill(&fixture);
	fixture.inference.request.shared_prefix.prefixes = 10;
	fixture.inference.request.shared_prefix.tokens = 400;
	assert_int_equal(demanded(), STATUS_OK);
	assert_close(demand.shape.cached_share, 0.4, 1e-12);
	assert_int_equal(demand.prefix_count, 10);
	fixture.inference.request.shared_prefix.tokens = 5000;
	assert_int_equal(demanded(), STATUS_OK);
	assert_close(demand.shape.cached_share, 0.999, 1e-12);
}

/* E193. Independent spreads add as squares: 0.05 for a year of an engine's age, and one for each distance. On a
 * measured accelerator the sum counts four fifths. */
static void spreads_add_as_squares(void **state)
{
	static const struct residuals base = {.throughput = 0.15, .tpot = 0.16, .ttft = 0.33};
	double newest = engine_newest_release_years();
	struct calibration measured = {.id = "c", .gemm_efficiency = 0.9, .memory_efficiency = 0.9, .source = "measured"};
	struct accelerator *accelerator = &fixture.candidate.accelerator;
	struct ground ground = {.model = &fixture.inference.model, .accelerator = accelerator, .engine = ENGINE_VLLM, .release_years = newest};
	struct residuals residuals;

	(void)state;
	serving_fixture_fill(&fixture);
	residuals = residuals_of(&ground, NULL);
	assert_close(residuals.throughput, base.throughput, 1e-12);
	assert_close(residuals.tpot, base.tpot, 1e-12);
	assert_close(residuals.ttft, base.ttft, 1e-12);
	ground.release_years = newest - 1;
	residuals = residuals_of(&ground, NULL);
	assert_close(residuals.throughput, sqrt(0.15 * 0.15 + 0.05 * 0.05), 1e-12);
	ground.release_years = newest;
	ground.at_once = true;
	assert_close(residuals_of(&ground, NULL).throughput, sqrt(0.15 * 0.15 + 0.15 * 0.15), 1e-12);
	assert_close(residuals_of(&ground, NULL).tpot, base.tpot, 1e-12);
	ground.at_once = false;
	accelerator->vendor = "another";
	residuals = residuals_of(&ground, NULL);
	assert_close(residuals.tpot, sqrt(0.16 * 0.16 + 0.45 * 0.45), 1e-12);
	residuals = residuals_of(&ground, &measured);
	assert_close(residuals.tpot, 0.8 * sqrt(0.16 * 0.16 + 0.45 * 0.45), 1e-12);
}

/* Each stack has its own spread. A stack that was never measured has a wider one, and the findings say so. */
static void distances_are_named(void **state)
{
	struct accelerator *accelerator = &fixture.candidate.accelerator;
	struct ground ground = {
		.model = &fixture.inference.model, .accelerator = accelerator, .engine = ENGINE_VLLM, .release_years = engine_newest_release_years()};
	double nvidia, amd, intel, google;

	(void)state;
	serving_fixture_fill(&fixture);
	findings_clear(&findings);
	nvidia = distance_residuals(&ground).throughput;
	distance_note(&ground, &findings);
	assert_int_equal(findings.assumption_count, 0);
	accelerator->vendor = "amd";
	amd = distance_residuals(&ground).throughput;
	accelerator->vendor = "intel";
	intel = distance_residuals(&ground).throughput;
	distance_note(&ground, &findings);
	assert_int_equal(findings.assumption_count, 1);
	assert_int_equal(findings.warning_count, 0);
	accelerator->vendor = "google";
	google = distance_residuals(&ground).throughput;
	assert_true(nvidia < amd && amd < intel && intel < google);
	distance_note(&ground, &findings);
	assert_int_equal(findings.warning_count, 1);
	/* Before V1, vLLM was measured with one model alone. */
	accelerator->vendor = "nvidia";
	ground.release_years = 4.8;
	ground.engine = ENGINE_SGLANG;
	nvidia = distance_residuals(&ground).throughput;
	ground.engine = ENGINE_VLLM;
	assert_true(distance_residuals(&ground).throughput > nvidia);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_trace_tells_its_rate_and_gaps),
	cmocka_unit_test(prefixes_end_before_their_prompts_do),
	cmocka_unit_test(spreads_add_as_squares),
	cmocka_unit_test(distances_are_named),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
