/* Lets every allocation fail once, one at a time. The request must return STATUS_NO_MEMORY or its usual answer, leak
 * nothing, and work at the next attempt. The same must hold for an arena that ends at any byte. */
#include <stdlib.h>
#include <string.h>

#include "schema/json_tree.h" /* jansson comes before base/json_writer.h */

#include "api/bench_protocol.h"
#include "api/labels.h"
#include "api/report.h"
#include "api/tables/tables.h"
#include "hwdb/models/model_config.h"
#include "hwdb/rows/builtin.h"
#include "hwdb/catalogue/catalogue_tables.h"
#include "oom/failing_malloc.h"
#include "schema/row_reader.h"
#include "service/estimate.h"
#include "storage/check.h"
#include "support/catalogue.h"
#include "support/store.h"

enum { ANSWER_MAX = 128 * 1024, ARENA_MAX_BYTES = 64 * 1024 * 1024 };

static const int64_t now_us = INT64_C(1795219200000000); /* 2026-11-21 */

/* The answer of an operation, for comparison with the answer of an operation that had enough memory. */
struct outcome {
	enum status status;
	char text[ANSWER_MAX];
};

/* Runs an operation with an arena of at most `arena_bytes`, and frees what it allocated. */
typedef void operation_function(size_t arena_bytes, struct outcome *outcome);

static struct failure failure;

static void keep_answer(struct outcome *outcome, enum status status, const char *text, size_t length)
{
	outcome->status = status;
	outcome->text[0] = '\0';
	if (status != STATUS_OK)
		return;
	assert_true(length < sizeof outcome->text);
	memcpy(outcome->text, text, length);
	outcome->text[length] = '\0';
}

/* Blanks the one member that depends on a clock. */
static void forget_time(char *json)
{
	char *digits = strstr(json, "\"elapsed_ms\":");

	if (!digits)
		return;
	digits = strchr(digits, ':') + 1;
	*digits = '0';
	memmove(digits + 1, digits + strcspn(digits, ",}"), strlen(digits + strcspn(digits, ",}")) + 1);
}

static bool ran_out(enum status status)
{
	return status == STATUS_NO_MEMORY;
}

/* --- the operations ------------------------------------------------------------------------------------------- */

static enum status estimate_all(struct estimate *estimate, const char *body, struct plan_record *record)
{
	enum status status = estimate_decode(estimate, body, strlen(body));

	if (status == STATUS_OK)
		status = estimate_compute(estimate, builtin_catalogue, now_us);
	return status == STATUS_OK ? estimate_record(estimate, record) : status;
}

static void estimate_run(const struct estimate_kind *kind, const char *body, size_t arena_bytes, struct outcome *outcome)
{
	struct arena arena;
	struct plan_record record = {0};
	struct estimate estimate = {.kind = kind, .arena = &arena, .failure = &failure};
	enum status status;

	arena_init(&arena, arena_bytes);
	failure_clear(&failure);
	status = estimate_all(&estimate, body, &record);
	keep_answer(outcome, status, record.result.text, record.result.length);
	forget_time(outcome->text);
	arena_release(&arena);
}

static void estimate_a_training(size_t arena_bytes, struct outcome *outcome)
{
	estimate_run(&estimate_training,
		"{\"model\":\"llama-3.1-8b\",\"tokens\":\"15T\",\"accelerators\":[\"h100\",\"mi300x\"],\"deadline_hours\":"
		"\"30d\","
		"\"alternatives\":2,\"labels\":{\"team\":\"red\"},\"site\":{\"provider\":\"aws\",\"region\":\"eu-north-1\"}}",
		arena_bytes, outcome);
}

static void estimate_an_inference(size_t arena_bytes, struct outcome *outcome)
{
	estimate_run(&estimate_inference,
		"{\"model\":\"llama-3.1-70b\",\"queries_per_minute\":600,\"prompt_tokens\":1000,\"output_tokens\":300,"
		"\"accelerator\":\"h100\",\"alternatives\":1}",
		arena_bytes, outcome);
}

/* The answer has the number of faults, and the first fault. */
static void decode_a_bad_request(size_t arena_bytes, struct outcome *outcome)
{
	static const char body[] = "{\"model\":\"llama-3.1-8b\",\"tokens\":-5,\"tokns\":7,\"accelerators\":[\"h100\",3],"
							   "\"name\":\"\\u00e9\\u0000\"}";
	struct training_request request;
	struct arena arena;
	char text[FAULT_DETAIL_MAX + 64];
	enum status status;

	arena_init(&arena, arena_bytes);
	failure_clear(&failure);
	status = record_decode(&table_training_request, body, sizeof body - 1, &arena, &request, &failure);
	snprintf(text, sizeof text, "%s %zu %s", status_slug(status), failure.fault_total, failure.detail);
	keep_answer(outcome, ran_out(status) ? status : STATUS_OK, text, strlen(text));
	arena_release(&arena);
}

static void read_a_model_config(size_t arena_bytes, struct outcome *outcome)
{
	static const char config[] = "{\"architectures\":[\"Qwen3ForCausalLM\"],\"model_type\":\"qwen3\",\"hidden_size\":"
								 "2048,\"intermediate_size\":6144,"
								 "\"num_hidden_layers\":28,\"num_attention_heads\":16,\"num_key_value_heads\":8,\"head_"
								 "dim\":128,\"vocab_size\":151936,"
								 "\"tie_word_embeddings\":true}";
	struct model model = {0};
	char text[64];
	enum status status;

	(void)arena_bytes; /* the operation needs no arena */
	failure_clear(&failure);
	status = model_config_read(config, sizeof config - 1, "", &model, &failure);
	snprintf(text, sizeof text, "%.17g %.17g", model.params_total, model.params_active);
	keep_answer(outcome, status, text, strlen(text));
}

static void load_the_catalogue(size_t arena_bytes, struct outcome *outcome)
{
	struct catalogue_rows rows = {0};
	struct catalogue *loaded = NULL;
	struct arena arena;
	char text[64];
	enum status status;

	arena_init(&arena, arena_bytes);
	failure_clear(&failure);
	status = builtin_rows_read(&arena, &rows, &failure);
	if (status == STATUS_OK) {
		loaded = catalogue_new(&arena, &rows, 0, 0, 0, &failure);
		status = loaded ? STATUS_OK : failure.status;
	}
	snprintf(
		text, sizeof text, "%zu %zu %d", rows.accelerator_count, rows.model_count, loaded && catalogue_accelerator(loaded, "h100", NULL));
	keep_answer(outcome, status, text, strlen(text));
	if (loaded)
		catalogue_release(loaded);
	else
		arena_release(&arena);
}

static void report_run(enum status (*report)(const struct plan_record *, struct buffer *, struct failure *), struct outcome *outcome)
{
	static struct outcome estimated;
	const struct plan_record plan = {.id = "01900000-0000-7000-8000-000000000001",
		.kind = "training",
		.name = "A plan",
		.request = {"{}", 2},
		.result = {estimated.text, strlen(estimated.text)},
		.revision = 1};
	struct buffer out;
	enum status status;

	if (!estimated.text[0]) {
		estimate_a_training(ARENA_MAX_BYTES, &estimated);
		report_run(report, outcome);
		return;
	}
	buffer_init(&out, ANSWER_MAX);
	failure_clear(&failure);
	status = report(&plan, &out, &failure);
	if (status == STATUS_OK && out.failed)
		status = STATUS_NO_MEMORY;
	keep_answer(outcome, status, out.bytes, out.length);
	buffer_release(&out);
}

static void report_in_markdown(size_t arena_bytes, struct outcome *outcome)
{
	(void)arena_bytes;
	report_run(report_plan_markdown, outcome);
}

static enum status report_all_columns(const struct plan_record *plan, struct buffer *out, struct failure *failed)
{
	return report_plan_csv(plan, true, out, failed);
}

static void report_in_csv(size_t arena_bytes, struct outcome *outcome)
{
	(void)arena_bytes;
	report_run(report_all_columns, outcome);
}

/* Without memory, jansson writes beyond a block in a string, and aborts in a long number. */
static void read_a_tree(size_t arena_bytes, struct outcome *outcome)
{
	static const char text[] =
		"{\"end\":\"succeeded\",\"a\":\"fourteen bytes\",\"b\":\"a string of some thirty bytes ..\",\"c\":\"a \\\"quoted\\\" one\","
		"\"numbers\":[72600000000000.0,1.23456789012345e+12,-12345678901234567,0.1234567890123e-5]}";
	bool no_memory;
	json_t *tree = json_tree_read(text, sizeof text - 1, JSON_REJECT_DUPLICATES, NULL, &no_memory);
	char *copy = tree ? json_tree_text(tree) : NULL;

	(void)arena_bytes;
	assert_true(tree || no_memory);
	keep_answer(outcome, copy ? STATUS_OK : STATUS_NO_MEMORY, copy, copy ? strlen(copy) : 0);
	free(copy);
	json_decref(tree);
}

/* Without memory, rows that fit must not look too large. */
static void read_rows(enum row_form form, const char *text, struct outcome *outcome)
{
	struct row_reader *reader = row_reader_new(&table_price, form);
	enum status status = reader ? STATUS_OK : STATUS_NO_MEMORY;
	char told[32] = "";

	failure_clear(&failure);
	if (status == STATUS_OK)
		status = row_reader_feed(reader, text, strlen(text), &failure);
	if (status == STATUS_OK)
		status = row_reader_end(reader, &failure);
	if (status == STATUS_OK)
		status = row_reader_failure(reader, &failure);
	if (status == STATUS_OK)
		snprintf(told, sizeof told, "%zu rows", row_reader_rows(reader).count);
	row_reader_free(reader);
	keep_answer(outcome, status, told, strlen(told));
}

static void read_csv(size_t arena_bytes, struct outcome *outcome)
{
	(void)arena_bytes;
	read_rows(ROW_FORM_CSV,
		"id,provider,instance_type,region,accelerator_id,gpus,price_usd_per_hour,pricing_model,as_of,source,notes\n"
		"a,aws,x8,r1,h100-sxm5-80gb,8,20.5,on_demand,2026-11-01,a test,first\n"
		"b,aws,x8,r2,h100-sxm5-80gb,8,21.5,on_demand,2026-11-01,a test,second\n",
		outcome);
}

static void read_json_rows(size_t arena_bytes, struct outcome *outcome)
{
	(void)arena_bytes;
	read_rows(ROW_FORM_JSON,
		"[{\"id\":\"a\",\"provider\":\"aws\",\"instance_type\":\"x8\",\"region\":\"r1\",\"accelerator_id\":\"h100-sxm5-80gb\",\"gpus\":8,"
		"\"price_usd_per_hour\":20.5,\"pricing_model\":\"on_demand\",\"as_of\":\"2026-11-01\",\"source\":\"a test\",\"notes\":\"first\"}]",
		outcome);
}

/* Without memory, a suite that is valid must not look invalid. */
static void read_a_suite(size_t arena_bytes, struct outcome *outcome)
{
	static const char suite[] = "[\"stream_triad\", \"gemm_library_bf16\", \"launch_round_trip\"]";
	struct arena arena;
	const char *text;
	enum status status;

	arena_init(&arena, arena_bytes);
	status = bench_suite_text(suite, sizeof suite - 1, &arena, &text);
	keep_answer(outcome, status, text, text ? strlen(text) : 0);
	arena_release(&arena);
}

/* Without memory, a label that is there must not look absent, because a scope adds an absent one. */
static void scope_labels(size_t arena_bytes, struct outcome *outcome)
{
	struct json_text labels = {"{\"team\":\"a \\\"quoted\\\" name\",\"run\":\"7\"}", 0};
	struct label_found found;
	struct arena arena;
	enum status status;

	labels.length = strlen(labels.text);
	arena_init(&arena, arena_bytes);
	status = api_label_find(&labels, "team", "a \"quoted\" name", &found);
	if (status == STATUS_OK)
		assert_true(found.is_there && found.is_equal);
	if (status == STATUS_OK)
		status = api_label_add(&labels, "scope", "b", &arena);
	keep_answer(outcome, status, labels.text, labels.length);
	arena_release(&arena);
}

/* --- the failures --------------------------------------------------------------------------------------------- */

/* Prints the first difference, because whole answers are too long. */
static void assert_same_answer(const struct outcome *tried, const struct outcome *full)
{
	size_t at = 0;

	while (tried->text[at] && tried->text[at] == full->text[at])
		at++;
	if (tried->text[at] != full->text[at])
		fail_msg("the answer differs from byte %zu on: %.120s, not %.120s", at, tried->text + at, full->text + at);
}

/* Lets the first allocation fail, then every `stride`-th further one, until the operation makes fewer. */
static void fail_each(operation_function *operation, size_t stride)
{
	static struct outcome full, tried;
	size_t live, asked;

	if (!FAILING_MALLOC)
		return;
	for (int i = 0; i < 2; i++) /* libraries allocate their permanent blocks in the first run */
		operation(ARENA_MAX_BYTES, &full);
	assert_int_equal(full.status, STATUS_OK);
	live = failing_malloc_live();
	for (size_t number = 1;; number += stride) {
		failing_malloc_arm(number);
		operation(ARENA_MAX_BYTES, &tried);
		asked = failing_malloc_disarm();
		if (failing_malloc_live() != live)
			fail_msg("allocation %zu failed: %zu blocks live, %zu before", number, failing_malloc_live(), live);
		if (tried.status != STATUS_OK && (!ran_out(tried.status) || asked < number))
			fail_msg("allocation %zu of %zu failed: %s: %s%s %s", number, asked, status_slug(tried.status), failure.detail,
				failure.fault_total ? failure.faults[0].pointer : "", failure.fault_total ? failure.faults[0].detail : "");
		if (tried.status == STATUS_OK)
			assert_same_answer(&tried, &full);
		if (asked < number) {
			assert_true(asked > 0);
			return;
		}
	}
}

/* Runs the operation with arenas from nothing to enough. Each size ends at another allocation. */
static void squeeze_arena(operation_function *operation, size_t step_bytes)
{
	static struct outcome full, tried;
	size_t live;

	operation(ARENA_MAX_BYTES, &full);
	assert_int_equal(full.status, STATUS_OK);
	live = failing_malloc_live();
	tried.status = STATUS_NO_MEMORY;
	for (size_t bytes = 0; tried.status != STATUS_OK; bytes += step_bytes) {
		assert_true(bytes < ARENA_MAX_BYTES);
		operation(bytes, &tried);
		assert_int_equal(failing_malloc_live(), live);
		if (tried.status != STATUS_OK && !ran_out(tried.status))
			fail_msg("an arena of %zu bytes: %s: %s", bytes, status_slug(tried.status), failure.detail);
	}
	assert_same_answer(&tried, &full);
}

static void training_without_memory(void **state)
{
	(void)state;
	fail_each(estimate_a_training, 1);
	squeeze_arena(estimate_a_training, 4096);
}

static void inference_without_memory(void **state)
{
	(void)state;
	fail_each(estimate_an_inference, 1);
	squeeze_arena(estimate_an_inference, 4096);
}

static void complaints_without_memory(void **state)
{
	(void)state;
	fail_each(decode_a_bad_request, 1);
	squeeze_arena(decode_a_bad_request, 16);
}

static void model_config_without_memory(void **state)
{
	(void)state;
	fail_each(read_a_model_config, 1);
}

static void catalogue_without_memory(void **state)
{
	(void)state;
	fail_each(load_the_catalogue, 61);
	squeeze_arena(load_the_catalogue, 131 * 1024);
}

static void reports_without_memory(void **state)
{
	(void)state;
	fail_each(report_in_markdown, 7);
	fail_each(report_in_csv, 7);
}

static void trees_without_memory(void **state)
{
	(void)state;
	fail_each(read_a_tree, 1);
}

static void rows_without_memory(void **state)
{
	(void)state;
	fail_each(read_csv, 1);
	fail_each(read_json_rows, 1);
}

static void suites_and_labels_without_memory(void **state)
{
	(void)state;
	fail_each(read_a_suite, 1);
	squeeze_arena(read_a_suite, 8);
	fail_each(scope_labels, 1);
	squeeze_arena(scope_labels, 8);
}

typedef void arm_function(size_t number);
static arm_function *const arms[] = {failing_malloc_arm, failing_malloc_arm_from};

/* A commit with a failed allocation is not acknowledged, or the plan is stored. The store goes on in both cases, also if
 * every allocation failed from the first one on, a rollback's too. */
static void storage_without_memory(void **state)
{
	struct store *store = *state;
	int next = 1;

	if (!FAILING_MALLOC)
		skip();
	for (size_t how = 0; how < COUNT_OF(arms); how++) {
		size_t number = 0, asked = 0;

		do {
			struct plan_record plan = store_plan(store, next++), found;
			struct plan_put put = {.plan = &plan};
			enum status status;

			failure_clear(&store->failure);
			arms[how](++number);
			status = store_do(store, &put.job, STORAGE_PLAN_PUT);
			asked = failing_malloc_disarm();
			if (status != STATUS_OK && !ran_out(status) && status != STATUS_UNAVAILABLE)
				fail_msg("allocation %zu failed: %s: %s", number, status_slug(status), store->failure.detail);
			assert_status(store, storage_plan_get(store->storage, plan.id, ABSENT_COUNT, &store->arena, &found, &store->failure),
				status == STATUS_OK ? STATUS_OK : STATUS_NOT_FOUND);
			plan = store_plan(store, next++);
			assert_status(store, store_do(store, &put.job, STORAGE_PLAN_PUT), STATUS_OK);
		} while (asked >= number);
		assert_true(number > 1);
	}
}

/* Reads the catalogue with failing allocations. The next read must see the row that was stored meanwhile: a reader must
 * not stay in its transaction when there is no memory for the rollback. */
static void readers_without_memory(void **state)
{
	struct store *store = *state;

	if (!FAILING_MALLOC)
		skip();
	for (size_t how = 0; how < COUNT_OF(arms); how++) {
		size_t number = 0, asked = 0;

		do {
			struct accelerator_row row = store_accelerator(store, "a1", (double)(++number));
			struct row_put put = {.kind = ROW_ACCELERATOR, .row = &row, .expected_revision = ABSENT_COUNT};
			struct catalogue_rows rows;
			int64_t revision, calibration_revision;
			enum status status;

			failure_clear(&store->failure);
			arms[how](number);
			status = storage_catalogue_load(store->storage, 0, &store->arena, &rows, &revision, &calibration_revision, &store->failure);
			asked = failing_malloc_disarm();
			if (status != STATUS_OK && !ran_out(status))
				fail_msg("allocation %zu failed: %s: %s", number, status_slug(status), store->failure.detail);
			assert_status(store, store_do(store, &put.job, STORAGE_ROW_PUT), STATUS_OK);
			assert_status(store,
				storage_catalogue_load(store->storage, 0, &store->arena, &rows, &revision, &calibration_revision, &store->failure),
				STATUS_OK);
			assert_int_equal(rows.accelerator_count, 1);
			assert_true(rows.accelerators[0].accelerator.tdp_w == (double)number);
		} while (asked >= number);
		assert_true(number > 10);
	}
}

static void note_fault(void *context, const char *fault)
{
	(void)context;
	fail_msg("a lack of memory was reported as damage: %s", fault);
}

/* A lack of memory must not look like damage. */
static void checks_without_memory(void **state)
{
	struct store *store = *state;

	if (!FAILING_MALLOC)
		skip();
	for (int i = 0; i < 3; i++) {
		struct plan_record plan = store_plan(store, i);
		struct price_row price = store_price(store, "p", 1 + i);
		struct row_put put = {.kind = ROW_PRICE, .row = &price, .expected_revision = ABSENT_COUNT};

		store_plan_put(store, &plan);
		assert_status(store, store_do(store, &put.job, STORAGE_ROW_PUT), STATUS_OK);
	}
	for (size_t how = 0; how < COUNT_OF(arms); how++) {
		size_t number = 0, asked = 0;

		do {
			struct check_result result;
			enum status status;

			failure_clear(&store->failure);
			arms[how](++number);
			status = storage_check(store->path, note_fault, NULL, &result, &store->failure);
			asked = failing_malloc_disarm();
			assert_int_equal(result.faults, 0);
			if (status != STATUS_OK && !ran_out(status))
				fail_msg("allocation %zu failed: %s: %s", number, status_slug(status), store->failure.detail);
			if (status == STATUS_OK)
				assert_int_equal(result.plans, 3);
		} while (asked >= number);
		assert_true(number > 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(training_without_memory),
		cmocka_unit_test(inference_without_memory),
		cmocka_unit_test(complaints_without_memory),
		cmocka_unit_test(model_config_without_memory),
		cmocka_unit_test(catalogue_without_memory),
		cmocka_unit_test(reports_without_memory),
		cmocka_unit_test(trees_without_memory),
		cmocka_unit_test(rows_without_memory),
		cmocka_unit_test(suites_and_labels_without_memory),
		cmocka_unit_test_setup_teardown(storage_without_memory, store_setup_in_memory, store_teardown),
		cmocka_unit_test_setup_teardown(readers_without_memory, store_setup_in_memory, store_teardown),
		cmocka_unit_test_setup_teardown(checks_without_memory, store_setup_in_memory, store_teardown),
	};
	return cmocka_run_group_tests(tests, builtin_catalogue_setup, builtin_catalogue_teardown);
}
