/* A serving plan's figures: hours that sum to the month, ranges that contain
 * their figure, and sensitivities that come true. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "planner/serving/fleet_cost.h"
#include "support/assert.h"
#include "support/serving_fixture.h"

static struct inference_plan plan, moved;
static struct failure failure;
static const struct inference_option *const best = &plan.recommended;

static enum status run_into(const struct inference_input *input, struct inference_plan *into)
{
	memset(into, 0, sizeof *into);
	failure_clear(&failure);
	return planner_inference(input, into, &failure);
}

/* Fills the fixture with one layout, so that the compared plans have the same fleet. */
static void fixture_fill(struct serving_fixture *fixture)
{
	serving_fixture_fill(fixture);
	fixture->inference.request.parallelism.tensor = 4;
	fixture->inference.request.parallelism.max_batch = 256;
}

static enum status run(const struct inference_input *input)
{
	return run_into(input, &plan);
}

/* Two days from Thursday, 1970-01-01 00:00 UTC: clean by day, dirty by night.
 * The second day is 1.5 times the first. */
struct series {
	double gco2e_per_kwh[48], integral[49];
};

static void series_fill(struct series *series, size_t hours, struct site *site)
{
	for (size_t i = 0; i < 48; i++)
		series->gco2e_per_kwh[i] = (i % 24 < 12 ? 100 : 700) * (i < 24 ? 1 : 1.5);
	grid_hours_integrate(series->gco2e_per_kwh, hours, 60, series->integral);
	site->hours = (struct grid_hours){.start_us = 0, .step_minutes = 60, .count = hours, .integral = series->integral, .source = "test"};
}

static void hours_sum_up_to_the_month(void **state)
{
	struct serving_fixture fixture;
	struct series series;
	double day[24], kwh = 0, kg = 0, requests = 0;

	(void)state;
	fixture_fill(&fixture);
	for (int i = 0; i < 24; i++)
		day[i] = i < 12 ? 1 : 0.05;
	series_fill(&series, 48, &fixture.candidate.site);
	fixture.inference.request.daily_profile = (struct number_list){day, 24};
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(plan.hour_count, 24);
	for (int i = 0; i < 24; i++) {
		assert_close(plan.hours[i].requests_per_s, 10 * day[i], 1e-12);
		assert_close(plan.hours[i].grid_gco2e_per_kwh, (i < 12 ? 100 : 700) * 1.25, 1e-12);
		assert_close(
			plan.hours[i].operational_kgco2e_per_month, plan.hours[i].kwh_per_month * plan.hours[i].grid_gco2e_per_kwh / 1000, 1e-12);
		kwh += plan.hours[i].kwh_per_month;
		kg += plan.hours[i].operational_kgco2e_per_month;
		requests += plan.hours[i].requests_per_s * 730 * 3600 / 24;
	}
	assert_close(kwh, best->energy.kwh_per_month, 1e-12);
	assert_close(kg, best->carbon.operational_kgco2e_per_month, 1e-12);
	assert_close(kg / kwh * 1000, best->carbon.grid_gco2e_per_kwh, 1e-12);
	assert_close(requests * best->energy.wh_per_request / 1000, kwh, 1e-12);
	assert_true(plan.hours[0].kwh_per_month > 1.2 * plan.hours[23].kwh_per_month); /* more load in the clean hours: */
	assert_true(best->carbon.grid_gco2e_per_kwh < 0.95 * 400 * 1.25);              /* the mean is below the grid's 500 */
	assert_close(best->carbon.hourly_fraction, 1, 1e-12);
	assert_close(plan.front[0].kgco2e_per_month, best->carbon.kgco2e_per_month, 1e-12);
	/* the load is high in the dirty hours: as much energy, more carbon */
	for (int i = 0; i < 24; i++)
		day[i] = i < 12 ? 0.05 : 1;
	assert_int_equal(run_into(&fixture.inference, &moved), STATUS_OK);
	assert_close(moved.recommended.energy.kwh_per_month, best->energy.kwh_per_month, 1e-12);
	assert_true(moved.recommended.carbon.operational_kgco2e_per_month > 1.05 * best->carbon.operational_kgco2e_per_month);
	/* a clock twelve hours ahead restores the first answer */
	fixture.inference.request.utc_offset_hours = 12;
	assert_int_equal(run_into(&fixture.inference, &moved), STATUS_OK);
	assert_close(moved.recommended.carbon.operational_kgco2e_per_month, best->carbon.operational_kgco2e_per_month, 1e-12);
}

static void hours_without_a_profile_are_the_grids(void **state)
{
	struct serving_fixture fixture;
	struct series series;
	double flat_kwh, week[168];

	(void)state;
	fixture_fill(&fixture);
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(plan.hour_count, 0);
	assert_close(best->carbon.grid_gco2e_per_kwh, 400, 1e-12);
	assert_false(is_given(best->carbon.hourly_fraction));
	assert_int_equal(plan.findings.warning_count, 0);
	fixture.inference.request.utc_offset_hours = 2;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_int_equal(plan.findings.warning_count, 1);
	assert_non_null(strstr(plan.findings.warnings[0].detail, "utc_offset_hours is not used"));
	fixture.inference.request.utc_offset_hours = ABSENT_NUMBER;
	flat_kwh = best->energy.kwh_per_month;
	series_fill(&series, 36, &fixture.candidate.site); /* the second night is not known, but nights do not count less */
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_close(best->energy.kwh_per_month, flat_kwh, 1e-12);
	assert_close(best->carbon.grid_gco2e_per_kwh, (125.0 + 700) / 2, 1e-12);
	assert_close(plan.front[0].kgco2e_per_month, best->carbon.kgco2e_per_month, 1e-12);
	for (int i = 0; i < 168; i++)
		week[i] = 1;
	fixture.inference.request.daily_profile = (struct number_list){week, 168};
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_close(plan.hours[72].grid_gco2e_per_kwh, 100, 1e-12);      /* Thursday's first hour */
	assert_close(plan.hours[72 + 25].grid_gco2e_per_kwh, 150, 1e-12); /* Friday's second */
	assert_close(plan.hours[0].grid_gco2e_per_kwh, 400, 1e-12);       /* Monday's: not known, the site's mean */
	assert_close(best->carbon.hourly_fraction, 36 / 168.0, 1e-12);
	assert_close(best->energy.kwh_per_month, flat_kwh, 1e-9);
}

/* A profile's energy is the sum over its hours. It is below that of the mean
 * load, as power rises steeply at first. */
static void power_follows_the_load(void **state)
{
	struct serving_fixture fixture;
	double day[24], kwh[3];

	(void)state;
	for (int i = 0; i < 3; i++) {
		fixture_fill(&fixture);
		for (int h = 0; h < 24; h++)
			day[h] = i == 0 ? 1 : i == 1 ? 0.02 : h < 12 ? 1 : 0.02;
		day[0] = 1;
		fixture.inference.request.daily_profile = (struct number_list){day, 24};
		fixture.inference.request.common.gpu_count = 8;
		assert_int_equal(run(&fixture.inference), STATUS_OK);
		kwh[i] = best->energy.kwh_per_month;
	}
	assert_close(kwh[2], (12 * kwh[0] + 12 * (24 * kwh[1] - kwh[0]) / 23) / 24, 1e-9);
}

static const struct provenance *provenance_of(const struct inference_option *option, const char *pointer)
{
	for (size_t i = 0; i < option->provenance_count; i++)
		if (strcmp(option->provenance[i].pointer, pointer) == 0)
			return &option->provenance[i];
	return NULL;
}

static struct provenance known(const char *pointer)
{
	const struct provenance *provenance = provenance_of(best, pointer);

	if (!provenance)
		fail_msg("no provenance of %s", pointer);
	return provenance ? *provenance : (struct provenance){.pointer = pointer};
}

static void assert_same(const struct provenance *provenance, const struct interval *interval)
{
	assert_non_null(provenance);
	assert_close(provenance->low, interval->p10, 1e-12);
	assert_close(provenance->high, interval->p90, 1e-12);
}

/* A figure with an interval and a provenance has the same range in both. (tests/server/test_serving_figures.py checks
 * that every figure of an answer has a range.) */
static void intervals_and_ranges_agree(void **state)
{
	struct serving_fixture fixture;

	(void)state;
	fixture_fill(&fixture);
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_same(provenance_of(best, "/gpu_count"), &best->interval.gpu_count);
	assert_same(provenance_of(best, "/cost/usd_per_month"), &best->interval.usd_per_month);
	assert_same(provenance_of(best, "/energy/kwh_per_month"), &best->interval.kwh_per_month);
	assert_same(provenance_of(best, "/carbon/kgco2e_per_month"), &best->interval.kgco2e_per_month);
	assert_same(provenance_of(best, "/latency/ttft_ms/p50"), &best->interval.ttft_ms);
	assert_same(provenance_of(best, "/latency/tpot_ms/p50"), &best->interval.tpot_ms);
	assert_same(provenance_of(best, "/throughput/output_tokens_per_s"), &best->interval.output_tokens_per_s);
	assert_null(provenance_of(best, "/carbon/market_kgco2e_per_month")); /* not known: neither a figure nor a range */
	/* the price of a fixed number is certain; the cost of a token is as uncertain
	 * as the load that the fleet carries */
	fixture.inference.request.queries_per_minute = ABSENT_NUMBER;
	fixture.inference.request.common.gpu_count = 8;
	fixture.inference.request.common.pricing.usd_per_gpu_hour = 2;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_close(known("/cost/usd_per_month").high, 8 * 2 * 730, 1e-12);
	assert_true(known("/cost/usd_per_month").status == PROVENANCE_GIVEN);
	assert_close(known("/cost/usd_per_million_tokens").high / best->cost.usd_per_million_tokens,
		best->interval.output_tokens_per_s.p90 / best->throughput.output_tokens_per_s, 1e-12);
}

static double figure_of(const struct inference_option *option, const char *name)
{
	return strcmp(name, "cost.usd_per_month") == 0            ? option->cost.usd_per_month
		: strcmp(name, "carbon.kgco2e_per_month") == 0        ? option->carbon.kgco2e_per_month
		: strcmp(name, "energy.kwh_per_month") == 0           ? option->energy.kwh_per_month
		: strcmp(name, "water_l_per_month") == 0              ? option->water_l_per_month
		: strcmp(name, "utilization") == 0                    ? option->utilization
		: strcmp(name, "throughput.output_tokens_per_s") == 0 ? option->throughput.output_tokens_per_s
															  : ABSENT_NUMBER;
}

/* Sets an input in the fixture. Returns false if neither a request nor a catalogue row holds the input as it is. */
static bool put(struct serving_fixture *fixture, const char *field, double value)
{
	struct inference_request *request = &fixture->inference.request;
	const struct {
		const char *field;
		double *member;
	} members[] = {{"queries_per_minute", &request->queries_per_minute}, {"prompt_tokens", &request->prompt_tokens.mean},
		{"output_tokens", &request->output_tokens.mean}, {"headroom", &request->headroom},
		{"throughput_tokens_per_s_per_gpu", &request->throughput_tokens_per_s_per_gpu},
		{"pricing.usd_per_gpu_hour", &request->common.pricing.usd_per_gpu_hour},
		{"site.grid_gco2e_per_kwh", &fixture->candidate.site.grid_gco2e_per_kwh}, {"site.pue", &fixture->candidate.site.pue},
		{"site.wue_l_per_kwh", &fixture->candidate.site.wue_l_per_kwh}, {"site.ewif_l_per_kwh", &fixture->candidate.site.ewif_l_per_kwh},
		{"accelerator.idle_w", &fixture->candidate.accelerator.idle_w},
		{"hardware.host_power_fraction", &request->common.hardware.host_power_fraction},
		{"hardware.embodied_kgco2e_per_gpu", &request->common.hardware.embodied_kgco2e_per_gpu},
		{"hardware.embodied_kgco2e_per_node", &request->common.hardware.embodied_kgco2e_per_node},
		{"hardware.life_years", &request->common.hardware.life_years}};

	for (size_t i = 0; i < COUNT_OF(members); i++)
		if (strcmp(members[i].field, field) == 0) {
			*members[i].member = value;
			return true;
		}
	return false;
}

/* Fills the fixture with instances of one accelerator: a given price then pays only for the accelerators in use. */
static void sensitive_fixture(struct serving_fixture *fixture)
{
	fixture_fill(fixture);
	fixture->candidate.offer.gpus = 1;
	fixture->candidate.site.wue_low_l_per_kwh = 0.1;
	fixture->candidate.site.wue_high_l_per_kwh = 1;
	fixture->candidate.site.ewif_low_l_per_kwh = 2;
	fixture->candidate.site.ewif_high_l_per_kwh = 4;
	fixture->inference.request.queries_per_minute = 6000;
}

/* Planned with the input at either end of its range, the answer changes as the
 * sensitivity says, with whole replicas. */
static void inputs_move_what_they_say(void **state)
{
	struct serving_fixture fixture;
	size_t checked = 0;

	(void)state;
	sensitive_fixture(&fixture);
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	assert_true(plan.findings.sensitivity_count >= 15 && plan.findings.dropped == 0);
	for (size_t i = 0; i < plan.findings.sensitivity_count; i++) {
		const struct sensitivity *item = &plan.findings.sensitivities[i];

		assert_true(i == 0 || fabs(item->relative) <= fabs(item[-1].relative));
		assert_true(item->low <= item->value && item->value <= item->high && item->low < item->high);
		for (int end = 0; end < 2; end++) {
			double change = end == 0 ? item->change_low : item->change_high;

			sensitive_fixture(&fixture);
			if (!put(&fixture, item->field, end == 0 ? item->low : item->high))
				continue;
			assert_int_equal(run_into(&fixture.inference, &moved), STATUS_OK);
			if (fabs(figure_of(&moved.recommended, item->figure) / figure_of(best, item->figure) - 1 - change) > 1e-6)
				fail_msg("%s at %g: %s moves by %g, reported was %g", item->field, end == 0 ? item->low : item->high, item->figure,
					figure_of(&moved.recommended, item->figure) / figure_of(best, item->figure) - 1, change);
			checked++;
		}
	}
	assert_true(checked >= 28);
}

/* One replica has room to spare: a tenth more load changes no cost, so the sensitivity is that of utilization. */
static void steps_of_whole_replicas_are_told(void **state)
{
	struct serving_fixture fixture;
	bool found = false;

	(void)state;
	fixture_fill(&fixture);
	fixture.inference.request.queries_per_minute = 1;
	assert_int_equal(run(&fixture.inference), STATUS_OK);
	for (size_t i = 0; i < plan.findings.sensitivity_count; i++) {
		const struct sensitivity *item = &plan.findings.sensitivities[i];

		if (strcmp(item->field, "queries_per_minute") != 0)
			continue;
		found = true;
		assert_string_equal(item->method, SENSITIVITY_WHOLE);
		assert_string_equal(item->figure, "utilization");
		assert_close(item->change_high, 0.1, 1e-9);
	}
	assert_true(found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hours_sum_up_to_the_month),
		cmocka_unit_test(hours_without_a_profile_are_the_grids),
		cmocka_unit_test(power_follows_the_load),
		cmocka_unit_test(intervals_and_ranges_agree),
		cmocka_unit_test(inputs_move_what_they_say),
		cmocka_unit_test(steps_of_whole_replicas_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
