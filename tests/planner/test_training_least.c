/* Bounds of a run that are known before a layout is timed: no plan is below its
 * bound, and what a bound rules out is slower. */
#include "planner/training/place.h"
#include "planner/training/stage_schedule.h"
#include "support/assert.h"
#include "support/training_fixture.h"

static struct training_fixture fixture;
static struct stage_schedule schedule;
static struct model teacher;
static struct search_counts counts;

static void begin(bool experts)
{
	fixture_init(&fixture);
	fixture_model(&fixture.input.model, 48, 6144, 48, 8, 16384, 128256, false);
	if (experts) {
		struct layer_kind *kind = &fixture.input.model.kinds[0];

		kind->feed_forward = FEED_FORWARD_EXPERTS;
		kind->width = 0;
		kind->experts = 16;
		kind->experts_active = 2;
		kind->expert_width = 4096;
		fixture.input.model.params_total = fixture.input.model.params_active = fixture.input.model.params_embedding = ABSENT_NUMBER;
		model_finish(&fixture.input.model);
	}
	fixture.candidates[0] = fixture_a100();
	fixture.candidates[1] = fixture_h100();
	fixture.input.candidate_count = 2;
	stage_schedule_of_input(&fixture.input, &teacher, &schedule, &fixture.plan.findings);
}

static struct candidate_plan planned(size_t candidate, int64_t gpu_count)
{
	struct candidate_plan candidate_plan;

	fleet_candidate_plan(&schedule, candidate, gpu_count, &fixture.input.request.parallelism, &candidate_plan, &counts);
	return candidate_plan;
}

/* Checks that the plan is above its bound. Returns the time of the plan's step over that of the bound. */
static double no_plan_is_below(size_t candidate, int64_t gpu_count)
{
	struct candidate_plan candidate_plan = planned(candidate, gpu_count), least;

	if (!candidate_plan.any || !candidate_plan.fits)
		return ABSENT_NUMBER;
	assert_true(fleet_least(&schedule, candidate, gpu_count, 1, &least));
	assert_true(place_take(&schedule, 0, &least));
	assert_true(least.wall_clock_hours > 0 && least.wall_clock_hours < candidate_plan.wall_clock_hours);
	assert_true(least.total_usd > 0 && least.total_usd < candidate_plan.total_usd);
	assert_true(least.footprint.energy.total_kwh > 0 && least.footprint.energy.total_kwh < candidate_plan.footprint.energy.total_kwh);
	assert_true(
		least.footprint.carbon.total_kgco2e > 0 && least.footprint.carbon.total_kgco2e < candidate_plan.footprint.carbon.total_kgco2e);
	return (candidate_plan.found.step.time.time_s / candidate_plan.found.step.samples) /
		(least.found.step.time.time_s / least.found.step.samples);
}

static void plans_are_above_their_bounds(void **state)
{
	int fitting = 0;

	(void)state;
	for (int experts = 0; experts <= 1; experts++)
		for (size_t candidate = 0; candidate < 2; candidate++)
			for (int64_t gpu_count = 8; gpu_count <= 2048; gpu_count *= 4) {
				begin(experts);
				fitting += is_given(no_plan_is_below(candidate, gpu_count));
			}
	assert_true(fitting >= 12);
}

/* `factor` is the plan's time over its bound: just below it no layout is faster, just above it the plan is. */
static void slower_is_slower(void **state)
{
	(void)state;
	for (int experts = 0; experts <= 1; experts++) {
		double factor;

		begin(experts);
		factor = no_plan_is_below(1, 512);
		assert_true(factor > 1);
		assert_true(fleet_is_slower(&schedule, 1, 512, 0.999 * factor, &fixture.input.request.parallelism, &counts));
		assert_false(fleet_is_slower(&schedule, 1, 512, 1.001 * factor, &fixture.input.request.parallelism, &counts));
		assert_false(fleet_is_slower(&schedule, 1, 1, 1, &fixture.input.request.parallelism, &counts)); /* nothing fits */
	}
}

/* A step with a given MFU has no bound, nor has one without the limit of memory. */
static void given_steps_have_no_bound(void **state)
{
	struct candidate_plan least;

	(void)state;
	begin(false);
	fixture.input.request.mfu = 0.9;
	assert_false(fleet_least(&schedule, 0, 64, 1, &least));
	begin(false);
	fixture.input.request.common.enforce_memory = TRUTH_FALSE;
	assert_false(fleet_least(&schedule, 0, 64, 1, &least));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_are_above_their_bounds),
		cmocka_unit_test(slower_is_slower),
		cmocka_unit_test(given_steps_have_no_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
