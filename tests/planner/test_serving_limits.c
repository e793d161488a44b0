/* Serving at the edges: models that do not fit, impossible layouts, very large
 * loads, and rules that differ by engine. */
#include <math.h>
#include <string.h>

#include "planner/interval.h"
#include "planner/replica/latency.h"
#include "planner/serving/serving_fleet.h"
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

static bool warned_of(const struct findings *findings, const char *part)
{
	for (size_t i = 0; i < findings->warning_count; i++)
		if (strstr(findings->warnings[i].detail, part))
			return true;
	return false;
}

static void as_t4(struct accelerator *accelerator)
{
	accelerator->id = "t4";
	accelerator->memory_gb = 16;
	accelerator->memory_usable_bytes = 15.8e9;
	accelerator->memory_bandwidth_gbs = 320;
	accelerator->tflops_bf16 = accelerator->tflops_tf32 = accelerator->tflops_fp8 = ABSENT_NUMBER;
	accelerator->tflops_fp16 = 65;
	accelerator->tflops_fp32 = 8.1;
	accelerator->interconnect_gbs = ABSENT_NUMBER;
	accelerator->pcie_gen = 3;
	accelerator->max_nvlink_domain = 1;
	accelerator->tdp_w = 70;
}

static void a_70b_on_one_t4_says_what_would_do(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	as_t4(&fixture.candidate.accelerator);
	fixture.performance.request.common.gpu_count = 1;
	fixture.performance.request.common.precision = PRECISION_FP16;
	assert_int_equal(operate(&fixture.performance), STATUS_INFEASIBLE);
	assert_contains(failure.detail, "t4");
	assert_contains(failure.detail, "141.5 GB"); /* 70.55e9 x 2 and 1,300 x 327,680 bytes */
	assert_contains(failure.detail, "is enough");
	fixture.performance.request.common.enforce_memory = TRUTH_FALSE;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_true(warned_of(&performance.findings, "enforce_memory"));
}

static void what_no_layout_holds_says_so(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	as_t4(&fixture.candidate.accelerator);
	model_from_size(&fixture.inference.model, 40e12, ABSENT_NUMBER);
	fixture.inference.request.common.precision = PRECISION_FP16;
	assert_int_equal(run(&fixture.inference), STATUS_INFEASIBLE);
	assert_contains(failure.detail, "no layout");
}

static void ten_trillion_parameters_take_several_domains(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	model_from_size(&fixture.inference.model, 10e12, ABSENT_NUMBER);
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(plan.recommended.parallelism.pipeline >= 32);
	assert_true((double)plan.recommended.gpus_per_replica * 85.5e9 > 20e12);
	assert_true(warned_of(&plan.findings, "size is known"));
}

static void single_tokens_and_million_token_prompts(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.performance.request.output_tokens.mean = 1;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_true(performance.requests_per_s > 0 && isfinite(performance.tpot_ms));
	assert_close(performance.output_tokens_per_s, performance.requests_per_s, 1e-12);
	fixture.inference.request.output_tokens.mean = 1;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_close(plan.recommended.throughput.output_tokens_per_s, 10, 1e-12);
	fixture.inference.request.queries_per_minute = ABSENT_NUMBER; /* the load that eight accelerators carry */
	fixture.inference.request.common.gpu_count = 8;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(plan.recommended.throughput.requests_per_s_max > 1);
	serving_fixture_fill(&fixture);
	fixture.inference.request.prompt_tokens.mean = ABSENT_NUMBER;
	fixture.inference.request.prompt_tokens.p50 = 1e6;
	fixture.inference.request.queries_per_minute = 1;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(warned_of(&plan.findings, "131072"));
	assert_true(plan.recommended.latency.ttft_ms.p50 > 10e3);
	assert_true(plan.recommended.memory.kv_tokens_capacity > 1e6);
}

static void accelerators_without_bf16_use_fp16(void **state)
{
	struct serving_fixture fixture;
	bool assumed = false;

	(void)state;
	serving_fixture_fill(&fixture);
	as_t4(&fixture.candidate.accelerator);
	model_from_size(&fixture.performance.model, 3e9, ABSENT_NUMBER);
	fixture.performance.request.common.precision = PRECISION_UNSET;
	fixture.performance.request.common.gpu_count = 1;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	for (size_t i = 0; i < performance.findings.assumption_count; i++)
		if (strcmp(performance.findings.assumptions[i].field, "precision") == 0) {
			assert_string_equal(performance.findings.assumptions[i].text, "fp16");
			assumed = true;
		}
	assert_true(assumed);
	assert_true(performance.output_tokens_per_s > 0);
}

static void layouts_that_cannot_be_are_named(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.performance.request.parallelism.pipeline = 3;
	assert_int_equal(operate(&fixture.performance), STATUS_INVALID);
	assert_string_equal(failure.faults[0].pointer, "/parallelism");
	fixture.performance.request.parallelism.pipeline = ABSENT_COUNT;
	fixture.performance.request.common.gpu_count = 128;
	assert_int_equal(operate(&fixture.performance), STATUS_INVALID); /* the model has 64 heads */
	fixture.performance.request.common.gpu_count = 4;
	fixture.performance.request.parallelism.expert = 3;
	assert_int_equal(operate(&fixture.performance), STATUS_INVALID);
	fixture.inference.request.parallelism.tensor = 128;
	assert_int_equal(run(&fixture.inference), STATUS_INVALID);
	assert_string_equal(failure.faults[0].code, "impossible_layout");
}

static void missing_members_are_all_named(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.inference.request.prompt_tokens.mean = fixture.inference.request.output_tokens.mean = ABSENT_NUMBER;
	fixture.inference.request.queries_per_minute = ABSENT_NUMBER;
	assert_int_equal(run(&fixture.inference), STATUS_INVALID);
	assert_int_equal(failure.fault_total, 3);
	serving_fixture_fill(&fixture);
	fixture.performance.request.prompt_tokens.mean = ABSENT_NUMBER;
	fixture.performance.request.requests_per_s = 4;
	assert_int_equal(operate(&fixture.performance), STATUS_INVALID);
	assert_int_equal(failure.fault_total, 2);
	serving_fixture_fill(&fixture);
	fixture.performance.model.kind = fixture.inference.model.kind = MODEL_GENERIC;
	assert_int_equal(operate(&fixture.performance), STATUS_INVALID);
	assert_int_equal(run(&fixture.inference), STATUS_INVALID);
	serving_fixture_fill(&fixture);
	fixture.inference.candidate_count = 0;
	assert_int_equal(run(&fixture.inference), STATUS_INFEASIBLE);
}

static void nothing_is_ignored_in_silence(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.inference.request.parallelism.disaggregated = TRUTH_TRUE;
	fixture.inference.request.common.pricing.spot_interruptions_per_gpu_hour = 0.01;
	fixture.inference.request.common.pricing.egress_usd_per_gb = 0.1;
	fixture.inference.request.common.enforce_memory = TRUTH_FALSE;
	fixture.candidate.has_offer = false;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(warned_of(&plan.findings, "disaggregated: too long to simulate") && warned_of(&plan.findings, "spot"));
	assert_true(warned_of(&plan.findings, "enforce_memory") && warned_of(&plan.findings, "no price"));
	assert_true(isnan(plan.recommended.cost.usd_per_hour) && !plan.recommended.cost.has_offer);
	fixture.performance.request.parallelism.disaggregated = TRUTH_TRUE;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_true(warned_of(&performance.findings, "disaggregated"));
}

static void pinned_widths_beyond_the_links_are_warned_of(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.candidate.gpus_per_node = fixture.candidate.accelerator.max_nvlink_domain = 8;
	fixture.inference.request.parallelism.tensor = 8;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_false(warned_of(&plan.findings, "spans machines of 8"));
	fixture.inference.request.parallelism.tensor = 16;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(warned_of(&plan.findings, "16 spans machines of 8"));
	fixture.performance.request.common.gpu_count = 16;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_true(warned_of(&performance.findings, "16 spans machines of 8"));
}

static bool assumed(const struct findings *findings, const char *field)
{
	for (size_t i = 0; i < findings->assumption_count; i++)
		if (strcmp(findings->assumptions[i].field, field) == 0)
			return true;
	return false;
}

static void what_was_given_is_no_assumption(void **state)
{
	static const char *const fields[] = {"precision", "kv_precision"};

	(void)state;
	for (int given = 0; given < 2; given++) {
		struct serving_fixture fixture;

		serving_fixture_fill(&fixture);
		fixture.inference.request.common.precision = fixture.performance.request.common.precision = given ? PRECISION_FP8 : PRECISION_UNSET;
		fixture.inference.request.kv_precision = fixture.performance.request.kv_precision = given ? PRECISION_BF16 : PRECISION_UNSET;
		assert_int_equal(run(&fixture.inference), STATUS_OK);
		assert_int_equal(operate(&fixture.performance), STATUS_OK);
		for (size_t i = 0; i < COUNT_OF(fields); i++)
			assert_true(assumed(&plan.findings, fields[i]) == !given && assumed(&performance.findings, fields[i]) == !given);
	}
}

/* --- engines -------------------------------------------------------------------------------------------------- */

static void engines_set_aside_memory_by_their_own_rules(void **state)
{
	struct serving_fixture fixture;
	struct serving_memory vllm, tensorrt, sglang;

	(void)state;
	serving_fixture_fill(&fixture);
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	vllm = performance.memory;
	assert_close(vllm.total_bytes, 0.9 * vllm.capacity_bytes, 1e-9);
	fixture.performance.request.engine = ENGINE_TENSORRT_LLM;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	tensorrt = performance.memory;
	assert_close(tensorrt.kv_cache_bytes, 0.9 * (tensorrt.capacity_bytes - (tensorrt.total_bytes - tensorrt.kv_cache_bytes)), 1e-9);
	fixture.performance.request.engine = ENGINE_SGLANG;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	sglang = performance.memory;
	assert_close(sglang.kv_cache_bytes + sglang.weights_bytes, 0.88 * sglang.capacity_bytes, 1e-9);
	assert_true(vllm.kv_cache_bytes != tensorrt.kv_cache_bytes && tensorrt.kv_cache_bytes != sglang.kv_cache_bytes);
}

static void engines_choose_their_own_cache_format(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	assert_int_equal(engine_kv_precision(ENGINE_VLLM, PRECISION_FP8, &fixture.candidate.accelerator), PRECISION_BF16);
	assert_int_equal(engine_kv_precision(ENGINE_TENSORRT_LLM, PRECISION_FP8, &fixture.candidate.accelerator), PRECISION_FP8);
	assert_int_equal(engine_kv_precision(ENGINE_TENSORRT_LLM, PRECISION_NVFP4, &fixture.candidate.accelerator), PRECISION_FP8);
	assert_int_equal(engine_kv_precision(ENGINE_TENSORRT_LLM, PRECISION_BF16, &fixture.candidate.accelerator), PRECISION_BF16);
	as_t4(&fixture.candidate.accelerator);
	assert_int_equal(engine_kv_precision(ENGINE_TENSORRT_LLM, PRECISION_FP8, &fixture.candidate.accelerator), PRECISION_FP16);
}

static void releases_are_read_as_year_and_month(void **state)
{
	(void)state;
	assert_close(engine_release_years("2025-05"), 5 + 4.0 / 12, 1e-12);
	assert_close(engine_release_years("2020-01"), 0, 1e-12);
	assert_close(engine_release_years(NULL), engine_newest_release_years(), 1e-12);
	assert_close(engine_release_years("v0.9"), engine_newest_release_years(), 1e-12);
	assert_close(engine_release_years("2025-13"), engine_newest_release_years(), 1e-12);
	assert_close(engine_release_years("2025"), engine_newest_release_years(), 1e-12);
}

static void older_engines_are_known_less_well(void **state)
{
	struct serving_fixture fixture;
	struct interval newest;

	(void)state;
	serving_fixture_fill(&fixture);
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	newest = performance.interval.output_tokens_per_s;
	fixture.performance.request.engine_release = "2023-01";
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_true(performance.interval.output_tokens_per_s.p90 / performance.interval.output_tokens_per_s.p50 > newest.p90 / newest.p50);
	assert_true(performance.interval.output_tokens_per_s.p50 < newest.p50); /* the host slows old steps (E54) */
	fixture.performance.request.engine_release = NULL;
	fixture.candidate.accelerator.vendor = "amd";
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_true(performance.interval.output_tokens_per_s.p90 > newest.p90);
	fixture.candidate.accelerator.vendor = "nvidia";
	fixture.candidate.calibration.id = "c";
	fixture.candidate.calibration.gemm_efficiency = 0.7;
	fixture.candidate.calibration.memory_efficiency = 0.8;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_true(performance.interval.output_tokens_per_s.p90 / performance.interval.output_tokens_per_s.p50 < newest.p90 / newest.p50);
}

/* --- loads ----------------------------------------------------------------------------------------------------- */

static void rates_beyond_the_replica_queue_or_are_refused(void **state)
{
	struct serving_fixture fixture;
	double light_ms;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.performance.request.concurrency = ABSENT_NUMBER;
	fixture.performance.request.requests_per_s = 1;
	fixture.performance.request.requests = 2000;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	light_ms = performance.ttft_ms;
	assert_true(performance.output_tokens_per_s < 300 && performance.output_tokens_per_s > 290); /* the run's end is not full */
	fixture.performance.request.requests_per_s = 100;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_true(performance.ttft_ms > 20 * light_ms);
	assert_true(warned_of(&performance.findings, "queue grows"));
	fixture.performance.request.requests = ABSENT_COUNT;
	assert_int_equal(operate(&fixture.performance), STATUS_INFEASIBLE);
	assert_contains(failure.detail, "queue would grow for ever");
}

static void concurrency_beyond_the_cache_queues(void **state)
{
	struct serving_fixture fixture;
	double at_most, ttft_ms;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.performance.request.concurrency = CONCURRENCY_MAX;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	at_most = performance.output_tokens_per_s;
	fixture.performance.request.concurrency = floor(performance.max_concurrency);
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	ttft_ms = performance.ttft_ms;
	fixture.performance.request.concurrency = 3 * floor(performance.max_concurrency);
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_close(performance.output_tokens_per_s, at_most, 0.02);
	assert_true(performance.ttft_ms > 5 * ttft_ms);
	assert_close(performance.requests_per_s * (performance.ttft_ms + 299 * performance.tpot_ms) / 1000,
		fixture.performance.request.concurrency, 0.02);
}

static void a_static_batch_is_prompts_then_tokens(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.performance.request.static_batch = TRUTH_TRUE;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_close(performance.output_tokens_per_s * (performance.ttft_ms + 299 * performance.tpot_ms) / 1000, 32 * 300, 1e-3);
}

static void a_burst_waits_for_its_own_prompts(void **state)
{
	struct serving_fixture fixture;
	double steady_ms;

	(void)state;
	serving_fixture_fill(&fixture);
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	steady_ms = performance.ttft_ms;
	fixture.performance.request.requests = 320;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_true(performance.ttft_ms > steady_ms);
	fixture.performance.request.requests = 32;
	assert_int_equal(operate(&fixture.performance), STATUS_OK);
	assert_true(performance.ttft_ms > 3 * steady_ms);
}

static void token_distributions_agree(void **state)
{
	double samples[] = {100, 200, 300, 400}, mean, cv;
	struct token_distribution tokens = {.mean = 250, .p50 = ABSENT_NUMBER, .p95 = ABSENT_NUMBER, .cv = 0.447214};

	(void)state;
	assert_true(demand_tokens(&tokens, &mean, &cv));
	assert_close(mean, 250, 1e-12);
	assert_close(cv, 0.447214, 1e-9);
	tokens = (struct token_distribution){ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER, {samples, 4}};
	assert_true(demand_tokens(&tokens, &mean, &cv));
	assert_close(mean, 250, 1e-12);
	assert_close(cv, sqrt(0.2), 1e-12);
	/* Log-normal with sigma 0.5: p95 = p50 x exp(0.8224), mean = p50 x exp(0.125). */
	tokens = (struct token_distribution){ABSENT_NUMBER, 1000, 1000 * exp(0.5 * 1.6448536269514722), ABSENT_NUMBER, {NULL, 0}};
	assert_true(demand_tokens(&tokens, &mean, &cv));
	assert_close(mean, 1000 * exp(0.125), 1e-12);
	assert_close(cv, sqrt(exp(0.25) - 1), 1e-12);
	tokens = (struct token_distribution){1000 * exp(0.125), ABSENT_NUMBER, 1000 * exp(0.5 * 1.6448536269514722), ABSENT_NUMBER, {NULL, 0}};
	assert_true(demand_tokens(&tokens, &mean, &cv));
	assert_close(cv, sqrt(exp(0.25) - 1), 1e-9);
	tokens = (struct token_distribution){1000 * exp(0.125), 1000, ABSENT_NUMBER, ABSENT_NUMBER, {NULL, 0}};
	assert_true(demand_tokens(&tokens, &mean, &cv));
	assert_close(cv, sqrt(exp(0.25) - 1), 1e-9);
	tokens = (struct token_distribution){ABSENT_NUMBER, ABSENT_NUMBER, 700, ABSENT_NUMBER, {NULL, 0}};
	assert_true(demand_tokens(&tokens, &mean, &cv));
	assert_close(mean, 700, 1e-12);
	tokens.p95 = ABSENT_NUMBER;
	assert_false(demand_tokens(&tokens, &mean, &cv));
}

static void normal_quantiles_are_those_of_the_tables(void **state)
{
	(void)state;
	assert_close(normal_quantile(0.5) + 1, 1, 1e-9);
	assert_close(normal_quantile(0.95), 1.6448536269514722, 1e-8);
	assert_close(normal_quantile(0.99), 2.3263478740408408, 1e-8);
	assert_close(normal_quantile(0.01), -2.3263478740408408, 1e-8);
	assert_close(normal_quantile(0.999), 3.0902323061678132, 1e-8);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_70b_on_one_t4_says_what_would_do),
	cmocka_unit_test(what_no_layout_holds_says_so),
	cmocka_unit_test(pinned_widths_beyond_the_links_are_warned_of),
	cmocka_unit_test(what_was_given_is_no_assumption),
	cmocka_unit_test(ten_trillion_parameters_take_several_domains),
	cmocka_unit_test(single_tokens_and_million_token_prompts),
	cmocka_unit_test(accelerators_without_bf16_use_fp16),
	cmocka_unit_test(layouts_that_cannot_be_are_named),
	cmocka_unit_test(missing_members_are_all_named),
	cmocka_unit_test(nothing_is_ignored_in_silence),
	cmocka_unit_test(engines_set_aside_memory_by_their_own_rules),
	cmocka_unit_test(engines_choose_their_own_cache_format),
	cmocka_unit_test(releases_are_read_as_year_and_month),
	cmocka_unit_test(older_engines_are_known_less_well),
	cmocka_unit_test(rates_beyond_the_replica_queue_or_are_refused),
	cmocka_unit_test(concurrency_beyond_the_cache_queues),
	cmocka_unit_test(a_static_batch_is_prompts_then_tokens),
	cmocka_unit_test(a_burst_waits_for_its_own_prompts),
	cmocka_unit_test(token_distributions_agree),
	cmocka_unit_test(normal_quantiles_are_those_of_the_tables),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
