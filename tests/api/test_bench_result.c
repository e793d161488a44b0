/* Tests how the results of agents are read, and where their bytes are in a body. */
#include <string.h>

#include "api/bench_result.h"
#include "support/assert.h"

static struct arena arena;
static struct failure failure;

static enum status read_result(const char *text, struct bench_result *result)
{
	failure_clear(&failure);
	return bench_result_read(text, strlen(text), &arena, result, &failure);
}

static void lines_are_found_wherever_they_stand(void **state)
{
	struct bench_result result;

	(void)state;
	assert_int_equal(read_result("{\"end\":\"crashed\",\"detail\":\"a\\nb\",\"elapsed_s\":2.5,\"log\":\"l\",\"worker_version\":\"1\","
								 "\"device\":{\"type\":\"device\",\"id\":\"d\"},\"measures\":[{\"type\":\"measure\",\"n\":1},7,{\"n\":2}],"
								 "\"later\":[{\"type\":\"new\"}],\"plain\":{\"n\":3}}",
						 &result),
		STATUS_OK);
	assert_string_equal(result.end, "crashed");
	assert_string_equal(result.detail, "a\nb");
	assert_string_equal(result.log, "l");
	assert_string_equal(result.worker_version, "1");
	assert_close(result.elapsed_s, 2.5, 0);
	assert_int_equal(result.line_count, 3);
	assert_string_equal(result.lines[0].text, "{\"type\":\"device\",\"id\":\"d\"}");
	assert_string_equal(result.lines[1].text, "{\"type\":\"measure\",\"n\":1}");
	assert_int_equal(result.lines[1].length, strlen(result.lines[1].text));
	assert_string_equal(result.lines[2].text, "{\"type\":\"new\"}");
}

static void what_is_left_out_is_absent(void **state)
{
	struct bench_result result;

	(void)state;
	assert_int_equal(read_result("{\"end\":\"failed\",\"elapsed_s\":-1}", &result), STATUS_OK);
	assert_null(result.detail);
	assert_null(result.log);
	assert_true(isnan(result.elapsed_s));
	assert_int_equal(result.line_count, 0);
}

static void what_is_no_result_says_why(void **state)
{
	static const struct {
		const char *text, *why;
	} cases[] = {{"", "not a JSON object"}, {"7", "not a JSON object"}, {"[]", "not a JSON object"},
		{"{\"end\":\"a\",\"end\":\"b\"}", "not a JSON object"}, {"{}", "how the worker ended"}, {"{\"end\":7}", "its end is not text"},
		{"{\"end\":\"a\",\"log\":[]}", "its log is not text"}};
	struct bench_result result;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_int_equal(read_result(cases[i].text, &result), STATUS_INVALID);
		assert_contains(failure.detail, cases[i].why);
	}
}

/* jansson accepts a NUL after a number. The code that walks the text beside jansson's tree would stop at the NUL and
 * then read past the end of the text. */
static void a_nul_is_no_part_of_a_result(void **state)
{
	static const char text[] = "{\"end\":\"crashed\",\"m\":[{\"type\":\"measure\",\"n\":2\0},7],\"later\":[{\"n\":1}],\"plain\":{\"n\":2}}";
	char *own = malloc(sizeof text);
	struct bench_result result;

	(void)state;
	assert_non_null(own);
	memcpy(own, text, sizeof text);
	failure_clear(&failure);
	assert_int_equal(bench_result_read(own, sizeof text - 1, &arena, &result, &failure), STATUS_INVALID);
	free(own);
}

static void lines_have_a_maximum(void **state)
{
	size_t size = 20 * (BENCH_RESULT_LINES_MAX + 2) + 100;
	char *text = arena_alloc(&arena, size, 1);
	size_t length = (size_t)snprintf(text, size, "{\"end\":\"a\",\"measures\":[{\"type\":\"m\"}");
	struct bench_result result;

	(void)state;
	for (int i = 0; i < BENCH_RESULT_LINES_MAX; i++)
		length += (size_t)snprintf(text + length, size - length, ",{\"type\":\"m\"}");
	snprintf(text + length, size - length, "]}");
	assert_int_equal(read_result(text, &result), STATUS_INVALID);
	assert_contains(failure.detail, "more than 4096 lines");
}

static void a_members_bytes_are_found(void **state)
{
	static const struct {
		const char *body, *span; /* NULL: none */
	} cases[] = {
		{"{\"token\":1,\"result\":{\"a\":[1,{\"b\":\"}]\\\"\"}]},\"x\":2}", "{\"a\":[1,{\"b\":\"}]\\\"\"}]}"},
		{" {\n \"result\" : {\"end\" : 1 } \n}", "{\"end\" : 1 }"},
		{"{\"result\":\"text, with }\",\"a\":1}", "\"text, with }\""},
		{"{\"a\":{\"result\":1},\"result\":-2.5e3}", "-2.5e3"},
		{"{\"a\\\"\":[],\"result\":[]}", "[]"},
		{"{\"a\":\"result\",\"results\":1}", NULL},
		{"{}", NULL},
		{"[\"result\"]", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *start = NULL;
		size_t length = 0;
		bool found = bench_result_span(cases[i].body, "result", &start, &length);

		assert_int_equal(found, cases[i].span != NULL);
		if (found)
			assert_true(length == strlen(cases[i].span) && strncmp(start, cases[i].span, length) == 0);
	}
}

/* Tests every prefix and every changed byte. The code reads nothing past the end (the sanitizers check this) and finds
 * nothing twice. */
static void damaged_bodies_do_no_harm(void **state)
{
	static const char whole[] = "{\"token\":1,\"result\":{\"end\":\"a\\\\\",\"m\":[{\"type\":\"measure\"}]},\"sha256\":\"0\"}";
	char *body = malloc(sizeof whole);
	struct bench_result result;
	const char *start;
	size_t length;

	(void)state;
	assert_non_null(body);
	for (size_t i = 0; i < sizeof whole - 1; i++) {
		memcpy(body, whole, sizeof whole);
		body[i] = '\0';
		if (bench_result_span(body, "result", &start, &length))
			assert_true(start >= body && start + length <= body + i);
		for (const char *other = "\"\\{}[],: "; *other; other++) {
			memcpy(body, whole, sizeof whole);
			body[i] = *other;
			if (bench_result_span(body, "result", &start, &length))
				assert_true(start + length <= body + sizeof whole - 1);
			(void)!read_result(body, &result);
			arena_reset(&arena);
		}
	}
	free(body);
}

static int start(void **state)
{
	(void)state;
	arena_init(&arena, 64 * 1024 * 1024);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_found_wherever_they_stand),
		cmocka_unit_test(what_is_left_out_is_absent),
		cmocka_unit_test(what_is_no_result_says_why),
		cmocka_unit_test(a_nul_is_no_part_of_a_result),
		cmocka_unit_test(lines_have_a_maximum),
		cmocka_unit_test(a_members_bytes_are_found),
		cmocka_unit_test(damaged_bodies_do_no_harm),
	};

	return cmocka_run_group_tests_name("bench_result", tests, start, stop);
}
