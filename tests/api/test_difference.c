/* Tests the comparison of two answers: each value that differs is listed with its place, and no other value is. */
#include "api/difference.h"
#include "support/assert.h"

#include <string.h>

enum { MOST = 4 };

static struct arena arena;
static struct failure failure;
static struct json_difference found[MOST];

static size_t differences(const char *before, const char *after)
{
	const struct json_text a = {before, strlen(before)}, b = {after, strlen(after)};
	size_t count = 0;

	memset(found, 0, sizeof found);
	arena_reset(&arena);
	failure_clear(&failure);
	assert_int_equal(api_json_differences(&a, &b, &arena, found, MOST, &count, &failure), STATUS_OK);
	return count;
}

static void test_the_same_is_the_same(void **state)
{
	static const char text[] = "{\"a\":[1,2.5,{\"b\":null,\"c\":\"x\"}],\"d\":true,\"e\":{}}";

	(void)state;
	assert_int_equal(differences(text, text), 0);
	assert_int_equal(differences("{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}"), 0); /* the order of members does not count */
	assert_int_equal(differences("{\"a\":1}", "{\"a\":1.0}"), 0);
	assert_int_equal(differences("{\"search\":{\"elapsed_ms\":1.5,\"n\":3}}", "{\"search\":{\"elapsed_ms\":7,\"n\":3}}"), 0);
}

#define DIGITS "1234567890123456789012345678901234567890123456789012345678901234"
#define LONG   "\"" DIGITS "\",\"" DIGITS "\",\"" DIGITS "\""

static void test_every_difference_has_its_place(void **state)
{
	(void)state;
	assert_int_equal(differences("{\"a\":{\"b\":[1,2,3]},\"c\":\"x\"}", "{\"a\":{\"b\":[1,2.0000000000000004,3]},\"c\":\"y\"}"), 2);
	assert_string_equal(found[0].pointer, "/a/b/1");
	assert_string_equal(found[0].before, "2");
	assert_string_equal(found[0].after, "2.0000000000000004"); /* one bit */
	assert_string_equal(found[1].pointer, "/c");
	assert_string_equal(found[1].before, "\"x\"");
	assert_int_equal(differences("{\"a\":[1]}", "{\"a\":[1,{\"b\":2}],\"c\":false}"), 2);
	assert_string_equal(found[0].pointer, "/a/1");
	assert_null(found[0].before);
	assert_string_equal(found[0].after, "{\"b\":2}");
	assert_string_equal(found[1].pointer, "/c");
	assert_int_equal(differences("{\"a\":[1,2]}", "{\"a\":7}"), 1);
	assert_string_equal(found[0].before, "[1,2]");
	assert_int_equal(differences("{\"a\":[" LONG "]}", "{\"a\":{\"b\":[" LONG "],\"c\":1}}"), 1); /* more than 160 bytes */
	assert_string_equal(found[0].before, "a list of 3");
	assert_string_equal(found[0].after, "an object of 2 members");
	assert_int_equal(differences("{\"a\":1}", "{}"), 1);
	assert_null(found[0].after);
}

static void test_more_than_are_wanted_are_counted(void **state)
{
	(void)state;
	assert_int_equal(differences("[1,2,3,4,5,6]", "[0,0,0,0,0,0]"), 6);
	assert_string_equal(found[MOST - 1].pointer, "/3");
}

static void test_long_texts_and_deep_places_are_cut(void **state)
{
	char before[2048] = "", after[2048] = "";

	(void)state;
	for (int i = 0; i < 20; i++)
		strncat(before, "{\"a key of thirty-two characters..\":", sizeof before - strlen(before) - 1);
	memcpy(after, before, sizeof after);
	strncat(before, "1", 2);
	strncat(after, "2", 2);
	for (int i = 0; i < 20; i++) {
		strncat(before, "}", 2);
		strncat(after, "}", 2);
	}
	assert_int_equal(differences(before, after), 1);
	assert_true(strlen(found[0].pointer) < 400);
}

static void test_what_is_no_json_is_our_own_fault(void **state)
{
	const struct json_text good = {"{}", 2}, bad = {"{", 1};
	size_t count;

	(void)state;
	arena_reset(&arena);
	failure_clear(&failure);
	assert_int_equal(api_json_differences(&good, &bad, &arena, found, MOST, &count, &failure), STATUS_INTERNAL);
}

static int begin(void **state)
{
	(void)state;
	arena_init(&arena, 1 << 20);
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_same_is_the_same),
		cmocka_unit_test(test_every_difference_has_its_place),
		cmocka_unit_test(test_more_than_are_wanted_are_counted),
		cmocka_unit_test(test_long_texts_and_deep_places_are_cut),
		cmocka_unit_test(test_what_is_no_json_is_our_own_fault),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
