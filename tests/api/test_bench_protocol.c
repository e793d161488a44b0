/* A worker's lines as the daemon reads them. */
#include <math.h>

#include "api/bench_protocol.h"
#include "bench/report.h"
#include "support/assert.h"

#include <unistd.h>

struct reading {
	struct arena arena;
	struct failure failure;
	struct bench_line line;
};

static int setup(void **state)
{
	struct reading *reading = calloc(1, sizeof(*reading));

	arena_init(&reading->arena, 1 << 20);
	*state = reading;
	return 0;
}

static int teardown(void **state)
{
	struct reading *reading = *state;

	arena_release(&reading->arena);
	free(reading);
	return 0;
}

static enum status parse(struct reading *reading, const char *text)
{
	return bench_line_parse(text, strlen(text), &reading->arena, &reading->line, &reading->failure);
}

#define MEASURE(figures) "{\"type\":\"measure\",\"test\":\"t\",\"method\":\"stream\",\"unit\":\"s\"," figures ",\"verified\":true}"

static void a_measure_is_read_whole(void **state)
{
	struct reading *reading = *state;
	const struct bench_line_measure *measure = &reading->line.as.measure;

	assert_int_equal(parse(reading, "{\"type\":\"measure\",\"test\":\"gemm\",\"method\":\"library_gemm\",\"precision\":\"bf16\",\"unit\":\"flops_per_s\","
		"\"n\":7,\"median\":3,\"p10\":2,\"p90\":4,\"min\":1,\"max\":5,\"flops\":1e12,\"verified\":true,\"unstable\":true,\"newer\":[1]}"), STATUS_OK);
	assert_int_equal(reading->line.kind, BENCH_LINE_MEASURE);
	assert_string_equal(measure->test, "gemm");
	assert_string_equal(measure->method, "library_gemm");
	assert_int_equal(measure->precision, PRECISION_BF16);
	assert_int_equal(measure->n, 7);
	assert_close(measure->median, 3, 0);
	assert_close(measure->p10, 2, 0);
	assert_close(measure->p90, 4, 0);
	assert_close(measure->min, 1, 0);
	assert_close(measure->max, 5, 0);
	assert_close(measure->flops, 1e12, 0);
	assert_true(isnan(measure->bytes));
	assert_true(measure->verified && measure->unstable && !measure->cache_resident && !measure->throttled);
}

/* Figures that contradict themselves, or were not measured, are no figures. */
static void figures_must_be_possible(void **state)
{
	struct reading *reading = *state;
	static const char *const bad[] = {
		MEASURE("\"n\":5,\"min\":1,\"p10\":2,\"median\":3,\"p90\":2.5,\"max\":5"), /* p90 below the median */
		MEASURE("\"n\":5,\"min\":0,\"p10\":0,\"median\":0,\"p90\":0,\"max\":0"),   /* 0 for unsupported */
		MEASURE("\"n\":0,\"min\":1,\"p10\":1,\"median\":1,\"p90\":1,\"max\":1"),
		MEASURE("\"n\":5,\"min\":-1,\"p10\":1,\"median\":1,\"p90\":1,\"max\":1"),
		MEASURE("\"n\":5,\"min\":1,\"p10\":1,\"median\":\"1\",\"p90\":1,\"max\":1"),
		MEASURE("\"n\":1.5,\"min\":1,\"p10\":1,\"median\":1,\"p90\":1,\"max\":1"),
		MEASURE("\"n\":5,\"min\":1,\"p10\":1,\"p90\":1,\"max\":1"),
		MEASURE("\"n\":5,\"min\":1,\"p10\":1,\"median\":1,\"p90\":1,\"max\":1,\"precision\":\"bf17\""),
		MEASURE("\"n\":5,\"min\":1,\"p10\":1,\"median\":1,\"p90\":1,\"max\":1,\"unstable\":\"no\""),
	};

	assert_int_equal(parse(reading, MEASURE("\"n\":5,\"min\":1,\"p10\":1,\"median\":1,\"p90\":1,\"max\":1")), STATUS_OK);
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_int_equal(parse(reading, bad[i]), STATUS_INVALID);
}

static void what_is_no_line_is_refused(void **state)
{
	struct reading *reading = *state;
	static const char *const malformed[] = {"", "x", "[]", "\"hello\"", "{\"type\":\"hello\"", "{\"type\":\"skip\",\"type\":\"skip\"}",
		MEASURE("\"n\":5,\"min\":1,\"p10\":1,\"median\":1e999,\"p90\":1,\"max\":1"), "{\"type\":\"progress\",\"test\":\"t\",\"elapsed_ms\":NaN}"};
	static const char *const invalid[] = {"{}", "{\"type\":7}", "{\"type\":\"goodbye\"}", "{\"type\":\"skip\",\"test\":\"t\"}",
		"{\"type\":\"hello\",\"proto\":2,\"worker_version\":\"1\"}", "{\"type\":\"result\",\"status\":\"fine\",\"budget_s\":1,\"elapsed_s\":1}",
		"{\"type\":\"result\",\"status\":\"ok\",\"budget_s\":1}", "{\"type\":\"device\",\"id\":\"\",\"backend\":\"cpu\",\"name\":\"n\"}"};

	for (size_t i = 0; i < COUNT_OF(malformed); i++)
		assert_int_equal(parse(reading, malformed[i]), STATUS_MALFORMED);
	for (size_t i = 0; i < COUNT_OF(invalid); i++)
		assert_int_equal(parse(reading, invalid[i]), STATUS_INVALID);
	assert_int_equal(bench_line_parse("{}", BENCH_PROTOCOL_LINE_MAX, &reading->arena, &reading->line, &reading->failure), STATUS_MALFORMED);
	assert_contains(reading->failure.detail, "65536");
}

/* Both ends of the protocol are written apart: what one writes, the other reads. */
static void what_the_worker_writes_is_understood(void **state)
{
	struct reading *reading = *state;
	struct bench_device device = {.id = "cpu-1", .backend = "cpu", .name = "A \"quoted\" CPU", .memory_bytes = 8e9, .threads = 4};
	struct bench_measure measure = {.test = "gemm", .bottleneck = "compute", .detail = "k", .method = METHOD_LIBRARY_GEMM,
		.precision = PRECISION_FP32, .unit = UNIT_FLOPS_PER_S, .flops = 2e9, .check = {.verified = true},
		.statistics = {.n = 5, .min = 1e11, .p10 = 2e11, .median = 3e11, .p90 = 4e11, .max = 5e11, .drift = -0.01}};
	struct bench_progress progress = {.test = "gemm", .n = 1, .budget_s = 10, .start_ns = 0};
	struct bench_result result = {.verdict = BENCH_VERDICT_BUSY, .suite = "quick", .reason = "in use"};
	static const enum bench_line_kind expected[] = {BENCH_LINE_HELLO, BENCH_LINE_DEVICE, BENCH_LINE_PROGRESS, BENCH_LINE_MEASURE,
		BENCH_LINE_SKIP, BENCH_LINE_RESULT};
	struct bench_report report;
	FILE *file = tmpfile();
	char line[4096];
	size_t count = 0;

	bench_device_note(&device, DEVICE_MEMORY);
	assert_non_null(file);
	bench_report_open(&report, REPORT_LINES, fileno(file));
	bench_report_hello(&report);
	bench_report_device(&report, &device);
	bench_report_progress(&report, &progress);
	bench_report_measure(&report, &measure);
	bench_report_skip(&report, "nccl", "no library");
	bench_report_result(&report, &result);
	bench_report_close(&report);
	rewind(file);
	for (; fgets(line, sizeof(line), file); count++) {
		line[strcspn(line, "\n")] = '\0';
		assert_int_equal(parse(reading, line), STATUS_OK);
		assert_int_equal(reading->line.kind, expected[count]);
		if (reading->line.kind == BENCH_LINE_DEVICE) {
			assert_string_equal(reading->line.as.device.name, "A \"quoted\" CPU");
			assert_close(reading->line.as.device.memory_bytes, 8e9, 0);
			assert_true(isnan(reading->line.as.device.threads)); /* was not noted as known */
		} else if (reading->line.kind == BENCH_LINE_MEASURE) {
			assert_close(reading->line.as.measure.median, 3e11, 0);
			assert_string_equal(reading->line.as.measure.method, "library_gemm");
		}
	}
	fclose(file);
	assert_int_equal(count, COUNT_OF(expected));
	assert_string_equal(reading->line.as.result.status, "busy");
}

static void suites_become_the_workers_argument(void **state)
{
	struct reading *reading = *state;
	static const struct {
		const char *json, *text;
	} cases[] = {{"\"quick\"", "quick"}, {"[\"stream_triad\",\"launch_round_trip\"]", "stream_triad,launch_round_trip"}, {"[\"a\"]", "a"},
		{"[]", NULL}, {"\"\"", NULL}, {"7", NULL}, {"[7]", NULL}, {"\"--list\"", NULL}, {"[\"a,b\"]", NULL}, {"[\"a\"", NULL}};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *text = bench_suite_text(cases[i].json, strlen(cases[i].json), &reading->arena);

		if (cases[i].text)
			assert_string_equal(text, cases[i].text);
		else
			assert_null(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_measure_is_read_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(figures_must_be_possible, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_line_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(what_the_worker_writes_is_understood, setup, teardown),
		cmocka_unit_test_setup_teardown(suites_become_the_workers_argument, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
