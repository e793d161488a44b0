/* Trees of JSON text: the same as jansson reads, also of text with escapes, which is read behind a string of its own. */
#include "schema/json_tree.h"

#include <string.h>

#include "base/status.h"
#include "support/assert.h"

/* Each text is read as jansson reads it: the same tree, or an error on the same line and column. */
static void trees_are_those_of_jansson(void **state)
{
	static const char *const texts[] = {"{}", "[]", "{\"a\":\"b\"}", "{\"a\":\"\\n\\\"\\\\\\u00e9\"}",
		"[\"\\ud83d\\ude00 and more\", 1, 2.5, null]",
		"{\"long\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\\t\",\"b\":[1,{\"c\":\"\\/\"}]}", "", "   ", "\"\\n\"",
		"1", "[1", "{\"a\":\"\\n\"", "{\"a\":\"\\x\"}", "{\"a\":\"\\n\"} x", "{\"a\":\"\\n\"},{}", "\"\\n\"],[2", "[\"\\n\",]",
		"{\"a\":\"\\n\",\"a\":1}", "{\"a\":\n\"\\u12\"}", "[\"\\", "[\"\\\"]", "[\"a\\\"b\", \"c\\"};
	static const size_t flags[] = {0, JSON_REJECT_DUPLICATES, JSON_DECODE_ANY};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		for (size_t k = 0; k < COUNT_OF(flags); k++) {
			json_error_t error = {.line = 0}, expected = {.line = 0};
			bool no_memory = true;
			json_t *tree = json_tree_read(texts[i], strlen(texts[i]), flags[k], &error, &no_memory);
			json_t *theirs = json_loadb(texts[i], strlen(texts[i]), flags[k], &expected);

			assert_false(no_memory);
			if (!tree != !theirs || (tree && !json_equal(tree, theirs)))
				fail_msg("%s, flags %zu: read otherwise than by jansson (%s)", texts[i], flags[k], error.text);
			if (!tree && error.text[0] == '\0')
				fail_msg("%s, flags %zu: an error without a text", texts[i], flags[k]);
			json_decref(tree);
			json_decref(theirs);
		}
	}
}

/* The place of an error is counted in the text of the caller. */
static void errors_have_the_callers_place(void **state)
{
	static const char text[] = "{\"a\":\"\\n\",}";
	json_error_t error, expected;
	bool no_memory;

	(void)state;
	assert_null(json_tree_read(text, sizeof text - 1, 0, &error, &no_memory));
	assert_null(json_loadb(text, sizeof text - 1, 0, &expected));
	assert_int_equal(error.line, expected.line);
	assert_int_equal(error.column, expected.column);
	assert_int_equal(error.position, expected.position);
	assert_string_equal(error.text, expected.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees_are_those_of_jansson),
		cmocka_unit_test(errors_have_the_callers_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
