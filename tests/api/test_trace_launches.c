/* Tests the matching of launches and kernels in every order, and with too many launches. */
#include "api/readers/trace_launches.h"

#include <math.h>

#include "base/status.h"
#include "support/assert.h"

static struct launches launches;
static struct launch_pair pair;

static void either_half_may_come_first(void **state)
{
	(void)state;
	assert_false(launches_meet(&launches, 7, LAUNCH_CALLED, 10, &pair));
	assert_true(launches_meet(&launches, 7, LAUNCH_STARTED, 25, &pair));
	assert_close(pair.called_us, 10, 1e-15);
	assert_close(pair.started_us, 25, 1e-15);
	assert_false(launches_meet(&launches, 7, LAUNCH_STARTED, 30, &pair)); /* the pair is complete; the same number again starts a new pair */
	assert_true(launches_meet(&launches, 7, LAUNCH_CALLED, 28, &pair));
	assert_close(pair.started_us, 30, 1e-15);
	assert_int_equal(launches.count, 0);
	launches_free(&launches);
}

static void a_graph_starts_many(void **state)
{
	(void)state;
	assert_false(launches_meet(&launches, 5, LAUNCH_STARTED, 40, &pair));
	assert_false(launches_meet(&launches, 5, LAUNCH_STARTED, 30, &pair));
	assert_true(launches_meet(&launches, 5, LAUNCH_GRAPH_CALLED, 20, &pair));
	assert_close(pair.started_us, 40, 1e-15);
	for (int i = 0; i < 3; i++)
		assert_true(launches_meet(&launches, 5, LAUNCH_STARTED, 50 + i, &pair));
	assert_close(pair.called_us, 20, 1e-15);
	assert_int_equal(launches.count, 1);
	launches_free(&launches);
}

static void what_is_no_correlation(void **state)
{
	const double odd[] = {0, -1, 0.5, 1e300, NAN};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(odd); i++) {
		assert_false(launches_meet(&launches, odd[i], LAUNCH_CALLED, 1, &pair));
		assert_false(launches_meet(&launches, odd[i], LAUNCH_STARTED, 2, &pair));
	}
	assert_int_equal(launches.count, 0);
}

/* 100,003 calls come before their kernels, and the kernels in another order. Each call gets its own kernel, and no
 * entry remains. */
static void many_in_any_order(void **state)
{
	const size_t many = 100003;

	(void)state;
	for (size_t i = 1; i <= many; i++)
		assert_false(launches_meet(&launches, (double)i, LAUNCH_CALLED, (double)i, &pair));
	assert_int_equal(launches.count, many);
	for (size_t i = 1; i <= many; i++) {
		double number = (double)(i * 7919 % many + 1);

		assert_true(launches_meet(&launches, number, LAUNCH_STARTED, 2 * number, &pair));
		assert_true(pair.called_us == number && pair.started_us == 2 * number);
	}
	assert_int_equal(launches.count, 0);
	launches_free(&launches);
}

static void too_many_end_it(void **state)
{
	(void)state;
	for (size_t i = 1; i <= LAUNCH_SLOTS_MAX / 2; i++)
		assert_false(launches_meet(&launches, (double)i, LAUNCH_CALLED, 0, &pair));
	assert_false(launches.given_up);
	assert_int_equal(launches.capacity, LAUNCH_SLOTS_MAX);
	assert_false(launches_meet(&launches, LAUNCH_SLOTS_MAX, LAUNCH_CALLED, 0, &pair));
	assert_true(launches.given_up);
	assert_int_equal(launches.capacity, 0);
	assert_false(launches_meet(&launches, 1, LAUNCH_STARTED, 0, &pair));
	launches_free(&launches);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(either_half_may_come_first),
		cmocka_unit_test(a_graph_starts_many),
		cmocka_unit_test(what_is_no_correlation),
		cmocka_unit_test(many_in_any_order),
		cmocka_unit_test(too_many_end_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
