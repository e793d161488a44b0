/* E100 against brute force over every way of running and pausing, minute by minute. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/footprint/timetable.h"
#include "planner/queueing/random.h"
#include "support/assert.h"

enum { MINUTES_MAX = 14, SLOTS_MAX = 400 };

struct fixture {
	struct timetable_slot slots[SLOTS_MAX];
	struct timetable_piece pieces[SLOTS_MAX + 1];
	struct timetable_task task;
	struct timetable table;
};

static void fixture_begin(struct fixture *f)
{
	memset(f, 0, sizeof *f);
	f->task.slots = f->slots;
	f->table.pieces = f->pieces;
}

static void slots_add(struct fixture *f, size_t count, int32_t minutes, const double *rates)
{
	for (size_t i = 0; i < count; i++)
		f->slots[f->task.slot_count++] = (struct timetable_slot){minutes, rates[i]};
}

static bool solve(struct fixture *f)
{
	void *workspace = malloc(timetable_workspace_bytes(&f->task));
	bool possible = timetable_best(&f->task, workspace, &f->table);

	free(workspace);
	return possible;
}

static double rate_of_minute(const struct fixture *f, int minute)
{
	size_t i = 0;

	while (minute >= f->slots[i].minutes)
		minute -= f->slots[i++].minutes;
	return f->slots[i].rate_per_hour / 60;
}

/* Returns the least cost of all on/off patterns that do exactly the work; HUGE_VAL if none does. */
static double brute_force(const struct fixture *f, int minutes)
{
	double least = HUGE_VAL, rates[MINUTES_MAX];

	for (int i = 0; i < minutes; i++)
		rates[i] = rate_of_minute(f, i);
	for (unsigned pattern = 1; pattern < 1U << minutes; pattern++) {
		int64_t done = f->task.restart_minutes;
		int pieces = 0;
		double cost = 0;

		for (int i = 0; i < minutes; i++) {
			bool on = pattern >> i & 1, starts = on && (i == 0 || !(pattern >> (i - 1) & 1));

			done += on - (starts ? f->task.restart_minutes : 0);
			cost += on ? rates[i] : 0;
			pieces += starts;
		}
		if (done == f->task.work_minutes && (f->task.pauses || pieces == 1))
			least = fmin(least, cost);
	}
	return least;
}

/* Checks that the pieces are inside the slots, apart and in order, that they do
 * the work, and that the cost is right. */
static void assert_sound(const struct fixture *f, int64_t minutes)
{
	int64_t running = 0, last = -1;

	for (size_t i = 0; i < f->table.count; i++) {
		assert_true(f->pieces[i].start_minute > last && f->pieces[i].end_minute > f->pieces[i].start_minute);
		last = f->pieces[i].end_minute;
		running += f->pieces[i].end_minute - f->pieces[i].start_minute;
	}
	assert_true(f->pieces[0].start_minute >= 0 && last <= minutes);
	assert_true(f->task.pauses || f->table.count == 1);
	assert_int_equal(running - (int64_t)(f->table.count - 1) * f->task.restart_minutes, f->task.work_minutes);
	assert_close(f->table.cost, timetable_cost(&f->task, f->pieces, f->table.count), 1e-9);
	assert_true(f->table.bound <= f->table.cost + 1e-12);
}

static void equals_brute_force(void **state)
{
	struct random random;
	int paused = 0;

	(void)state;
	random_seed(&random, 7, 1);
	for (int n = 0; n < 3000; n++) {
		struct fixture f;
		int minutes = 0;
		double least;

		fixture_begin(&f);
		while (minutes < 12) {
			int32_t length = 1 + (int32_t)(random_uniform(&random) * 3);
			double rate = floor(random_uniform(&random) * 8) * (n % 3 ? 1 : 0.37) + (n % 5 ? 0 : 1);

			if (minutes + length > MINUTES_MAX)
				break;
			slots_add(&f, 1, length, &rate);
			minutes += length;
		}
		f.task.work_minutes = 1 + (int64_t)(random_uniform(&random) * minutes);
		f.task.restart_minutes = (int64_t)(random_uniform(&random) * 4);
		f.task.pauses = n % 4 != 0;
		least = brute_force(&f, minutes);
		assert_int_equal(solve(&f), isfinite(least));
		if (!isfinite(least))
			continue;
		assert_sound(&f, minutes);
		assert_true(f.table.proved);
		assert_close(f.table.cost + 1, least + 1, 1e-9);
		paused += f.table.count > 1;
	}
	assert_true(paused > 200);
}

static void a_night_is_waited_for(void **state)
{
	static const double rates[] = {400, 400, 100, 100, 100, 400};
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	slots_add(&f, 6, 60, rates);
	f.task.work_minutes = 150;
	assert_true(solve(&f));
	assert_int_equal(f.table.count, 1);
	assert_int_equal(f.pieces[0].start_minute, 120);
	assert_int_equal(f.pieces[0].end_minute, 270);
	assert_close(f.table.cost, 250, 1e-12);
}

/* Pausing over one dear hour pays for a restart of 10 minutes at 100, but not
 * for one that costs as much as it saves. */
static void a_pause_pays_for_its_restart(void **state)
{
	static const double rates[] = {100, 300, 100, 100};
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	slots_add(&f, 4, 60, rates);
	f.task.work_minutes = 170;
	f.task.pauses = true;
	f.task.restart_minutes = 10;
	assert_true(solve(&f));
	assert_int_equal(f.table.count, 2);
	assert_close(f.table.cost, 300, 1e-12); /* 180 minutes at 100 */
	f.task.restart_minutes = 11;            /* a minute more than the cheap hours have */
	assert_true(solve(&f));
	assert_close(f.table.cost, 305, 1e-12); /* 181 minutes, one of them at 300 */
	f.task.work_minutes = 120;
	f.task.restart_minutes = 1;
	assert_true(solve(&f));
	assert_int_equal(f.table.count, 1); /* the last two hours, without a pause */
	assert_int_equal(f.pieces[0].start_minute, 120);
}

static void equal_rates_start_at_once(void **state)
{
	struct fixture f;

	(void)state;
	for (int pauses = 0; pauses < 2; pauses++) {
		fixture_begin(&f);
		for (int i = 0; i < 48; i++)
			slots_add(&f, 1, 30, &(double){217.3});
		f.task.work_minutes = 601;
		f.task.restart_minutes = 10 * pauses;
		f.task.pauses = pauses;
		assert_true(solve(&f));
		assert_int_equal(f.table.count, 1);
		assert_int_equal(f.pieces[0].start_minute, 0);
	}
}

static void edges(void **state)
{
	static const double rates[] = {-50, 20, -10};
	struct fixture f;

	(void)state;
	fixture_begin(&f);
	slots_add(&f, 3, 60, rates);
	f.task.pauses = true;
	f.task.work_minutes = 180; /* all minutes of the slots */
	assert_true(solve(&f));
	assert_close(f.table.cost, -40, 1e-12);
	f.task.work_minutes = 181;
	assert_false(solve(&f));
	f.task.work_minutes = 120; /* negative rates: the two cheap hours */
	assert_true(solve(&f));
	assert_close(f.table.cost, -60, 1e-12);
	f.task.work_minutes = 1;
	assert_true(solve(&f));
	assert_close(f.table.cost, -50.0 / 60, 1e-12);
}

/* 400 hours with daily and weekly cycles and noise: the timetable is proved and sound, never costs more than the best
 * unbroken piece, and does not cost more with cheaper restarts. */
static void monotone_in_its_freedoms(void **state)
{
	struct random random;
	struct fixture f;
	double last = HUGE_VAL;

	(void)state;
	random_seed(&random, 3, 1);
	fixture_begin(&f);
	for (int i = 0; i < SLOTS_MAX; i++) {
		double rate = 300 + 120 * sin(i * 2 * 3.14159265 / 24) + 60 * sin(i * 2 * 3.14159265 / 168) + 40 * random_uniform(&random);

		slots_add(&f, 1, 60, &rate);
	}
	f.task.work_minutes = 100 * 60 + 25;
	for (int restart = 90; restart >= 0; restart -= 15) {
		struct timetable_piece unbroken;
		double cost;

		f.task.restart_minutes = restart;
		f.task.pauses = true;
		assert_true(timetable_unbroken(&f.task, &unbroken, &cost));
		assert_true(solve(&f));
		assert_sound(&f, (int64_t)SLOTS_MAX * 60);
		assert_true(f.table.proved);
		assert_true(f.table.cost <= cost && f.table.cost <= last + 1e-9);
		last = f.table.cost;
	}
	assert_true(f.table.count > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_brute_force),
		cmocka_unit_test(a_night_is_waited_for),
		cmocka_unit_test(a_pause_pays_for_its_restart),
		cmocka_unit_test(equal_rates_start_at_once),
		cmocka_unit_test(edges),
		cmocka_unit_test(monotone_in_its_freedoms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
