/* Tests answers: results by their tables, CSV, problems. */
#include "api/problem.h"
#include "api/tables/tables.h"
#include "support/assert.h"

static struct buffer out;
static struct json_writer writer;

static const char *encode(const struct field_table *table, const void *object)
{
	buffer_clear(&out);
	json_writer_init(&writer, &out);
	record_encode(table, object, &writer);
	return out.bytes;
}

static void an_option_is_encoded_with_its_units_and_parts(void **state)
{
	static struct training_plan plan;
	struct training_option *option = &plan.recommended;
	const char *json;

	(void)state;
	field_table_clear(&table_training_result, &plan);
	option->accelerator.id = "h100-sxm5-80gb";
	option->gpu_count = 256;
	option->parallelism.tensor = 8;
	option->parallelism.recompute = RECOMPUTE_NONE;
	option->parallelism.offload = TRUTH_FALSE;
	option->mfu = 0.41;
	option->cost.total_usd = 1.5e6;
	option->cost.has_offer = false;
	option->cost.offer.provider = "not shown";
	option->carbon.total_kgco2e = 1234.5;
	option->bottleneck.kind = BOTTLENECK_COMPUTE;
	option->bottleneck.shares[BOTTLENECK_COMPUTE] = 0.75;
	option->bottleneck.shares[BOTTLENECK_INTERCONNECT] = 0.25;
	option->provenance_count = 1;
	option->provenance[0] = (struct provenance){
		.pointer = "/cost/total_usd", .low = 1, .high = 2, .source = "a \"row\"", .status = PROVENANCE_MEASURED};
	option->interval.gpu_hours = (struct interval){1, 2, 3};
	findings_assume_number(&plan.findings, "epochs", 1, "E7");
	findings_assume_text(&plan.findings, "precision", "bf16", "E8");
	findings_warn(&plan.findings, "mind the %s", "gap");
	snprintf(plan.compute_optimal.detail, sizeof plan.compute_optimal.detail, "why");
	json = encode(&table_training_result, &plan);
	assert_string_equal(json,
		"{\"recommended\":{\"accelerator\":\"h100-sxm5-80gb\",\"gpu_count\":256,\"parallelism\":{\"tensor\":8,"
		"\"recompute\":\"none\",\"offload\":false},"
		"\"mfu\":0.41,\"practice\":{\"parts\":[]},\"promises\":[],\"cost\":{\"total_usd\":1500000},\"carbon\":{\"total_kgco2e\":1234.5},"
		"\"bottleneck\":{\"kind\":\"compute\",\"shares\":{\"compute\":0.75,\"interconnect\":0.25}},"
		"\"provenance\":{\"/cost/total_usd\":{\"low\":1,\"high\":2,\"source\":\"a "
		"\\\"row\\\"\",\"status\":\"measured\"}},"
		"\"interval\":{\"gpu_hours\":{\"p10\":1,\"p50\":2,\"p90\":3}}},\"confidence_curve\":[],\"uncertainties\":[],\"stages\":[],\"alternatives\":[],\"front\":[],\"reservations\":[],\"compute_optimal\":{"
		"\"detail\":\"why\"},"
		"\"advice\":[],\"assumptions\":[{\"field\":\"epochs\",\"value\":1,\"source\":\"E7\",\"status\":\"default\"},{\"field\":\"precision\","
		"\"value\":\"bf16\",\"source\":\"E8\",\"status\":\"default\"}],"
		"\"sensitivity\":[],\"warnings\":[\"mind the gap\"]}");
	option->cost.has_offer = true;
	assert_contains(encode(&table_training_result, &plan), "\"offer\":{\"provider\":\"not shown\"");
}

static void rows_and_times_are_encoded(void **state)
{
	struct benchmark_record benchmark;
	struct request_trace trace = {.arrivals = NULL, .count = 12, .sha256 = "abc"};
	struct inference_request request;

	(void)state;
	field_table_clear(&table_benchmark, &benchmark);
	benchmark.id = "x";
	benchmark.state = "queued";
	benchmark.suite = (struct json_text){.text = "[\"gemm\"]", .length = 8};
	benchmark.created_at_us = 1795231261123000;
	benchmark.expires_at_us = ABSENT_COUNT;
	assert_string_equal(encode(&table_benchmark, &benchmark),
		"{\"id\":\"x\",\"state\":\"queued\",\"suite\":[\"gemm\"],\"created_at\":\"2026-11-21T03:21:01.123000Z\",\"cancel_"
		"requested\":false,\"late\":false}");
	field_table_clear(&table_inference_request, &request);
	request.trace = trace;
	request.prompt_tokens.mean = 1000;
	request.daily_profile = (struct number_list){.items = (double[]){0.5, 1}, .count = 2};
	assert_string_equal(encode(&table_inference_request, &request),
		"{\"prompt_tokens\":1000,\"trace\":{\"rows\":12,\"sha256\":\"abc\"},\"daily_profile\":[0.5,1]}");
}

static void csv_is_safe_to_open(void **state)
{
	struct price_row price;
	struct training_option option;
	size_t commas = 0, header_commas = 0;

	(void)state;
	field_table_clear(&table_price, &price);
	price.id = "=cmd()";
	price.provider = "a,b";
	price.instance_type = "say \"x\"";
	price.region = "plain";
	price.gpus = 8;
	price.price_usd_per_hour = 20.5;
	price.meta.valid_from_us = 1795231261123000;
	buffer_clear(&out);
	csv_header(&table_price, CSV_LIST, &out);
	assert_string_equal(out.bytes,
		"id,provider,instance_type,region,accelerator_id,gpus,vcpus,ram_gb,price_usd_per_"
		"hour,pricing_model,as_of,notes,source,source_date,"
		"origin,valid_from,valid_to,revision\r\n");
	buffer_clear(&out);
	csv_row(&table_price, CSV_LIST, &price, &out);
	assert_string_equal(out.bytes, "\"'=cmd()\",\"a,b\",\"say \"\"x\"\"\",plain,,8,,,20.5,,,,,,,2026-11-21T03:21:01.123000Z,,\r\n");

	field_table_clear(&table_training_option, &option);
	option.accelerator.id = "h100";
	option.parallelism.offload = TRUTH_TRUE;
	option.cost.offer.provider = "not shown";
	buffer_clear(&out);
	csv_header(&table_training_option, CSV_LIST, &out);
	assert_contains(out.bytes, "accelerator,gpu_count,wall_clock_hours,gpu_hours,node_count,parallelism.tensor");
	assert_contains(out.bytes, ",cost.offer.provider,");
	for (const char *c = out.bytes; *c; c++)
		header_commas += *c == ',';
	buffer_clear(&out);
	csv_row(&table_training_option, CSV_LIST, &option, &out);
	for (const char *c = out.bytes; *c; c++)
		commas += *c == ',';
	assert_int_equal(commas, header_commas);
	assert_null(strstr(out.bytes, "not shown"));
	assert_contains(out.bytes, "h100,,,");
	assert_contains(out.bytes, ",true,");
}

static void lists_and_truths_have_cells(void **state)
{
	struct accelerator_row row;
	struct memory_estimate memory;
	struct benchmark_record benchmark;
	struct calibration_row calibration;

	(void)state;
	field_table_clear(&table_accelerator, &row);
	row.aliases = (struct text_list){.items = (const char *[]){"a", "b"}, .count = 2};
	buffer_clear(&out);
	csv_row(&table_accelerator, CSV_LIST, &row, &out);
	assert_contains(out.bytes, ",a b,");
	field_table_clear(&table_memory_result, &memory);
	memory.fits = TRUTH_FALSE;
	buffer_clear(&out);
	csv_row(&table_memory_result, CSV_LIST, &memory, &out);
	assert_contains(out.bytes, ",false,");
	field_table_clear(&table_benchmark, &benchmark);
	benchmark.late = true;
	buffer_clear(&out);
	csv_row(&table_benchmark, CSV_LIST, &benchmark, &out);
	assert_contains(out.bytes, ",false,true");
	field_table_clear(&table_calibration, &calibration);
	calibration.precision = PRECISION_BF16;
	buffer_clear(&out);
	csv_row(&table_calibration, CSV_LIST, &calibration, &out);
	assert_contains(out.bytes, ",bf16,");
}

static void a_problem_tells_all(void **state)
{
	static struct failure failure;

	(void)state;
	failure_clear(&failure);
	(void)failure_set(&failure, STATUS_NOT_FOUND, "no plan \"x\"");
	buffer_clear(&out);
	json_writer_init(&writer, &out);
	api_problem(&failure, "/v1/plans/x", "r-1", &writer);
	assert_string_equal(out.bytes,
		"{\"type\":\"urn:fleetplan:problem/not-found\",\"title\":\"Not "
		"found\",\"status\":404,\"detail\":\"no plan \\\"x\\\"\","
		"\"instance\":\"/v1/plans/x\",\"request_id\":\"r-1\"}");
	failure_clear(&failure);
	for (int i = 0; i < FAULTS_MAX + 3; i++)
		failure_add(&failure, "/a~1b", "out_of_range", "number %d", i);
	buffer_clear(&out);
	json_writer_init(&writer, &out);
	api_problem(&failure, NULL, "", &writer); /* outside the server there is no request to name */
	assert_contains(out.bytes, "\"status\":422");
	assert_null(strstr(out.bytes, "request_id"));
	assert_contains(out.bytes, "{\"pointer\":\"/a~1b\",\"code\":\"out_of_range\",\"detail\":\"number 0\"}");
	assert_contains(out.bytes, "\"errors_total\":27}");
	assert_null(strstr(out.bytes, "instance"));
}

static void details_are_cut_between_characters(void **state)
{
	static struct failure failure;
	char text[FAULT_DETAIL_MAX + 3];

	(void)state;
	for (size_t i = 0; i + 2 < sizeof text; i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	text[sizeof text - 1] = '\0';
	failure_clear(&failure);
	failure_add(&failure, "", "x", "%s", text);
	assert_true(strlen(failure.faults[0].detail) % 2 == 0);
	(void)failure_set(&failure, STATUS_INVALID, "a%s", text);
	assert_true(strlen(failure.detail) % 2 == 1 && strlen(failure.detail) > FAULT_DETAIL_MAX - 5);
}

static int start(void **state)
{
	(void)state;
	buffer_init(&out, 1024 * 1024);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	buffer_release(&out);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_option_is_encoded_with_its_units_and_parts),
		cmocka_unit_test(rows_and_times_are_encoded),
		cmocka_unit_test(csv_is_safe_to_open),
		cmocka_unit_test(lists_and_truths_have_cells),
		cmocka_unit_test(a_problem_tells_all),
		cmocka_unit_test(details_are_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
