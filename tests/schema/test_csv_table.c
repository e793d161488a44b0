/* Tests CSV in memory: the rules of RFC 4180, rejected texts, and that no damaged text makes the reader read outside
 * its buffer. */
#include <stdlib.h>
#include <string.h>

#include "schema/csv_table.h"
#include "support/assert.h"

static struct arena arena;
static struct failure failure;

static enum status begin(struct csv *csv, const char *text)
{
	failure_clear(&failure);
	arena_reset(&arena);
	return csv_begin(csv, "test.csv", text, strlen(text), &arena, &failure);
}

static void fields_are_read_as_the_rfc_says(void **state)
{
	struct csv csv;

	(void)state;
	assert_int_equal(begin(&csv,
						 "\xef\xbb\xbf"
						 "a,b,c\r\n1,\"x, \"\"y\"\"\nz\",\r\n\r\n\"\",2,3"),
		STATUS_OK);
	assert_int_equal(csv.column_count, 3);
	assert_string_equal(csv.columns[0], "a");
	assert_true(csv_next(&csv));
	assert_string_equal(csv.fields[0], "1");
	assert_string_equal(csv.fields[1], "x, \"y\"\nz");
	assert_string_equal(csv.fields[2], "");
	assert_int_equal(csv.record_line, 2);
	assert_true(csv_next(&csv));
	assert_string_equal(csv.fields[0], "");
	assert_string_equal(csv.fields[2], "3");
	assert_int_equal(csv.record_line, 5);
	assert_false(csv_next(&csv));
}

static void a_trailing_comma_is_an_empty_field(void **state)
{
	struct csv csv;

	(void)state;
	assert_int_equal(begin(&csv, "a,b\n1,"), STATUS_OK);
	assert_true(csv_next(&csv));
	assert_string_equal(csv.fields[1], "");
}

static void what_is_no_csv_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text, *detail;
	} bad[] = {
		{"", "is empty"},
		{"\n\n", "is empty"},
		{"a,a\n", "same name"},
		{"a,b\n1\n", "line 2: 1 fields, the header has 2"},
		{"a,b\n1,2,3\n", "line 2: 3 fields"},
		{"a\n\"x", "does not end"},
		{"a\n\"x\"y\n", "follows a closing quote"},
		{"a\nx\"y\n", "does not begin"},
	};
	struct csv csv;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		assert_int_equal(begin(&csv, bad[i].text), STATUS_MALFORMED);
		assert_contains(failure.detail, bad[i].detail);
		assert_contains(failure.detail, "test.csv");
	}
	failure_clear(&failure);
	assert_int_equal(csv_begin(&csv, "test.csv", "a\0b\n", 4, &arena, &failure), STATUS_MALFORMED);
}

static void too_many_columns_and_too_little_memory_are_refused(void **state)
{
	char text[3 * (CSV_COLUMNS_MAX + 2)];
	struct arena small;
	struct csv csv;

	(void)state;
	for (size_t i = 0; i <= CSV_COLUMNS_MAX; i++)
		memcpy(text + 2 * i, "x,", 3);
	assert_int_equal(begin(&csv, text), STATUS_MALFORMED);
	arena_init(&small, 8);
	failure_clear(&failure);
	assert_int_equal(csv_begin(&csv, "test.csv", "a_long_name_of_a_column\n", 24, &small, &failure), STATUS_NO_MEMORY);
	arena_release(&small);
}

/* Damages a few bytes in every way. The reader must read the text to the end or reject it; ASan checks the bounds. */
static void damaged_text_is_read_or_refused(void **state)
{
	static const char good[] = "id,name,note\r\n1,\"A, \"\"b\"\"\",x\n2,,\"two\nlines\"\n";
	static const char bytes[] = "\",\r\n\0x\xff";
	char text[sizeof good];

	(void)state;
	srand(7);
	for (int round = 0; round < 20000; round++) {
		size_t length = sizeof good - 1 - (size_t)rand() % 8;
		struct csv csv;
		size_t records = 0;

		memcpy(text, good, sizeof good);
		for (int change = rand() % 4; change >= 0; change--)
			text[(size_t)rand() % length] = bytes[(size_t)rand() % (sizeof bytes - 1)];
		failure_clear(&failure);
		arena_reset(&arena);
		if (csv_begin(&csv, "test.csv", text, length, &arena, &failure) != STATUS_OK)
			continue;
		while (csv_next(&csv))
			records++;
		assert_int_equal(records, csv.record_count);
	}
}

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, 1 << 20);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_read_as_the_rfc_says),
		cmocka_unit_test(a_trailing_comma_is_an_empty_field),
		cmocka_unit_test(what_is_no_csv_is_refused_with_its_line),
		cmocka_unit_test(too_many_columns_and_too_little_memory_are_refused),
		cmocka_unit_test(damaged_text_is_read_or_refused),
	};

	return cmocka_run_group_tests_name("csv", tests, setup, teardown);
}
