/* Quantiles and probabilities of intervals (E70, E130): inverse to each other, through the three given points, and
 * equal to published normal quantiles. */
#include <math.h>

#include "planner/interval.h"
#include "support/assert.h"

static void an_interval_goes_through_its_three_points(void **state)
{
	const struct interval range = {60, 100, 220};

	(void)state;
	assert_close(interval_quantile(&range, 0.1), 60, 1e-8);
	assert_close(interval_quantile(&range, 0.5), 100, 1e-8);
	assert_close(interval_quantile(&range, 0.9), 220, 1e-8);
	assert_close(interval_probability(&range, 60), 0.1, 1e-8);
	assert_close(interval_probability(&range, 100), 0.5, 1e-8);
	assert_close(interval_probability(&range, 220), 0.9, 1e-8);
}

/* Normal quantiles by table: 0.841621 at 0.8, 1.644854 at 0.95, 2.326348 at 0.99. */
static void other_quantiles_are_those_of_the_normal_distribution(void **state)
{
	const struct interval range = {exp(-1.2815515655446004), 1, exp(2 * 1.2815515655446004)};

	(void)state;
	assert_close(interval_quantile(&range, 0.8), exp(2 * 0.8416212335729143), 1e-8);
	assert_close(interval_quantile(&range, 0.95), exp(2 * 1.6448536269514722), 1e-8);
	assert_close(interval_quantile(&range, 0.01), exp(-2.3263478740408408), 1e-8);
}

static void probability_and_quantile_are_inverse(void **state)
{
	const struct interval ranges[] = {{60, 100, 220}, {99, 100, 101}, {1e-3, 2, 3e5}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(ranges); i++)
		for (double p = 0.005; p < 1; p += 0.03)
			assert_close(interval_probability(&ranges[i], interval_quantile(&ranges[i], p)), p, 1e-7);
}

static void a_figure_without_spread_is_certain(void **state)
{
	const struct interval sure = {7, 7, 7};

	(void)state;
	assert_close(interval_quantile(&sure, 0.95), 7, 1e-12);
	assert_close(1 + interval_probability(&sure, 6.999), 1, 1e-12);
	assert_close(interval_probability(&sure, 7), 1, 1e-12);
}

static void spreads_add_as_squares_on_each_side(void **state)
{
	struct spread a = spread_of_range(50, 100, 300), joint = spread_joint(a, spread_even(0.4));
	struct interval range = interval_of_spread(10, a);

	(void)state;
	assert_close(range.p10, 5, 1e-9);
	assert_close(range.p90, 30, 1e-9);
	assert_close(joint.low * joint.low, a.low * a.low + 0.16, 1e-9);
	assert_close(joint.high * joint.high, a.high * a.high + 0.16, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interval_goes_through_its_three_points),
		cmocka_unit_test(other_quantiles_are_those_of_the_normal_distribution),
		cmocka_unit_test(probability_and_quantile_are_inverse),
		cmocka_unit_test(a_figure_without_spread_is_certain),
		cmocka_unit_test(spreads_add_as_squares_on_each_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
