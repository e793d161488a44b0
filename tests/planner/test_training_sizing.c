/* The recommended number of accelerators where the request leaves it open: by the objective, at the knee of a budget,
 * or as teams choose it. */
#include "planner/training/practice.h"
#include "planner/training/search.h"
#include "support/assert.h"
#include "support/training_fixture.h"

static struct training_fixture fixture;
#define REQUEST (fixture.input.request)
#define BEST    (fixture.plan.recommended)

static void begin(size_t candidates, double tokens)
{
	fixture_init(&fixture);
	fixture.candidates[1] = fixture_a100();
	fixture.candidates[1].has_offer = fixture.candidates[0].has_offer;
	fixture.candidates[1].offer = fixture.candidates[0].offer;
	fixture.candidates[1].offer.usd_per_gpu_hour *= 0.6;
	fixture.input.candidate_count = candidates;
	REQUEST.tokens = tokens;
}

static double figure(const struct training_option *option, enum objective objective)
{
	return objective == OBJECTIVE_TIME  ? option->wall_clock_hours
		: objective == OBJECTIVE_ENERGY ? option->energy.total_kwh
		: objective == OBJECTIVE_CARBON ? option->carbon.total_kgco2e
		: objective == OBJECTIVE_GPUS   ? (double)option->gpu_count
										: option->cost.total_usd;
}

/* Checks that no row of the answer's table is better than the recommended one by more than the stated rule. */
static void check_table(enum objective objective)
{
	double own = figure(&BEST, objective);

	for (size_t i = 0; i < fixture.plan.alternative_count; i++) {
		const struct training_option *other = &fixture.plan.alternatives[i];

		assert_true(figure(other, objective) >= own / (1 + SEARCH_TIE) * (1 - 1e-12));
		if (figure(other, objective) <= own) /* a tie: the row is slower, or dearer if the objective is time */
			assert_true(objective == OBJECTIVE_TIME ? other->cost.total_usd >= BEST.cost.total_usd
													: other->wall_clock_hours >= BEST.wall_clock_hours);
	}
}

static void a_named_objective_has_the_best_row_of_its_table(void **state)
{
	static const enum objective objectives[] = {OBJECTIVE_COST, OBJECTIVE_TIME, OBJECTIVE_ENERGY, OBJECTIVE_CARBON, OBJECTIVE_GPUS};
	static const double tokens[] = {1e9, 2e10, 1e11, 1e12, 4e12};
	size_t checked = 0;

	(void)state;
	for (size_t candidates = 1; candidates <= 2; candidates++)
		for (size_t t = 0; t < COUNT_OF(tokens); t++)
			for (size_t o = 0; o < COUNT_OF(objectives); o++) {
				begin(candidates, tokens[t]);
				REQUEST.common.objective = objectives[o];
				REQUEST.common.alternatives = 32;
				fixture_planned(&fixture);
				assert_true(fixture.plan.alternative_count >= 1);
				assert_true(fixture_assumed(&fixture, "gpu_count"));
				check_table(objectives[o]);
				checked++;
			}
	assert_int_equal(checked, 50);
}

/* Sixteen accelerators once took 5 % less energy than the 512 that were recommended. */
static void energy_has_its_own_number(void **state)
{
	double usual_kwh;

	(void)state;
	begin(1, 1e12);
	REQUEST.common.practice = PRACTICE_TYPICAL;
	fixture_planned(&fixture);
	usual_kwh = BEST.energy.total_kwh;
	REQUEST.common.objective = OBJECTIVE_ENERGY;
	fixture_planned(&fixture);
	assert_true(BEST.energy.total_kwh < 0.95 * usual_kwh);
	assert_true(BEST.wall_clock_hours <= SEARCH_HOURS_MOST);
}

static void plan_number(int64_t gpu_count, double *hours, double *usd)
{
	REQUEST.common.gpu_count = gpu_count;
	fixture_planned(&fixture);
	*hours = BEST.wall_clock_hours;
	*usd = BEST.cost.total_usd;
	REQUEST.common.gpu_count = ABSENT_COUNT;
}

static void a_budget_is_spent_up_to_its_knee(void **state)
{
	double hours, usd, half_hours, half_usd, double_hours, double_usd, own_hours, own_usd, shortest_hours;
	int64_t knee;

	(void)state;
	begin(1, 1e12);
	REQUEST.budget_usd = 3e6;
	fixture_planned(&fixture);
	knee = BEST.gpu_count;
	own_hours = BEST.wall_clock_hours;
	own_usd = BEST.cost.total_usd;
	assert_true(BEST.mfu > 0.2 && own_usd < REQUEST.budget_usd / 4 && knee >= 256);
	assert_true(fixture_assumed(&fixture, "gpu_count"));
	plan_number(knee, &hours, &usd);
	plan_number(knee / 2, &half_hours, &half_usd);
	plan_number(2 * knee, &double_hours, &double_usd);
	assert_true(half_hours / hours > usd / half_usd); /* the last doubling saves more time than it adds money */
	shortest_hours = practice_usual_hours((double)(2 * knee) * double_hours) * exp(-1.6);
	assert_true(hours / fmax(double_hours, shortest_hours) < double_usd / usd); /* the next one would not, or is shorter than published runs */
	assert_true(own_hours > 0.5 * practice_usual_hours((double)knee * own_hours) * exp(-1.6)); /* a doubling may end below the shortest */
	REQUEST.common.objective = OBJECTIVE_TIME;                                                 /* a named objective is followed */
	fixture_planned(&fixture);
	assert_true(BEST.wall_clock_hours < own_hours && BEST.cost.total_usd > own_usd && BEST.cost.total_usd <= REQUEST.budget_usd);
	REQUEST.common.objective = OBJECTIVE_COST;
	fixture_planned(&fixture);
	assert_true(BEST.wall_clock_hours > own_hours && BEST.cost.total_usd < own_usd);
	fixture.input.objective_is_default = true; /* filled in by the resolver: the request named none */
	fixture_planned(&fixture);
	assert_int_equal(BEST.gpu_count, knee);
}

static void a_small_budget_takes_what_it_buys(void **state)
{
	double cheapest;

	(void)state;
	begin(1, 1e12);
	REQUEST.common.objective = OBJECTIVE_COST;
	fixture_planned(&fixture);
	cheapest = interval_quantile(&BEST.interval.total_usd, 0.8);
	begin(1, 1e12);
	REQUEST.budget_usd = cheapest * 1.2;
	fixture_planned(&fixture);
	assert_true(BEST.cost.total_usd <= REQUEST.budget_usd);
}

/* E132 by hand: the logarithm of the money, and a fifth of the square of the deviation from 0.05 sqrt(H) days (at
 * most 57) in units of 0.8. One machine is usual for a week. */
static double unusual(void)
{
	double usual = 24 * fmin(57, 0.05 * sqrt(BEST.gpu_hours)), deviation;

	if (BEST.gpu_count <= 8 && BEST.wall_clock_hours <= 168)
		usual = fmax(usual, BEST.wall_clock_hours);
	deviation = log(BEST.wall_clock_hours / usual) / 0.8;
	return log(BEST.cost.total_usd) + 0.2 * deviation * deviation;
}

/* No power of two is less unusual than the recommended number, which may be between two of them. */
static void an_open_request_gets_the_least_unusual_number(void **state)
{
	int machines = 0, fleets = 0;

	(void)state;
	for (double tokens = 2e9; tokens < 4e15; tokens *= 2) {
		double chosen, least = INFINITY;
		int64_t number;

		begin(1, tokens);
		REQUEST.common.practice = PRACTICE_TYPICAL; /* costs more on more than one machine */
		fixture_planned(&fixture);
		chosen = unusual();
		number = BEST.gpu_count;
		for (int64_t count = 1; count <= 16384; count *= 2) {
			REQUEST.common.gpu_count = count;
			if (fixture_plan(&fixture) == STATUS_OK)
				least = fmin(least, unusual());
		}
		assert_true(chosen <= least + 1e-9);
		REQUEST.common.gpu_count = number;
		fixture_planned(&fixture);
		assert_close(unusual(), chosen, 1e-9);
		machines += number <= 8;
		fleets += number > 8;
	}
	assert_true(machines >= 2 && fleets >= 4);
}

static void a_run_beyond_a_year_says_so_first(void **state)
{
	(void)state;
	begin(1, 1e13);
	REQUEST.common.gpu_count = 4;
	fixture_planned(&fixture);
	assert_true(BEST.wall_clock_hours > SEARCH_HOURS_MOST);
	assert_non_null(strstr(fixture.plan.findings.warnings[0].detail, "length: "));
	REQUEST.common.gpu_count = ABSENT_COUNT;
	REQUEST.common.alternatives = 32;
	for (int named = 0; named < 2; named++) {
		REQUEST.common.objective = named ? OBJECTIVE_COST : OBJECTIVE_UNSET;
		fixture_planned(&fixture);
		assert_true(BEST.wall_clock_hours <= SEARCH_HOURS_MOST);
		for (size_t i = 0; i < fixture.plan.alternative_count; i++)
			assert_true(fixture.plan.alternatives[i].wall_clock_hours <= SEARCH_HOURS_MOST);
		for (size_t i = 0; i < fixture.plan.front_count; i++)
			assert_true(fixture.plan.front[i].hours <= SEARCH_HOURS_MOST);
	}
}

/* An accelerator that is rented one by one, and that the request does not name, is not used for a job of several. */
static void single_ones_do_not_work_together(void **state)
{
	(void)state;
	begin(2, 1e12);
	fixture.candidates[1].single = true;
	fixture.candidates[1].offer.usd_per_gpu_hour = 0.01;
	REQUEST.common.alternatives = 32;
	fixture_planned(&fixture);
	for (size_t i = 0; i < fixture.plan.alternative_count; i++)
		assert_true(strcmp(fixture.plan.alternatives[i].accelerator.id, fixture.candidates[1].accelerator.id) != 0 ||
			fixture.plan.alternatives[i].gpu_count == 1);
	assert_string_equal(BEST.accelerator.id, fixture.candidates[0].accelerator.id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_named_objective_has_the_best_row_of_its_table),
		cmocka_unit_test(energy_has_its_own_number),
		cmocka_unit_test(a_budget_is_spent_up_to_its_knee),
		cmocka_unit_test(a_small_budget_takes_what_it_buys),
		cmocka_unit_test(an_open_request_gets_the_least_unusual_number),
		cmocka_unit_test(a_run_beyond_a_year_says_so_first),
		cmocka_unit_test(single_ones_do_not_work_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
