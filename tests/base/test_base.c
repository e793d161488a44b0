/* Tests of base/: clock, units, ids, spelling, buffers, arenas and JSON writing. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/failure.h"
#include "base/json_writer.h"
#include "base/spelling.h"
#include "base/units.h"
#include "base/uuid.h"
#include "support/assert.h"

static void units_read_what_people_write(void **state)
{
	static const struct {
		const char *text;
		double value;
	} good[] = {{"15.6T", 15.6e12}, {"70B", 70e9}, {"70g", 70e9}, {"8192", 8192}, {"1e12", 1e12}, {"4.5k", 4500}, {"2P", 2e15}, {"0", 0}};
	static const char *const bad[] = {"", "T", "-1", "+1", "1 T", "0x10", "inf", "nan", "1e999", "1TT", "1e300E"};
	double value;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(good); i++) {
		assert_true(units_parse_count(good[i].text, &value));
		assert_close(value, good[i].value, 1e-15);
	}
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(units_parse_count(bad[i], &value));
	assert_true(units_parse_time("30d", 3600, &value));
	assert_close(value, 720, 1e-15);
	assert_true(units_parse_time("90m", 3600, &value));
	assert_close(value, 1.5, 1e-15);
	assert_true(units_parse_time("18h", 3600, &value));
	assert_close(value, 18, 1e-15);
	assert_false(units_parse_time("18y", 3600, &value));
	assert_true(units_parse_time("500ms", 0.001, &value));
	assert_close(value, 500, 1e-12);
	assert_true(units_parse_time("1s", 0.001, &value));
	assert_close(value, 1000, 1e-12);
	assert_true(units_parse_time("1.5H", 60, &value));
	assert_close(value, 90, 1e-12);
	assert_true(units_parse_time("250", 0.001, &value)); /* a number without a unit is in the caller's unit */
	assert_close(value, 250, 1e-12);
	assert_false(units_parse_time("ms", 1, &value));
	assert_false(units_parse_time("5mms", 1, &value));
	assert_false(units_parse_time("-5ms", 1, &value));
	assert_false(units_parse_time("5kms", 1, &value));
}

static void doubles_are_written_to_be_read_back(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {{0, "0"}, {-1, "-1"}, {0.1, "0.1"}, {1e15, "1000000000000000"}, {123456.789, "123456.789"}, {1e-7, "1e-07"},
		{0.1 + 0.2, "0.3"}, {1e20, "1e+20"}, {1e18, "1e+18"}, {9.99e17, "999000000000000000"}, {8.219983872e19, "8.219983872e+19"},
		{1.0 / 3, "0.333333333333333"}, {999999999999999.9, "1000000000000000"}, {0.000001, "0.000001"}, {2.5e-6, "0.0000025"},
		{1e300, "1e+300"}, {312.5, "312.5"}, {7.7206781952e23, "7.7206781952e+23"}, {3e25, "3e+25"}, {1e21, "1e+21"}, {9.9e26, "9.9e+26"},
		{1e27, "1e+27"}, {1.7e308, "1.7e+308"}, {DBL_MAX, "1.7976931348623157e+308"}};
	char text[40];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		json_format_double(text, cases[i].value);
		assert_string_equal(text, cases[i].text);
	}
	for (double x = 1.7e-6; x < 1e30; x *= 1.37) {
		json_format_double(text, x);
		assert_close(strtod(text, NULL), x, 1e-14);
	}
}

/* Compares with the C library for random mantissas. Exponents stay below those at which exact halves are common: the
 * C library rounds halves to even. */
static void doubles_are_rounded_right(void **state)
{
	uint64_t random = 88172645463325252;
	char ours[40], theirs[40];

	(void)state;
	for (int exponent = -19; exponent < 28; exponent++) {
		for (int i = 0; i < 2000; i++) {
			double value;
			size_t length;

			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			value = ldexp(1 + (double)(random >> 12) / 4503599627370496.0, exponent);
			length = json_format_double(ours, i % 2 ? value : -value);
			assert_int_equal(length, strlen(ours));
			snprintf(theirs, sizeof theirs, "%.15g", i % 2 ? value : -value);
			assert_close(strtod(ours, NULL), strtod(theirs, NULL), 0);
			assert_null(strchr(ours, 'e'));
			assert_true(length <= strlen(theirs) || strchr(theirs, 'e')); /* no trailing zeros */
		}
	}
}

static void integers_are_written_exactly(void **state)
{
	char ours[40], theirs[40];

	(void)state;
	for (uint64_t power = 1; power <= 10000000000000000000u / 10; power *= 10) {
		for (uint64_t value = power - 1; value <= power + 1; value++) {
			ours[json_format_unsigned(ours, value)] = '\0';
			snprintf(theirs, sizeof theirs, "%llu", (unsigned long long)value);
			assert_string_equal(ours, theirs);
			ours[json_format_unsigned(ours, value * 7)] = '\0';
			snprintf(theirs, sizeof theirs, "%llu", (unsigned long long)(value * 7));
			assert_string_equal(ours, theirs);
		}
	}
	ours[json_format_unsigned(ours, UINT64_MAX)] = '\0';
	assert_string_equal(ours, "18446744073709551615");
}

static void json_places_commas_and_escapes(void **state)
{
	struct buffer buffer;
	struct json_writer writer;

	(void)state;
	buffer_init(&buffer, 1000);
	json_writer_init(&writer, &buffer);
	json_begin_object(&writer);
	json_key(&writer, "a");
	json_begin_array(&writer);
	json_double(&writer, 1);
	json_integer(&writer, INT64_MIN);
	json_bool(&writer, true);
	json_null(&writer);
	json_end_array(&writer);
	json_key_escaped(&writer, "b\"");
	json_string(&writer, "q\"\\\n\x01 \xc3\xa9");
	json_key(&writer, "c");
	json_begin_object(&writer);
	json_end_object(&writer);
	json_end_object(&writer);
	assert_string_equal(buffer.bytes, "{\"a\":[1,-9223372036854775808,true,null],\"b\\\"\":\"q\\\"\\\\\\n\\u0001 \xc3\xa9\",\"c\":{}}");
	buffer_release(&buffer);
}

static void json_of_what_is_no_number_never_leaves(void **state)
{
	const double none[] = {INFINITY, -INFINITY, NAN};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(none); i++) {
		struct buffer buffer;
		struct json_writer writer;
		size_t length;

		buffer_init(&buffer, 1000);
		json_writer_init(&writer, &buffer);
		json_begin_array(&writer);
		json_double(&writer, 1);
		assert_false(writer.not_finite || buffer.failed);
		json_double(&writer, none[i]);
		json_end_array(&writer);
		assert_true(writer.not_finite);
		assert_null(buffer_detach(&buffer, &length));
		buffer_release(&buffer);
	}
}

static void buffers_stop_at_their_maximum(void **state)
{
	struct buffer buffer;
	size_t length;

	(void)state;
	buffer_init(&buffer, 10);
	buffer_append_text(&buffer, "0123456789");
	assert_false(buffer.failed);
	buffer_append_char(&buffer, 'x');
	assert_true(buffer.failed);
	assert_int_equal(buffer.length, 10);
	assert_null(buffer_detach(&buffer, &length));
	buffer_printf(&buffer, "%d-%s", 12, "ab");
	assert_string_equal(buffer.bytes, "12-ab");
	buffer_release(&buffer);
}

static void arenas_zero_align_and_stop(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena, 100000);
	for (int i = 0; i < 100; i++) {
		unsigned char *p = arena_alloc(&arena, 1, (size_t)(i + 1));
		assert_non_null(p);
		assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
		assert_int_equal(p[0] | p[i], 0);
		memset(p, 0xff, (size_t)i + 1);
	}
	assert_null(arena_alloc(&arena, 1, 200000));
	assert_null(arena_alloc(&arena, SIZE_MAX / 2, 4));
	arena_reset(&arena);
	assert_string_equal(arena_printf(&arena, "%s %d", "x", 7), "x 7");
	assert_null(arena_strdup(&arena, NULL));
	arena_release(&arena);
}

static void times_are_read_and_written(void **state)
{
	static const char *const bad[] = {"", "2026", "2026-02-30", "2026-13-01", "2026-01-01T25:00:00Z", "2026-01-01T00:00:00",
		"2026-01-01T00:00:00Zx", "1969-12-31", "2026-01-01T00:00:60Z"};
	char text[CLOCK_TEXT_MAX];
	int64_t us;

	(void)state;
	assert_true(clock_parse("2026-11-21T01:44:21.5+01:30", &us));
	clock_format(text, us);
	assert_string_equal(text, "2026-11-21T00:14:21.500000Z");
	assert_true(clock_parse("2024-02-29", &us));
	assert_true(us == INT64_C(1709164800000000));
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(clock_parse(bad[i], &us));
}

static void ids_are_valid_and_increase(void **state)
{
	char last[UUID_TEXT_SIZE] = "", id[UUID_TEXT_SIZE];

	(void)state;
	for (int i = 0; i < 10000; i++) {
		uuid_make(id);
		assert_true(uuid_valid(id));
		assert_int_equal(id[14], '7');
		assert_true(strcmp(last, id) < 0);
		memcpy(last, id, sizeof last);
	}
	assert_false(uuid_valid("0190-"));
	assert_false(uuid_valid("0190f5a2-0000-7000-8000-00000000000G"));
}

static void spelling_finds_the_nearest(void **state)
{
	static const char *const names[] = {"h100-sxm5-80gb", "a100-sxm4-80gb", "h200-sxm5-141gb", "mi300x", "l4", "t4"};
	struct spelling spelling;
	char list[200];

	(void)state;
	assert_int_equal(spelling_distance("abcd", "abdc"), 1);
	assert_int_equal(spelling_distance("kitten", "sitting"), 3);
	spelling_init(&spelling, "h100-sxm-80gb");
	for (size_t i = 0; i < COUNT_OF(names); i++)
		spelling_offer(&spelling, names[i]);
	assert_string_equal(spelling.nearest[0], "h100-sxm5-80gb");
	spelling_list(&spelling, list, sizeof list);
	assert_string_equal(list, "h100-sxm5-80gb or a100-sxm4-80gb");
	spelling_init(&spelling, "h200"); /* a name that contains the text is near, however long the name is */
	for (size_t i = 0; i < COUNT_OF(names); i++)
		spelling_offer(&spelling, names[i]);
	assert_string_equal(spelling.nearest[0], "h200-sxm5-141gb");
	assert_int_equal(spelling.count, 1);
	spelling_init(&spelling, "4"); /* a single character does not count as a part of a name */
	for (size_t i = 0; i < COUNT_OF(names); i++)
		spelling_offer(&spelling, names[i]);
	spelling_list(&spelling, list, sizeof list);
	assert_string_equal(list, "l4 or t4");
	spelling_init(&spelling, "abacus");
	for (size_t i = 0; i < COUNT_OF(names); i++)
		spelling_offer(&spelling, names[i]);
	spelling_list(&spelling, list, sizeof list);
	assert_string_equal(list, "");
}

static void failures_keep_the_first_and_count_all(void **state)
{
	static struct failure failure;

	(void)state;
	failure_clear(&failure);
	for (int i = 0; i < FAULTS_MAX + 5; i++)
		failure_add(&failure, "/tokens", "out_of_range", "fault %d", i);
	assert_int_equal(failure.status, STATUS_INVALID);
	assert_int_equal(failure.fault_count, FAULTS_MAX);
	assert_int_equal(failure.fault_total, FAULTS_MAX + 5);
	assert_string_equal(failure.faults[0].detail, "fault 0");
	assert_int_equal(status_http(failure_set(&failure, STATUS_STORAGE_FULL, "full")), 507);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_read_what_people_write),
		cmocka_unit_test(doubles_are_written_to_be_read_back),
		cmocka_unit_test(doubles_are_rounded_right),
		cmocka_unit_test(integers_are_written_exactly),
		cmocka_unit_test(json_places_commas_and_escapes),
		cmocka_unit_test(json_of_what_is_no_number_never_leaves),
		cmocka_unit_test(buffers_stop_at_their_maximum),
		cmocka_unit_test(arenas_zero_align_and_stop),
		cmocka_unit_test(times_are_read_and_written),
		cmocka_unit_test(ids_are_valid_and_increase),
		cmocka_unit_test(spelling_finds_the_nearest),
		cmocka_unit_test(failures_keep_the_first_and_count_all),
	};

	return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
