/* Practice, confidence and the usual size of a run (E130 to E133): the parts,
 * the inputs that replace them, the promises. */
#include <math.h>
#include <string.h>

#include "planner/interval.h"
#include "planner/training/practice.h"
#include "planner/training/range.h"
#include "support/assert.h"
#include "support/training_fixture.h"

static struct training_fixture fixture;
#define REQUEST fixture.input.request
#define BEST    fixture.plan.recommended

static void begin(enum practice_kind practice)
{
	fixture_init(&fixture);
	REQUEST.common.practice = practice;
	REQUEST.common.gpu_count = 64;
}

static const struct practice_part *part(const char *name)
{
	for (size_t i = 0; i < BEST.practice.part_count; i++)
		if (strcmp(BEST.practice.parts[i].name, name) == 0)
			return &BEST.practice.parts[i];
	return NULL;
}

static struct practice_part layout_part(void)
{
	const struct practice_part *found = part("layout");

	CHECK(found);
	return *found;
}

static double planned_hours(enum practice_kind practice)
{
	begin(practice);
	fixture_planned(&fixture);
	return BEST.wall_clock_hours;
}

/* E148: observed jobs of likeness l leave factor^(1 - l) of a part of the steps, and sqrt(1 - l^2) of its spread. */
static void observed_jobs_leave_what_they_are_unlike_in(void **state)
{
	const struct practice_known half_known = {.step = 0.6, .node_count = 8}, all_known = {.step = 1, .node_count = 8};
	struct practice practice = practice_expected(&half_known, &practice_fitted);
	double software = pow(1.13, 0.4), layout = pow(1.35, 0.4);

	(void)state;
	assert_int_equal(practice.part_count, 3);
	assert_close(practice.parts[0].factor, software, 1e-12);
	assert_close(practice.parts[0].high, software * pow(1.3 / 1.13, 0.8), 1e-12);
	assert_close(practice.parts[0].low, software * pow(1.0 / 1.13, 0.8), 1e-12);
	assert_close(practice.parts[1].factor, layout, 1e-12);
	assert_close(practice.parts[1].high, layout * pow(1.8 / 1.35, 0.8), 1e-12);
	assert_close(practice.parts[2].factor, 1.12, 1e-12); /* observed steps do not include the time beside them */
	assert_close(practice.step_factor, software * layout, 1e-12);
	practice = practice_expected(&all_known, &practice_fitted);
	assert_int_equal(practice.part_count, 1);
	assert_close(practice.value, 1.12, 1e-12);
}

static void practice_multiplies_the_hours_and_leaves_the_step(void **state)
{
	double recipe = planned_hours(PRACTICE_RECIPE), step_s = BEST.step.time_s, product = 1, typical, first;

	(void)state;
	assert_int_equal(BEST.practice.part_count, 0);
	assert_close(BEST.practice.value, 1, 1e-12);
	assert_close(BEST.run_mfu, BEST.mfu * BEST.goodput.fraction, 1e-3); /* the last step is not full */
	typical = planned_hours(PRACTICE_TYPICAL);
	assert_close(BEST.step.time_s, step_s, 1e-12);
	for (size_t i = 0; i < BEST.practice.part_count; i++)
		product *= BEST.practice.parts[i].factor;
	assert_int_equal(BEST.practice.part_count, 3);
	assert_close(BEST.practice.value, product, 1e-12);
	assert_close(typical / recipe, product, 1e-12);
	assert_close(BEST.run_mfu, fixture.plan.workload.flops_total / (BEST.gpu_hours * 3600 * 989.5e12),
		1e-12); /* counts all tokens: the last step is not full */
	assert_close(BEST.run_mfu, BEST.mfu * BEST.goodput.fraction / product, 1e-3);
	assert_close(BEST.goodput.lost_hours, BEST.wall_clock_hours * (1 - BEST.goodput.fraction), 1e-9);
	assert_true(BEST.practice.low < BEST.practice.value && BEST.practice.value < BEST.practice.high);
	first = planned_hours(PRACTICE_FIRST_RUN);
	assert_non_null(part("new_hardware"));
	begin(PRACTICE_TYPICAL);
	fixture_planned(&fixture);
	/* typical practice at its p80, without the spread of steps and failures */
	assert_close(
		first / recipe, interval_quantile(&(struct interval){BEST.practice.low, BEST.practice.value, BEST.practice.high}, 0.8), 1e-9);
}

static void money_energy_and_carbon_follow_the_hours(void **state)
{
	double recipe = planned_hours(PRACTICE_RECIPE), usd = BEST.cost.total_usd, kwh = BEST.energy.total_kwh, ratio;

	(void)state;
	ratio = planned_hours(PRACTICE_TYPICAL) / recipe;
	assert_close(BEST.cost.total_usd / usd, ratio, 1e-9);
	/* more hours at less power: energy grows, by less than the hours */
	assert_true(BEST.energy.total_kwh > kwh * 1.1 && BEST.energy.total_kwh < kwh * ratio);
}

static void what_is_known_replaces_its_part(void **state)
{
	(void)state;
	begin(PRACTICE_TYPICAL);
	REQUEST.stack_release = "2024-06";
	fixture_planned(&fixture);
	assert_null(part("software"));
	assert_non_null(part("layout"));
	REQUEST.parallelism.tensor = REQUEST.parallelism.pipeline = 1; /* without a pinned micro-batch the search still chooses the layout */
	fixture_planned(&fixture);
	assert_non_null(part("layout"));
	REQUEST.parallelism.micro_batch = 1;
	fixture_planned(&fixture);
	assert_null(part("layout"));
	assert_int_equal(BEST.practice.part_count, 1);
	assert_close(BEST.practice.value, practice_fitted.evaluation_and_restarts, 1e-12);
	assert_true(fixture_assumed(&fixture, "practice.software") && fixture_assumed(&fixture, "practice.layout"));
	begin(PRACTICE_TYPICAL);
	REQUEST.mfu = 0.38;
	fixture_planned(&fixture);
	assert_int_equal(BEST.practice.part_count, 1);
	assert_non_null(part("evaluation_and_restarts"));
	/* a given MFU leaves the spread of what it does not include */
	assert_true(BEST.interval.gpu_hours.p90 / BEST.interval.gpu_hours.p10 > 1.25);
	begin(PRACTICE_TYPICAL);
	fixture.candidates[0].calibration.stack_speed = 0.9;
	fixture.candidates[0].calibration.stack_low = 0.88;
	fixture.candidates[0].calibration.stack_high = 0.93;
	fixture.candidates[0].calibration.id = "c";
	fixture.candidates[0].calibration.source = "five jobs";
	fixture_planned(&fixture);
	assert_int_equal(BEST.practice.part_count, 1);
	/* observed steps leave the variation of a week's mean and the disagreement between the jobs */
	assert_close(log(BEST.interval.step_time_s.p90 / BEST.interval.step_time_s.p50) / normal_quantile(0.9),
		sqrt(STEP_LOG_SIGMA_GIVEN * STEP_LOG_SIGMA_GIVEN + pow(interval_log_sigma(0.88, 0.93), 2)), 1e-6);
}

/* At a given price, the money for accelerators and storage is proportional to the hours. Egress is not. */
static void stored_money_goes_with_the_hours(void **state)
{
	double hours, usd;

	(void)state;
	begin(PRACTICE_TYPICAL);
	REQUEST.common.pricing.usd_per_gpu_hour = 2;
	REQUEST.common.pricing.storage_gb = 1e6;
	REQUEST.common.pricing.storage_usd_per_gb_month = 1;
	fixture_planned(&fixture);
	assert_true(BEST.cost.storage_usd > 0.05 * BEST.cost.total_usd);
	hours = log(BEST.interval.wall_clock_hours.p90 / BEST.interval.wall_clock_hours.p50);
	assert_close(log(BEST.interval.total_usd.p90 / BEST.interval.total_usd.p50), hours, 1e-9);
	REQUEST.common.pricing.egress_gb = 1e6;
	REQUEST.common.pricing.egress_usd_per_gb = 1;
	fixture_planned(&fixture);
	usd = log(BEST.interval.total_usd.p90 / BEST.interval.total_usd.p50);
	assert_close(usd, hours * (1 - BEST.cost.egress_usd / BEST.cost.total_usd), 1e-9);
}

static void one_machine_has_no_network_to_lay_a_run_out_over(void **state)
{
	(void)state;
	begin(PRACTICE_TYPICAL);
	REQUEST.common.gpu_count = 8;
	fixture_planned(&fixture);
	assert_close(layout_part().factor, 1, 1e-12);
	assert_true(layout_part().low < 1 && layout_part().high > 1);
	REQUEST.common.gpu_count = 16;
	fixture_planned(&fixture);
	assert_close(layout_part().factor, practice_fitted.layout, 1e-12);
}

static void a_promise_is_kept_with_its_confidence(void **state)
{
	int64_t last = 0;

	(void)state;
	for (double confidence = 0.5; confidence < 1; confidence += 0.15) {
		begin(PRACTICE_TYPICAL);
		REQUEST.common.gpu_count = ABSENT_COUNT;
		REQUEST.deadline_hours = 720;
		REQUEST.common.objective = OBJECTIVE_GPUS;
		REQUEST.common.confidence = confidence;
		fixture_planned(&fixture);
		assert_int_equal(BEST.promise_count, 1);
		assert_string_equal(BEST.promises[0].what, "deadline");
		assert_true(BEST.promises[0].probability >= confidence);
		assert_close(BEST.promises[0].probability, interval_probability(&BEST.interval.wall_clock_hours, 720), 1e-9);
		assert_true(BEST.gpu_count > last);
		last = BEST.gpu_count;
		REQUEST.common.gpu_count = last - 8; /* one machine fewer does not keep it */
		assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	}
}

static void caps_and_budgets_are_promises_too(void **state)
{
	double usd, kwh, kg;

	(void)state;
	begin(PRACTICE_TYPICAL);
	REQUEST.common.confidence = 0.8;
	fixture_planned(&fixture);
	usd = interval_quantile(&BEST.interval.total_usd, 0.8);
	kwh = interval_quantile(&BEST.interval.total_kwh, 0.8);
	kg = interval_quantile(&BEST.interval.total_kgco2e, 0.8);
	assert_true(usd > BEST.cost.total_usd * 1.1);
	REQUEST.budget_usd = usd * 1.001;
	REQUEST.common.energy_cap_kwh = kwh * 1.001;
	REQUEST.common.carbon_cap_kgco2e = kg * 1.001;
	fixture_planned(&fixture);
	assert_int_equal(BEST.promise_count, 3);
	REQUEST.budget_usd = usd * 0.999;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	assert_contains(fixture.failure.faults[0].pointer, "/budget_usd");
	REQUEST.budget_usd = usd * 1.001;
	REQUEST.common.energy_cap_kwh = kwh * 0.999;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
	REQUEST.common.energy_cap_kwh = kwh * 1.001;
	REQUEST.common.carbon_cap_kgco2e = kg * 0.999;
	assert_int_equal(fixture_plan(&fixture), STATUS_INFEASIBLE);
}

static void more_confidence_costs_more(void **state)
{
	const struct confidence_point *points = fixture.plan.confidence_curve;
	int64_t number;

	(void)state;
	begin(PRACTICE_TYPICAL);
	REQUEST.common.gpu_count = ABSENT_COUNT;
	REQUEST.deadline_hours = 720;
	REQUEST.common.objective = OBJECTIVE_GPUS;
	REQUEST.common.confidence = 0.9;
	fixture_planned(&fixture);
	assert_int_equal(fixture.plan.confidence_count, 4);
	for (size_t i = 1; i < 4; i++) {
		assert_true(points[i].confidence > points[i - 1].confidence);
		assert_true(points[i].gpu_count > points[i - 1].gpu_count);
		assert_true(points[i].total_usd > points[i - 1].total_usd);
		assert_true(points[i].wall_clock_hours <= 720);
	}
	assert_int_equal(points[2].gpu_count, BEST.gpu_count);
	/* a request at 50 % gets the number of the curve at 50 %, to within 1/64 and a machine */
	number = points[0].gpu_count;
	REQUEST.common.confidence = 0.5;
	fixture_planned(&fixture);
	assert_true(number >= BEST.gpu_count && (double)number <= (double)BEST.gpu_count * 65 / 64 + 8);
	/* if only the request's own confidence keeps the budget, the other prices are those of the deadline alone */
	REQUEST.common.confidence = 0.8;
	fixture_planned(&fixture);
	REQUEST.budget_usd = 1.01 * interval_quantile(&BEST.interval.total_usd, 0.8);
	fixture_planned(&fixture);
	assert_int_equal(fixture.plan.confidence_count, 3);
	assert_true(points[1].total_usd <= REQUEST.budget_usd && points[2].total_usd > REQUEST.budget_usd);
	assert_true(points[2].gpu_count > points[1].gpu_count && points[2].wall_clock_hours <= 720);
	/* with a fixed number, the hours of the curve are the interval's */
	begin(PRACTICE_TYPICAL);
	REQUEST.common.confidence = 0.8;
	fixture_planned(&fixture);
	assert_int_equal(fixture.plan.confidence_count, 3);
	assert_close(points[0].wall_clock_hours, BEST.interval.wall_clock_hours.p50, 1e-9);
	assert_close(points[2].wall_clock_hours, interval_quantile(&BEST.interval.wall_clock_hours, 0.95), 1e-9);
}

/* The number in the advice keeps the deadline with the confidence in the advice. */
static void advice_of_a_deadline_names_a_number_that_keeps_it(void **state)
{
	const struct findings *findings = &fixture.plan.findings;
	const struct advice *advice = NULL;
	double confidence;
	long number;

	(void)state;
	begin(PRACTICE_TYPICAL);
	REQUEST.common.gpu_count = ABSENT_COUNT;
	REQUEST.deadline_hours = 1000;
	REQUEST.common.confidence = 0.8;
	fixture_planned(&fixture);
	for (size_t i = 0; i < findings->advice_count; i++)
		if (strcmp(findings->advice[i].code, "deadline_at_risk") == 0)
			advice = &findings->advice[i];
	assert_non_null(advice);
	assert_int_equal(sscanf(advice->effect, "%ld accelerators keep the deadline with a confidence of %lf", &number, &confidence), 2);
	assert_close(confidence, 0.95, 1e-12);
	assert_true(number > BEST.gpu_count);
	REQUEST.common.gpu_count = number;
	REQUEST.common.confidence = confidence;
	fixture_planned(&fixture);
	assert_true(BEST.promises[0].probability >= 0.95);
}

/* The recommended number is not dearer than an alternative, and a number that keeps all limits is found: 1,024
 * accelerators are too slow, 2,048 too dear. */
static void the_cheapest_that_keeps_all_limits_is_recommended(void **state)
{
	double usd;

	(void)state;
	begin(PRACTICE_TYPICAL);
	REQUEST.common.gpu_count = ABSENT_COUNT;
	REQUEST.common.alternatives = 8;
	REQUEST.deadline_hours = 720;
	REQUEST.common.confidence = 0.8;
	fixture_planned(&fixture);
	for (size_t i = 0; i < fixture.plan.alternative_count; i++)
		assert_true(fixture.plan.alternatives[i].cost.total_usd >= BEST.cost.total_usd);
	usd = interval_quantile(&BEST.interval.total_usd, 0.8);
	REQUEST.budget_usd = usd * 1.02;
	fixture_planned(&fixture);
	assert_int_equal(BEST.promise_count, 2);
	assert_true(BEST.promises[0].probability >= 0.8 && BEST.promises[1].probability >= 0.8);
}

static void the_costliest_uncertainty_comes_first_with_its_cure(void **state)
{
	(void)state;
	begin(PRACTICE_TYPICAL);
	REQUEST.common.confidence = 0.8;
	fixture_planned(&fixture);
	assert_string_equal(fixture.plan.uncertainties[0].field, "layout");
	assert_contains(fixture.plan.uncertainties[0].cure, "/v1/observations");
	for (size_t i = 1; i < fixture.plan.uncertainty_count; i++)
		assert_true(fixture.plan.uncertainties[i].total_usd <= fixture.plan.uncertainties[i - 1].total_usd);
	/* a pinned layout removes its part of the hours, at the same median */
	assert_true(fixture.plan.uncertainties[0].wall_clock_hours > 0.05 * BEST.wall_clock_hours);
	REQUEST.common.confidence = 0.5; /* at the median no uncertainty costs anything */
	fixture_planned(&fixture);
	assert_true(fabs(fixture.plan.uncertainties[0].wall_clock_hours) < 1e-9 * BEST.wall_clock_hours);
}

/* If no uncertainty costs anything, the widest is first. */
static void at_even_odds_the_widest_uncertainty_comes_first(void **state)
{
	(void)state;
	begin(PRACTICE_TYPICAL);
	REQUEST.common.confidence = 0.5;
	fixture_planned(&fixture);
	assert_string_equal(fixture.plan.uncertainties[0].field, "layout"); /* ln(1.8 / 1.35) is above ln(1.43 / 1.12) */
	assert_string_equal(fixture.plan.uncertainties[1].field, "evaluation_and_restarts");
	for (size_t i = 0; i < fixture.plan.uncertainty_count; i++)
		assert_true(fabs(fixture.plan.uncertainties[i].total_usd) < 1e-9 * BEST.cost.total_usd);
}

/* Returns the variance of the logarithm above the median. */
static double variance_above(const struct interval *range)
{
	return pow(log(range->p90 / range->p50) / normal_quantile(0.9), 2);
}

/* Returns the share of the hours that is kept with a failure every `mtbf_hours`
 * (Daly 2006, eq. 20), by the option's own checkpoints. */
static double kept(double mtbf_hours)
{
	double interval_hours = BEST.goodput.checkpoint_interval_minutes / 60, checkpoint_hours = BEST.goodput.checkpoint_s / 3600;

	return interval_hours / (mtbf_hours * exp(10.0 / 60 / mtbf_hours) * (exp((interval_hours + checkpoint_hours) / mtbf_hours) - 1));
}

/* By hand: one accelerator fails every 12.3 to 60 thousand hours, and spot interruptions are added at both ends. */
static void failures_widen_the_hours_as_their_published_rates_do(void **state)
{
	static const double spots[] = {0, 2e-4, 2e-3};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(spots); i++) {
		const double gpus = 512;
		double sigma, low, high;

		begin(PRACTICE_RECIPE);
		REQUEST.common.gpu_count = 512;
		REQUEST.mfu = 0.4;
		REQUEST.common.pricing.spot_interruptions_per_gpu_hour = spots[i] > 0 ? spots[i] : ABSENT_NUMBER;
		fixture_planned(&fixture);
		low = kept(1 / (gpus * (1 / 12.3e3 + spots[i])));
		high = kept(1 / (gpus * (1 / 60e3 + spots[i])));
		sigma = log(high / low) / (2 * normal_quantile(0.9));
		assert_true(sigma > 0.002);
		assert_close(variance_above(&BEST.interval.wall_clock_hours), STEP_LOG_SIGMA_GIVEN * STEP_LOG_SIGMA_GIVEN + sigma * sigma, 1e-6);
		assert_close(BEST.goodput.fraction, kept(BEST.goodput.mtbf_hours), 1e-9);
		for (size_t k = 0; k < BEST.provenance_count; k++)
			if (strcmp(BEST.provenance[k].pointer, "/goodput/fraction") == 0) {
				assert_close(BEST.provenance[k].low, low, 1e-9);
				assert_close(BEST.provenance[k].high, high, 1e-9);
			}
	}
	REQUEST.reliability.mtbf_gpu_hours = 20e3; /* a given rate has no spread */
	fixture_planned(&fixture);
	assert_close(variance_above(&BEST.interval.wall_clock_hours), STEP_LOG_SIGMA_GIVEN * STEP_LOG_SIGMA_GIVEN, 1e-6);
}

/* The plan takes the cheapest offer, and others are dearer: the price has no spread below it. Above it, the spread is
 * half of that of a log-normal through both ends. */
static void offers_spread_the_price_upwards_alone(void **state)
{
	double hours, price;

	(void)state;
	begin(PRACTICE_RECIPE);
	REQUEST.mfu = 0.4;
	REQUEST.common.confidence = 0.8;
	REQUEST.common.pricing.usd_per_gpu_hour = ABSENT_NUMBER;
	fixture.candidates[0].has_offer = true;
	fixture.candidates[0].offer = (struct offer){.provider = "p",
		.instance_type = "t",
		.gpus = 8,
		.term = TERM_ON_DEMAND,
		.usd_per_gpu_hour = 2,
		.low_usd_per_gpu_hour = 2,
		.high_usd_per_gpu_hour = 6};
	fixture_planned(&fixture);
	hours = variance_above(&BEST.interval.wall_clock_hours);
	price = log(6.0 / 2) / (2 * normal_quantile(0.9));
	assert_close(variance_above(&BEST.interval.total_usd), hours + price * price, 1e-9);
	assert_close(BEST.interval.total_usd.p10 / BEST.interval.total_usd.p50,
		BEST.interval.wall_clock_hours.p10 / BEST.interval.wall_clock_hours.p50, 1e-9);
	/* a quote removes this spread and nothing else */
	assert_string_equal(fixture.plan.uncertainties[0].field, "price");
	assert_close(fixture.plan.uncertainties[0].total_usd,
		interval_quantile(&BEST.interval.total_usd, 0.8) - BEST.cost.total_usd * exp(normal_quantile(0.8) * sqrt(hours)), 1e-6);
	assert_true(fabs(fixture.plan.uncertainties[0].wall_clock_hours) < 1e-9 * BEST.wall_clock_hours);
	/* for an offer in the middle, the whole spread above it counts */
	fixture.candidates[0].offer.usd_per_gpu_hour = 5;
	fixture_planned(&fixture);
	price = log(6.0 / 5) / normal_quantile(0.9);
	assert_close(variance_above(&BEST.interval.total_usd), hours + price * price, 1e-9);
	assert_true(BEST.interval.total_usd.p10 / BEST.interval.total_usd.p50 <
		0.5 * BEST.interval.wall_clock_hours.p10 / BEST.interval.wall_clock_hours.p50);
}

/* E125. Five jobs took a quarter longer than predicted. So does a plan like them, communication included. */
static void a_plan_of_observed_jobs_takes_what_they_took(void **state)
{
	struct step_time before;

	(void)state;
	begin(PRACTICE_TYPICAL);
	REQUEST.common.gpu_count = 1024;
	fixture_planned(&fixture);
	before = BEST.step;
	assert_true(before.data_comm_exposed_s > 0.02 * before.time_s);
	fixture.candidates[0].calibration = (struct calibration){
		.id = "c", .source = "five jobs", .stack_speed = 0.8, .stack_low = 0.79, .stack_high = 0.81, .stack_likeness = 1};
	fixture_planned(&fixture);
	assert_close(BEST.step.time_s, before.time_s / 0.8, 1e-12);
	assert_close(BEST.step.data_comm_exposed_s, before.data_comm_exposed_s / 0.8, 1e-12);
	/* the jobs ran on a tenth of the plan's accelerators: half of their effect counts */
	fixture.candidates[0].calibration.stack_gpu_count = 102.4;
	fixture_planned(&fixture);
	assert_close(BEST.step.time_s, before.time_s / sqrt(0.8), 1e-12);
	assert_int_equal(BEST.practice.part_count, 3);
	assert_close(BEST.practice.parts[0].factor, sqrt(practice_fitted.software), 1e-12);
	assert_close(layout_part().factor, sqrt(practice_fitted.layout), 1e-12);
	assert_true(fixture_assumed(&fixture, "calibration.stack_speed") && !fixture_assumed(&fixture, "practice.software"));
	assert_close(variance_above(&BEST.interval.step_time_s),
		0.75 * STEP_LOG_SIGMA * STEP_LOG_SIGMA + 0.25 * STEP_LOG_SIGMA_GIVEN * STEP_LOG_SIGMA_GIVEN +
			pow(interval_log_sigma(sqrt(0.79), sqrt(0.81)), 2),
		1e-6);
	fixture.candidates[0].calibration.stack_gpu_count = 1024;
	fixture_planned(&fixture);
	assert_close(BEST.step.time_s, before.time_s / 0.8, 1e-12);
	assert_int_equal(BEST.practice.part_count, 1);
	assert_true(fixture_assumed(&fixture, "practice.software"));
	REQUEST.mfu = 0.3; /* a given MFU replaces observed steps */
	fixture_planned(&fixture);
	assert_close(BEST.mfu, 0.3, 1e-9);
}

/* With a known step, new hardware costs hours beside the steps, and power follows the given MFU. */
static void new_hardware_slows_no_step_that_is_known(void **state)
{
	double watts;

	(void)state;
	begin(PRACTICE_TYPICAL);
	REQUEST.mfu = 0.38;
	fixture_planned(&fixture);
	watts = BEST.energy.mean_gpu_w;
	REQUEST.common.practice = PRACTICE_FIRST_RUN;
	fixture_planned(&fixture);
	assert_non_null(part("new_hardware"));
	assert_close(BEST.practice.step_factor, 1, 1e-12);
	assert_close(BEST.energy.mean_gpu_w, watts, 1e-9);
	REQUEST.mfu = ABSENT_NUMBER; /* without it, new hardware slows the steps */
	fixture_planned(&fixture);
	assert_close(BEST.practice.step_factor, BEST.practice.value / practice_fitted.evaluation_and_restarts, 1e-9);
}

static void no_range_goes_beyond_the_best_measured_product(void **state)
{
	const double best_product = 0.803; /* H100, MAMF tables */

	(void)state;
	begin(PRACTICE_RECIPE);
	fixture.candidates[0].accelerator.vendor = "x";
	REQUEST.common.gpu_count = 1024;
	REQUEST.mfu = 0.79;
	fixture_planned(&fixture);
	assert_true(BEST.hfu * BEST.step.time_s / BEST.interval.step_time_s.p10 <= best_product * 1.000001);
	assert_true(BEST.run_mfu * BEST.gpu_hours / BEST.interval.gpu_hours.p10 <= best_product * 1.000001);
	assert_true(BEST.interval.step_time_s.p10 <= BEST.step.time_s);
	/* the p10 of the hours is nearer than their spread gives, and so are those of money and energy */
	assert_true(BEST.interval.gpu_hours.p50 / BEST.interval.gpu_hours.p10 < 0.99 * BEST.interval.gpu_hours.p90 / BEST.interval.gpu_hours.p50);
	assert_close(BEST.interval.total_usd.p10 / BEST.interval.total_usd.p50, BEST.interval.gpu_hours.p10 / BEST.interval.gpu_hours.p50, 1e-9);
	assert_true(BEST.interval.total_kwh.p50 / BEST.interval.total_kwh.p10 < BEST.interval.total_kwh.p90 / BEST.interval.total_kwh.p50);
	/* practice may be 1: the bound applies to steps and failures alone, and the part of practice keeps its width */
	REQUEST.common.practice = PRACTICE_TYPICAL;
	REQUEST.reliability.mtbf_gpu_hours = 50e3;
	REQUEST.mfu = 0.76;
	fixture_planned(&fixture);
	assert_close(log(BEST.interval.wall_clock_hours.p50 / BEST.interval.wall_clock_hours.p10),
		sqrt(pow(log(1.12), 2) + pow(normal_quantile(0.9) * STEP_LOG_SIGMA_GIVEN, 2)), 1e-6);
}

/* 79 published runs take weeks, on one machine to 16,384 accelerators. */
static void an_open_request_gets_the_size_that_teams_take(void **state)
{
	(void)state;
	begin(PRACTICE_TYPICAL);
	REQUEST.common.gpu_count = ABSENT_COUNT;
	for (double tokens = 1e9; tokens < 1e16; tokens *= 10) {
		double ratio;

		REQUEST.tokens = tokens;
		fixture_planned(&fixture);
		ratio = BEST.wall_clock_hours / practice_usual_hours(BEST.gpu_hours);
		assert_true(BEST.gpu_count <= 16384);
		if (BEST.gpu_count > 8 && tokens < 0.9e14) /* counts of powers of two leave a factor of 2 */
			assert_true(ratio > 0.45 && ratio < 2.2);
		assert_true(BEST.wall_clock_hours < 24 * 120 || tokens > 0.9e14);
		assert_int_equal(fixture_warned(&fixture, "length"), BEST.wall_clock_hours > 8760);
	}
	assert_close(practice_usual_hours(1e5), 24 * 15.811, 1e-4);
	assert_close(practice_usual_hours(1e7), 24 * 57, 1e-12);
	REQUEST.common.objective = OBJECTIVE_GPUS; /* this objective gets the fewest */
	REQUEST.tokens = 1e11;
	fixture_planned(&fixture);
	assert_true(BEST.gpu_count <= 8);
}

/* Also for a mixture, where published kernels make most of the difference. */
static void naming_nothing_is_never_faster_than_the_best_name(void **state)
{
	static const int64_t counts[] = {8, 64, 512};

	(void)state;
	for (int experts = 0; experts < 2; experts++)
		for (size_t n = 0; n < COUNT_OF(counts); n++) {
			double generic_s, best_s = INFINITY;

			begin(PRACTICE_RECIPE);
			if (experts)
				model_from_size(&fixture.input.model, 47e9, 13e9);
			REQUEST.common.gpu_count = counts[n];
			REQUEST.common.enforce_memory = TRUTH_FALSE;
			fixture_planned(&fixture);
			generic_s = BEST.step.time_s;
			for (int stack = STACK_MEGATRON_LM; stack < STACK_COUNT; stack++) {
				REQUEST.stack = (enum stack)stack;
				fixture_planned(&fixture);
				best_s = fmin(best_s, BEST.step.time_s);
			}
			assert_true(generic_s >= best_s * (1 - 1e-9));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(observed_jobs_leave_what_they_are_unlike_in),
		cmocka_unit_test(practice_multiplies_the_hours_and_leaves_the_step),
		cmocka_unit_test(money_energy_and_carbon_follow_the_hours),
		cmocka_unit_test(what_is_known_replaces_its_part),
		cmocka_unit_test(stored_money_goes_with_the_hours),
		cmocka_unit_test(one_machine_has_no_network_to_lay_a_run_out_over),
		cmocka_unit_test(a_promise_is_kept_with_its_confidence),
		cmocka_unit_test(caps_and_budgets_are_promises_too),
		cmocka_unit_test(more_confidence_costs_more),
		cmocka_unit_test(advice_of_a_deadline_names_a_number_that_keeps_it),
		cmocka_unit_test(the_cheapest_that_keeps_all_limits_is_recommended),
		cmocka_unit_test(the_costliest_uncertainty_comes_first_with_its_cure),
		cmocka_unit_test(at_even_odds_the_widest_uncertainty_comes_first),
		cmocka_unit_test(failures_widen_the_hours_as_their_published_rates_do),
		cmocka_unit_test(offers_spread_the_price_upwards_alone),
		cmocka_unit_test(a_plan_of_observed_jobs_takes_what_they_took),
		cmocka_unit_test(new_hardware_slows_no_step_that_is_known),
		cmocka_unit_test(no_range_goes_beyond_the_best_measured_product),
		cmocka_unit_test(naming_nothing_is_never_faster_than_the_best_name),
		cmocka_unit_test(an_open_request_gets_the_size_that_teams_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
