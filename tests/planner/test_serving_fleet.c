/* Serving fleets: sized for a load, checked against limits, and consistent in every figure. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "planner/replica/latency.h"
#include "planner/serving/serving_fleet.h"
#include "support/assert.h"
#include "support/serving_fixture.h"

static struct inference_plan plan;
static struct failure failure;
static const struct inference_option *const best = &plan.recommended;

static enum status run(const struct inference_input *input)
{
	memset(&plan, 0, sizeof plan);
	failure_clear(&failure);
	return planner_inference(input, &plan, &failure);
}

static bool has_assumption(const char *field)
{
	for (size_t i = 0; i < plan.findings.assumption_count; i++)
		if (strcmp(plan.findings.assumptions[i].field, field) == 0)
			return plan.findings.assumptions[i].source[0] != '\0';
	return false;
}

static void figures_agree_with_each_other(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(best->gpu_count, best->replicas * best->gpus_per_replica);
	assert_close(best->throughput.output_tokens_per_s, 10 * 300, 1e-12);
	assert_close(best->throughput.total_tokens_per_s, 10 * 1300, 1e-12);
	assert_close(best->cost.usd_per_hour, 3.0 * (double)best->gpu_count, 1e-12);
	assert_close(best->cost.usd_per_month, best->cost.usd_per_hour * 730, 1e-12);
	assert_close(best->cost.usd_per_million_output_tokens, best->cost.usd_per_hour / (10 * 300 * 3600) * 1e6, 1e-12);
	assert_close(best->cost.usd_per_million_tokens, best->cost.usd_per_hour / (10 * 1300 * 3600) * 1e6, 1e-12);
	assert_close(best->energy.wh_per_request * 10 * 3600 * 730 / 1000, best->energy.kwh_per_month, 1e-12);
	assert_close(best->energy.joules_per_output_token * 300, best->energy.wh_per_request * 3600, 1e-12);
	assert_close(best->energy.mean_w * 730 / 1000, best->energy.kwh_per_month, 1e-12);
	assert_close(best->carbon.kgco2e_per_month, best->energy.kwh_per_month * 0.4 + best->carbon.embodied_kgco2e_per_month, 1e-12);
	assert_close(best->water_l_per_month, best->energy.kwh_per_month / 1.2 * (0.2 + 1.2 * 3), 1e-12);
	assert_true(best->utilization > 0 && best->utilization <= 0.9);
	assert_true(best->throughput.requests_per_s_max >= 10);
	assert_true(best->latency.ttft_ms.p50 <= best->latency.ttft_ms.p95 && best->latency.ttft_ms.p95 <= best->latency.ttft_ms.p99);
	assert_true(best->latency.tpot_ms.p50 <= best->latency.tpot_ms.p95 && best->latency.tpot_ms.p95 <= best->latency.tpot_ms.p99);
	assert_true(best->latency.e2e_ms.p50 >= best->latency.ttft_ms.p50 + 299 * best->latency.tpot_ms.p50 * 0.999);
	assert_int_equal(best->simulated.requests, 0);
	assert_int_equal(plan.findings.dropped, 0);
	assert_true(has_assumption("headroom") && has_assumption("simulated") && has_assumption("kv_precision"));
}

static void power_is_above_idle_and_below_load(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(best->energy.mean_gpu_w > 0.118 * 700);
	assert_true(best->energy.mean_gpu_w < 700);
}

static void rule_of_thumb_is_exact(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.inference.request.throughput_tokens_per_s_per_gpu = 400;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_close(plan.rule_of_thumb.gpu_count_exact, 300.0 / 400 * 600 / 60, 1e-12); /* E11: 7.5 */
	assert_close(plan.rule_of_thumb.gpu_count, 8, 1e-12);
	assert_contains(plan.rule_of_thumb.formula, "= 7.5 GPUs");
	/* With a headroom of a tenth and whole replicas: 3,000 tokens/s / (0.9 x 400 a GPU) = 8.33 GPUs. */
	assert_int_equal(best->replicas, (int64_t)ceil(3000 / (0.9 * 400 * (double)best->gpus_per_replica)));
	assert_close(best->throughput.requests_per_s_max * 300, 0.9 * 400 * (double)best->gpu_count, 1e-3);
}

static bool told_as_impossible(double throughput)
{
	struct serving_fixture fixture;

	serving_fixture_fill(&fixture);
	fixture.inference.request.parallelism.tensor = 4;
	fixture.inference.request.throughput_tokens_per_s_per_gpu = throughput;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	for (size_t i = 0; i < plan.findings.warning_count; i++)
		if (strstr(plan.findings.warnings[i].detail, "is more than h100-sxm5-80gb can do"))
			return true;
	return false;
}

/* The sequences that fill the memory beside the weights are read once a step, and each gets one token. */
static void a_given_throughput_is_held_against_the_roofline(void **state)
{
	struct serving_fixture fixture;
	struct replica_layout layout = {
		.tensor = 4, .pipeline = 1, .expert = 1, .attention_data = 1, .precision = PRECISION_BF16, .kv_precision = PRECISION_BF16};
	const struct accelerator *accelerator;
	struct replica replica;
	double sequence_bytes, by_hand, most;

	(void)state;
	serving_fixture_fill(&fixture);
	accelerator = &fixture.inference.candidates[0].accelerator;
	assert_true(replica_prepare(&replica, &fixture.inference.model, accelerator, NULL, &layout, &serving_constants));
	sequence_bytes = replica_sequence_bytes(&replica, 1000 + 300 / 2.0);
	by_hand = (replica.memory.capacity_bytes - replica.memory.weights_bytes) / sequence_bytes * 3.35e12 / replica.memory.capacity_bytes / 4;
	most = fleet_throughput_most(&replica, accelerator, &fixture.inference.model, 1000, 300);
	assert_close(most, by_hand, 1e-9);
	assert_true(most < 989.4e12 / (2 * fixture.inference.model.params_active));
	assert_false(told_as_impossible(0.99 * most));
	assert_true(told_as_impossible(1.01 * most));
	/* with one token of context, arithmetic limits */
	assert_close(fleet_throughput_most(&replica, accelerator, &fixture.inference.model, 1, 1) * 2 * fixture.inference.model.params_active,
		replica.peak_flops_per_s, 1e-9);
}

static void spare_replicas_come_on_top(void **state)
{
	struct serving_fixture fixture;
	int64_t replicas;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.inference.request.parallelism.tensor = 4;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	replicas = best->replicas;
	fixture.inference.request.redundancy = REDUNDANCY_N_PLUS_1;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(best->replicas, replicas + 1);
	fixture.inference.request.redundancy = REDUNDANCY_N_PLUS_2;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(best->replicas, replicas + 2);
}

static void more_load_never_needs_fewer(void **state)
{
	struct serving_fixture fixture;
	int64_t last = 0;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.inference.request.parallelism.tensor = 4;
	for (double queries = 10; queries < 1e5; queries *= 2.3) {
		fixture.inference.request.queries_per_minute = queries;
		assert_int_equal(run(&fixture.inference), STATUS_OK);
		assert_true(best->gpu_count >= last);
		last = best->gpu_count;
	}
	assert_true(last > 100);
}

/* Weights alone in four bits: 16-bit arithmetic at nearly its rate, and a
 * quarter of the weights to store and to read. */
static void narrow_weights_save_accelerators(void **state)
{
	struct serving_fixture fixture;
	double narrow, wide;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.candidate.accelerator.tops_int8 = fixture.candidate.accelerator.tflops_fp8 = ABSENT_NUMBER;
	fixture.inference.request.parallelism.tensor = 4;
	for (double prompt = 200; prompt <= 20000; prompt *= 10) {
		fixture.inference.request.prompt_tokens.mean = prompt;
		fixture.inference.request.common.precision = PRECISION_BF16;
		assert_int_equal(run(&fixture.inference), STATUS_OK);
		wide = best->throughput.requests_per_s_max / (double)best->gpu_count;
		fixture.inference.request.common.precision = PRECISION_INT4;
		assert_int_equal(run(&fixture.inference), STATUS_OK);
		narrow = best->throughput.requests_per_s_max / (double)best->gpu_count;
		assert_true(narrow > 0.94 * wide && narrow < 3 * wide); /* arithmetic limits long prompts */
	}
	/* With few sequences at once, the weights are read again for every token. */
	fixture.inference.request.prompt_tokens.mean = 1000;
	fixture.inference.request.queries_per_minute = 1;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	narrow = best->latency.tpot_ms.p50;
	fixture.inference.request.common.precision = PRECISION_BF16;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(narrow < 0.6 * best->latency.tpot_ms.p50 && narrow > 0.25 * best->latency.tpot_ms.p50);
}

static void promises_are_kept_or_refused_with_the_best(void **state)
{
	struct serving_fixture fixture;
	int64_t free_count;

	(void)state;
	serving_fixture_fill(&fixture);
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	free_count = best->gpu_count;
	fixture.inference.request.slo.tpot_ms = 22;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(best->slo_met && best->latency.tpot_ms.p95 <= 22 && best->gpu_count >= free_count);
	fixture.inference.request.slo.tpot_ms = 0.5;
	assert_int_equal(run(&fixture.inference), STATUS_INFEASIBLE);
	assert_contains(failure.detail, "tpot");
	assert_contains(failure.detail, "(over)");
	fixture.inference.request.slo.tpot_ms = ABSENT_NUMBER;
	fixture.inference.request.slo.ttft_ms = 1;
	assert_int_equal(run(&fixture.inference), STATUS_INFEASIBLE);
	assert_contains(failure.detail, "ttft");
}

static void a_fixed_fleet_answers_the_load_it_holds(void **state)
{
	struct serving_fixture fixture;
	double rate;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.inference.request.queries_per_minute = ABSENT_NUMBER;
	fixture.inference.request.common.gpu_count = 8;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	rate = best->throughput.requests_per_s_max;
	assert_true(rate > 1);
	assert_int_equal(plan.findings.warning_count, 0);
	assert_close(best->throughput.output_tokens_per_s, rate * 300, 1e-9);
	fixture.inference.request.common.gpu_count = 16;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_close(best->throughput.requests_per_s_max, 2 * rate, 1e-6);
	fixture.inference.request.requests_per_s = 3 * rate;
	assert_int_equal(run(&fixture.inference), STATUS_INFEASIBLE);
	fixture.inference.request.requests_per_s = 1.5 * rate;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(best->gpu_count, 16);
	/* A spare replica serves no request: four replicas with one spare carry as much as three. */
	fixture.inference.request.requests_per_s = ABSENT_NUMBER;
	fixture.inference.request.parallelism.tensor = 4;
	fixture.inference.request.common.gpu_count = 12;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	rate = best->throughput.requests_per_s_max;
	fixture.inference.request.common.gpu_count = 16;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(best->throughput.requests_per_s_max > 1.1 * rate);
	fixture.inference.request.redundancy = REDUNDANCY_N_PLUS_1;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_close(best->throughput.requests_per_s_max, rate, 1e-6);
	fixture.inference.request.redundancy = REDUNDANCY_NONE;
	/* Accelerators that do not make up a replica are paid for, and a warning says so. */
	fixture.inference.request.common.gpu_count = 15;
	fixture.inference.request.requests_per_s = ABSENT_NUMBER;
	fixture.inference.request.parallelism.tensor = 4;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(best->replicas, 3);
	assert_int_equal(best->gpu_count, 15);
	assert_contains(plan.findings.warnings[0].detail, "3 of the 15 accelerators stay idle");
}

static void a_profile_gives_a_schedule(void **state)
{
	struct serving_fixture fixture;
	double hours[24], kwh;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.inference.request.queries_per_minute = 6000;
	fixture.inference.request.parallelism.tensor = 4;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(best->autoscaling_count, 0);
	kwh = best->energy.kwh_per_month;
	for (int i = 0; i < 24; i++)
		hours[i] = i < 12 ? 0.2 : 1;
	fixture.inference.request.daily_profile = (struct number_list){hours, 24};
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(best->autoscaling_count, 24);
	assert_int_equal(best->autoscaling[23].replicas, best->replicas);
	assert_true(best->autoscaling[0].replicas * 4 <= best->replicas + 4);
	assert_true(best->energy.kwh_per_month < kwh);
	assert_true(plan.findings.advice_count > 0);
	fixture.inference.request.daily_profile.count = 7;
	assert_int_equal(run(&fixture.inference), STATUS_INVALID);
}

static void a_trace_stands_for_rate_and_lengths(void **state)
{
	struct trace_arrival arrivals[101];
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	for (int i = 0; i <= 100; i++)
		arrivals[i] = (struct trace_arrival){.t_s = i * 0.1, .prompt_tokens = i % 2 ? 500 : 1500, .output_tokens = 300};
	fixture.inference.request.trace = (struct request_trace){.arrivals = arrivals, .count = 101};
	fixture.inference.request.queries_per_minute = ABSENT_NUMBER;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_close(best->throughput.output_tokens_per_s, 3000, 1e-9);
	assert_close(best->throughput.total_tokens_per_s, 13000, 0.01);
}

static void burstiness_lengthens_the_tail(void **state)
{
	struct serving_fixture fixture;
	double p99, p50;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.inference.request.parallelism.tensor = 4;
	fixture.inference.request.common.gpu_count = 8;
	fixture.inference.request.queries_per_minute = 400;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	p99 = best->latency.ttft_ms.p99;
	p50 = best->latency.tpot_ms.p50;
	fixture.inference.request.burstiness_cv = 8;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(best->latency.ttft_ms.p99 > 1.5 * p99);
	assert_close(best->latency.tpot_ms.p50, p50, 1e-9);
}

/* A request alone gets its tokens evenly. The spread of the time per token comes from shared steps. */
static void idle_fleets_do_not_jitter(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.inference.request.parallelism.tensor = 4;
	fixture.inference.request.common.gpu_count = 4;
	fixture.inference.request.queries_per_minute = 0.01;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(best->latency.tpot_ms.p95 < 1.05 * best->latency.tpot_ms.p50);
	fixture.inference.request.queries_per_minute = 60;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(best->latency.tpot_ms.p95 > 1.05 * best->latency.tpot_ms.p50);
}

static void caches_and_drafts_save_work(void **state)
{
	struct serving_fixture fixture;
	double plain;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.inference.request.parallelism.tensor = 4;
	fixture.inference.request.common.gpu_count = 4;
	fixture.inference.request.queries_per_minute = ABSENT_NUMBER;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	plain = best->throughput.requests_per_s_max;
	fixture.inference.request.prefix_cache_hit_rate = 0.8;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(best->throughput.requests_per_s_max > 1.2 * plain);
	fixture.inference.request.prefix_cache_hit_rate = ABSENT_NUMBER;
	fixture.inference.request.speculative.draft_tokens = 3;
	assert_int_equal(run(&fixture.inference), STATUS_INVALID);
	fixture.inference.request.speculative.acceptance = 0.8;
	fixture.inference.request.queries_per_minute = 10;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	plain = best->latency.tpot_ms.p50;
	fixture.inference.request.speculative.acceptance = 0;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	/* (1 - 0.8^4) / (1 - 0.8) = 2.95 tokens a step instead of one. */
	assert_true(best->latency.tpot_ms.p50 / plain > 2.7 && best->latency.tpot_ms.p50 / plain < 3.0);
}

static void intervals_move_with_the_inputs_spreads(void **state)
{
	struct serving_fixture fixture;
	struct interval usd, carbon;

	(void)state;
	serving_fixture_fill(&fixture);
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	usd = best->interval.usd_per_month;
	carbon = best->interval.kgco2e_per_month;
	assert_true(usd.p10 < usd.p50 && usd.p50 < usd.p90);
	assert_close(usd.p50, best->cost.usd_per_month, 1e-12);
	fixture.candidate.offer.high_usd_per_gpu_hour = 9;
	fixture.candidate.site.grid_high_gco2e_per_kwh = 900;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(best->interval.usd_per_month.p90 > 1.05 * usd.p90);
	assert_true(best->interval.kgco2e_per_month.p90 > 1.05 * carbon.p90);
	assert_close(best->interval.usd_per_month.p50, usd.p50, 1e-12);
}

static void caps_and_objectives_choose(void **state)
{
	struct serving_fixture fixture;
	struct candidate two[2];

	(void)state;
	serving_fixture_fill(&fixture);
	two[0] = two[1] = fixture.candidate;
	two[1].accelerator.id = "h100-clean";
	two[1].offer.usd_per_gpu_hour = 4;
	two[1].site.grid_gco2e_per_kwh = 20;
	fixture.inference.candidates = two;
	fixture.inference.candidate_count = 2;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_string_equal(best->accelerator.id, "h100-sxm5-80gb");
	assert_true(plan.alternative_count >= 1);
	fixture.inference.request.common.objective = OBJECTIVE_CARBON;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_string_equal(best->accelerator.id, "h100-clean");
	fixture.inference.request.common.objective = OBJECTIVE_COST;
	fixture.inference.request.common.carbon_cap_kgco2e = best->carbon.kgco2e_per_month * 1.5;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_string_equal(best->accelerator.id, "h100-clean");
	fixture.inference.request.common.carbon_cap_kgco2e = 1;
	assert_int_equal(run(&fixture.inference), STATUS_INFEASIBLE);
	assert_contains(failure.detail, "cap");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(figures_agree_with_each_other),
	cmocka_unit_test(power_is_above_idle_and_below_load),
	cmocka_unit_test(rule_of_thumb_is_exact),
	cmocka_unit_test(a_given_throughput_is_held_against_the_roofline),
	cmocka_unit_test(spare_replicas_come_on_top),
	cmocka_unit_test(more_load_never_needs_fewer),
	cmocka_unit_test(narrow_weights_save_accelerators),
	cmocka_unit_test(promises_are_kept_or_refused_with_the_best),
	cmocka_unit_test(a_fixed_fleet_answers_the_load_it_holds),
	cmocka_unit_test(a_profile_gives_a_schedule),
	cmocka_unit_test(a_trace_stands_for_rate_and_lengths),
	cmocka_unit_test(burstiness_lengthens_the_tail),
	cmocka_unit_test(caches_and_drafts_save_work),
	cmocka_unit_test(intervals_move_with_the_inputs_spreads),
	cmocka_unit_test(caps_and_objectives_choose),
	cmocka_unit_test(idle_fleets_do_not_jitter),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
