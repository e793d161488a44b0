/* Tests quantiles, drift and stability of repeated measurements. */
#include <math.h>

#include "base/status.h"
#include "bench/random.h"
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

/* The values 1 to 11 out of order. Type 7 puts p10 at the 2nd and p90 at the 10th of 11. */
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

/* The spread is within 5 %, but the end is 4 % slower than the beginning. Drift alone makes the figure unstable. */
static void drift_is_last_third_over_first(void **state)
{
	static const double cooling[] = {100, 100, 100, 98, 98, 98, 96, 96, 96}, warming[] = {100, 100, 100, 101, 101, 101, 103.1, 103.1, 103.1},
						little[] = {100, 100, 100, 101, 101, 101, 102.9, 102.9, 102.9},
						steady[] = {100, 101, 99, 100, 101, 99, 100, 101, 99};
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

/* The spread is 6 %, and all thirds have the same median. Only the spread makes the figure unstable. */
static void spread_above_five_percent_is_unstable(void **state)
{
	static const double wide[] = {97, 103, 100, 97, 103, 100, 97, 103, 100}, narrow[] = {98, 102, 98, 102, 98, 102, 98, 102, 100},
						outliers[] = {100, 100, 100, 60, 100, 100, 100, 100, 160, 100, 100, 100};

	(void)state;
	assert_close(of(wide, 9).drift, 0, 0);
	assert_true(of(wide, 9).unstable);
	assert_false(of(narrow, 9).unstable);
	assert_false(of(outliers, 12).unstable); /* one outlier of a dozen at either end does not change the rest */
}

enum { SERIES = 2000, COVERAGE_ROUNDS = 5, COVERAGE_SAMPLES = 8 };

static double normal(uint64_t *state)
{
	double u = ((double)(random_next(state) >> 11) + 0.5) / 9007199254740992.0,
		   v = ((double)(random_next(state) >> 11) + 0.5) / 9007199254740992.0;

	return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

/* Returns the share of series whose interval contains their known median, 1. Each round has its own factor, like the
 * load of a neighbour, and each sample another. */
static double coverage(double probability, double round_sigma, double sample_sigma)
{
	size_t ends[COVERAGE_ROUNDS], held = 0;
	double samples[COVERAGE_ROUNDS * COVERAGE_SAMPLES], scratch[COVERAGE_ROUNDS * COVERAGE_SAMPLES], low, high;
	struct bench_clusters clusters;
	uint64_t state = 7;

	for (size_t r = 0; r < COVERAGE_ROUNDS; r++)
		ends[r] = (r + 1) * COVERAGE_SAMPLES;
	bench_clusters_make(ends, COVERAGE_ROUNDS, &clusters);
	assert_int_equal(clusters.count, COVERAGE_ROUNDS);
	for (size_t series = 0; series < SERIES; series++) {
		for (size_t r = 0; r < COVERAGE_ROUNDS; r++) {
			double round = round_sigma * normal(&state);

			for (size_t i = 0; i < COVERAGE_SAMPLES; i++)
				samples[r * COVERAGE_SAMPLES + i] = exp(round + sample_sigma * normal(&state));
		}
		assert_true(bench_median_interval(samples, &clusters, scratch, probability, &low, &high));
		assert_true(low > 0 && low <= high);
		held += low <= 1 && 1 <= high;
	}
	return (double)held / SERIES;
}

/* E149 on a known distribution: an 80 % interval contains the median in about 80 % of series, whether samples differ,
 * rounds differ, or both. */
static void an_interval_holds_the_median_as_often_as_it_says(void **state)
{
	static const double sigmas[][2] = {{0, 0.2}, {0.1, 0.1}, {0.2, 0.05}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sigmas); i++) {
		double eighty = coverage(0.8, sigmas[i][0], sigmas[i][1]), ninety = coverage(0.9, sigmas[i][0], sigmas[i][1]);

		print_message(
			"rounds %.2f, samples %.2f: 80 %% held %.1f %%, 90 %% held %.1f %%\n", sigmas[i][0], sigmas[i][1], 100 * eighty, 100 * ninety);
		assert_true(eighty > 0.74 && eighty < 0.86);
		assert_true(ninety > 0.85 && ninety < 0.95);
	}
}

/* Seventy samples that spread by a third give a narrower interval of the median than five. */
static void many_samples_know_their_median_better(void **state)
{
	double samples[70], scratch[70], width[2];
	size_t counts[] = {5, 70};
	uint64_t seed = 3;

	(void)state;
	for (size_t i = 0; i < 70; i++)
		samples[i] = exp(0.13 * normal(&seed));
	for (size_t c = 0; c < 2; c++) {
		struct bench_clusters clusters;
		double low, high;

		bench_clusters_make(&counts[c], 1, &clusters);
		assert_int_equal(clusters.count, 5); /* five parts of one round */
		assert_true(bench_median_interval(samples, &clusters, scratch, 0.8, &low, &high));
		width[c] = high / low - 1;
	}
	assert_true(width[1] < 0.1 && width[1] < width[0] / 2);
}

static void two_samples_say_nothing_of_their_median(void **state)
{
	static const double two[] = {1, 2};
	size_t end = 2;
	struct bench_clusters clusters;
	double scratch[2], low, high;

	(void)state;
	bench_clusters_make(&end, 1, &clusters);
	assert_false(bench_median_interval(two, &clusters, scratch, 0.8, &low, &high));
}

/* E150: rounds in one direction are a trend. The same rounds out of order are not, and a change of 2 % is not. */
static void a_trend_goes_one_way(void **state)
{
	static const struct {
		double rounds[5];
		bool trend;
	} cases[] = {{{100, 103, 106, 109, 112}, true}, {{112, 109, 106, 103, 100}, true}, {{106, 100, 112, 103, 109}, false},
		{{100, 101, 100, 112, 112}, false}, {{100, 100.5, 101, 101.5, 102}, false}};
	static const size_t ends[] = {3, 6, 9, 12, 15};
	struct bench_clusters clusters;

	(void)state;
	bench_clusters_make(ends, 5, &clusters);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		double samples[15], scratch[15];
		struct bench_statistics statistics;

		for (size_t s = 0; s < 15; s++)
			samples[s] = cases[i].rounds[s / 3] + (double)(s % 3) - 1;
		bench_statistics_compute(samples, scratch, 15, &statistics);
		assert_int_equal(bench_trend(samples, &clusters, scratch, statistics.drift), cases[i].trend);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_interpolate),
		cmocka_unit_test(one_sample_is_its_own_median),
		cmocka_unit_test(drift_is_last_third_over_first),
		cmocka_unit_test(spread_above_five_percent_is_unstable),
		cmocka_unit_test(an_interval_holds_the_median_as_often_as_it_says),
		cmocka_unit_test(many_samples_know_their_median_better),
		cmocka_unit_test(two_samples_say_nothing_of_their_median),
		cmocka_unit_test(a_trend_goes_one_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
