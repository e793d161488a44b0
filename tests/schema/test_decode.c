/* Tests bodies, patches and queries: what is accepted, and the report of every fault. */
#include "api/tables/shared.h"
#include "api/tables/tables.h"
#include "support/assert.h"

static struct arena arena;
static struct failure failure;
static struct training_request training;
static struct inference_request inference;

static enum status decode(const struct field_table *table, const char *json, void *out)
{
	arena_reset(&arena);
	return record_decode(table, json, strlen(json), &arena, out, &failure);
}

/* Checks that the fault at a pointer has this code and that its detail contains `part`. */
static void assert_fault(const char *pointer, const char *code, const char *part)
{
	for (size_t i = 0; i < failure.fault_count; i++) {
		if (strcmp(failure.faults[i].pointer, pointer) == 0 && strcmp(failure.faults[i].code, code) == 0) {
			assert_contains(failure.faults[i].detail, part);
			return;
		}
	}
	for (size_t i = 0; i < failure.fault_count; i++)
		print_error("%s %s %s\n", failure.faults[i].pointer, failure.faults[i].code, failure.faults[i].detail);
	fail_msg("no fault %s at \"%s\"", code, pointer);
}

static void what_people_write_is_read(void **state)
{
	(void)state;
	assert_int_equal(decode(&table_training_request,
						 "{\"model\":\"llama-3.1-8b\",\"tokens\":\"15.6T\",\"accelerator\":{\"like\":\"h100\",\"memory_gb\":96},"
						 "\"accelerators\":[\"a100\",{\"id\":\"h200\"}],\"deadline_hours\":\"30d\",\"epochs\":2,\"gpu_count\":64,"
						 "\"parallelism\":{\"tensor\":8,\"recompute\":\"full\",\"sequence_parallel\":true,\"offload\":false},"
						 "\"precision\":\"fp8\",\"pricing\":{\"terms\":[\"spot\",\"on_demand\"]},\"labels\":{\"b\":\"2\",\"a\":"
						 "\"1\"},"
						 "\"stages\":[{\"tokens\":\"800B\"},{\"tokens\":1e9,\"sequence_length\":131072}],\"notes\":\"two\\nlines\"}",
						 &training),
		STATUS_OK);
	assert_string_equal(training.common.model.id, "llama-3.1-8b");
	assert_close(training.tokens, 15.6e12, 1e-15);
	assert_close(training.deadline_hours, 720, 1e-15);
	assert_null(training.common.accelerator.id);
	assert_string_equal(training.common.accelerator.like, "h100");
	assert_close(training.common.accelerator.changes.memory_gb, 96, 0);
	assert_true(isnan(training.common.accelerator.changes.tdp_w));
	assert_int_equal(training.common.accelerator.changes.release_year, ABSENT_COUNT);
	assert_int_equal(training.common.accelerators.count, 2);
	assert_string_equal(training.common.accelerators.items[1].id, "h200");
	assert_true(isnan(training.common.accelerators.items[1].changes.memory_gb));
	assert_int_equal(training.common.gpu_count, 64);
	assert_int_equal(training.parallelism.tensor, 8);
	assert_int_equal(training.parallelism.pipeline, ABSENT_COUNT);
	assert_int_equal(training.parallelism.recompute, RECOMPUTE_FULL);
	assert_int_equal(training.parallelism.sequence_parallel, TRUTH_TRUE);
	assert_int_equal(training.parallelism.offload, TRUTH_FALSE);
	assert_int_equal(training.common.precision, PRECISION_FP8);
	assert_int_equal(training.common.pricing.terms.count, 2);
	assert_string_equal(training.common.labels.text, "{\"b\":\"2\",\"a\":\"1\"}");
	assert_close(training.stages.items[0].tokens, 8e11, 1e-15);
	assert_true(isnan(training.stages.items[0].sequence_length));
	assert_string_equal(training.common.notes, "two\nlines");
	assert_true(isnan(training.mfu) && isnan(training.common.carbon_cap_kgco2e));
}

/* The decoder does not interpret this member. It must keep every value, and a number must read back as the same double. */
static void what_is_carried_through_keeps_its_values(void **state)
{
	const struct json_text *config = &training.common.model.config;

	(void)state;
	assert_int_equal(
		decode(&table_training_request,
			"{\"model\":{\"config\":{\"a\":[ 1, -2.5e-7 ,0.1,0.8999999999999999,1e22,-9007199254740993],\"q\\\"\":\"x\\\"\\n\\u00e9/\\/\","
			"\"t\":true,\"f\":false,\"n\":null,\"o\":{},\"l\":[]}}}",
			&training),
		STATUS_OK);
	assert_string_equal(config->text,
		"{\"a\":[1,-2.5e-07,0.1,0.89999999999999991,1e+22,-9007199254740993],\"q\\\"\":\"x\\\"\\n\xc3\xa9//\","
		"\"t\":true,\"f\":false,\"n\":null,\"o\":{},\"l\":[]}");
	assert_int_equal(config->length, strlen(config->text));
}

static void shorthands_and_words_stand_for_objects_and_numbers(void **state)
{
	struct performance_request performance;

	(void)state;
	assert_int_equal(decode(&table_inference_request,
						 "{\"model\":{\"params\":\"70B\"},\"prompt_tokens\":1000,\"output_tokens\":{\"mean\":300,\"cv\":0.5},"
						 "\"trace\":{\"arrivals\":[[0,10,20],[0.5,30,40]]}}",
						 &inference),
		STATUS_OK);
	assert_close(inference.common.model.params, 70e9, 1e-15);
	assert_close(inference.prompt_tokens.mean, 1000, 0);
	assert_true(isnan(inference.prompt_tokens.cv));
	assert_close(inference.output_tokens.cv, 0.5, 0);
	assert_int_equal(inference.trace.count, 2);
	assert_close(inference.trace.arrivals[1].t_s, 0.5, 0);
	assert_close(inference.trace.arrivals[1].output_tokens, 40, 0);
	assert_int_equal(
		decode(&table_performance_request,
			"{\"model\":\"m\",\"accelerator\":\"a\",\"prompt_tokens\":1,\"output_tokens\":1,\"concurrency\":\"max\"}", &performance),
		STATUS_OK);
	assert_close(performance.concurrency, CONCURRENCY_MAX, 0);
}

static void numbers_at_the_edges(void **state)
{
	(void)state;
	/* A number with more digits than int64, and minus zero. */
	assert_int_equal(
		decode(&table_scaling_request, "{\"compute_flops\":30000000000000000000000000}", &(struct scaling_request){0}), STATUS_OK);
	assert_int_equal(
		decode(&table_inference_request, "{\"model\":\"m\",\"headroom\":-0,\"prefix_cache_hit_rate\":-0.0}", &inference), STATUS_OK);
	assert_false(signbit(inference.headroom));
	assert_false(signbit(inference.prefix_cache_hit_rate));
	assert_int_equal(decode(&table_training_request, "{\"model\":\"m\",\"tokens\":1e-999}", &training), STATUS_INVALID);
	assert_fault("/tokens", "out_of_range", "at least 1");
	assert_int_equal(decode(&table_training_request, "{\"model\":\"m\",\"budget_usd\":0}", &training), STATUS_INVALID);
	assert_fault("/budget_usd", "out_of_range", "more than 0 and at most 10000000000000 USD, is 0");
	/* A number whose inverse is infinite counts as 0, because no plan can use it. */
	assert_int_equal(decode(&table_training_request, "{\"model\":\"m\",\"internode_gbs\":5e-324}", &training), STATUS_INVALID);
	assert_fault("/internode_gbs", "out_of_range", "more than 0");
	assert_int_equal(decode(&table_training_request, "{\"model\":\"m\",\"gpu_count\":1e300}", &training), STATUS_INVALID);
	assert_fault("/gpu_count", "out_of_range", "1000000");
	assert_int_equal(decode(&table_training_request, "{\"model\":\"m\",\"gpu_count\":8.0}", &training), STATUS_OK);
	assert_int_equal(training.common.gpu_count, 8);
}

static void every_fault_is_told_at_once_and_with_its_place(void **state)
{
	(void)state;
	assert_int_equal(decode(&table_training_request,
						 "{\"tokenz\":1,\"tokens\":\"15Q\",\"stack\":\"megatron\",\"epochs\":\"x\",\"gpu_count\":1.5,"
						 "\"labels\":{\"a/b~c\":3,\"k\":\"\"},"
						 "\"stages\":[{\"sequence_length\":-1}],\"name\":null,\"pricing\":{\"terms\":[\"spot\","
						 "\"spoot\"]},\"deadline_hours\":true,"
						 "\"as_of\":\"yesterday\",\"stack_release\":\"2025-13\",\"notes\":\"\",\"parallelism\":[],"
						 "\"accelerators\":[]}",
						 &training),
		STATUS_INVALID);
	assert_int_equal(failure.fault_total, 18);
	assert_fault("/tokenz", "unknown_field", "tokens");
	assert_fault("/tokens", "bad_format", "\"15Q\"");
	assert_fault("/stack", "bad_choice", "did you mean megatron_lm?");
	assert_fault("/epochs", "wrong_type", "should be a number, not text");
	assert_fault("/gpu_count", "not_integer", "1.5");
	assert_fault("/labels/a~1b~0c", "wrong_type", "should be text, not a number");
	assert_fault("/labels/k", "empty", "leave it out");
	assert_fault("/stages/0/sequence_length", "out_of_range", "is -1");
	assert_fault("/stages/0/tokens", "required", "Tokens of this stage");
	assert_fault("/name", "wrong_type", "null");
	assert_fault("/pricing/terms/1", "bad_choice", "reserved_1y");
	assert_fault("/deadline_hours", "wrong_type", "\"30d\"");
	assert_fault("/as_of", "bad_format", "RFC 3339");
	assert_fault("/stack_release", "bad_format", "2026-11");
	assert_fault("/notes", "empty", "");
	assert_fault("/parallelism", "wrong_type", "an object, not a list");
	assert_fault("/accelerators", "empty", "");
	assert_fault("/model", "required", "The model");
	assert_contains(failure.detail, "18 faults");
}

static void text_is_bounded_and_clean(void **state)
{
	char body[500], long_name[300];

	(void)state;
	memset(long_name, 'x', sizeof long_name - 1);
	long_name[sizeof long_name - 1] = '\0';
	snprintf(body, sizeof body, "{\"name\":\"%s\"}", long_name);
	assert_int_equal(decode(&table_plan_patch, body, &(struct plan_record){0}), STATUS_INVALID);
	assert_fault("/name", "too_long", "at most 200 bytes, has 299");
	assert_int_equal(
		decode(&table_plan_patch, "{\"name\":\"a\\u0001b\",\"notes\":\"line\\nline\"}", &(struct plan_record){0}), STATUS_INVALID);
	assert_fault("/name", "control_character", "");
	assert_int_equal(failure.fault_total, 1);
	assert_int_equal(decode(&table_plan_patch, "{\"labels\":{\"a\\u007f\":\"b\"}}", &(struct plan_record){0}), STATUS_INVALID);
	assert_int_equal(decode(&table_model, "{\"id\":\"-no slug\",\"source\":\"s\"}", &(struct model_row){0}), STATUS_INVALID);
	assert_fault("/id", "bad_format", "letters, digits");
	assert_int_equal(decode(&table_benchmark_request, "{\"plan_id\":\"01939E5C\",\"suite\":[\"gemm\",7]}", &(struct benchmark_record){0}),
		STATUS_INVALID);
	assert_fault("/plan_id", "bad_format", "UUID");
	assert_fault("/suite/1", "wrong_type", "text");
}

static void lists_are_bounded(void **state)
{
	char body[4096] = "{\"model\":\"m\",\"accelerators\":[";
	size_t length = strlen(body);

	(void)state;
	for (int i = 0; i < 33; i++)
		length += (size_t)snprintf(body + length, sizeof body - length, "%s\"h100\"", i ? "," : "");
	snprintf(body + length, sizeof body - length, "]}");
	assert_int_equal(decode(&table_training_request, body, &training), STATUS_INVALID);
	assert_fault("/accelerators", "too_many", "at most 32 elements, has 33");
	assert_int_equal(decode(&table_inference_request, "{\"model\":\"m\",\"daily_profile\":[1,1,1]}", &inference), STATUS_INVALID);
	assert_fault("/daily_profile", "wrong_length", "24 or 168");
	assert_int_equal(
		decode(&table_inference_request, "{\"model\":\"m\",\"trace\":{\"arrivals\":[[1,2],[0,1,\"x\"]]}}", &inference), STATUS_INVALID);
	assert_fault("/trace/arrivals/0", "wrong_type", "3 numbers");
	assert_fault("/trace/arrivals/1/2", "wrong_type", "a number");
	assert_int_equal(decode(&table_inference_request, "{\"model\":\"m\",\"prompt_tokens\":{\"samples\":7}}", &inference), STATUS_INVALID);
	assert_fault("/prompt_tokens/samples", "wrong_type", "a list");
}

static void duplicate_keys_are_found_wherever_they_are(void **state)
{
	(void)state;
	assert_int_equal(decode(&table_training_request,
						 "{\"model\":\"m\", \"stages\" : [{\"tokens\":1}, {\"tokens\":\"a,b:{\\\"\", \"tokens\" "
						 ":2}],\"model\":{\"id\":\"x\"},\"tokens\":1}",
						 &training),
		STATUS_INVALID);
	assert_fault("/stages/1/tokens", "duplicate_key", "twice");
	assert_fault("/model", "duplicate_key", "twice");
	assert_int_equal(failure.fault_total, 2);
	/* The same key in two spellings. */
	assert_int_equal(decode(&table_training_request, "{\"model\":\"m\",\"\\u006dodel\":\"m\"}", &training), STATUS_INVALID);
	assert_fault("/model", "duplicate_key", "twice");
	/* Duplicate keys are also found in members that the decoder does not interpret. */
	assert_int_equal(decode(&table_training_request, "{\"model\":{\"config\":{\"a\":[{\"b\":1,\"b\":1}]}}}", &training), STATUS_INVALID);
	assert_fault("/model/config/a/0/b", "duplicate_key", "");
}

static void what_is_not_json_is_malformed(void **state)
{
	static const char *const bad[] = {"", " ", "{", "{\"a\":}", "{\"a\":1,}", "{'a':1}", "{\"a\":01}", "{\"a\":NaN}", "{\"a\":Infinity}",
		"{\"a\":1e999}", "\"text\"", "{\"a\":\"\\u0000\"}", "{\"a\":\"\\ud800\"}", "{\"a\":\"\xff\"}", "{\"a\":\"\xc0\x80\"}", "{}{}",
		"// {}", "{\"a\":\"\n\"}", "\xef\xbb\xbf{}", "[1", "nul"};
	char deep[200];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		assert_int_equal(decode(&table_training_request, bad[i], &training), STATUS_MALFORMED);
		assert_contains(failure.detail, "not JSON: line 1, column");
	}
	memset(deep, '[', 33);
	memset(deep + 33, ']', 33);
	deep[66] = '\0';
	assert_int_equal(decode(&table_training_request, deep, &training), STATUS_MALFORMED);
	assert_contains(failure.detail, "deeper than 32");
	assert_int_equal(decode(&table_training_request, deep + 1, &training), STATUS_MALFORMED); /* 32 levels open, 33 are closed */
	assert_contains(failure.detail, "not JSON");
	assert_int_equal(decode(&table_training_request, "[1]", &training), STATUS_INVALID);
	assert_fault("", "wrong_type", "an object, not a list");
	assert_int_equal(
		decode(&table_training_request, "{\"model\":\"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[[[\"}", &training), STATUS_OK);
}

static void memory_is_bounded(void **state)
{
	struct arena small;

	(void)state;
	arena_init(&small, 64);
	assert_int_equal(record_decode(&table_training_request, "{\"model\":\"m\",\"accelerators\":[\"a\",\"b\",\"c\",\"d\"]}", 46, &small,
						 &training, &failure),
		STATUS_NO_MEMORY);
	assert_int_equal(
		record_decode(&table_training_request, "{\"notes\":\"\\n345678901234567890123456789012345678901234567890123456789012345\"}", 77,
			&small, &training, &failure),
		STATUS_NO_MEMORY);
	arena_release(&small);
}

static void catalogue_rows_hold_physical_figures(void **state)
{
	struct region_row region;
	struct accelerator_row accelerator;

	(void)state;
	assert_int_equal(
		decode(&table_region, "{\"provider\":\"p\",\"region_id\":\"r\",\"grid_gco2e_per_kwh\":1501,\"pue\":0.9}", &region), STATUS_INVALID);
	assert_fault("/grid_gco2e_per_kwh", "out_of_range", "1500 gCO2e per kWh");
	assert_fault("/pue", "out_of_range", "at least 1");
	assert_fault("/source", "required", "");
	assert_int_equal(
		decode(&table_accelerator, "{\"id\":\"x\",\"origin\":\"user\",\"memory_bandwidth_gbs\":0}", &accelerator), STATUS_INVALID);
	assert_fault("/origin", "read_only", "");
	assert_fault("/memory_gb", "required", "");
	assert_fault("/memory_bandwidth_gbs", "out_of_range", "10^9 bytes/s");
}

static void an_id_has_its_form(void **state)
{
	char longest[130];

	(void)state;
	memset(longest, 'a', sizeof longest);
	longest[128] = '\0';
	assert_true(field_text_fits(&table_region, "id", "aws.eu-north-1"));
	assert_true(field_text_fits(&table_region, "id", longest));
	longest[128] = 'a', longest[129] = '\0';
	assert_false(field_text_fits(&table_region, "id", longest));
	assert_false(field_text_fits(&table_region, "id", ""));
	assert_false(field_text_fits(&table_region, "id", "a b"));
	assert_false(field_text_fits(&table_region, "id", "-a"));
	assert_true(field_text_fits(&table_benchmark_query, "plan_id", "01939e5c-7d00-7000-8000-000000000000"));
	assert_false(field_text_fits(&table_benchmark_query, "plan_id", "01939e5c-7d00-7000-8000-00000000000"));
	assert_false(field_text_fits(&table_benchmark_query, "plan_id", "000000000000000000000000000000000000"));
	assert_false(field_text_fits(&table_benchmark_query, "plan_id", "01939e5c-7d00-7000-8000-0000000000000"));
}

static enum status patch_with(const struct field_table *table, const char *json, void *object)
{
	return record_merge_patch(table, json, strlen(json), &arena, object, &failure);
}

static void a_patch_changes_what_it_names(void **state)
{
	struct accelerator_row row;
	struct plan_record plan;
	static const char patch[] = "{\"tdp_w\":650,\"notes\":null,\"aliases\":[\"b\"],\"idle_w\":null}";

	(void)state;
	assert_int_equal(decode(&table_accelerator,
						 "{\"id\":\"x\",\"vendor\":\"v\",\"name\":\"n\",\"memory_gb\":80,\"memory_bandwidth_gbs\":3350,"
						 "\"tdp_w\":700,\"idle_w\":70,\"notes\":\"o\","
						 "\"aliases\":[\"a\",\"c\"],\"source\":\"s\"}",
						 &row),
		STATUS_OK);
	assert_int_equal(patch_with(&table_accelerator, patch, &row), STATUS_OK);
	assert_close(row.accelerator.tdp_w, 650, 0);
	assert_close(row.accelerator.memory_gb, 80, 0);
	assert_true(isnan(row.accelerator.idle_w));
	assert_null(row.accelerator.notes);
	assert_int_equal(row.aliases.count, 1);
	assert_int_equal(
		patch_with(&table_accelerator, "{\"name\":null,\"memory_gb\":null,\"origin\":\"user\",\"tdp_w\":-1}", &row), STATUS_INVALID);
	assert_fault("/name", "required", "cannot be removed");
	assert_fault("/memory_gb", "required", "cannot be removed");
	assert_fault("/origin", "read_only", "");
	assert_fault("/tdp_w", "out_of_range", "W");

	assert_int_equal(decode(&table_plan_patch, "{\"name\":\"n\",\"labels\":{\"a\":\"1\",\"b\":\"2\"}}", &plan), STATUS_OK);
	assert_int_equal(patch_with(&table_plan_patch, "{\"labels\":{\"a\":null,\"c\":\"3\"}}", &plan), STATUS_OK);
	assert_string_equal(plan.labels.text, "{\"b\":\"2\",\"c\":\"3\"}");
	assert_string_equal(plan.name, "n");
	assert_int_equal(patch_with(&table_plan_patch, "{\"labels\":{\"b\":null,\"c\":null}}", &plan), STATUS_OK);
	assert_null(plan.labels.text);
}

static void a_patch_merges_objects_and_replaces_lists(void **state)
{
	static const char patch[] = "{\"site\":{\"pue\":1.2,\"region\":null},\"model\":\"other\",\"pricing\":null,\"stages\":[{\"tokens\":5}]}";

	(void)state;
	assert_int_equal(decode(&table_training_request,
						 "{\"model\":{\"params\":\"7B\"},\"site\":{\"provider\":\"aws\",\"region\":\"r\",\"pue\":1.1},"
						 "\"pricing\":{\"usd_per_gpu_hour\":2},"
						 "\"stages\":[{\"tokens\":1,\"sequence_length\":2},{\"tokens\":3}]}",
						 &training),
		STATUS_OK);
	assert_int_equal(patch_with(&table_training_request, patch, &training), STATUS_OK);
	assert_close(training.common.site.pue, 1.2, 0);
	assert_string_equal(training.common.site.provider, "aws");
	assert_null(training.common.site.region);
	assert_string_equal(training.common.model.id, "other");
	assert_true(isnan(training.common.model.params));
	assert_true(isnan(training.common.pricing.usd_per_gpu_hour));
	assert_int_equal(training.stages.count, 1);
	assert_true(isnan(training.stages.items[0].sequence_length));
}

static enum status query(const struct field_table *table, const char *const *pairs, void *out)
{
	struct query_parameter parameters[8];
	size_t count = 0;

	for (; pairs[2 * count]; count++)
		parameters[count] = (struct query_parameter){.key = pairs[2 * count], .value = pairs[2 * count + 1]};
	arena_reset(&arena);
	return record_decode_query(table, parameters, count, &arena, out, &failure);
}

static void a_query_is_read_like_a_body(void **state)
{
	static const char *const good[] = {"model", "llama-3.1-8b", "tokens", "15T", "accelerators", "h100,a100", "deadline_hours", "30d",
		"gpu_count", "8", "enforce_memory", "false", "precision", "fp8", NULL};
	static const char *const bad[] = {
		"modle", "x", "gpu_count", "8.5", "enforce_memory", "maybe", "parallelism", "8", "tokens", "1", "tokens", "2", NULL};
	static const char *const lists[] = {"accelerator", "h100", "terms", "spot,on_demand", "as_of", "2026-11-01", "max_age_days", "30", NULL};
	struct offer_query offers;

	(void)state;
	assert_int_equal(query(&table_training_request, good, &training), STATUS_OK);
	assert_string_equal(training.common.model.id, "llama-3.1-8b");
	assert_close(training.tokens, 15e12, 1e-15);
	assert_int_equal(training.common.accelerators.count, 2);
	assert_string_equal(training.common.accelerators.items[1].id, "a100");
	assert_int_equal(training.common.enforce_memory, TRUTH_FALSE);
	assert_int_equal(query(&table_training_request, bad, &training), STATUS_INVALID);
	assert_fault("/modle", "unknown_field", "model");
	assert_fault("/gpu_count", "not_integer", "8.5");
	assert_fault("/enforce_memory", "wrong_type", "true or false");
	assert_fault("/parallelism", "wrong_type", "POST body");
	assert_fault("/tokens", "duplicate_key", "twice");
	assert_fault("/model", "required", "");
	assert_int_equal(query(&table_offer_query, lists, &offers), STATUS_OK);
	assert_int_equal(offers.terms.count, 2);
	assert_int_equal(offers.as_of_us, 1793491200000000);
	assert_int_equal(offers.gpu_count, ABSENT_COUNT);
	assert_int_equal(
		query(&table_offer_query, (const char *const[]){"accelerator", "h100", "gpu_count", "[[[[8]]]]", "terms", "spot,,", NULL}, &offers),
		STATUS_INVALID);
	assert_fault("/gpu_count", "wrong_type", "whole number, not text");
	assert_fault("/terms/1", "empty", "");
}

static int start(void **state)
{
	(void)state;
	arena_init(&arena, 16 * 1024 * 1024);
	return 0;
}

static int stop(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

/* A newer server's answer may have more members. A member of a wrong type is still a fault. */
static void answers_of_newer_servers_are_read(void **state)
{
	static const char more[] = "{\"id\":\"0190f5a2-0000-7000-8000-000000000000\",\"attempt\":2,\"moon\":{\"phase\":[1]},\"late\":true}",
					  mistyped[] = "{\"attempt\":\"two\",\"moon\":1}";
	struct benchmark_record record;

	(void)state;
	arena_reset(&arena);
	assert_int_equal(record_decode_answer(&table_benchmark, more, sizeof(more) - 1, &arena, &record, &failure), STATUS_OK);
	assert_int_equal(record.attempt, 2);
	assert_true(record.late);
	assert_int_equal(record_decode_answer(&table_benchmark, mistyped, sizeof(mistyped) - 1, &arena, &record, &failure), STATUS_INVALID);
	assert_int_equal(failure.fault_count, 1);
	assert_string_equal(failure.faults[0].pointer, "/attempt");
	assert_int_equal(decode(&table_benchmark_request, "{\"moon\":1}", &record), STATUS_INVALID);
}

/* A time may have another unit than its field: "1s" in milliseconds, "90s" in minutes, "2h" in hours. A rate takes no
 * unit of time. */
static void times_are_written_as_people_do(void **state)
{
	(void)state;
	assert_int_equal(decode(&table_inference_request,
						 "{\"model\":\"m\",\"requests_per_s\":1,\"prompt_tokens\":1,\"output_tokens\":1,"
						 "\"slo\":{\"ttft_ms\":\"1s\",\"tpot_ms\":\"50ms\",\"e2e_ms\":\"1.5m\"}}",
						 &inference),
		STATUS_OK);
	assert_close(inference.slo.ttft_ms, 1000, 1e-12);
	assert_close(inference.slo.tpot_ms, 50, 1e-12);
	assert_close(inference.slo.e2e_ms, 90000, 1e-12);
	assert_int_equal(
		decode(&table_training_request,
			"{\"model\":\"m\",\"tokens\":1,\"deadline_hours\":\"2w\",\"reserved_hours\":\"90m\","
			"\"reliability\":{\"restart_minutes\":\"90s\",\"checkpoint_interval_minutes\":\"2h\"},\"pricing\":{\"max_age_days\":\"48h\"}}",
			&training),
		STATUS_OK);
	assert_close(training.deadline_hours, 336, 1e-12);
	assert_close(training.reserved_hours, 1.5, 1e-12);
	assert_close(training.reliability.restart_minutes, 1.5, 1e-12);
	assert_close(training.reliability.checkpoint_interval_minutes, 120, 1e-12);
	assert_close((double)training.common.pricing.max_age_days, 2, 1e-12);
	assert_int_equal(
		decode(&table_inference_request, "{\"model\":\"m\",\"requests_per_s\":\"5s\",\"slo\":{\"ttft_ms\":\"fast\"}}", &inference),
		STATUS_INVALID);
	assert_fault("/requests_per_s", "wrong_type", "a number");
	assert_fault("/slo/ttft_ms", "bad_format", "\"500ms\", \"1s\"");
}

/* The error about another tool's field name must name our field, with its pointer. */
static void other_tools_names_lead_to_ours(void **state)
{
	static const struct {
		const struct field_table *table;
		const char *key, *pointer;
	} cases[] = {{&table_inference_request, "qps", "/requests_per_s"}, {&table_inference_request, "rps", "/requests_per_s"},
		{&table_inference_request, "gpus", "/gpu_count"}, {&table_inference_request, "gpu", "/accelerator"},
		{&table_inference_request, "ttft_ms", "/slo/ttft_ms"}, {&table_inference_request, "batch_size", "/parallelism/max_batch"},
		{&table_inference_request, "context", "/prompt_tokens"}, {&table_inference_request, "params", "/model/params"},
		{&table_inference_request, "TP", "/parallelism/tensor"}, {&table_training_request, "gpus", "/gpu_count"},
		{&table_training_request, "batch_size", "/global_batch_size"}, {&table_training_request, "seq_len", "/sequence_length"},
		{&table_training_request, "context", "/sequence_length"}, {&table_training_request, "params", "/model/params"},
		{&table_training_request, "tensor", "/parallelism/tensor"},
		{&table_training_request, "usd_per_gpu_hour", "/pricing/usd_per_gpu_hour"}, {&table_training_request, "region", "/site/region"},
		{&table_training_request, "days", "/deadline_hours"}};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		char json[160], at[64], meant[96];

		snprintf(json, sizeof json, "{\"%s\":5}", cases[i].key);
		snprintf(at, sizeof at, "/%s", cases[i].key);
		snprintf(meant, sizeof meant, "did you mean %s?", cases[i].pointer);
		assert_int_equal(decode(cases[i].table, json, cases[i].table == &table_training_request ? (void *)&training : (void *)&inference),
			STATUS_INVALID);
		assert_fault(at, "unknown_field", meant);
	}
	assert_int_equal(decode(&table_training_request, "{\"parallelism\":{\"tp\":8}}", &training), STATUS_INVALID);
	assert_fault("/parallelism/tp", "unknown_field", "did you mean /parallelism/tensor?");
	assert_int_equal(decode(&table_training_request, "{\"zzz\":8}", &training), STATUS_INVALID);
	assert_fault("/zzz", "unknown_field", "/docs lists the fields");
}

/* Dotted names set members of objects. A query may set several members of one object, and each fault has its own
 * pointer. */
static void queries_reach_into_objects(void **state)
{
	const struct query_parameter good[] = {{"model.params", "8B"}, {"requests_per_s", "2"}, {"prompt_tokens", "10"}, {"output_tokens", "10"},
		{"slo.ttft_ms", "500"}, {"slo.tpot_ms", "50ms"}, {"site.country", "FRA"}, {"pricing.terms", "spot,on_demand"}};
	const struct query_parameter bad[] = {{"slo.ttft_ms", "500"}, {"slo.ttft_ms", "600"}, {"slo.colour", "1"}, {"engine.name", "vllm"},
		{"model", "m"}, {"model.params", "8B"}, {"slo.", "1"}, {".x", "1"}, {"a.b.c.d.e.f.g", "1"}};

	(void)state;
	arena_reset(&arena);
	assert_int_equal(record_decode_query(&table_inference_request, good, COUNT_OF(good), &arena, &inference, &failure), STATUS_OK);
	assert_close(inference.common.model.params, 8e9, 1e-12);
	assert_close(inference.slo.ttft_ms, 500, 1e-12);
	assert_close(inference.slo.tpot_ms, 50, 1e-12);
	assert_string_equal(inference.common.site.country, "FRA");
	assert_int_equal(inference.common.pricing.terms.count, 2);
	assert_int_equal(record_decode_query(&table_inference_request, bad, COUNT_OF(bad), &arena, &inference, &failure), STATUS_INVALID);
	assert_fault("/slo/ttft_ms", "duplicate_key", "twice");
	assert_fault("/slo/colour", "unknown_field", "not a known field");
	assert_fault("/engine.name", "unknown_field", "not a known field");
	assert_fault("/model.params", "unknown_field", "not a known field");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_written_as_people_do),
		cmocka_unit_test(other_tools_names_lead_to_ours),
		cmocka_unit_test(queries_reach_into_objects),
		cmocka_unit_test(what_people_write_is_read),
		cmocka_unit_test(what_is_carried_through_keeps_its_values),
		cmocka_unit_test(shorthands_and_words_stand_for_objects_and_numbers),
		cmocka_unit_test(numbers_at_the_edges),
		cmocka_unit_test(answers_of_newer_servers_are_read),
		cmocka_unit_test(every_fault_is_told_at_once_and_with_its_place),
		cmocka_unit_test(text_is_bounded_and_clean),
		cmocka_unit_test(lists_are_bounded),
		cmocka_unit_test(duplicate_keys_are_found_wherever_they_are),
		cmocka_unit_test(what_is_not_json_is_malformed),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(catalogue_rows_hold_physical_figures),
		cmocka_unit_test(an_id_has_its_form),
		cmocka_unit_test(a_patch_changes_what_it_names),
		cmocka_unit_test(a_patch_merges_objects_and_replaces_lists),
		cmocka_unit_test(a_query_is_read_like_a_body),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
