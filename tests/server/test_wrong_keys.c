/* Counts wrong keys by address, in a bounded table. */
#include <stdlib.h>

#include "server/wire/wrong_keys.h"
#include "support/assert.h"

#define NS_PER_S INT64_C(1000000000)

static struct wrong_keys keys;

static int show(uint64_t address, int64_t now_s)
{
	bool first;

	return wrong_keys_count(&keys, address, now_s * NS_PER_S, &first);
}

static void so_many_a_minute(void **state)
{
	bool first;

	(void)state;
	wrong_keys_init(&keys);
	for (int i = 0; i < WRONG_KEYS_A_MINUTE; i++)
		assert_int_equal(show(7, 100 + i), 0);
	assert_int_equal(wrong_keys_count(&keys, 7, 140 * NS_PER_S, &first), 20);
	assert_true(first);
	assert_int_equal(wrong_keys_count(&keys, 7, 141 * NS_PER_S, &first), 19);
	assert_false(first);
	assert_int_equal(show(8, 141), 0); /* another address */
	assert_int_equal(show(7, 159), 1);
	assert_int_equal(show(7, 160), 0); /* its minute has passed */
	wrong_keys_release(&keys);
}

/* Ten thousand addresses with one wrong key each do not displace the address with many. */
static void who_goes_on_stays(void **state)
{
	(void)state;
	wrong_keys_init(&keys);
	for (int i = 0; i <= WRONG_KEYS_A_MINUTE; i++)
		(void)show(7, 100);
	for (uint64_t address = 1000; address < 11000; address++)
		assert_int_equal(show(address, 101), 0);
	assert_int_equal(show(7, 102), 58);
	wrong_keys_release(&keys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(so_many_a_minute), cmocka_unit_test(who_goes_on_stays)};

	return cmocka_run_group_tests_name("wrong_keys", tests, NULL, NULL);
}
