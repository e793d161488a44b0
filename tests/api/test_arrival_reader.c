/* Tests the stream reader of inference requests: rows become numbers, the rest stays text, every fault has its pointer. */
#include "api/readers/arrival_reader.h"
#include "api/tables/tables.h"
#include "support/assert.h"

static struct failure failure;
static struct arrival_reader *reader;
static struct request_trace trace;

static enum status read_text(const char *text, size_t step)
{
	size_t length = strlen(text);
	enum status status = STATUS_OK;

	failure_clear(&failure);
	trace = (struct request_trace){.arrivals = NULL};
	arrival_reader_free(reader);
	reader = arrival_reader_new();
	assert_non_null(reader);
	for (size_t at = 0; at < length && status == STATUS_OK; at += step)
		status = arrival_reader_feed(reader, text + at, length - at < step ? length - at : step, &failure);
	if (status == STATUS_OK)
		status = arrival_reader_end(reader, &failure);
	return status == STATUS_OK ? arrival_reader_take(reader, &trace, &failure) : status;
}

/* Reads the text byte by byte and at once. Both must give the same result. */
static enum status read_all(const char *text)
{
	char kept[1024];
	enum status status = read_text(text, 1), again;
	size_t count = trace.count, faults = failure.fault_total;

	snprintf(kept, sizeof kept, "%s", arrival_reader_request(reader)->bytes ? arrival_reader_request(reader)->bytes : "");
	again = read_text(text, 1u << 20);
	assert_int_equal(again, status);
	assert_int_equal(trace.count, count);
	assert_int_equal(failure.fault_total, faults);
	if (status == STATUS_OK)
		assert_string_equal(arrival_reader_request(reader)->bytes, kept);
	return status;
}

static void rows_become_numbers(void **state)
{
	struct json_text text;

	(void)state;
	assert_int_equal(read_all("{\"model\":\"m\", \"trace\": {\"arrivals\" : [ [0, 100,20],\n[1.50,8e1,30] ] } ,\"headroom\":0}"), STATUS_OK);
	assert_string_equal(arrival_reader_request(reader)->bytes, "{\"model\":\"m\", \"trace\": {\"arrivals\" : [[0,1,1]] } ,\"headroom\":0}");
	assert_int_equal(trace.count, 2);
	assert_close(trace.arrivals[0].prompt_tokens, 100, 0);
	assert_close(trace.arrivals[1].t_s, 1.5, 0);
	assert_close(trace.arrivals[1].prompt_tokens, 80, 0);
	assert_close(trace.arrivals[1].output_tokens, 30, 0);
	assert_int_equal(arrival_reader_text(reader, &text, &failure), STATUS_OK);
	assert_string_equal(text.text, "{\"model\":\"m\", \"trace\": {\"arrivals\" : [[0,100,20],[1.5,80,30]] } ,\"headroom\":0}");
	assert_int_equal(text.length, strlen(text.text));
}

/* If a request has no rows in the place of arrivals, the reader keeps it unchanged and the field tables judge it. */
static void other_requests_are_kept_as_they_came(void **state)
{
	static const char *const texts[] = {"{\"model\": \"m\", \"prompt_tokens\": {\"samples\": [1, 2]}}", "{\"trace\":{\"arrivals\":[]}}",
		"{\"trace\":{\"arrivals\":5}}", "{\"trace\":[[[0,1,1]]]}", "{\"arrivals\":[[0,1,1]]}", "{\"a\":{\"arrivals\":[[0,1,1]]}}",
		"{\"trace\":{\"x\":{\"arrivals\":[[0,1,1]]}}}", "{\"trace\":{\"arrivals\":{\"x\":[[0,1,1]]}}}",
		"{\"trace\":{\"arrivals\":1,\"x\":[[0,1,1]]}}", "[[[[0,1,1]]]]", "7"};
	struct json_text text;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		assert_int_equal(read_all(texts[i]), STATUS_OK);
		assert_string_equal(arrival_reader_request(reader)->bytes, texts[i]);
		assert_int_equal(trace.count, 0);
		assert_int_equal(arrival_reader_text(reader, &text, &failure), STATUS_OK);
		assert_string_equal(text.text, texts[i]);
	}
}

static void assert_fault(const char *pointer, const char *code)
{
	for (size_t i = 0; i < failure.fault_count; i++)
		if (strcmp(failure.faults[i].pointer, pointer) == 0 && strcmp(failure.faults[i].code, code) == 0)
			return;
	fail_msg("no fault %s at %s", code, pointer);
}

static void every_fault_of_a_row_has_its_place(void **state)
{
	static const struct {
		const char *rows, *pointer, *code;
	} rows[] = {{"[0,1,1],[-1,1,1]", "1/0", "out_of_range"}, {"[0,1,1],[2e9,1,1]", "1/0", "out_of_range"},
		{"[5,1,1],[6,1,1],[5.9,1,1]", "2/0", "unsorted"}, {"[0,0,1]", "0/1", "out_of_range"}, {"[0,1,0]", "0/2", "out_of_range"},
		{"[0,1,0.5]", "0/2", "out_of_range"}, {"[0,1,-7]", "0/2", "out_of_range"}, {"[0,1]", "0", "wrong_type"},
		{"[0,1,1,1]", "0", "wrong_type"}, {"[]", "0", "wrong_type"}, {"7", "0", "wrong_type"}, {"[0,1,1],null", "1", "wrong_type"},
		{"\"x\"", "0", "wrong_type"}, {"{\"t_s\":[0,1,1]}", "0", "wrong_type"}, {"[0,\"1\",1]", "0/1", "wrong_type"},
		{"[0,[1],1]", "0/1", "wrong_type"}, {"[true,1,1]", "0/0", "wrong_type"}, {"[0,{\"a\":[1,2]},1],[1,1,1]", "0/1", "wrong_type"}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char text[256], pointer[64];

		snprintf(text, sizeof text, "{\"trace\":{\"arrivals\":[%s]}}", rows[i].rows);
		snprintf(pointer, sizeof pointer, "/trace/arrivals/%s", rows[i].pointer);
		assert_int_equal(read_all(text), STATUS_INVALID);
		assert_int_equal(failure.fault_total, 1);
		assert_fault(pointer, rows[i].code);
		assert_int_equal(trace.count, 0); /* no rows of a refused request */
		assert_null(trace.arrivals);
	}
}

/* A thousand faults of one kind do not hide a fault of another kind. The reader counts all. */
static void faults_of_each_kind_are_told(void **state)
{
	static char text[64 * 1024];
	size_t at = (size_t)snprintf(text, sizeof text, "{\"trace\":{\"arrivals\":[");

	(void)state;
	for (int i = 0; i < 1000; i++)
		at += (size_t)snprintf(text + at, sizeof text - at, "[%d,0,1],", i);
	snprintf(text + at, sizeof text - at, "[2000,1,1],[1999,1,1]]}}");
	assert_int_equal(read_all(text), STATUS_INVALID);
	assert_int_equal(failure.fault_total, 1001);
	assert_fault("/trace/arrivals/0/1", "out_of_range");
	assert_fault("/trace/arrivals/1001/0", "unsorted");
	assert_non_null(strstr(failure.detail, "1001 faults"));
}

static void what_is_not_json_is_told(void **state)
{
	static const char *const texts[] = {"", "{\"trace\":{\"arrivals\":[[0,1,1]", "{\"trace\":{\"arrivals\":[[0,1,1],]}}",
		"{\"trace\":{\"arrivals\":[[0,1,NaN]]}}", "{\"trace\":{\"arrivals\":[[0,1,1e999]]}}", "{\"trace\":{\"arrivals\":[[0,1,1]}}"};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		assert_int_equal(read_all(texts[i]), STATUS_MALFORMED);
}

static enum status feed(const char *text)
{
	return arrival_reader_feed(reader, text, strlen(text), &failure);
}

static void memory_and_rows_have_an_end(void **state)
{
	static const char row[] = ",[7,1,1]";
	enum status status;
	size_t rows = 1;

	(void)state;
	failure_clear(&failure);
	arrival_reader_free(reader);
	reader = arrival_reader_new();
	status = feed("{\"trace\":{\"arrivals\":[[7,1,1]");
	for (; status == STATUS_OK && rows < 10000000; rows++)
		status = feed(row);
	assert_int_equal(status, STATUS_TOO_LARGE);
	assert_int_equal(rows, ARRIVALS_MAX + 1);
	assert_true(arrival_reader_memory_bytes(reader) < 24 * (size_t)ARRIVALS_MAX + 64 * 1024);
	/* The reader keeps at most 4 MiB of text outside the rows and rejects more. */
	failure_clear(&failure);
	arrival_reader_free(reader);
	reader = arrival_reader_new();
	status = feed("{\"prompt_tokens\":{\"samples\":[1");
	for (size_t bytes = 0; status == STATUS_OK && bytes < 2 * (size_t)ARRIVALS_KEPT_MAX_BYTES; bytes += 80)
		status = feed(",1000000,1000000,1000000,1000000,1000000,1000000,1000000,1000000,1000000,1000000");
	assert_int_equal(status, STATUS_TOO_LARGE);
	assert_true(arrival_reader_memory_bytes(reader) < 3 * (size_t)ARRIVALS_KEPT_MAX_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rows_become_numbers), cmocka_unit_test(other_requests_are_kept_as_they_came),
		cmocka_unit_test(every_fault_of_a_row_has_its_place), cmocka_unit_test(faults_of_each_kind_are_told),
		cmocka_unit_test(what_is_not_json_is_told), cmocka_unit_test(memory_and_rows_have_an_end)};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arrival_reader_free(reader);
	return failed;
}
