/* POST /v1/schedules without HTTP: regions, windows, weights, and the sums of the answer (E103). */
#include <stdlib.h>
#include <string.h>

#include "planner/footprint/schedule.h"
#include "support/assert.h"

static const int64_t hour_us = 3600 * (int64_t)1000000, midnight_us = 1767225600 * (int64_t)1000000; /* 2026-01-01 */

struct fixture {
	struct schedule_request request;
	struct schedule_series series[3];
	struct schedule schedule;
	struct failure failure;
	struct schedule_memory memory;
};

static void fixture_begin(struct fixture *f)
{
	memset(f, 0, sizeof *f);
	f->request = (struct schedule_request){.hours = 2,
		.mean_kw = 100,
		.restart_minutes = ABSENT_NUMBER,
		.earliest_us = ABSENT_COUNT,
		.deadline_us = ABSENT_COUNT,
		.weights = {ABSENT_NUMBER, ABSENT_NUMBER},
		.carbon_usd_per_t = ABSENT_NUMBER,
		.series = {f->series, 0}};
}

static void series_add(struct fixture *f, const char *region, double *grid, double *usd, size_t count)
{
	f->series[f->request.series.count++] = (struct schedule_series){.region = region,
		.start_us = midnight_us,
		.step_minutes = 60,
		.gco2e_per_kwh = {grid, grid ? count : 0},
		.usd_per_kwh = {usd, usd ? count : 0}};
}

static enum status plan(struct fixture *f)
{
	size_t slots = schedule_slots_max(&f->request) + 1;

	free(f->memory.slots);
	free(f->memory.pieces);
	free(f->memory.answer);
	free(f->memory.workspace);
	f->memory = (struct schedule_memory){malloc(slots * sizeof(struct timetable_slot)), malloc(slots * sizeof(struct timetable_piece)),
		malloc(slots * sizeof(struct schedule_piece)), malloc(schedule_workspace_bytes(&f->request))};
	failure_clear(&f->failure);
	findings_clear(&f->schedule.findings);
	return planner_schedule(&f->request, &f->memory, &f->schedule, &f->failure);
}

static void fixture_end(struct fixture *f)
{
	free(f->memory.slots);
	free(f->memory.pieces);
	free(f->memory.answer);
	free(f->memory.workspace);
}

static double dirty[] = {500, 400, 300, 200, 100, 600}, clean[] = {450, 90, 80, 450, 450, 450};
static double cheap[] = {0.1, 0.1, 0.1, 0.02, 0.02, 0.1}, dear[] = {0.3, 0.3, 0.3, 0.3, 0.3, 0.3};

static void the_cleaner_region_at_its_best_hours(void **state)
{
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	series_add(&f, "dirty", dirty, NULL, 6);
	series_add(&f, "clean", clean, NULL, 6);
	assert_int_equal(plan(&f), STATUS_OK);
	assert_string_equal(f.schedule.best.region, "clean");
	assert_true(f.schedule.best.start_us == midnight_us + hour_us && f.schedule.best.end_us == midnight_us + 3 * hour_us);
	assert_close(f.schedule.best.kgco2e, 100 * (90 + 80) / 1000.0, 1e-12);
	assert_close(f.schedule.now.kgco2e, 90, 1e-12); /* in the first region, 500 and 400 g */
	assert_close(f.schedule.best.saved_kgco2e, 73, 1e-12);
	assert_close(f.schedule.best.delay_hours, 1, 1e-12);
	assert_close(f.schedule.best.objective, 17 / 90.0, 1e-12);
	assert_false(is_given(f.schedule.best.usd));
	assert_int_equal(f.schedule.region_count, 2);
	assert_string_equal(f.schedule.regions[1].region, "dirty");
	assert_close(f.schedule.regions[1].kgco2e, 30, 1e-12);
	fixture_end(&f);
}

/* A price of carbon changes the choice: 17 kg at 60 USD, or 30 kg at 4 USD.
 * Both cost the same at 56 / 13 USD a kg. */
static void a_price_of_carbon_decides(void **state)
{
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	series_add(&f, "dirty", dirty, cheap, 6);
	series_add(&f, "clean", clean, dear, 6);
	for (int dearer = 0; dearer < 2; dearer++) {
		f.request.carbon_usd_per_t = 56.0 / 13 * 1000 * (dearer ? 1.01 : 0.99);
		assert_int_equal(plan(&f), STATUS_OK);
		assert_string_equal(f.schedule.best.region, dearer ? "clean" : "dirty");
		assert_close(f.schedule.best.objective, f.schedule.best.usd + f.schedule.best.kgco2e / 1000 * f.request.carbon_usd_per_t, 1e-12);
	}
	assert_close(f.schedule.best.saved_usd, 20 - 60, 1e-12); /* running at once costs 20 USD and emits 90 kg */
	assert_close(f.schedule.best.usd_per_t_saved, 40 / 0.073, 1e-12);
	f.request.carbon_usd_per_t = ABSENT_NUMBER;
	f.request.weights = (struct schedule_weights){0, 1};
	assert_int_equal(plan(&f), STATUS_OK);
	assert_close(f.schedule.best.usd, 4, 1e-12);
	assert_close(f.schedule.best.objective, 0.2, 1e-12);
	assert_true(f.schedule.best.saved_usd > 0 && f.schedule.best.saved_kgco2e > 0);
	assert_false(is_given(f.schedule.best.usd_per_t_saved)); /* the saved carbon cost nothing */
	fixture_end(&f);
}

/* Hours without any carbon are equal: the job runs in the first of them, as waiting gains nothing. */
static void what_costs_nothing_does_not_wait(void **state)
{
	double none[] = {0, 0, 0, 0, 0}, sun[] = {50, 0, 0, 0, 0};
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	f.request.checkpointable = TRUTH_TRUE;
	series_add(&f, "hydro", none, NULL, 5);
	assert_int_equal(plan(&f), STATUS_OK);
	assert_int_equal(f.schedule.best.start_us, midnight_us);
	assert_close(f.schedule.best.delay_hours, 0, 1e-12);
	f.series[0].gco2e_per_kwh.items = sun;
	assert_int_equal(plan(&f), STATUS_OK);
	assert_int_equal(f.schedule.best.start_us, midnight_us + hour_us);
	assert_close(f.schedule.best.kgco2e, 0, 1e-12);
	fixture_end(&f);
}

/* A warning says that restart_minutes is not used for a job without pauses. Two series of one region are rejected. */
static void nothing_is_dropped_in_silence(void **state)
{
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	f.request.restart_minutes = 30;
	series_add(&f, "dirty", dirty, NULL, 6);
	assert_int_equal(plan(&f), STATUS_OK);
	assert_int_equal(f.schedule.findings.warning_count, 1);
	assert_non_null(strstr(f.schedule.findings.warnings[0].detail, "restart_minutes is not used"));
	f.request.checkpointable = TRUTH_TRUE;
	assert_int_equal(plan(&f), STATUS_OK);
	assert_int_equal(f.schedule.findings.warning_count, 0);
	series_add(&f, "clean", clean, NULL, 6);
	series_add(&f, "dirty", clean, NULL, 6);
	assert_int_equal(plan(&f), STATUS_INVALID);
	assert_int_equal(f.failure.fault_count, 1);
	assert_string_equal(f.failure.faults[0].pointer, "/series/2");
	assert_string_equal(f.failure.faults[0].code, "duplicate");
	fixture_end(&f);
}

static void pauses_cost_their_restart(void **state)
{
	double rates[] = {100, 400, 100, 400};
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	series_add(&f, "r", rates, NULL, 4);
	f.request.checkpointable = TRUTH_TRUE;
	f.request.hours = 1.5;
	f.request.restart_minutes = 15;
	assert_int_equal(plan(&f), STATUS_OK);
	assert_int_equal(f.schedule.best.pauses, 1);
	assert_close(f.schedule.best.running_hours, 1.75, 1e-12);
	assert_close(f.schedule.best.restart_hours, 0.25, 1e-12);
	assert_close(f.schedule.best.kgco2e, 17.5, 1e-12);
	assert_int_equal(f.schedule.pieces.count, 2);
	assert_close(f.schedule.pieces.items[0].kgco2e + f.schedule.pieces.items[1].kgco2e, 17.5, 1e-12);
	assert_close(f.schedule.unbroken.kgco2e, 10 + 20, 1e-12);
	f.request.checkpointable = TRUTH_FALSE;
	assert_int_equal(plan(&f), STATUS_OK);
	assert_close(f.schedule.best.kgco2e, 30, 1e-12);
	fixture_end(&f);
}

/* The window opens at half past and closes at 20 past the hour. The slots at its ends are cut, not dropped. */
static void windows_cut_steps(void **state)
{
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	series_add(&f, "r", dirty, NULL, 6);
	f.request.earliest_us = midnight_us + hour_us / 2;
	f.request.deadline_us = midnight_us + 4 * hour_us + hour_us / 3;
	assert_int_equal(plan(&f), STATUS_OK);
	assert_true(f.schedule.now.start_us == f.request.earliest_us);
	assert_close(f.schedule.now.kgco2e, 0.1 * (250 + 400 + 150), 1e-12);
	assert_true(f.schedule.best.end_us == f.request.deadline_us);
	assert_close(f.schedule.best.kgco2e, 0.1 * (100 / 3.0 + 200 + 300 * 2 / 3.0), 1e-12);
	f.request.hours = 4;
	assert_int_equal(plan(&f), STATUS_INFEASIBLE);
	assert_contains(f.failure.detail, "has 3.83333 hours. Move earliest or deadline, or extend the series, by 0.166667 hours");
	fixture_end(&f);
}

static void every_fault_is_named(void **state)
{
	double short_list[] = {1};
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	series_add(&f, "a", dirty, NULL, 6);
	series_add(&f, "b", dirty, short_list, 6);
	f.series[1].usd_per_kwh.count = 1;
	series_add(&f, "c", NULL, cheap, 6);
	f.request.hours = ABSENT_NUMBER;
	f.request.mean_kw = ABSENT_NUMBER;
	assert_int_equal(plan(&f), STATUS_INVALID);
	assert_int_equal(f.failure.fault_total, 4); /* hours, mean_kw, lists of two lengths, c without intensities */
	f.request.weights = (struct schedule_weights){0, 0};
	f.request.hours = 9000;
	assert_int_equal(plan(&f), STATUS_INVALID);
	assert_int_equal(f.failure.fault_total, 4); /* hours, mean_kw, weights, lists */
	fixture_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cleaner_region_at_its_best_hours),
		cmocka_unit_test(a_price_of_carbon_decides),
		cmocka_unit_test(what_costs_nothing_does_not_wait),
		cmocka_unit_test(nothing_is_dropped_in_silence),
		cmocka_unit_test(pauses_cost_their_restart),
		cmocka_unit_test(windows_cut_steps),
		cmocka_unit_test(every_fault_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
