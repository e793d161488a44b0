/* E101 against brute force over every set of committed instances and every set of instances paid by use; E102. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/given.h"
#include "planner/footprint/commitment.h"
#include "planner/queueing/random.h"
#include "support/assert.h"

enum { OFFERS = 4, HOURS = 5, MOST = 8 };

static bool solve(const struct commitment_task *task, struct commitment_mix *mix)
{
	void *workspace = malloc(commitment_workspace_bytes(task));
	bool possible = commitment_best(task, workspace, mix);

	free(workspace);
	return possible;
}

/* Reads `number` to the base MOST + 1: each digit is the count of one offer. Returns false if an offer of the other
 * kind has a count. */
static bool counts_of(const struct commitment_task *task, bool committed, int number, int64_t *units, double *usd)
{
	*units = 0;
	*usd = 0;
	for (size_t i = 0; i < task->offer_count; i++, number /= MOST + 1) {
		int count = number % (MOST + 1);

		if (count && task->offers[i].committed != committed)
			return false;
		*units += count * task->offers[i].units;
		*usd += count * task->offers[i].usd_per_hour;
	}
	return true;
}

static double brute_force(const struct commitment_task *task)
{
	int numbers = (int)pow(MOST + 1, (double)task->offer_count);
	double by_use[MOST + 1], least = HUGE_VAL, usd;
	int64_t units;

	for (int need = 0; need <= MOST; need++) {
		by_use[need] = HUGE_VAL;
		for (int number = 0; number < numbers; number++)
			if (counts_of(task, false, number, &units, &usd) && units >= need)
				by_use[need] = fmin(by_use[need], usd);
	}
	for (int number = 0; number < numbers; number++) {
		double hours = 0;

		if (!counts_of(task, true, number, &units, &usd))
			continue;
		for (size_t i = 0; i < task->hour_count; i++)
			hours += by_use[task->demand[i] > units ? task->demand[i] - units : 0];
		least = fmin(least, usd + hours / (double)task->hour_count);
	}
	return least;
}

static void equals_brute_force(void **state)
{
	struct random random;
	int mixed = 0;

	(void)state;
	random_seed(&random, 11, 1);
	for (int n = 0; n < 150; n++) {
		struct commitment_offer offers[OFFERS];
		int64_t demand[HOURS];
		struct commitment_task task = {offers, OFFERS - (size_t)(n % 2), demand, HOURS};
		struct commitment_mix mix;
		double least;

		for (int i = 0; i < OFFERS; i++) {
			offers[i].units = 1 + (int64_t)(random_uniform(&random) * 4);
			offers[i].committed = n % 10 ? random_uniform(&random) < 0.5 : n % 20 > 0;
			offers[i].usd_per_hour = (double)offers[i].units * (offers[i].committed ? 1.2 : 2) * (0.7 + random_uniform(&random));
		}
		for (int i = 0; i < HOURS; i++)
			demand[i] = (int64_t)(random_uniform(&random) * (MOST + 1));
		least = brute_force(&task);
		assert_int_equal(solve(&task, &mix), isfinite(least));
		if (!isfinite(least))
			continue;
		assert_close(mix.usd_per_hour + 1, least + 1, 1e-9);
		assert_close(mix.committed_usd_per_hour + mix.used_usd_per_hour + 1, mix.usd_per_hour + 1, 1e-9);
		assert_true(!is_given(mix.uncommitted_usd_per_hour) || mix.usd_per_hour <= mix.uncommitted_usd_per_hour + 1e-9);
		mixed += mix.committed_usd_per_hour > 0 && mix.used_usd_per_hour > 0;
	}
	assert_true(mixed > 20);
}

/* One unit is needed for 24 hours a day, one for 12, one for 6. A commitment at
 * 0.6 of the price pays from 14.4 hours a day on. */
static void base_load_is_committed_and_the_peak_is_not(void **state)
{
	static const struct commitment_offer offers[] = {{1, 10, false}, {1, 6, true}};
	struct commitment_mix mix;
	int64_t demand[24];

	(void)state;
	for (int i = 0; i < 24; i++)
		demand[i] = 1 + (i < 12) + (i < 6);
	assert_true(solve(&(struct commitment_task){offers, 2, demand, 24}, &mix));
	assert_int_equal(mix.committed_units, 1);
	assert_int_equal(mix.instances[1], 1);
	assert_int_equal(mix.peak_instances[0], 2);
	assert_close(mix.used_usd_per_hour, 10 * (12 + 6) / 24.0, 1e-12);
	assert_close(mix.usd_per_hour, 13.5, 1e-12);
	assert_close(mix.uncommitted_usd_per_hour, 17.5, 1e-12);
	assert_close(mix.committed_utilization, 1, 1e-12);
	assert_close(commitment_break_even_utilization(6, 10), 0.6, 1e-12);
}

/* Eight at once are cheaper than eight times one. A commitment of eight pays although it is used to 23/32 only. */
static void instances_are_whole(void **state)
{
	static const struct commitment_offer offers[] = {{1, 3, false}, {8, 16, false}, {8, 8, true}};
	static const int64_t demand[] = {5, 2, 8, 11};
	struct commitment_mix mix;

	(void)state;
	assert_true(solve(&(struct commitment_task){offers, 2, demand, 4}, &mix)); /* by use alone: 15, 6, 16 and 25 USD */
	assert_close(mix.usd_per_hour, (15 + 6 + 16 + 25) / 4.0, 1e-12);
	assert_false(is_given(mix.committed_utilization));
	assert_true(solve(&(struct commitment_task){offers, 3, demand, 4}, &mix));
	assert_int_equal(mix.committed_units, 8);
	assert_int_equal(mix.instances[2], 1);
	assert_close(mix.usd_per_hour, 8 + 9 / 4.0, 1e-12);
	assert_close(mix.committed_utilization, (5 + 2 + 8 + 8) / 32.0, 1e-12);
}

static void nothing_to_hold_costs_nothing(void **state)
{
	static const struct commitment_offer offers[] = {{1, 3, false}};
	static const int64_t none[] = {0, 0}, some[] = {1};
	struct commitment_mix mix;

	(void)state;
	assert_true(solve(&(struct commitment_task){offers, 1, none, 2}, &mix));
	assert_close(mix.usd_per_hour, 0, 1e-12);
	assert_false(solve(&(struct commitment_task){offers, 0, some, 1}, &mix));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_brute_force),
		cmocka_unit_test(base_load_is_committed_and_the_peak_is_not),
		cmocka_unit_test(instances_are_whole),
		cmocka_unit_test(nothing_to_hold_costs_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
