/* E107: the plans that no other plan beats, and the price of a saved tonne from one plan to the next. */
#include <math.h>
#include <string.h>

#include "planner/footprint/front.h"
#include "planner/queueing/random.h"
#include "support/assert.h"

static struct front_point point(double hours, double usd, double kgco2e)
{
	return (struct front_point){.hours = hours, .usd = usd, .kgco2e = kgco2e};
}

static void what_is_beaten_goes(void **state)
{
	struct front_point points[] = {point(10, 100, 5000), point(10, 100, 5000), point(10, 130, 2000), point(11, 140, 2500),
		point(5, 200, 6000), point(10, 400, 1000), point(10, 150, 2000)};
	size_t count = front_of_points(points, 7, FRONT_POINTS_MAX);

	(void)state;
	assert_int_equal(count, 4);
	assert_close(points[0].usd, 100, 1e-12);
	assert_close(points[1].usd, 130, 1e-12);
	assert_close(points[2].usd, 200, 1e-12);
	assert_close(points[3].usd, 400, 1e-12);
	assert_true(points[0].cheapest == TRUTH_TRUE && points[2].fastest == TRUTH_TRUE && points[3].cleanest == TRUTH_TRUE);
	assert_true(points[1].cheapest == TRUTH_UNSET && points[1].cleanest == TRUTH_UNSET && points[1].fastest == TRUTH_UNSET);
	assert_false(is_given(points[0].usd_per_t_saved));
	assert_close(points[1].usd_per_t_saved, 30 / 3.0, 1e-12);
	assert_false(is_given(points[2].usd_per_t_saved));         /* on the front because of its time */
	assert_close(points[3].usd_per_t_saved, 270 / 1.0, 1e-12); /* from 130 USD and 2 t, not from the point between */
}

/* Of two points at the same price the cleaner one is first, and further tonnes are priced from it. */
static void of_equal_prices_the_cleaner_is_first(void **state)
{
	struct front_point points[] = {point(5, 100, 3000), point(10, 100, 2000), point(10, 300, 1000)};

	(void)state;
	assert_int_equal(front_of_points(points, 3, FRONT_POINTS_MAX), 3);
	assert_close(points[0].kgco2e, 2000, 1e-12);
	assert_true(points[0].cheapest == TRUTH_TRUE && points[1].fastest == TRUTH_TRUE && points[1].cheapest == TRUTH_UNSET);
	assert_false(is_given(points[1].usd_per_t_saved));
	assert_close(points[2].usd_per_t_saved, 200, 1e-12);
}

static void the_ends_stay_when_it_is_thinned(void **state)
{
	struct front_point points[200];
	struct random random;
	double usd = HUGE_VAL, kg = HUGE_VAL, hours = HUGE_VAL;
	size_t count;

	(void)state;
	random_seed(&random, 5, 1);
	for (int i = 0; i < 200; i++) {
		points[i] = point(1 + random_uniform(&random), 1 + random_uniform(&random), 1 + random_uniform(&random));
		usd = fmin(usd, points[i].usd);
		kg = fmin(kg, points[i].kgco2e);
		hours = fmin(hours, points[i].hours);
	}
	count = front_of_points(points, 200, 6);
	assert_int_equal(count, 6);
	for (size_t i = 0; i < count; i++) {
		assert_true(i == 0 || points[i].usd >= points[i - 1].usd);
		usd = points[i].cheapest ? points[i].usd - usd : usd;
		kg = points[i].cleanest ? points[i].kgco2e - kg : kg;
		hours = points[i].fastest ? points[i].hours - hours : hours;
		assert_true(!is_given(points[i].usd_per_t_saved) || points[i].usd_per_t_saved > 0);
	}
	assert_close(usd + 1, 1, 1e-12);
	assert_close(kg + 1, 1, 1e-12);
	assert_close(hours + 1, 1, 1e-12);
	assert_int_equal(front_of_points(points, 0, 6), 0);
	assert_int_equal(front_of_points(points, 1, 6), 1);
	assert_true(points[0].cheapest == TRUTH_TRUE && points[0].cleanest == TRUTH_TRUE && points[0].fastest == TRUTH_TRUE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_beaten_goes),
		cmocka_unit_test(of_equal_prices_the_cleaner_is_first),
		cmocka_unit_test(the_ends_stay_when_it_is_thinned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
