/* Names of the parts of an answer. */
#include "service/answer_parts.h"
#include "support/assert.h"

static struct failure failure;

static unsigned omitted_of(const char *expand)
{
	unsigned omitted = 12345;

	failure_clear(&failure);
	assert_int_equal(answer_parts_read(expand, PART_FRONT, &omitted, &failure), STATUS_OK);
	return omitted;
}

static void words_name_parts(void **state)
{
	(void)state;
	assert_int_equal(omitted_of(NULL), PART_FRONT);
	assert_int_equal(omitted_of("all"), 0);
	assert_int_equal(omitted_of("none"), PARTS_ALL);
	assert_int_equal(omitted_of("front"), PARTS_ALL & ~PART_FRONT);
	assert_int_equal(omitted_of("alternatives,details"), PARTS_ALL & ~(PART_ALTERNATIVES | PART_DETAILS));
	assert_int_equal(omitted_of(" search ,\tbatch"), PARTS_ALL & ~(PART_SEARCH | PART_BATCH));
	assert_int_equal(omitted_of("none,autoscaling"), PARTS_ALL & ~PART_AUTOSCALING);
	assert_int_equal(omitted_of("front,all"), 0);
}

static void other_words_are_refused(void **state)
{
	static const char *const wrong[] = {"", " ", "fronts", "front,", ",front", "front,,search", "front search x", "ALL", "front;search"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		unsigned omitted;

		failure_clear(&failure);
		assert_int_equal(answer_parts_read(wrong[i], 0, &omitted, &failure), STATUS_INVALID);
		assert_int_equal(failure.fault_count, 1);
		assert_string_equal(failure.faults[0].pointer, "/expand");
		assert_string_equal(failure.faults[0].code, "bad_choice");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words_name_parts), cmocka_unit_test(other_words_are_refused)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
