/* Which fleets are recommended, replicas by the hour, prices of tokens, and the
 * effect of advice; all plans are simulated. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "planner/serving/autoscaling.h"
#include "planner/serving/fleet_simulation.h"
#include "planner/serving/serving_fleet.h"
#include "support/assert.h"
#include "support/serving_fixture.h"

static struct inference_plan plan, again;
static struct failure failure;
static const struct inference_option *const best = &plan.recommended;
static void *workspace;

static enum status run_into(struct inference_input *input, struct inference_plan *into)
{
	memset(into, 0, sizeof *into);
	failure_clear(&failure);
	input->workspace = workspace;
	input->workspace_bytes = simulator_workspace_bytes();
	return planner_inference(input, into, &failure);
}

static enum status run(struct inference_input *input)
{
	return run_into(input, &plan);
}

/* Fills in Llama 3.1 70B at 20 requests/s, within 1 s and 45 ms, with the recommended fleet alone. */
static void fill(struct serving_fixture *fixture)
{
	serving_fixture_fill(fixture);
	fixture->inference.request.common.alternatives = 0;
	fixture->inference.request.queries_per_minute = 1200;
	fixture->inference.request.slo.ttft_ms = 1000;
	fixture->inference.request.slo.tpot_ms = 45;
}

enum { KINDS = 4 };

/* Fills in three accelerators that are each best in one figure, and one that is best in none. */
static void candidates_of_kinds(const struct candidate *whole, struct candidate kinds[KINDS])
{
	for (int i = 0; i < KINDS; i++)
		kinds[i] = *whole;
	kinds[1].accelerator.id = "clean";
	kinds[1].offer.usd_per_gpu_hour = 4;
	kinds[1].site.grid_gco2e_per_kwh = 20;
	kinds[2].accelerator.id = "large";
	kinds[2].accelerator.memory_usable_bytes = 170e9;
	kinds[2].accelerator.memory_bandwidth_gbs = 8000;
	kinds[2].accelerator.tflops_bf16 = 2250;
	kinds[2].accelerator.tdp_w = 1200;
	kinds[2].offer.usd_per_gpu_hour = 9;
	kinds[3].accelerator.id = "dear";
	kinds[3].offer.usd_per_gpu_hour = 5;
}

static bool beats(const struct inference_option *a, const struct inference_option *b)
{
	return a->cost.usd_per_hour <= b->cost.usd_per_hour * (1 + 1e-9) &&
		a->carbon.kgco2e_per_month <= b->carbon.kgco2e_per_month * (1 + 1e-9) && a->gpu_count <= b->gpu_count &&
		(a->cost.usd_per_hour < b->cost.usd_per_hour * (1 - 1e-9) || a->carbon.kgco2e_per_month < b->carbon.kgco2e_per_month * (1 - 1e-9) ||
			a->gpu_count < b->gpu_count);
}

static void nothing_answered_is_beaten(void **state)
{
	struct serving_fixture fixture;
	struct candidate kinds[KINDS];

	(void)state;
	fill(&fixture);
	fixture.inference.request.common.alternatives = ABSENT_COUNT;
	candidates_of_kinds(&fixture.candidate, kinds);
	fixture.inference.candidates = kinds;
	fixture.inference.candidate_count = KINDS;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(plan.alternative_count >= 2);
	for (size_t i = 0; i < plan.alternative_count; i++) {
		const struct inference_option *option = &plan.alternatives[i];

		assert_true(option->slo_met && option->simulated.requests > 0);
		assert_true(option->latency.ttft_ms.p95 + option->simulated.ttft_half_width_ms <= 1000);
		assert_true(option->latency.tpot_ms.p95 + option->simulated.tpot_half_width_ms <= 45);
		assert_string_not_equal(option->accelerator.id, "dear");
		assert_false(beats(best, option) || beats(option, best));
		for (size_t k = 0; k < plan.alternative_count; k++)
			assert_false(beats(&plan.alternatives[k], option));
	}
}

static void the_objective_is_best_on_its_side(void **state)
{
	static const char *const wanted[] = {"h100-sxm5-80gb", "clean", "large"};
	static const enum objective objectives[] = {OBJECTIVE_COST, OBJECTIVE_CARBON, OBJECTIVE_GPUS};
	struct serving_fixture fixture;
	struct candidate kinds[KINDS];

	(void)state;
	fill(&fixture);
	fixture.inference.request.common.alternatives = ABSENT_COUNT;
	candidates_of_kinds(&fixture.candidate, kinds);
	fixture.inference.candidates = kinds;
	fixture.inference.candidate_count = KINDS;
	for (size_t i = 0; i < COUNT_OF(wanted); i++) {
		fixture.inference.request.common.objective = objectives[i];
		assert_int_equal(run(&fixture.inference), STATUS_OK);
		assert_string_equal(best->accelerator.id, wanted[i]);
		for (size_t k = 0; k < plan.alternative_count; k++) {
			const struct inference_option *option = &plan.alternatives[k];

			assert_true(i != 0 || option->cost.usd_per_hour >= best->cost.usd_per_hour);
			assert_true(i != 1 || option->carbon.kgco2e_per_month >= best->carbon.kgco2e_per_month);
			assert_true(i != 2 || option->gpu_count >= best->gpu_count);
		}
	}
}

static void the_best_of_the_precisions_allowed(void **state)
{
	static const char *both[] = {"bf16", "fp8"};
	struct serving_fixture fixture;
	int64_t wide;

	(void)state;
	fill(&fixture);
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(best->precision, PRECISION_BF16);
	wide = best->gpu_count;
	fixture.inference.request.common.precision = PRECISION_UNSET;
	fixture.inference.request.precisions = (struct text_list){both, 2};
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(best->precision, PRECISION_FP8);
	assert_true(best->gpu_count < wide);
	fixture.inference.request.precisions.count = 1;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(best->gpu_count, wide);
}

/* Bursts fill engines until tokens are late. A lower batch limit makes requests wait before the engine instead, and
 * needs fewer replicas. A request with the limit that the plan reports gets the same fleet. */
static void bursts_are_met_with_a_limit(void **state)
{
	struct serving_fixture fixture;
	int64_t found, limit;

	(void)state;
	fill(&fixture);
	fixture.inference.request.burstiness_cv = 12;
	fixture.inference.request.parallelism.tensor = 4;
	fixture.inference.request.slo.ttft_ms = 20000;
	fixture.inference.request.slo.tpot_ms = 30;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	found = best->gpu_count;
	limit = best->parallelism.max_batch;
	assert_true(limit < 1024);
	fixture.inference.request.parallelism.max_batch = limit;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(best->gpu_count, found);
	fixture.inference.request.parallelism.max_batch = 1024;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(best->gpu_count > found);
}

/* With one replica down the others keep the limits; with two down they do not. */
static void a_spare_replica_may_fail(void **state)
{
	struct serving_fixture fixture;
	int64_t replicas, gpus;
	int tensor;

	(void)state;
	fill(&fixture);
	fixture.inference.request.redundancy = REDUNDANCY_N_PLUS_1;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	replicas = best->replicas;
	gpus = best->gpus_per_replica;
	tensor = (int)best->parallelism.tensor;
	fixture.inference.request.redundancy = REDUNDANCY_NONE;
	fixture.inference.request.parallelism.tensor = tensor;
	fixture.inference.request.common.gpu_count = (replicas - 1) * gpus;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(best->slo_met && best->simulated.requests > 0);
	fixture.inference.request.common.gpu_count = (replicas - 2) * gpus;
	assert_int_equal(run(&fixture.inference), STATUS_INFEASIBLE);
}

static void prices_of_prompts_and_answers_cover_the_cost(void **state)
{
	struct serving_fixture fixture;
	double longer;

	(void)state;
	fill(&fixture);
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_close((best->cost.input_usd_per_million_tokens * 1000 + best->cost.output_usd_per_million_tokens * 300) / 1e6 * 20 * 3600,
		best->cost.usd_per_hour, 1e-9);
	assert_true(best->cost.output_usd_per_million_tokens > 2 * best->cost.input_usd_per_million_tokens);
	assert_close(best->energy.joules_per_token * 1300, best->energy.wh_per_request * 3600, 1e-9);
	assert_close(best->carbon.gco2e_per_million_tokens * 1300 / 1e6, best->carbon.gco2e_per_request, 1e-9);
	assert_close(best->water_l_per_request * 20 * 3600 * 730, best->water_l_per_month, 1e-9);
	longer = best->cost.output_usd_per_million_tokens / best->cost.input_usd_per_million_tokens;
	fixture.inference.request.prompt_tokens.mean = 4000; /* each token reads a longer cache */
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(best->cost.output_usd_per_million_tokens / best->cost.input_usd_per_million_tokens > longer);
}

/* Eleven hours of the day at a fifth of the load, and an hour of ramp on either side. */
static void fill_day(struct serving_fixture *fixture, double hours[24])
{
	fill(fixture);
	fixture->inference.request.parallelism.tensor = 4;
	fixture->inference.request.queries_per_minute = 3600;
	for (int i = 0; i < 24; i++)
		hours[i] = i < 7 || i > 19 ? 20 : i == 7 || i == 19 ? 60 : 100;
	fixture->inference.request.daily_profile = (struct number_list){hours, 24};
}

/* Checks that the replicas of an hour carry its load: plans them as a fixed fleet. */
static void hour_is_held(struct serving_fixture *fixture, const struct autoscaling_hour *hour)
{
	struct inference_request *request = &fixture->inference.request;

	request->queries_per_minute = ABSENT_NUMBER;
	request->requests_per_s = hour->requests_per_s;
	request->common.gpu_count = hour->replicas * 4;
	request->daily_profile.count = 0;
	assert_int_equal(run_into(&fixture->inference, &again), STATUS_OK);
	assert_true(again.recommended.slo_met && again.recommended.simulated.requests > 0);
}

static void replicas_follow_the_day(void **state)
{
	struct serving_fixture fixture;
	double hours[24];

	(void)state;
	fill_day(&fixture, hours);
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(best->autoscaling_count, 24);
	assert_int_equal(best->autoscaling[12].replicas, best->replicas);
	assert_close(best->autoscaling[12].requests_per_s, 60, 1e-12);
	assert_close(best->autoscaling[0].requests_per_s, 12, 1e-12);
	assert_true(best->autoscaling[0].replicas < best->autoscaling[7].replicas);
	assert_true(best->autoscaling[7].replicas < best->replicas);
	for (size_t i = 0; i < 24; i++) {
		const struct autoscaling_hour *hour = &best->autoscaling[i], *next = &best->autoscaling[(i + 1) % 24];

		assert_true(hour->starting >= 0 && hour->replicas + hour->starting >= next->replicas);
	}
	assert_int_equal(best->autoscaling[6].starting, best->autoscaling[7].replicas - best->autoscaling[6].replicas);
	assert_close(best->autoscaled.gpu_hours_per_month + best->autoscaled.saved_gpu_hours_per_month, 730.0 * (double)best->gpu_count, 1e-9);
	assert_true(best->autoscaled.saved_usd_per_month > 0 && best->autoscaled.saved_kwh_per_month > 0);
	assert_true(best->autoscaled.saved_kgco2e_per_month > 0);
	assert_true(best->autoscaled.saved_kwh_per_month < best->energy.kwh_per_month);
	/* by hand from published figures: 70.6e9 weights of two bytes at 130 GB in 110 s, and a minute for the engine */
	assert_close(best->autoscaled.startup_s, 60 + 141.1e9 / 130e9 * 110, 0.01);
	hour_is_held(&fixture, &best->autoscaling[0]);
	hour_is_held(&fixture, &best->autoscaling[7]);
}

static void starting_takes_its_time(void **state)
{
	struct serving_fixture fixture;
	double hours[24], at_once;
	int64_t night;

	(void)state;
	fill_day(&fixture, hours);
	fixture.inference.request.startup_s = 0;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	for (size_t i = 0; i < 24; i++)
		assert_int_equal(best->autoscaling[i].starting, 0);
	at_once = best->autoscaled.saved_gpu_hours_per_month;
	night = best->autoscaling[6].replicas;
	fixture.inference.request.startup_s = 3600;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(best->autoscaling[7].replicas, best->replicas); /* started for hour 8 */
	assert_true(best->autoscaling[6].replicas > night);
	assert_int_equal(best->autoscaling[0].replicas, night);
	assert_true(best->autoscaled.saved_gpu_hours_per_month < at_once);
	fixture.inference.request.startup_s = 1800; /* half of each hour ahead is paid */
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(best->autoscaled.saved_gpu_hours_per_month < at_once);
	fixture.inference.request.startup_s = 86400;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_close(best->autoscaled.saved_gpu_hours_per_month, 0, 1e-9);
}

static void disaggregated_replicas_follow_the_day(void **state)
{
	struct serving_fixture fixture;
	double hours[24];

	(void)state;
	fill_day(&fixture, hours);
	fixture.inference.request.parallelism.disaggregated = TRUTH_TRUE;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(best->autoscaling_count, 24);
	assert_int_equal(best->autoscaling[12].replicas, best->replicas);
	assert_int_equal(best->autoscaling[12].prefill_replicas, best->prefill_replicas);
	assert_true(best->autoscaling[0].replicas < best->replicas);
	assert_true(best->autoscaling[0].prefill_replicas >= 1 && best->autoscaling[0].replicas > best->autoscaling[0].prefill_replicas);
	assert_true(best->autoscaled.saved_gpu_hours_per_month > 0);
}

static bool is_advised(const char *code, struct advice *advice)
{
	for (size_t i = 0; i < plan.findings.advice_count; i++)
		if (strcmp(plan.findings.advice[i].code, code) == 0) {
			*advice = plan.findings.advice[i];
			return true;
		}
	return false;
}

/* Planning again with the advice gives the change that the advice states. */
static void advice_is_what_planning_again_finds(void **state)
{
	struct serving_fixture fixture;
	struct advice advice;
	double usd;
	int64_t gpus;

	(void)state;
	fill(&fixture);
	fixture.inference.request.common.alternatives = 1;
	fixture.inference.request.queries_per_minute = 6000;
	fixture.inference.request.parallelism.tensor = 4;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	gpus = best->gpu_count;
	usd = best->cost.usd_per_month;
	assert_true(is_advised("narrower_weights", &advice));
	assert_contains(advice.detail, "fp8");
	fixture.inference.request.common.precision = PRECISION_FP8;
	assert_int_equal(run_into(&fixture.inference, &again), STATUS_OK);
	assert_close((double)again.recommended.gpu_count, (double)gpus + advice.change_gpus, 1e-12);
	assert_close(again.recommended.cost.usd_per_month, usd + advice.change_usd, 1e-9);
	fixture.inference.request.common.precision = PRECISION_BF16;
	assert_true(is_advised("prefix_cache", &advice));
	fixture.inference.request.prefix_cache_hit_rate = 0.5;
	assert_int_equal(run_into(&fixture.inference, &again), STATUS_OK);
	assert_close((double)again.recommended.gpu_count, (double)gpus + advice.change_gpus, 1e-12);
	assert_false(is_advised("batch_limit", &advice));
}

/* A batch of eight leaves the accelerators idle. The advice names the limit or the layout that the request sets. */
static void a_pinned_batch_or_layout_is_told_of(void **state)
{
	struct serving_fixture fixture;
	struct advice advice;

	(void)state;
	fill(&fixture);
	fixture.inference.request.common.alternatives = 1;
	fixture.inference.request.parallelism.max_batch = 8;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(is_advised("batch_limit", &advice));
	assert_true(advice.change_gpus < 0 && advice.change_usd <= 0);
	fixture.inference.request.parallelism.max_batch = ABSENT_COUNT;
	fixture.inference.request.parallelism.tensor = 8;
	fixture.inference.request.queries_per_minute = 9000;
	fixture.inference.request.slo.tpot_ms = 80;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(is_advised("other_layout", &advice));
	assert_true(advice.change_gpus < 0);
}

static int set_up(void **state)
{
	(void)state;
	workspace = malloc(simulator_workspace_bytes());
	return workspace ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	free(workspace);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_answered_is_beaten),
		cmocka_unit_test(the_objective_is_best_on_its_side),
		cmocka_unit_test(the_best_of_the_precisions_allowed),
		cmocka_unit_test(bursts_are_met_with_a_limit),
		cmocka_unit_test(a_spare_replica_may_fail),
		cmocka_unit_test(prices_of_prompts_and_answers_cover_the_cost),
		cmocka_unit_test(replicas_follow_the_day),
		cmocka_unit_test(starting_takes_its_time),
		cmocka_unit_test(disaggregated_replicas_follow_the_day),
		cmocka_unit_test(advice_is_what_planning_again_finds),
		cmocka_unit_test(a_pinned_batch_or_layout_is_told_of),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
