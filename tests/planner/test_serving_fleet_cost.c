/* Serving fleets: the prices of tokens, the savings of schedules, the order of
 * fleets, and faults where none is possible. */
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* Returns the most requests a second that a replica of the chosen layout answers. */
static double saturation_requests_per_s(struct serving_fixture *fixture)
{
	static struct performance performance;

	memset(&performance, 0, sizeof performance);
	failure_clear(&failure);
	fixture->performance.request.common.gpu_count = best->gpus_per_replica;
	fixture->performance.request.parallelism.tensor = best->parallelism.tensor;
	fixture->performance.request.parallelism.max_batch = best->parallelism.max_batch;
	fixture->performance.request.concurrency = CONCURRENCY_MAX;
	assert_int_equal(planner_performance(&fixture->performance, &performance, &failure), STATUS_OK);
	return performance.requests_per_s;
}

static void utilization_is_of_all_replicas(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.inference.request.parallelism.tensor = 4;
	fixture.inference.request.queries_per_minute = 3000;
	fixture.inference.request.redundancy = REDUNDANCY_N_PLUS_1;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(best->replicas > 2);
	assert_close(best->utilization, 50 / ((double)best->replicas * saturation_requests_per_s(&fixture)), 1e-9);
}

/* The prices of input and output tokens together cover the cost, each by its share of the time. With long prompts the
 * input pays most of it, with long answers the output. */
static void tokens_pay_for_their_time(void **state)
{
	static const struct {
		double prompt, output, least, most;
	} lengths[] = {{8000, 20, 0.8, 1}, {1000, 300, 0.2, 0.8}, {100, 2000, 0, 0.1}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		struct serving_fixture fixture;
		double prompts_usd, answers_usd;

		serving_fixture_fill(&fixture);
		fixture.inference.request.prompt_tokens.mean = lengths[i].prompt;
		fixture.inference.request.output_tokens.mean = lengths[i].output;
		assert_int_equal(run(&fixture.inference), STATUS_OK);
		prompts_usd = best->cost.input_usd_per_million_tokens * 1e-6 * 10 * lengths[i].prompt * 3600;
		answers_usd = best->cost.output_usd_per_million_tokens * 1e-6 * 10 * lengths[i].output * 3600;
		assert_close(prompts_usd + answers_usd, best->cost.usd_per_hour, 1e-9);
		assert_true(prompts_usd >= lengths[i].least * best->cost.usd_per_hour && prompts_usd <= lengths[i].most * best->cost.usd_per_hour);
	}
}

/* An even day saves nothing, however long a start takes. */
static void an_even_day_saves_nothing(void **state)
{
	struct serving_fixture fixture;
	double hours[24];

	(void)state;
	for (int i = 0; i < 24; i++)
		hours[i] = 0.5;
	for (double startup_s = 0; startup_s <= 9000; startup_s += 1800) {
		serving_fixture_fill(&fixture);
		fixture.inference.request.daily_profile = (struct number_list){hours, 24};
		fixture.inference.request.startup_s = startup_s;
		assert_int_equal(run(&fixture.inference), STATUS_OK);
		assert_close(best->autoscaled.gpu_hours_per_month, 730 * (double)best->gpu_count, 1e-9);
		assert_true(fabs(best->autoscaled.saved_gpu_hours_per_month) < 1e-6 && fabs(best->autoscaled.saved_usd_per_month) < 1e-6);
	}
}

/* Returns the energy of a month for `gpu_count` accelerators at a load, in kWh. */
static double month_kwh(struct serving_fixture *fixture, int64_t gpu_count, double requests_per_s)
{
	serving_fixture_fill(fixture);
	fixture->inference.request.parallelism.tensor = 8;
	fixture->inference.request.queries_per_minute = ABSENT_NUMBER;
	fixture->inference.request.requests_per_s = requests_per_s;
	fixture->inference.request.common.gpu_count = gpu_count;
	assert_int_equal(run(&fixture->inference), STATUS_OK);
	return best->energy.kwh_per_month;
}

/* For half of the day the load is a quarter. The saved GPU-hours are half a month of the accelerators that need not
 * run then. The saved energy is that of the whole fleet at this load less that of the smaller fleet. The saved carbon
 * is the grid's for this energy, and the embodied carbon of the saved hours. */
static void what_a_schedule_saves_is_not_used(void **state)
{
	struct serving_fixture fixture;
	double hours[24], saved_kwh, saved_kgco2e, saved_hours, embodied_kgco2e;
	int64_t whole, small;

	(void)state;
	serving_fixture_fill(&fixture);
	for (int i = 0; i < 24; i++)
		hours[i] = i < 12 ? 0.25 : 1;
	fixture.inference.request.parallelism.tensor = 8;
	fixture.inference.request.queries_per_minute = ABSENT_NUMBER;
	fixture.inference.request.requests_per_s = 100;
	fixture.inference.request.startup_s = 0;
	fixture.inference.request.daily_profile = (struct number_list){hours, 24};
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	whole = best->gpu_count;
	small = best->autoscaling[0].replicas * 8;
	assert_true(small > 0 && 2 * small < whole);
	saved_kwh = best->autoscaled.saved_kwh_per_month;
	saved_kgco2e = best->autoscaled.saved_kgco2e_per_month;
	saved_hours = best->autoscaled.saved_gpu_hours_per_month;
	embodied_kgco2e = best->carbon.embodied_kgco2e_per_month;
	assert_close(saved_hours, (double)(whole - small) * 365, 1e-9);
	assert_close(best->autoscaled.saved_usd_per_month, 3 * saved_hours, 1e-9);
	assert_close(saved_kgco2e, 0.4 * saved_kwh + embodied_kgco2e * saved_hours / (730 * (double)whole), 1e-9);
	assert_close(saved_kwh, (month_kwh(&fixture, whole, 25) - month_kwh(&fixture, small, 25)) / 2, 1e-9);
}

/* Prompts have replicas of their own, and a spare one can replace either kind. */
static void a_spare_replica_stands_beside_both_kinds(void **state)
{
	struct serving_fixture fixture;
	int64_t replicas;

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.inference.request.parallelism.tensor = 4;
	fixture.inference.request.parallelism.disaggregated = TRUTH_TRUE;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	replicas = best->replicas;
	assert_true(best->prefill_replicas > 0 && best->prefill_replicas < replicas);
	fixture.inference.request.redundancy = REDUNDANCY_N_PLUS_2;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(best->replicas, replicas + 2);
	assert_int_equal(best->gpu_count, 4 * (replicas + 2));
}

/* If the count is too small for a replica of each kind and a spare one, the
 * fault says how many are enough. They are. */
static void too_few_are_told_how_many_would_do(void **state)
{
	struct serving_fixture fixture;
	struct inference_request *request = &fixture.inference.request;

	(void)state;
	serving_fixture_fill(&fixture);
	request->parallelism.tensor = 4;
	request->queries_per_minute = 1;
	request->redundancy = REDUNDANCY_N_PLUS_1;
	request->common.gpu_count = 7;
	assert_int_equal(run(&fixture.inference), STATUS_INFEASIBLE);
	assert_contains(failure.detail, "2 replicas of 4 (1 spare). Set gpu_count to 8 or more");
	assert_string_equal(failure.faults[0].pointer, "/gpu_count");
	request->parallelism.disaggregated = TRUTH_TRUE;
	assert_int_equal(run(&fixture.inference), STATUS_INFEASIBLE);
	assert_contains(failure.detail, "Set gpu_count to 12 or more");
	request->common.gpu_count = 12;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(best->prefill_replicas, 1);
	request->parallelism.disaggregated = TRUTH_UNSET;
	request->common.gpu_count = 8;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	request->queries_per_minute = 1e5;
	assert_int_equal(run(&fixture.inference), STATUS_INFEASIBLE);
	assert_contains(failure.detail, "the request is for 1.67e+03");
	request->common.gpu_count = ABSENT_COUNT;
	request->throughput_tokens_per_s_per_gpu = 1e-6;
	assert_int_equal(run(&fixture.inference), STATUS_INFEASIBLE);
	assert_contains(failure.detail, "a million replicas");
}

/* A dirtier grid changes the operational carbon, not the embodied carbon. */
static void the_grid_moves_the_operational_part(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	serving_fixture_fill(&fixture);
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	for (size_t i = 0; i < plan.findings.sensitivity_count; i++)
		if (strcmp(plan.findings.sensitivities[i].field, "site.grid_gco2e_per_kwh") == 0) {
			assert_close(fabs(plan.findings.sensitivities[i].relative),
				0.1 * best->energy.kwh_per_month * 0.4 / best->carbon.kgco2e_per_month, 1e-9);
			return;
		}
	fail_msg("the grid is no sensitivity");
}

/* A replica that is taken away is paid for twice while it is replaced. The share of time with more replicas away than
 * spare follows Poisson. */
static void spot_is_priced_and_told(void **state)
{
	struct serving_fixture fixture;
	double factor, away, beyond;
	char told[64];

	(void)state;
	serving_fixture_fill(&fixture);
	fixture.candidate.offer.term = TERM_SPOT;
	fixture.inference.request.parallelism.tensor = 8;
	fixture.inference.request.redundancy = REDUNDANCY_N_PLUS_1;
	fixture.inference.request.queries_per_minute = 6000;
	fixture.inference.request.startup_s = 360;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_close(best->cost.usd_per_hour, 3.0 * (double)best->gpu_count, 1e-12);
	assert_contains(plan.findings.warnings[0].detail, "how often is not known");
	fixture.inference.request.common.pricing.spot_interruptions_per_gpu_hour = 0.05;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	factor = 1 + 0.05 * 8 * 0.1;
	away = (double)best->replicas * (factor - 1);
	beyond = 100 * (1 - exp(-away) * (1 + away));
	assert_close(best->cost.usd_per_hour, 3.0 * (double)best->gpu_count * factor, 1e-12);
	snprintf(told, sizeof told, "more replicas are away than spare (1) %.2g %%", beyond);
	assert_contains(plan.findings.warnings[0].detail, told);
	snprintf(told, sizeof told, "%.2g are away on average", away);
	assert_contains(plan.findings.warnings[0].detail, told);
	fixture.candidate.offer.term = TERM_ON_DEMAND;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_contains(plan.findings.warnings[0].detail, "is not used: the offer is not a spot offer");
}

/* With a fixed count and no load, the plan recommends the accelerator with the cheapest requests. An accelerator that
 * carries less for the same price and is not cleaner is not an alternative. */
static void a_fixed_count_is_ranked_by_the_request(void **state)
{
	struct serving_fixture fixture;
	struct candidate two[2];

	(void)state;
	serving_fixture_fill(&fixture);
	two[0] = two[1] = fixture.candidate;
	two[1].accelerator.id = "h100-twice";
	two[1].accelerator.memory_bandwidth_gbs *= 2;
	two[1].accelerator.tflops_bf16 *= 2;
	two[1].offer.usd_per_gpu_hour *= 1.2;
	fixture.inference.candidates = two;
	fixture.inference.candidate_count = 2;
	fixture.inference.request.queries_per_minute = ABSENT_NUMBER;
	fixture.inference.request.common.gpu_count = 8;
	fixture.inference.request.parallelism.tensor = 4;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_string_equal(best->accelerator.id, "h100-twice");
	assert_int_equal(plan.alternative_count, 1); /* the other is cheaper by the hour */
	two[1].offer.usd_per_gpu_hour = two[0].offer.usd_per_gpu_hour;
	two[0].site.grid_gco2e_per_kwh *= 4;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_string_equal(best->accelerator.id, "h100-twice");
	assert_int_equal(plan.alternative_count, 0);
}

/* Of the fleets that miss a limit, the fault names the nearest. */
static void the_nearest_miss_is_named(void **state)
{
	struct serving_fixture fixture;
	struct candidate two[2];

	(void)state;
	serving_fixture_fill(&fixture);
	for (int fast = 0; fast < 2; fast++) {
		two[0] = two[1] = fixture.candidate;
		two[fast].accelerator.id = "h100-fast";
		two[fast].accelerator.memory_bandwidth_gbs *= 3;
		fixture.inference.candidates = two;
		fixture.inference.candidate_count = 2;
		fixture.inference.request.slo.tpot_ms = 0.5;
		assert_int_equal(run(&fixture.inference), STATUS_INFEASIBLE);
		assert_contains(failure.detail, "h100-fast");
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(utilization_is_of_all_replicas),
	cmocka_unit_test(tokens_pay_for_their_time),
	cmocka_unit_test(an_even_day_saves_nothing),
	cmocka_unit_test(too_few_are_told_how_many_would_do),
	cmocka_unit_test(the_grid_moves_the_operational_part),
	cmocka_unit_test(what_a_schedule_saves_is_not_used),
	cmocka_unit_test(a_spare_replica_stands_beside_both_kinds),
	cmocka_unit_test(a_fixed_count_is_ranked_by_the_request),
	cmocka_unit_test(the_nearest_miss_is_named),
	cmocka_unit_test(spot_is_priced_and_told),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
