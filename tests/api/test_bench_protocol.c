/* Tests how the daemon reads a worker's lines. */
#include <math.h>

#include "api/bench_protocol.h"
#include "bench/report/report.h"
#include "planner/measurement/bench_tables.h"
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

	assert_int_equal(
		parse(reading,
			"{\"type\":\"measure\",\"test\":\"gemm\",\"method\":\"library_gemm\",\"precision\":\"bf16\",\"unit\":\"flops_per_s\","
			"\"n\":7,\"median\":3,\"p10\":2,\"p90\":4,\"min\":1,\"max\":5,\"flops\":1e12,\"verified\":true,\"unstable\":true,\"newer\":[1]}"),
		STATUS_OK);
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

/* The reader rejects figures that contradict each other and figures that were not measured. */
static void figures_must_be_possible(void **state)
{
	struct reading *reading = *state;
	static const char *const bad[] = {
		MEASURE("\"n\":5,\"min\":1,\"p10\":2,\"median\":3,\"p90\":2.5,\"max\":5"), /* p90 below the median */
		MEASURE("\"n\":5,\"min\":0,\"p10\":0,\"median\":0,\"p90\":0,\"max\":0"),   /* 0 means unsupported */
		MEASURE("\"n\":0,\"min\":1,\"p10\":1,\"median\":1,\"p90\":1,\"max\":1"),
		MEASURE("\"n\":5,\"min\":-1,\"p10\":1,\"median\":1,\"p90\":1,\"max\":1"),
		MEASURE("\"n\":5,\"min\":1,\"p10\":1,\"median\":\"1\",\"p90\":1,\"max\":1"),
		MEASURE("\"n\":1.5,\"min\":1,\"p10\":1,\"median\":1,\"p90\":1,\"max\":1"), MEASURE("\"n\":5,\"min\":1,\"p10\":1,\"p90\":1,\"max\":1"),
		MEASURE("\"n\":5,\"min\":1,\"p10\":1,\"median\":1,\"p90\":1,\"max\":1,\"precision\":\"bf17\""),
		MEASURE("\"n\":5,\"min\":1,\"p10\":1,\"median\":1,\"p90\":1,\"max\":1,\"unstable\":\"no\""),
		MEASURE("\"n\":5,\"min\":1,\"p10\":1,\"median\":1,\"p90\":1,\"max\":1,\"median_p10\":1.1,\"median_p90\":1.2"), /* above it */
		MEASURE("\"n\":5,\"min\":1,\"p10\":1,\"median\":1,\"p90\":1,\"max\":1,\"median_p10\":0.9"),                    /* one end alone */
	};

	assert_int_equal(parse(reading, MEASURE("\"n\":5,\"min\":1,\"p10\":1,\"median\":1,\"p90\":1,\"max\":1")), STATUS_OK);
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_int_equal(parse(reading, bad[i]), STATUS_INVALID);
}

static void what_is_no_line_is_refused(void **state)
{
	struct reading *reading = *state;
	static const char *const malformed[] = {"", "x", "[]", "\"hello\"", "{\"type\":\"hello\"", "{\"type\":\"skip\",\"type\":\"skip\"}",
		MEASURE("\"n\":5,\"min\":1,\"p10\":1,\"median\":1e999,\"p90\":1,\"max\":1"),
		"{\"type\":\"progress\",\"test\":\"t\",\"elapsed_ms\":NaN}"};
	static const char *const invalid[] = {"{}", "{\"type\":7}", "{\"type\":\"goodbye\"}", "{\"type\":\"skip\",\"test\":\"t\"}",
		"{\"type\":\"hello\",\"proto\":2,\"worker_version\":\"1\"}",
		"{\"type\":\"result\",\"status\":\"fine\",\"budget_s\":1,\"elapsed_s\":1}",
		"{\"type\":\"result\",\"status\":\"ok\",\"budget_s\":1}", "{\"type\":\"device\",\"id\":\"\",\"backend\":\"cpu\",\"name\":\"n\"}"};

	for (size_t i = 0; i < COUNT_OF(malformed); i++)
		assert_int_equal(parse(reading, malformed[i]), STATUS_MALFORMED);
	for (size_t i = 0; i < COUNT_OF(invalid); i++)
		assert_int_equal(parse(reading, invalid[i]), STATUS_INVALID);
	assert_int_equal(bench_line_parse("{}", BENCH_PROTOCOL_LINE_MAX, &reading->arena, &reading->line, &reading->failure), STATUS_MALFORMED);
	assert_contains(reading->failure.detail, "65536");
}

/* The figures of a plan's own work, as the worker writes them. */
static void work_energy_fits_and_means_are_read_as_they_were_written(void **state)
{
	struct reading *reading = *state;
	struct bench_work_request request = {.kind = WORK_GEMM, .shape = {512, 768, 256}, .product = PRODUCT_WEIGHT_GRADIENT};
	struct bench_block block = {.layers = 2,
		.hidden = 256,
		.heads = 8,
		.kv_heads = 2,
		.head_dimension = 32,
		.ffn = 512,
		.vocabulary = ABSENT_COUNT,
		.sequence = 128,
		.micro_batch = 1,
		.gated = TRUTH_TRUE,
		.precision = PRECISION_BF16,
		.optimizer_bytes_per_parameter = 16};
	struct bench_energy energy = {.window_s = 3,
		.energy_joules = 600,
		.mean_w = 200,
		.idle_w = (double)NAN,
		.dynamic_joules = (double)NAN,
		.joules_per_tflop = 0.9,
		.limit_fraction = (double)NAN,
		.samples = 15,
		.source = "nvml",
		.by = "counter",
		.scope = "gpu_board",
		.confidence = CONFIDENCE_HIGH};
	struct bench_measure measure = {.test = "gemm",
		.bottleneck = "compute",
		.detail = "k",
		.role = "qkv",
		.request = &request,
		.block = &block,
		.method = METHOD_LIBRARY_GEMM,
		.precision = PRECISION_BF16,
		.unit = UNIT_FLOPS_PER_S,
		.rounds = 5,
		.count = 32,
		.disagreement = 0.02,
		.median_p10 = 0.9,
		.median_p90 = 1.2,
		.trend = true,
		.steal_fraction = 0.01,
		.others_fraction = 0.3,
		.predicted_s = 0.5,
		.throttle_reasons = 1 << THROTTLE_POWER,
		.energy = &energy,
		.check = {.verified = true},
		.statistics = {.n = 5, .min = 1, .p10 = 1, .median = 1, .p90 = 1, .max = 1}};
	struct bench_fit fit = {.test = "transfer_pinned",
		.what = "to_device",
		.method = METHOD_COPY_ENGINE,
		.alpha_s = 1e-5,
		.beta_bytes_per_s = 5e10,
		.worst_residual = 0.04,
		.sizes = 4};
	struct bench_mean mean = {.test = "gemm",
		.method = METHOD_LIBRARY_GEMM,
		.precision = PRECISION_BF16,
		.unit = UNIT_FLOPS_PER_S,
		.value = 7e14,
		.flops = 2e12,
		.products = 12};
	struct bench_sensors sensors = {.power_w = 350, .throttle_reasons = 0};
	const struct bench_line_measure *told = &reading->line.as.measure;
	struct bench_report report;
	FILE *file = tmpfile();
	char line[4096];

	bench_sensors_note(&sensors, SENSOR_POWER);
	bench_sensors_note(&sensors, SENSOR_THROTTLE);
	bench_report_open(&report, REPORT_LINES, fileno(file));
	bench_report_measure(&report, &measure);
	bench_report_fit(&report, &fit);
	bench_report_mean(&report, &mean);
	bench_report_sample(&report, 1.5, &sensors);
	bench_report_close(&report);
	rewind(file);
	assert_non_null(fgets(line, sizeof(line), file));
	assert_int_equal(parse(reading, line), STATUS_OK);
	assert_string_equal(told->role, "qkv");
	assert_string_equal(told->kind, "gemm");
	assert_true(told->has_shape && told->has_block && told->has_energy && !told->has_attention && !told->has_transfer);
	assert_int_equal(told->shape.n, 768);
	assert_int_equal(told->product, PRODUCT_WEIGHT_GRADIENT);
	assert_int_equal(told->block.ffn, 512);
	assert_int_equal(told->block.precision, PRECISION_BF16);
	assert_close(told->median_p10, 0.9, 0);
	assert_close(told->median_p90, 1.2, 0);
	assert_true(told->trend);
	assert_close(told->steal_fraction, 0.01, 0);
	assert_close(told->others_fraction, 0.3, 0);
	assert_close(told->count, 32, 0);
	assert_close(told->disagreement, 0.02, 0);
	assert_close(told->predicted_s, 0.5, 0);
	assert_true(told->throttled);
	assert_string_equal(told->throttle, "power");
	assert_close(told->energy.energy_joules, 600, 0);
	assert_true(isnan(told->energy.idle_w));
	assert_string_equal(told->energy.confidence, "high");
	assert_non_null(fgets(line, sizeof(line), file));
	assert_int_equal(parse(reading, line), STATUS_OK);
	assert_int_equal(reading->line.kind, BENCH_LINE_FIT);
	assert_close(reading->line.as.fit.beta_bytes_per_s, 5e10, 0);
	assert_string_equal(reading->line.as.fit.what, "to_device");
	assert_non_null(fgets(line, sizeof(line), file));
	assert_int_equal(parse(reading, line), STATUS_OK);
	assert_int_equal(reading->line.kind, BENCH_LINE_MEAN);
	assert_close(reading->line.as.mean.value, 7e14, 0);
	assert_non_null(fgets(line, sizeof(line), file));
	assert_int_equal(parse(reading, line), STATUS_OK);
	assert_int_equal(reading->line.kind, BENCH_LINE_SAMPLE);
	assert_close(reading->line.as.sample.power_w, 350, 0);
	assert_true(isnan(reading->line.as.sample.temperature_c));
	assert_string_equal(reading->line.as.sample.throttle, "");
	fclose(file);
}

static void work_that_cannot_be_is_refused_with_its_place(void **state)
{
	struct reading *reading = *state;
	static const struct {
		const char *members, *pointer;
	} bad[] = {{"\"shape\":[1,2]", "/shape"}, {"\"shape\":[1,2,0]", "/shape"}, {"\"shape\":[1,2,3],\"product\":\"up\"", "/product"},
		{"\"attention\":{\"batch\":1}", "/attention/heads"}, {"\"transfer\":7", "/transfer"},
		{"\"energy\":{\"window_s\":-1}", "/energy/window_s"}};
	char line[512];

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		snprintf(line, sizeof(line), MEASURE("\"n\":5,\"min\":1,\"p10\":1,\"median\":1,\"p90\":1,\"max\":1,%s"), bad[i].members);
		assert_int_equal(parse(reading, line), STATUS_INVALID);
		assert_string_equal(reading->failure.faults[0].pointer, bad[i].pointer);
	}
	assert_int_equal(
		parse(reading,
			"{\"type\":\"fit\",\"test\":\"t\",\"method\":\"m\",\"alpha_s\":0,\"beta_bytes_per_s\":0,\"worst_residual\":0,\"sizes\":2}"),
		STATUS_INVALID);
}

/* The worker's writer and the daemon's reader are separate code. The reader must understand each line that the writer
 * makes. */
static void what_the_worker_writes_is_understood(void **state)
{
	struct reading *reading = *state;
	struct bench_device device = {.id = "cpu-1", .backend = "cpu", .name = "A \"quoted\" CPU", .memory_bytes = 8e9, .threads = 4};
	struct bench_measure measure = {.test = "gemm",
		.bottleneck = "compute",
		.detail = "k",
		.method = METHOD_LIBRARY_GEMM,
		.precision = PRECISION_FP32,
		.unit = UNIT_FLOPS_PER_S,
		.flops = 2e9,
		.check = {.verified = true},
		.statistics = {.n = 5, .min = 1e11, .p10 = 2e11, .median = 3e11, .p90 = 4e11, .max = 5e11, .drift = -0.01}};
	struct bench_progress progress = {.test = "gemm", .n = 1, .budget_s = 10, .start_ns = 0};
	struct bench_result result = {.verdict = BENCH_VERDICT_BUSY, .suite = "quick", .reason = "in use"};
	static const enum bench_line_kind expected[] = {
		BENCH_LINE_HELLO, BENCH_LINE_DEVICE, BENCH_LINE_PROGRESS, BENCH_LINE_MEASURE, BENCH_LINE_SKIP, BENCH_LINE_RESULT};
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
			assert_true(isnan(reading->line.as.device.threads)); /* the writer did not mark it as known */
		} else if (reading->line.kind == BENCH_LINE_MEASURE) {
			assert_close(reading->line.as.measure.median, 3e11, 0);
			assert_string_equal(reading->line.as.measure.method, "library_gemm");
		}
	}
	fclose(file);
	assert_int_equal(count, COUNT_OF(expected));
	assert_string_equal(reading->line.as.result.status, "busy");
}

/* One table describes a line for its writer and its reader: a line that was read is written again byte for byte, also
 * after its texts moved to another arena. */
static void what_was_read_is_written_again(void **state)
{
	struct reading *reading = *state;
	static const char *const lines[] = {
		"{\"type\":\"hello\",\"proto\":1,\"worker_version\":\"1.0\",\"pid\":7}",
		"{\"type\":\"device\",\"id\":\"g\",\"backend\":\"cuda\",\"name\":\"a\\n\\u0001b\",\"vendor\":\"\","
		"\"memory_bytes\":1000,\"ecc\":false,\"unit_count\":132}",
		"{\"type\":\"progress\",\"test\":\"gemm\",\"i\":0,\"n\":2,\"elapsed_ms\":1.5,\"budget_ms\":10000}",
		"{\"type\":\"sample\",\"t_s\":1.5,\"energy_j\":3,\"temperature_c\":-3,\"throttle\":\"\"}",
		MEASURE("\"n\":5,\"median\":3,\"p10\":2,\"p90\":4,\"min\":1,\"max\":5,\"mean\":3,\"drift\":-0.01,\"unstable\":false"),
		"{\"type\":\"measure\",\"test\":\"t\",\"method\":\"m\",\"precision\":\"bf16\",\"role\":\"qkv\",\"kind\":\"gemm\",\"shape\":[512,768,256],"
		"\"product\":\"forward\",\"block\":{\"layers\":2,\"hidden\":256,\"heads\":8,\"kv_heads\":2,\"head_dimension\":32,\"ffn\":512,"
		"\"sequence\":128,\"micro_batch\":1,\"gated\":true,\"precision\":\"bf16\"},\"unit\":\"s\",\"n\":1,\"median\":1,\"p10\":1,\"p90\":1,"
		"\"min\":1,\"max\":1,\"unstable\":true,\"trend\":true,\"verified\":true,\"cache_resident\":true,\"throttled\":true,"
		"\"throttle\":\"power\",\"energy\":{\"window_s\":3,\"energy_j\":600,\"mean_w\":200,\"samples\":15,\"source\":\"nvml\","
		"\"by\":\"polls\",\"scope\":\"gpu_board\",\"confidence\":\"low\"},\"detail\":\"k\"}",
		"{\"type\":\"measure\",\"test\":\"t\",\"method\":\"m\",\"attention\":{\"batch\":1,\"heads\":2,\"kv_heads\":3,\"queries\":4,\"keys\":5,"
		"\"head_dimension\":6,\"causal\":true,\"backward\":false},\"transfer\":{\"direction\":\"both\",\"pinned\":false,\"bytes\":0},"
		"\"unit\":\"s\",\"n\":1,\"median\":1,\"p10\":1,\"p90\":1,\"min\":1,\"max\":1,\"unstable\":false,\"verified\":false}",
		"{\"type\":\"fit\",\"test\":\"t\",\"method\":\"m\",\"alpha_s\":0,\"beta_bytes_per_s\":1,\"worst_residual\":0,\"sizes\":2}",
		"{\"type\":\"mean\",\"test\":\"t\",\"method\":\"m\",\"unit\":\"s\",\"value\":1,\"flops\":2,\"products\":3}",
		"{\"type\":\"skip\",\"test\":\"t\",\"reason\":\"r\"}",
		"{\"type\":\"result\",\"status\":\"busy\",\"suite\":\"quick\",\"budget_s\":10,\"elapsed_s\":1,\"reason\":\"\"}",
	};
	struct json_writer writer;
	struct buffer again;
	struct arena kept;

	arena_init(&kept, 1 << 20);
	buffer_init(&again, 4096);
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		const struct field_table *table;

		assert_int_equal(parse(reading, lines[i]), STATUS_OK);
		table = bench_line_tables[reading->line.kind];
		assert_true(field_table_keep(table, &reading->line.as, &kept));
		arena_release(&reading->arena);
		buffer_clear(&again);
		json_writer_init(&writer, &again);
		json_begin_object(&writer);
		json_key(&writer, "type");
		json_string(&writer, bench_line_words[reading->line.kind]);
		record_encode_members(table, &reading->line.as, &writer);
		json_end_object(&writer);
		assert_string_equal(again.bytes, lines[i]);
	}
	buffer_release(&again);
	arena_release(&kept);
	arena_init(&kept, 1);
	assert_int_equal(parse(reading, lines[0]), STATUS_OK);
	assert_false(field_table_keep(bench_line_tables[BENCH_LINE_HELLO], &reading->line.as, &kept));
	arena_release(&kept);
}

static void suites_become_the_workers_argument(void **state)
{
	struct reading *reading = *state;
	static const struct {
		const char *json, *text;
	} cases[] = {{"\"quick\"", "quick"}, {"[\"stream_triad\",\"launch_round_trip\"]", "stream_triad,launch_round_trip"}, {"[\"a\"]", "a"},
		{"[]", NULL}, {"\"\"", NULL}, {"7", NULL}, {"[7]", NULL}, {"\"--list\"", NULL}, {"[\"a,b\"]", NULL}, {"[\"a\"", NULL}};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const char *text;
		enum status status = bench_suite_text(cases[i].json, strlen(cases[i].json), &reading->arena, &text);

		assert_int_equal(status, cases[i].text ? STATUS_OK : STATUS_INVALID);
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
		cmocka_unit_test_setup_teardown(work_energy_fits_and_means_are_read_as_they_were_written, setup, teardown),
		cmocka_unit_test_setup_teardown(work_that_cannot_be_is_refused_with_its_place, setup, teardown),
		cmocka_unit_test_setup_teardown(what_was_read_is_written_again, setup, teardown),
		cmocka_unit_test_setup_teardown(suites_become_the_workers_argument, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
