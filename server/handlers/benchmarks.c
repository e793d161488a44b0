/* The routes of benchmarks (create, read, cancel), of devices and of calibrations. */
#include <sodium.h>

#include "api/bench_protocol.h"
#include "api/tables/tables.h"
#include "base/clock.h"
#include "base/uuid.h"
#include "bench/suite/suite.h"
#include "hwdb/catalogue/given_names.h"
#include "hwdb/resolve/calibrations.h"
#include "server/bench_runner.h"
#include "server/commit.h"
#include "server/defer.h"
#include "server/handlers.h"
#include "server/page_answer.h"
#include "server/row_kinds.h"
#include "server/scope.h"
#include "server/server.h"
#include "server/stream.h"
#include "service/bench_trust.h"
#include "service/plan_measured.h"
#include "storage/benchmarks.h"
#include "storage/catalogue_rows.h"
#include "storage/plans.h"

enum { BENCH_SHAPES_BYTES_MAX = 64 * 1024 }; /* limit of one argument of a worker's command line, with a margin */

/* A benchmark that no device has taken expires after a week. */
#define QUEUE_LIFE_US (INT64_C(7) * 86400 * 1000000)

enum { SHAPES_MAX_BYTES = 64 * 1024 }; /* limit of a worker's --spec */

/* Checks that a worker understands the suite: a typo must be reported now, and not by a failed benchmark. */
static enum status benchmark_check_suite(struct call *call, const struct json_text *suite)
{
	struct bench_reason reason = {"a suite is \"quick\", \"full\" or a list of tests"};
	struct bench_plan plan;
	const char *text = "quick";
	enum status status = suite->text ? bench_suite_text(suite->text, suite->length, &call->arena, &text) : STATUS_OK;

	if (status == STATUS_INVALID || (status == STATUS_OK && !bench_plan_make(text, &plan, &reason)))
		failure_add(&call->failure, "/suite", "unknown", "%s", reason.text);
	return status == STATUS_NO_MEMORY ? status : STATUS_OK;
}

/* Checks that a worker understands the shapes, for the same reason. */
static enum status benchmark_check_shapes(struct call *call, const struct json_text *shapes)
{
	struct failure failure;
	struct bench_spec spec;
	enum status status = STATUS_OK;

	failure_clear(&failure);
	bench_spec_init(&spec);
	if (shapes->length >= BENCH_SHAPES_BYTES_MAX)
		failure_add(&call->failure, "/shapes", "too_large", "shapes must have fewer than %d bytes", BENCH_SHAPES_BYTES_MAX);
	else if (shapes->text)
		status = record_decode(&table_bench_spec, shapes->text, shapes->length, &call->arena, &spec, &failure);
	if (status == STATUS_NO_MEMORY)
		return status;
	if (status != STATUS_OK)
		failure_add(&call->failure, "/shapes", "invalid", "%s", failure.detail);
	return STATUS_OK;
}

/* Finds a device by its id, or by its backend ("cpu") if only one device has it. A benchmark for an unknown device
 * would wait for ever, so this is a fault, which lists the attached devices. */
static enum status benchmark_find_device(struct call *call, const char **device)
{
	char attached[256] = ""; /* as many as fit */
	size_t used;
	const char *of_backend = NULL;
	size_t alike = 0;
	struct page_request page = {.limit = 1000};
	bool looking = bench_runner_is_looking(call->server->bench_runner);
	struct device_list list;

	do {
		enum status status = storage_device_list(call->server->storage, &page, &call->arena, &list, &call->failure);

		if (status != STATUS_OK)
			return status;
		for (size_t i = 0; i < list.count; i++) {
			const struct device_record *record = &list.items[i];

			if (!strcmp(record->state, "gone"))
				continue;
			if (!strcmp(record->id, *device))
				return STATUS_OK;
			used = strlen(attached);
			snprintf(attached + used, sizeof attached - used, "%s%s", used ? ", " : "", record->id);
			if (!strcmp(record->backend, *device) && alike++ == 0)
				of_backend = record->id;
		}
		page.cursor = list.next_cursor;
	} while (page.cursor);
	if (alike == 1) {
		*device = of_backend;
		return STATUS_OK;
	}
	if (looking && alike == 0) {
		call->failure.retry_after_s = 1;
		return failure_set(&call->failure, STATUS_UNAVAILABLE,
			"the device \"%s\" is not known, but the devices of this machine are still being listed; "
			"try again in a second, or leave device out: the benchmark then runs on the first device that is found",
			*device);
	}
	failure_add(&call->failure, "/device", "unknown", "%s \"%s\": %s%s; GET /v1/devices lists them",
		alike ? "several devices have the backend" : "no device", *device, *attached ? "attached are " : "no device is attached yet",
		attached);
	return STATUS_INVALID;
}

/* Takes the shapes from the plan's largest costs, with the block that its prediction is compared with. A benchmark
 * without hardware gets the plan's accelerator. A plan whose work is not known is measured with the suite's own
 * sizes. */
static enum status benchmark_take_shapes(struct call *call, const struct plan_record *plan, struct benchmark_record *benchmark)
{
	struct plan_measured *measured = ARENA_NEW(&call->arena, struct plan_measured);
	struct json_writer writer;
	struct failure failure;
	struct buffer text;
	enum status status;

	failure_clear(&failure);
	status = measured ? plan_measured_read(measured, plan, call_catalogue(call), clock_wall_us(), &call->arena, &failure) : STATUS_NO_MEMORY;
	if (status == STATUS_NO_MEMORY)
		return status;
	if (status != STATUS_OK)
		return STATUS_OK;
	if (!benchmark->device && !benchmark->accelerator)
		benchmark->accelerator = arena_strdup(&call->arena, measured->layout.accelerator);
	buffer_init(&text, SHAPES_MAX_BYTES);
	json_writer_init(&writer, &text);
	record_encode(&table_bench_spec, &measured->spec, &writer);
	benchmark->shapes = (struct json_text){.text = arena_strndup(&call->arena, text.bytes, text.length), .length = text.length};
	status = text.failed || !benchmark->shapes.text ? STATUS_NO_MEMORY : STATUS_OK;
	buffer_release(&text);
	return status;
}

/* Checks that the device, the accelerator (id or alias) and the plan of a benchmark exist. */
static enum status benchmark_check(struct call *call, struct benchmark_record *benchmark)
{
	const struct accelerator_row *row;
	struct plan_record plan;
	const char *alias;
	enum status status;

	status = benchmark_check_suite(call, &benchmark->suite);
	if (status == STATUS_OK)
		status = benchmark_check_shapes(call, &benchmark->shapes);
	if (status != STATUS_OK)
		return status;
	if (benchmark->expires_at_us != ABSENT_COUNT && benchmark->expires_at_us <= clock_even_us())
		failure_add(&call->failure, "/expires_at", "out_of_range", "lies in the past; give a later time or leave it out");
	if (benchmark->device && benchmark->accelerator)
		failure_add(&call->failure, "/accelerator", "contradiction", "give a device or an accelerator, not both");
	if (call->failure.status != STATUS_OK)
		return call->failure.status;
	if (benchmark->device && (status = benchmark_find_device(call, &benchmark->device)) != STATUS_OK)
		return status;
	if (benchmark->accelerator) {
		row = given_accelerator(call_catalogue(call), benchmark->accelerator, &alias);
		if (!row) {
			struct failure missing;

			failure_clear(&missing);
			row_not_found(&row_ops_table[ROW_ACCELERATOR], call_catalogue(call), benchmark->accelerator, &missing);
			failure_add(&call->failure, "/accelerator", "unknown", "%s", missing.detail);
			return STATUS_INVALID;
		}
		benchmark->accelerator = row->accelerator.id;
	}
	if (!benchmark->plan_id)
		return STATUS_OK;
	status = scope_plan_get(call, benchmark->plan_id, ABSENT_COUNT, &plan);
	if (status == STATUS_OK)
		return benchmark_take_shapes(call, &plan, benchmark);
	if (status != STATUS_NOT_FOUND)
		return status;
	failure_clear(&call->failure);
	failure_add(&call->failure, "/plan_id", "unknown", "no plan %s; GET /v1/plans lists the plans", benchmark->plan_id);
	return STATUS_INVALID;
}

static enum status prepare_benchmark(struct call *call, const struct idempotency *idempotency, struct storage_job **job)
{
	struct benchmark_record *benchmark = ARENA_NEW(&call->arena, struct benchmark_record);
	struct benchmark_put *put = ARENA_NEW(&call->arena, struct benchmark_put);
	char *id = arena_alloc(&call->arena, 1, UUID_TEXT_SIZE);
	enum status status = benchmark && put && id ? STATUS_OK : STATUS_NO_MEMORY;

	if (status == STATUS_OK)
		status = record_decode(&table_benchmark_request, call->body, call->body_length, &call->arena, benchmark, &call->failure);
	if (status == STATUS_OK)
		status = benchmark_check(call, benchmark);
	if (status == STATUS_OK)
		status = scope_label(call, &benchmark->labels);
	if (status != STATUS_OK)
		return status;
	if (!benchmark->suite.text)
		benchmark->suite = (struct json_text){.text = "\"quick\"", .length = strlen("\"quick\"")};
	uuid_make(id);
	benchmark->id = id;
	benchmark->state = "queued";
	benchmark->created_at_us = clock_even_us();
	if (benchmark->expires_at_us == ABSENT_COUNT)
		benchmark->expires_at_us = benchmark->created_at_us + QUEUE_LIFE_US;
	benchmark->attempt = 0;
	*put = (struct benchmark_put){.job = {.kind = STORAGE_BENCHMARK_PUT}, .benchmark = benchmark, .idempotency = idempotency};
	*job = &put->job;
	call_accepted(call, "/v1/benchmarks/%s", id);
	record_encode(&table_benchmark, benchmark, &call->json);
	return STATUS_OK;
}

static bool benchmark_is_over(const struct benchmark_record *benchmark)
{
	return strcmp(benchmark->state, "queued") != 0 && strcmp(benchmark->state, "running") != 0;
}

/* Reload the catalogue before reporting success: the result is stored before the daemon has read its calibrations, and
 * the client may plan at once. */
static void catch_up_with(struct server *server, const struct benchmark_record *benchmark)
{
	static const int64_t while_read_us = INT64_C(60000000);

	if (strcmp(benchmark->state, "succeeded") == 0 && clock_even_us() - benchmark->finished_at_us < while_read_us)
		server_catalogue_catch_up(server);
}

/* Writes the final benchmark for a waiting client. The Location of the first answer has the benchmark's id. */
static bool benchmark_has_ended(struct call *call, struct arena *scratch)
{
	struct benchmark_record benchmark;
	struct failure failure;
	const char *id = NULL;

	failure_clear(&failure);
	for (size_t i = 0; i < call->header_count; i++)
		if (strcmp(call->headers[i].name, "Location") == 0)
			id = strrchr(call->headers[i].value, '/') + 1;
	if (!id || storage_benchmark_get(call->server->storage, id, scratch, &benchmark, &failure) != STATUS_OK || !benchmark_is_over(&benchmark))
		return false;
	catch_up_with(call->server, &benchmark);
	buffer_clear(&call->answer);
	json_writer_init(&call->json, &call->answer);
	record_encode(&table_benchmark, &benchmark, &call->json);
	call->http_status = 200;
	return true;
}

enum status handle_benchmark_create(struct call *call)
{
	struct bench_runner *runner = call->server->bench_runner; /* read it now: the call may be gone once it is pending */
	enum status status;

	defer_answer(call, benchmark_has_ended);
	status = commit_once(call, prepare_benchmark);

	if (status == HANDLER_PENDING)
		bench_runner_wake(runner);
	return status;
}

enum status handle_benchmark_list(struct call *call)
{
	struct benchmark_query query;
	struct benchmark_filter filter;
	struct page_request page;
	struct benchmark_list list;
	const struct accelerator_row *row;
	const char *alias;
	enum status status = record_decode_query(&table_benchmark_query, call->query, call->query_count, &call->arena, &query, &call->failure);

	if (status != STATUS_OK)
		return status;
	page = page_request_of(&query.page);
	filter = (struct benchmark_filter){.state = query.state,
		.device_id = query.device,
		.accelerator_id = query.accelerator,
		.plan_id = query.plan_id,
		.agent_id = query.agent,
		.scope_key = call->principal.scope_key,
		.scope_value = call->principal.scope_value};
	row = query.accelerator ? given_accelerator(call_catalogue(call), query.accelerator, &alias) : NULL;
	if (row)
		filter.accelerator_id = row->accelerator.id;
	status = page_label_of(call, query.label, &filter.label_key, &filter.label_value);
	if (status == STATUS_OK)
		status = storage_benchmark_list(call->server->storage, &filter, &page, &call->arena, &list, &call->failure);
	return status == STATUS_OK ? page_answer(call, &table_benchmark, list.items, list.count, list.next_cursor) : status;
}

enum status handle_benchmark_get(struct call *call)
{
	struct benchmark_record benchmark;
	enum status status = storage_benchmark_get(call->server->storage, call->parameters[0], &call->arena, &benchmark, &call->failure);

	if (status == STATUS_OK)
		status = scope_benchmark(call, &benchmark);
	if (status != STATUS_OK)
		return status;
	catch_up_with(call->server, &benchmark);
	record_encode(&table_benchmark, &benchmark, &call->json);
	return STATUS_OK;
}

enum status handle_benchmark_cancel(struct call *call)
{
	struct benchmark_record benchmark = {0};
	struct benchmark_cancel cancel = {
		.job = {.kind = STORAGE_BENCHMARK_CANCEL}, .id = call->parameters[0], .now_us = clock_even_us(), .benchmark = &benchmark};
	enum status status = call->principal.scope_key
		? storage_benchmark_get(call->server->storage, cancel.id, &call->arena, &benchmark, &call->failure)
		: STATUS_OK;

	if (status == STATUS_OK && call->principal.scope_key)
		status = scope_benchmark(call, &benchmark);
	if (status == STATUS_OK)
		status = commit_run(call, &cancel.job);
	if (status != STATUS_OK)
		return status;
	bench_runner_cancel(call->server->bench_runner, call->parameters[0]);
	call->http_status = 202;
	record_encode(&table_benchmark, &benchmark, &call->json);
	return STATUS_OK;
}

/* Writes the state of a benchmark. The event's id is a digest of the state, as a benchmark has no revision. */
static enum status benchmark_read_state(const struct stream_subject *subject, struct buffer *state, char id[STREAM_ID_SIZE], bool *done)
{
	enum { ARENA_MAX_BYTES = 64 * 1024 * 1024, DIGEST_BYTES = crypto_shorthash_BYTES };
	static const unsigned char key[crypto_shorthash_KEYBYTES];
	struct benchmark_record benchmark;
	unsigned char digest[DIGEST_BYTES];
	struct json_writer writer;
	struct failure failure;
	struct arena arena;
	enum status status;

	failure_clear(&failure);
	arena_init(&arena, ARENA_MAX_BYTES);
	status = storage_benchmark_get(subject->server->storage, subject->id, &arena, &benchmark, &failure);
	if (status == STATUS_OK) {
		catch_up_with(subject->server, &benchmark);
		benchmark.lease_until_us = ABSENT_COUNT; /* changes with every heartbeat and is not progress */
		json_writer_init(&writer, state);
		record_encode(&table_benchmark, &benchmark, &writer);
		crypto_shorthash(digest, (const unsigned char *)state->bytes, state->length, key);
		sodium_bin2hex(id, STREAM_ID_SIZE, digest, sizeof digest);
		*done = benchmark_is_over(&benchmark);
	}
	arena_release(&arena);
	return status;
}

enum status handle_benchmark_events(struct call *call)
{
	struct stream_subject subject = {.server = call->server, .read = benchmark_read_state, .ends_with_service = true};
	struct benchmark_record benchmark;
	enum status status = storage_benchmark_get(call->server->storage, call->parameters[0], &call->arena, &benchmark, &call->failure);

	if (status == STATUS_OK)
		status = scope_benchmark(call, &benchmark);
	if (status != STATUS_OK)
		return status;
	snprintf(subject.id, sizeof subject.id, "%s", benchmark.id);
	return call_stream(call, &subject);
}

enum status handle_device_list(struct call *call)
{
	struct page_query query = {.limit = ABSENT_COUNT};
	struct page_request page;
	struct page_remark remark;
	struct device_list list;
	enum status status = record_decode_query(&table_page_query, call->query, call->query_count, &call->arena, &query, &call->failure);

	if (status != STATUS_OK)
		return status;
	page = page_request_of(&query);
	remark.looking = bench_runner_is_looking(
		call->server->bench_runner); /* read before the list: a device that is found meanwhile is in the list */
	status = storage_device_list(call->server->storage, &page, &call->arena, &list, &call->failure);
	remark.empty_because = remark.looking ? "the devices of this machine are still being listed: try again in a second"
										  : "no device is attached to this machine, and no agent has registered one";
	return status == STATUS_OK ? page_answer_remarked(call, &table_device, list.items, list.count, list.next_cursor, &remark) : status;
}

/* Sets for each calibration whether plans use it, and keeps those with the requested `used`. */
static size_t calibrations_shown(struct call *call, const struct catalogue *catalogue, int64_t now_us, struct row_list *list, enum truth used)
{
	struct calibration_row *rows = list->items;
	size_t kept = 0;

	calibrations_judge(catalogue, rows, list->count, now_us, &call->arena);
	for (size_t i = 0; i < list->count; i++)
		if (used == TRUTH_UNSET || rows[i].used == used)
			rows[kept++] = rows[i];
	return kept;
}

/* Answers with the calibrations, judged by the catalogue of the requested time. */
static enum status calibrations_answer(struct call *call, const struct catalogue *catalogue, const struct benchmark_query *query)
{
	bool past = query->as_of_us > 0;
	struct page_request page = page_request_of(&query->page);
	struct row_filter filter = {.accelerator_id = query->accelerator,
		.device_id = query->device,
		.plan_id = query->plan_id,
		.quantity = query->quantity,
		.held = query->held,
		.scope_key = call->principal.scope_key,
		.scope_value = call->principal.scope_value,
		.as_of_us = past ? query->as_of_us : 0};
	const struct accelerator_row *row;
	const char *alias;
	struct row_list list;
	enum status status;

	if (query->accelerator && (row = given_accelerator(catalogue, query->accelerator, &alias)))
		filter.accelerator_id = row->accelerator.id;
	status = storage_row_list(call->server->storage, ROW_CALIBRATION, &filter, &page, &call->arena, &list, &call->failure);
	if (status != STATUS_OK)
		return status;
	list.count = calibrations_shown(call, catalogue, past ? query->as_of_us : clock_wall_us(), &list, query->used);
	return page_answer(call, &table_calibration, list.items, list.count, list.next_cursor);
}

enum status handle_calibration_list(struct call *call)
{
	struct benchmark_query query;
	struct catalogue *past = NULL;
	enum status status = record_decode_query(&table_calibration_query, call->query, call->query_count, &call->arena, &query, &call->failure);

	if (status == STATUS_OK && query.as_of_us > 0)
		status = server_catalogue_as_of(call->server, query.as_of_us, &past, &call->failure);
	if (status == STATUS_OK)
		status = calibrations_answer(call, past ? past : call_catalogue(call), &query);
	if (past)
		catalogue_release(past);
	return status;
}

/* Moves a waiting row to its final id, and adds to its source who accepted it. */
static enum status calibration_accept(struct call *call, const struct calibration_verdict *verdict, struct calibration_row *row)
{
	size_t length = strlen(row->id), suffix = strlen(BENCH_HELD_SUFFIX);
	struct calibration_row before;
	struct failure unread;

	if (length > suffix && strcmp(row->id + length - suffix, BENCH_HELD_SUFFIX) == 0)
		row->id = arena_strndup(&call->arena, row->id, length - suffix);
	row->held_because = NULL;
	row->meta.source = arena_printf(&call->arena, "%s; accepted by %s%s%s", row->meta.source ? row->meta.source : "an agent",
		call->principal.name, verdict->note ? ": " : "", verdict->note ? verdict->note : "");
	if (!row->id || !row->meta.source)
		return STATUS_NO_MEMORY;
	failure_clear(&unread);
	if (storage_row_get(call->server->storage, ROW_CALIBRATION, row->id, 0, &call->arena, &before, &unread) == STATUS_OK)
		row->baseline = given_or(before.baseline, before.value);
	return STATUS_OK;
}

/* Stores the decision about `row`. The answer is the stored row, even if other clients have changed it since. */
static enum status calibration_conclude(struct call *call, struct calibration_decision *decision, struct calibration_row *row)
{
	enum status status = commit_run(call, &decision->job);

	if (status == STATUS_OK)
		status = server_catalogue_reload(call->server, &call->failure);
	if (status != STATUS_OK)
		return status;
	if (!decision->accepted) {
		call_no_content(call);
		return STATUS_OK;
	}
	row->meta.revision = decision->revision;
	row->meta.valid_from_us = decision->at_us;
	calibrations_judge(call_catalogue(call), row, 1, clock_wall_us(), &call->arena);
	record_encode(&table_calibration, row, &call->json);
	return STATUS_OK;
}

enum status handle_calibration_decide(struct call *call)
{
	struct calibration_decision decision = {.job.kind = STORAGE_CALIBRATION_DECISION, .id = call->parameters[0]};
	struct calibration_verdict verdict;
	struct calibration_row row;
	enum status status = record_decode(&table_calibration_decision, call->body, call->body_length, &call->arena, &verdict, &call->failure);
	bool accepted;

	if (status != STATUS_OK)
		return status;
	accepted = strcmp(verdict.decision, "accept") == 0;
	status = storage_row_get(call->server->storage, ROW_CALIBRATION, decision.id, 0, &call->arena, &row, &call->failure);
	if (status == STATUS_NOT_FOUND)
		return failure_set(
			&call->failure, status, "no calibration %.200s; GET /v1/calibrations?held=true lists the waiting ones", decision.id);
	if (status == STATUS_OK && !row.held_because)
		status = failure_set(
			&call->failure, STATUS_CONFLICT, "calibration %.200s does not wait for a decision; DELETE removes it", decision.id);
	decision.expected_revision = row.meta.revision;
	if (status == STATUS_OK && accepted)
		status = calibration_accept(call, &verdict, &row);
	decision.accepted = accepted ? &row : NULL;
	return status == STATUS_OK ? calibration_conclude(call, &decision, &row) : status;
}

enum status handle_calibration_delete(struct call *call)
{
	struct row_remove remove = {
		.job = {.kind = STORAGE_ROW_REMOVE}, .kind = ROW_CALIBRATION, .id = call->parameters[0], .expected_revision = ABSENT_COUNT};
	enum status status = commit_run(call, &remove.job);

	if (status == STATUS_OK)
		status = server_catalogue_reload(call->server, &call->failure);
	if (status == STATUS_OK)
		call_no_content(call);
	return status;
}
