/* Quantiles, drift and stability of repeated measurements. */
#include "bench/statistics.h"
#include "support/assert.h"

static struct bench_statistics of(const double *samples, size_t count)
{
	struct bench_statistics statistics;
	double scratch[64];

	assert_true(count <= 64);
	bench_statistics_compute(samples, scratch, count, &statistics);
	return statistics;
}

/* 1..11 in disorder: type 7 puts p10 at the 2nd and p90 at the 10th of 11. */
static void quantiles_interpolate(void **state)
{
	static const double odd[] = {7, 1, 11, 3, 9, 5, 2, 10, 4, 8, 6}, even[] = {4, 1, 3, 2};
	struct bench_statistics statistics = of(odd, 11);

	(void)state;
	assert_int_equal(statistics.n, 11);
	assert_close(statistics.median, 6, 1e-15);
	assert_close(statistics.p10, 2, 1e-15);
	assert_close(statistics.p90, 10, 1e-15);
	assert_close(statistics.min, 1, 1e-15);
	assert_close(statistics.max, 11, 1e-15);
	assert_close(statistics.mean, 6, 1e-15);
	statistics = of(even, 4);
	assert_close(statistics.median, 2.5, 1e-15);
	assert_close(statistics.p10, 1.3, 1e-15);
	assert_close(statistics.p90, 3.7, 1e-15);
}

static void one_sample_is_its_own_median(void **state)
{
	static const double one[] = {42};
	struct bench_statistics statistics = of(one, 1);

	(void)state;
	assert_close(statistics.median, 42, 1e-15);
	assert_close(statistics.p90, 42, 1e-15);
	assert_close(statistics.drift, 0, 0);
	assert_false(statistics.unstable);
}

/* Within 5 % of spread but 4 % slower at the end than at the beginning: drift alone makes it unstable. */
static void drift_is_last_third_over_first(void **state)
{
	static const double cooling[] = {100, 100, 100, 98, 98, 98, 96, 96, 96}, warming[] = {100, 100, 100, 101, 101, 101, 103.1, 103.1, 103.1},
		little[] = {100, 100, 100, 101, 101, 101, 102.9, 102.9, 102.9}, steady[] = {100, 101, 99, 100, 101, 99, 100, 101, 99};
	struct bench_statistics statistics = of(cooling, 9);

	(void)state;
	assert_close(statistics.drift, -0.04, 1e-12);
	assert_true(statistics.unstable);
	assert_true(of(warming, 9).unstable);
	assert_false(of(little, 9).unstable);
	statistics = of(steady, 9);
	assert_close(statistics.drift, 0, 0);
	assert_false(statistics.unstable);
}

/* 6 % of spread, and thirds that have the same median: nothing but the spread makes it unstable. */
static void spread_above_five_percent_is_unstable(void **state)
{
	static const double wide[] = {97, 103, 100, 97, 103, 100, 97, 103, 100}, narrow[] = {98, 102, 98, 102, 98, 102, 98, 102, 100},
		outliers[] = {100, 100, 100, 60, 100, 100, 100, 100, 160, 100, 100, 100};

	(void)state;
	assert_close(of(wide, 9).drift, 0, 0);
	assert_true(of(wide, 9).unstable);
	assert_false(of(narrow, 9).unstable);
	assert_false(of(outliers, 12).unstable); /* one of a dozen at either end says nothing of the others */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_interpolate),
		cmocka_unit_test(one_sample_is_its_own_median),
		cmocka_unit_test(drift_is_last_third_over_first),
		cmocka_unit_test(spread_above_five_percent_is_unstable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
