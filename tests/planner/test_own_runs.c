/* A team's own runs beside the published ones (E134): weights, likeness,
 * contradictions, and their effect on a plan. */
#include <math.h>
#include <string.h>

#include "planner/measurement/observation.h"
#include "planner/measurement/own_runs.h"
#include "planner/training/practice.h"
#include "support/assert.h"
#include "support/training_fixture.h"

#define EXPECTED 1.67
#define SIGMA    0.36

static struct own_run items[OWN_RUNS_MAX];
static struct own_runs runs = {.items = items, .source = "E134: runs of your own"};
static const struct own_runs_prior prior = {.sigma = SIGMA, .rest_factor = 1.12, .rest_sigma = 0.15, .gpu_count = 64};

static void add(double practice)
{
	items[runs.count++] = own_run_of(practice, EXPECTED, SIGMA, ABSENT_NUMBER, 64, 1);
}

static struct own_runs_posterior of_equal(size_t count, double practice)
{
	runs.count = 0;
	while (runs.count < count)
		add(practice);
	return own_runs_posterior(&runs, &prior);
}

static void without_runs_the_published_ones_stand(void **state)
{
	struct own_runs_posterior none = own_runs_posterior(NULL, &prior);

	(void)state;
	assert_close(none.factor, 1, 0);
	assert_close(none.scale, 1, 0);
	assert_close(none.weight, 0, 0);
	none = of_equal(0, 2);
	assert_close(none.factor, 1, 0);
	of_equal(1, 2);
	items[0].likeness = 0;
	assert_close(own_runs_posterior(&runs, &prior).factor, 1, 0);
}

static void one_run_weighs_less_than_the_published_ones_and_five_weigh_more(void **state)
{
	struct own_runs_posterior one = of_equal(1, 2.4), five = of_equal(5, 2.4);
	double last = 1;

	(void)state;
	/* by hand: variance 0.75 of the published one, weight 0.25 / (0.75 + 0.25) */
	assert_close(one.weight, 0.25, 1e-12);
	assert_close(log(one.factor), 0.25 * log(2.4 / EXPECTED), 1e-12);
	assert_close(one.scale * one.scale, 0.75 + 0.25 * 0.75, 1e-12);
	assert_close(one.runs, 1, 1e-12);
	/* five that agree: variance 2.25 / 7, weight 1.25 / (2.25 / 7 + 1.25) */
	assert_close(five.weight, 1.25 / (2.25 / 7 + 1.25), 1e-12);
	assert_true(five.weight > 0.5 && five.scale < one.scale && !five.disagree && !one.disagree);
	for (size_t count = 1; count < 40; count++) {
		double factor = of_equal(count, 2.4).factor;

		assert_true(factor > last && factor < 2.4 / EXPECTED);
		last = factor;
	}
	/* runs as far apart as those of one team (0.32 of 0.37) still weigh more than the published ones */
	runs.count = 0;
	for (int i = -2; i <= 2; i++)
		add(2.4 * exp(i * SIGMA * sqrt(0.75 / 2.5)));
	five = own_runs_posterior(&runs, &prior);
	assert_close(five.weight, 0.625, 1e-9);
	assert_true(!five.disagree && five.scale < 1);
}

static void slower_runs_lengthen_and_faster_ones_shorten(void **state)
{
	(void)state;
	assert_true(of_equal(3, 2.4).factor > 1.05);
	assert_true(of_equal(3, 1.1).factor < 0.95);
	assert_close(of_equal(3, EXPECTED).factor, 1, 1e-12);
	assert_close(of_equal(3, EXPECTED * 1.3).factor * of_equal(3, EXPECTED / 1.3).factor, 1, 1e-12);
}

static void unlike_runs_weigh_less(void **state)
{
	const struct own_run_kind like = {true, true, true, 1}, accelerator = {false, true, true, 1}, vendor = {false, false, true, 1},
							  software = {true, true, false, 1}, larger = {true, true, true, 10}, smaller = {true, true, true, 0.1},
							  unknown = {true, true, true, ABSENT_NUMBER};
	double last = INFINITY;

	(void)state;
	assert_close(own_run_likeness(&like), 1, 0);
	assert_close(own_run_likeness(&accelerator), 0.5, 1e-12);
	assert_close(own_run_likeness(&vendor), 0.25, 1e-12);
	assert_close(own_run_likeness(&software), 0.5, 1e-12);
	assert_close(own_run_likeness(&larger), 0.5, 1e-12);
	assert_close(own_run_likeness(&smaller), 0.5, 1e-12);
	assert_close(own_run_likeness(&unknown), 0.5, 1e-12);
	for (double likeness = 1; likeness > 0.01; likeness /= 2) {
		double factor;

		of_equal(5, 2.4);
		for (size_t i = 0; i < 5; i++)
			items[i].likeness = likeness;
		factor = own_runs_posterior(&runs, &prior).factor;
		assert_true(factor < last && factor > 1);
		last = factor;
	}
	of_equal(5, 2.4);
	for (size_t i = 0; i < 5; i++)
		items[i].log10_gpus += i % 2 ? 1 : -1; /* larger or smaller */
	assert_close(own_runs_posterior(&runs, &prior).runs, 2.5, 1e-12);
	/* five unlike runs weigh less than five like ones; a like run weighs more than
	 * an unlike one that says the opposite */
	runs.count = 0;
	add(2.4);
	add(EXPECTED * EXPECTED / 2.4);
	items[1].likeness = 0.25;
	assert_true(own_runs_posterior(&runs, &prior).factor > 1);
}

static void contradictions_widen_the_range(void **state)
{
	struct own_runs_posterior agreed = of_equal(6, 2), contradicted;

	(void)state;
	runs.count = 0;
	for (int i = 0; i < 3; i++) {
		add(1);
		add(4);
	}
	contradicted = own_runs_posterior(&runs, &prior);
	assert_true(contradicted.disagree && contradicted.scale > 1.2);
	assert_true(contradicted.weight < agreed.weight && contradicted.factor < agreed.factor && contradicted.factor > 1);
	assert_true(!agreed.disagree && agreed.scale < 0.7);
}

/* Two runs contradict each other if they make the next run less certain than it is without them. Being further apart
 * than published runs is not enough. */
static void runs_contradict_where_they_widen(void **state)
{
	(void)state;
	for (int far = 0; far < 2; far++) {
		double deviate = sqrt((far ? 1.4 : 1.05) / 2), scatter = far ? 1.4 : 1.05, variance = (2.25 + scatter) / 4;
		struct own_runs_posterior two;

		runs.count = 0;
		add(EXPECTED * exp(SIGMA * deviate));
		add(EXPECTED * exp(-SIGMA * deviate));
		two = own_runs_posterior(&runs, &prior);
		assert_close(two.scale * two.scale, variance + 0.25 * variance / (variance + 0.5), 1e-9);
		assert_int_equal(two.scale > 1, far);
		assert_int_equal(two.disagree, far);
		assert_close(two.factor, 1, 1e-9);
	}
}

/* By hand: a run whose plan left half of the spread open has the weight of 1/4
 * of a run, and half of its deviate counts. */
static void a_run_that_left_less_open_moves_less(void **state)
{
	struct own_runs_posterior one;
	double weight = 0.25 * 0.25 / (0.75 + 0.25 * 0.25);

	(void)state;
	runs.count = 1;
	items[0] = own_run_of(2.4, EXPECTED, SIGMA / 2, ABSENT_NUMBER, 64, 1);
	one = own_runs_posterior(&runs, &prior);
	assert_close(one.runs, 0.25, 1e-12);
	assert_close(one.weight, weight, 1e-12);
	assert_close(log(one.factor), weight * log(2.4 / EXPECTED), 1e-12); /* sigma x 1/2 x ln(2.4 / expected) / (sigma / 2) */
	runs.count = 1;
	items[0] = own_run_of(2.4, EXPECTED, SIGMA * 2, ABSENT_NUMBER, 64, 1);
	one = own_runs_posterior(&runs, &prior);
	assert_close(log(one.factor), weight * log(2.4 / EXPECTED) / 4, 1e-12);
}

/* Figures by hand: the sigma of the typical parts is the root of the mean of both sides' variances. */
static void the_published_spread_is_that_of_both_sides(void **state)
{
	const struct practice_known known = {.node_count = 8};
	struct practice practice = practice_expected(&known, &practice_fitted);

	(void)state;
	assert_close(practice.value, 1.13 * 1.35 * 1.12, 1e-12);
	assert_close(practice_log_sigma(&practice), 0.3202809247283456, 1e-12);
}

/* Of the factor 2.1, 1.12 is beside the steps, as published: the steps were slow. A plan that knows its steps is not
 * moved by such runs. */
static void a_known_step_leaves_what_is_beside_it(void **state)
{
	const struct own_runs_prior known = {
		.sigma = prior.rest_sigma, .rest_factor = prior.rest_factor, .rest_sigma = prior.rest_sigma, .gpu_count = 64};

	(void)state;
	of_equal(5, 2.1);
	for (size_t i = 0; i < 5; i++)
		items[i] = own_run_of(2.1, EXPECTED, SIGMA, 2.1 / 1.12, 64, 1);
	assert_close(own_runs_posterior(&runs, &known).factor, 1, 1e-12);
	assert_true(own_runs_posterior(&runs, &prior).factor > 1.1);
	for (size_t i = 0; i < 5; i++)
		items[i] = own_run_of(2.1, EXPECTED, SIGMA, 2.1 / 1.4, 64, 1);
	assert_close(own_runs_posterior(&runs, &known).runs, 5, 1e-12);
	assert_true(own_runs_posterior(&runs, &known).factor > 1.1);
	/* without a step time, the whole run says little about a part of it */
	of_equal(5, 2.1);
	assert_true(own_runs_posterior(&runs, &known).runs < 1);
	assert_true(own_runs_posterior(&runs, &known).factor > 1);
}

static struct training_fixture fixture;
#define BEST fixture.plan.recommended

static void planned(enum practice_kind practice, const struct own_runs *own)
{
	fixture_init(&fixture);
	fixture.input.request.common.practice = practice;
	fixture.input.request.common.gpu_count = 64;
	fixture.candidates[0].own_runs = own;
	fixture_planned(&fixture);
}

static void a_plan_moves_towards_its_teams_runs(void **state)
{
	struct practice published;
	struct own_runs_posterior posterior;
	struct spread was_spread, spread;
	double hours, step_s, width, product = 1;

	(void)state;
	planned(PRACTICE_TYPICAL, NULL);
	published = BEST.practice;
	assert_false(is_given(published.own_runs));
	hours = BEST.wall_clock_hours;
	step_s = BEST.step.time_s;
	width = BEST.interval.wall_clock_hours.p90 / BEST.interval.wall_clock_hours.p10;
	runs.count = 0;
	while (runs.count < 5)
		items[runs.count++] = own_run_of(2.2, published.value, practice_log_sigma(&published), ABSENT_NUMBER, 64, 1);
	planned(PRACTICE_TYPICAL, &runs);
	assert_close(BEST.step.time_s, step_s, 1e-12);
	assert_int_equal(BEST.practice.part_count, published.part_count);
	for (size_t i = 0; i < BEST.practice.part_count; i++) {
		const struct practice_part *part = &BEST.practice.parts[i], *was = &published.parts[i];

		assert_string_equal(part->name, was->name);
		assert_string_equal(part->source, runs.source);
		assert_true(part->factor > was->factor && part->high / part->low < was->high / was->low);
		product *= part->factor;
	}
	assert_close(BEST.practice.value, product, 1e-12);
	assert_close(BEST.wall_clock_hours / hours, BEST.practice.value / published.value, 1e-9);
	assert_true(log(BEST.practice.value / published.value) > 0.5 * log(2.2 / published.value) && BEST.practice.value < 2.2);
	assert_true(BEST.interval.wall_clock_hours.p90 / BEST.interval.wall_clock_hours.p10 < width);
	assert_true(BEST.practice.step_factor > published.step_factor && BEST.practice.step_factor < BEST.practice.value);
	assert_close(BEST.practice.own_runs, 5, 1e-12);
	was_spread = practice_spread(&published);
	spread = practice_spread(&BEST.practice);
	posterior = own_runs_posterior(&runs, &(struct own_runs_prior){practice_log_sigma(&published), 1.12, 0.15, 64});
	assert_close(spread.low / was_spread.low, posterior.scale, 1e-9);
	assert_close(spread.high / was_spread.high, posterior.scale, 1e-9);
	assert_close(BEST.practice.value / published.value, posterior.factor, 1e-9);
	planned(PRACTICE_RECIPE, &runs);
	assert_close(BEST.practice.value, 1, 0);
}

static const char *layout_source(void)
{
	for (size_t i = 0; i < fixture.plan.findings.assumption_count; i++)
		if (strcmp(fixture.plan.findings.assumptions[i].field, "practice.layout") == 0)
			return fixture.plan.findings.assumptions[i].source;
	return "";
}

/* The answer's assumption about the layout of one machine is true. */
static void one_machines_layout_is_moved_and_said_to_be(void **state)
{
	(void)state;
	for (int own = 0; own < 2; own++) {
		fixture_init(&fixture);
		fixture.input.request.common.practice = PRACTICE_TYPICAL;
		fixture.input.request.common.gpu_count = 8;
		runs.count = 0;
		while (runs.count < 5)
			items[runs.count++] = own_run_of(2.2, 1.7, 0.3, ABSENT_NUMBER, 8, 1);
		fixture.candidates[0].own_runs = own ? &runs : NULL;
		fixture_planned(&fixture);
		assert_string_equal(BEST.practice.parts[1].name, "layout");
		assert_true(own ? BEST.practice.parts[1].factor > 1.01 : fabs(BEST.practice.parts[1].factor - 1) < 1e-12);
		assert_contains(layout_source(), own ? "the part starts at 1, and runs of your own move it" : "the part is 1");
	}
}

/* A run is not shorter than the steps that it reports, and does not compute
 * faster than the best product of any accelerator. */
static void a_run_that_cannot_be_is_refused(void **state)
{
	struct observed_run run = {
		.hours = 120, .recipe_hours = 100, .gpu_count = ABSENT_COUNT, .planned_gpu_count = 8, .step_ratio = ABSENT_NUMBER, .hfu = 0.5};

	(void)state;
	assert_null(observation_run_refusal(&run));
	run.step_ratio = 1.2;
	assert_null(observation_run_refusal(&run));
	run.step_ratio = 3;
	assert_contains(observation_run_refusal(&run), "contradict");
	run.step_ratio = ABSENT_NUMBER;
	run.hours = 52;
	assert_null(observation_run_refusal(&run));
	run.hours = 50;
	assert_contains(observation_run_refusal(&run), "best matrix products");
}

/* Fast runs of the team shorten the steps, but a run is never shorter than its steps. */
static void no_run_is_shorter_than_its_steps(void **state)
{
	struct practice published;
	const struct practice_part *beside;

	(void)state;
	planned(PRACTICE_TYPICAL, NULL);
	published = BEST.practice;
	runs.count = 0;
	while (runs.count < 5)
		items[runs.count++] = own_run_of(0.8, published.value, practice_log_sigma(&published), ABSENT_NUMBER, 64, 1);
	planned(PRACTICE_TYPICAL, &runs);
	beside = &BEST.practice.parts[2];
	assert_string_equal(beside->name, "evaluation_and_restarts");
	assert_close(beside->low, 1, 0); /* 0.95 without the limit */
	assert_true(beside->factor >= 1 && beside->factor < 1.12 && beside->high > beside->factor);
	assert_true(BEST.practice.parts[1].factor < 1.35 && BEST.practice.parts[1].low < 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_runs_the_published_ones_stand),
		cmocka_unit_test(one_run_weighs_less_than_the_published_ones_and_five_weigh_more),
		cmocka_unit_test(slower_runs_lengthen_and_faster_ones_shorten),
		cmocka_unit_test(unlike_runs_weigh_less),
		cmocka_unit_test(contradictions_widen_the_range),
		cmocka_unit_test(runs_contradict_where_they_widen),
		cmocka_unit_test(a_run_that_left_less_open_moves_less),
		cmocka_unit_test(the_published_spread_is_that_of_both_sides),
		cmocka_unit_test(a_known_step_leaves_what_is_beside_it),
		cmocka_unit_test(one_machines_layout_is_moved_and_said_to_be),
		cmocka_unit_test(a_run_that_cannot_be_is_refused),
		cmocka_unit_test(a_plan_moves_towards_its_teams_runs),
		cmocka_unit_test(no_run_is_shorter_than_its_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
