/* Tests the stream reader of traces: the grammar in pieces of any size, traces of every shape, and rejected traces. */
#include "api/readers/trace_reader.h"
#include "support/assert.h"

static struct failure failure;
static struct trace_summary summary;
static struct step_timings mean;

static struct trace_reader *reader;

static enum status read_text(const char *text, size_t step)
{
	size_t length = strlen(text);
	enum status status = STATUS_OK;

	failure_clear(&failure);
	trace_reader_free(reader);
	reader = trace_reader_new();
	assert_non_null(reader);
	for (size_t at = 0; at < length && status == STATUS_OK; at += step)
		status = trace_reader_feed(reader, text + at, length - at < step ? length - at : step, &failure);
	return status == STATUS_OK ? trace_reader_end(reader, &failure) : status;
}

static enum status read_all(const char *text)
{
	enum status status = read_text(text, 1u << 20);

	/* A read byte by byte must give the same result. */
	assert_int_equal(read_text(text, 1), status);
	return status;
}

static enum status summarize(void)
{
	summary = (struct trace_summary){.step_count = 0};
	failure_clear(&failure);
	return trace_reader_summarize(reader, &summary, &mean, &failure);
}

#define KERNEL(ts, dur) \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"ts\":" ts ",\"dur\":" dur ",\"args\":{\"stream\":7,\"device\":0}}"
#define STEP(n, ts, dur) "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#" n "\",\"ts\":" ts ",\"dur\":" dur "}"

static void every_shape_of_a_trace(void **state)
{
	static const char events[] = "[" STEP("3", "0", "1000") "," KERNEL("100.5", "400") ",{\"ph\":\"M\",\"name\":\"process_name\"}]";
	static const char *const before[] = {"", " {\"schemaVersion\":1,\"traceEvents\":", "{\"trace\":{\"traceEvents\":"};
	static const char *const behind[] = {"", ",\"traceName\":\"x\"} ", "},\"steps_remaining\":10}"};
	static const char *const requests[] = {NULL, NULL, "{\"trace\":{\"traceEvents\":[]},\"steps_remaining\":10}"};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(before); i++) {
		snprintf(text, sizeof text, "%s%s%s", before[i], events, behind[i]);
		assert_int_equal(read_all(text), STATUS_OK);
		assert_true(trace_reader_has_events(reader));
		if (requests[i])
			assert_string_equal(trace_reader_request(reader)->bytes, requests[i]);
		else
			assert_null(trace_reader_request(reader));
		assert_int_equal(summarize(), STATUS_OK);
		assert_close(mean.step_time_ms, 1, 1e-12);
		assert_close(mean.compute_ms, 0.4, 1e-12);
		assert_close(summary.events, 2, 1e-15);
		assert_close(summary.streams, 1, 1e-15);
		assert_close(summary.steps[0].step, 3, 1e-15);
	}
}

static void a_request_is_kept_as_it_came(void **state)
{
	static const char text[] = "{\"timings\":{\"compute_ms\": 5.5e1},\n \"training_log\":{\"step\":[1,2]}, \"x\":\"\\u00e9\\n\"}";

	(void)state;
	assert_int_equal(read_all(text), STATUS_OK);
	assert_false(trace_reader_has_events(reader));
	assert_string_equal(trace_reader_request(reader)->bytes, text);
}

static void what_a_trace_says_of_itself(void **state)
{
	(void)state;
	assert_int_equal(
		read_all(
			"{\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA H100 80GB HBM3\"}],\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":3,"
			"\"world_size\":16},\"traceEvents\":[" KERNEL("0",
				"1") ","
					 "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pageable -> Device)\",\"ts\":5,\"dur\":100,\"args\":{\"bytes\":1000000,\"stream\":7}},"
					 "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pinned -> Device)\",\"ts\":200,\"dur\":100,\"args\":{\"bytes\":3000000}}]}"),
		STATUS_OK);
	assert_int_equal(summarize(), STATUS_OK);
	assert_string_equal(summary.backend, "nccl");
	assert_string_equal(summary.device_name, "NVIDIA H100 80GB HBM3");
	assert_close(summary.rank, 3, 1e-15);
	assert_close(summary.world_size, 16, 1e-15);
	assert_close(summary.host_to_device_bytes, 4e6, 1e-15);
	assert_close(summary.host_to_device_gbs, 20, 1e-12);
	assert_close(summary.pageable_share, 0.25, 1e-12);
	assert_close(mean.exposed_host_to_device_ms, 0.2, 1e-12);
}

static void what_is_not_json(void **state)
{
	static const struct {
		const char *text, *detail;
	} rows[] = {
		{"", "the body is empty"},
		{" ", "ends before"},
		{"{", "ends before"},
		{"{\"a\":[1", "ends before"},
		{"{\"a\":\"b", "ends before"},
		{"{\"traceEvents\":[{\"ph\":\"X\"", "ends before"},
		{"nul", "ends before"},
		{"tru e", "JSON value is expected"},
		{"{\"a\":[1,]}", "JSON value is expected"},
		{"{,}", "a member must begin"},
		{"{\"a\" 1}", "a colon"},
		{"{\"a\":[1 2]}", "a comma"},
		{"{\"a\":[1}", "a list must end"},
		{"{\"a\":1]", "an object must end"},
		{"{} []", "follows the end"},
		{"{\"a\":[01]}", "leading zeros"},
		{"{\"a\":[1.]}", "point"},
		{"{\"a\":[1e]}", "the e of"},
		{"{\"a\":[1e999]}", "1.8e308"},
		{"{\"a\":[NaN]}", "NaN and Infinity"},
		{"{\"a\":[-Infinity]}", "NaN and Infinity"},
		{"{\"a\":[\"\\x\"]}", "escape"},
		{"{\"a\":[\"\\u12g4\"]}", "hexadecimal"},
		{"{\"a\":[\"\n\"]}", "control byte"},
		{"{\"a\":[--1]}", "JSON value is expected"},
		{"{\"a\":[+1]}", "JSON value is expected"},
		{"{\"a\":[1.2.3]}", "JSON value is expected"},
		{"'a'", "JSON value is expected"},
		{"\x1f\x8b", "JSON value is expected"},
		{"{\"a\":[11111111111111111111111111111111111111111111111111111111111111111]}", "64 characters"},
		{"{\"traceEvents\":[],\"traceEvents\":[]}", "appears twice"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(read_all(rows[i].text), STATUS_MALFORMED);
		assert_contains(failure.detail, rows[i].detail);
	}
	assert_int_equal(read_all("{\"a\":\n  x}"), STATUS_MALFORMED);
	assert_contains(failure.detail, "line 2, column 3");
}

static void depth_is_bounded(void **state)
{
	char text[2 * JSON_DEPTH_MAX + 4] = "";

	(void)state;
	memset(text, '[', JSON_DEPTH_MAX + 1);
	assert_int_equal(read_all(text), STATUS_MALFORMED);
	assert_contains(failure.detail, "nested deeper than 32");
	text[JSON_DEPTH_MAX - 1] = '\0';
	text[0] = '{'; /* an object needs a key, so the fault is not the depth */
	assert_int_equal(read_all(text), STATUS_MALFORMED);
	assert_contains(failure.detail, "a member must begin");
}

static void odd_events_are_refused_by_their_place(void **state)
{
	static const struct {
		const char *text, *pointer;
	} rows[] = {
		{"{\"traceEvents\":[" KERNEL("0", "1") "," KERNEL("1", "-5") "]}", "/traceEvents/1/dur"},
		{"{\"traceEvents\":[" KERNEL("1e300", "1") "]}", "/traceEvents/0/ts"},
		{"{\"traceEvents\":[" KERNEL("1", "1e300") "]}", "/traceEvents/0/dur"},
		{"{\"traceEvents\":[" KERNEL("\"1\"", "1") "]}", "/traceEvents/0/ts"},
		{"{\"traceEvents\":[" KERNEL("null", "1") "]}", "/traceEvents/0/ts"},
		{"{\"traceEvents\":[" KERNEL("1", "[1]") "]}", "/traceEvents/0/dur"},
		{"{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\"}]}", "/traceEvents/0/ts"},
		{"{\"traceEvents\":[7]}", "/traceEvents/0"},
		{"[" KERNEL("-1e17", "1") "]", "/0/ts"},
		{"{\"trace\":{\"traceEvents\":[" KERNEL("0", "-1") "]}}", "/trace/traceEvents/0/dur"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(read_all(rows[i].text), STATUS_INVALID);
		assert_string_equal(failure.faults[0].pointer, rows[i].pointer);
	}
	assert_int_equal(read_all("[]"), STATUS_OK);
	assert_int_equal(summarize(), STATUS_INVALID);
	assert_int_equal(read_all("[{\"ph\":\"X\",\"ts\":0}]"), STATUS_OK); /* an event without name or duration */
	assert_int_equal(summarize(), STATUS_INVALID);
}

static enum status feed_event(double ts, double duration, const char *category, const char *name)
{
	char text[256];
	int length = snprintf(
		text, sizeof text, "{\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f,\"cat\":\"%s\",\"name\":\"%s\"},", ts, duration, category, name);

	return trace_reader_feed(reader, text, (size_t)length, &failure);
}

static void start_events(void)
{
	assert_int_equal(read_text("{\"traceEvents\":[", 100), STATUS_MALFORMED);
}

/* 300,000 overlapping events out of order take no more memory than one. Separate events are rejected before they exceed
 * the bound. */
static void many_events_stay_within_bounds(void **state)
{
	enum status status = STATUS_OK;

	(void)state;
	start_events();
	for (size_t i = 0; i < 300000; i++)
		assert_int_equal(feed_event((double)(i * 7919 % 300000), 2, "cpu_op", ""), STATUS_OK);
	assert_true(trace_reader_memory_bytes(reader) < 8 * 1024 * 1024);
	start_events();
	for (size_t i = 0; i <= TRACE_STEPS_MAX && status == STATUS_OK; i++) {
		char name[32];

		snprintf(name, sizeof name, "ProfilerStep#%zu", i);
		status = feed_event((double)i, 1, "user_annotation", name);
	}
	assert_int_equal(status, STATUS_TOO_LARGE);
	assert_contains(failure.detail, "profile fewer");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape_of_a_trace),
		cmocka_unit_test(a_request_is_kept_as_it_came),
		cmocka_unit_test(what_a_trace_says_of_itself),
		cmocka_unit_test(what_is_not_json),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(odd_events_are_refused_by_their_place),
		cmocka_unit_test(many_events_stay_within_bounds),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	trace_reader_free(reader);
	return failed;
}
