/* Imports of catalogue rows and their records. Exports are in server/export.c. */
#include "server/import_service.h"

#include <sodium.h>

#include "api/tables/tables.h"
#include "base/clock.h"
#include "base/uuid.h"
#include "planner/progress.h"
#include "server/audit_trail.h"
#include "server/commit.h"
#include "server/export.h"
#include "server/handlers.h"
#include "server/import_body.h"
#include "server/import_rows.h"
#include "server/page_answer.h"
#include "server/server.h"
#include "storage/imports.h"

static const struct row_ops *ops_of(const struct call *call)
{
	for (int kind = 0; kind < ROW_CALIBRATION; kind++)
		if (row_ops_table[kind].table == call->route->request || row_ops_table[kind].table == call->route->response)
			return &row_ops_table[kind];
	CHECK(false); /* every route of imports and exports names a kind's table */
	return NULL;
}

static void record_begin(const struct call *call, const struct import_query *query, char id[UUID_TEXT_SIZE],
	char sha256[2 * crypto_hash_sha256_BYTES + 1], struct import_record *record)
{
	const struct import_body *body = call->streamed;

	uuid_make(id);
	sodium_bin2hex(sha256, 2 * crypto_hash_sha256_BYTES + 1, body->digest, sizeof body->digest);
	*record = (struct import_record){.id = id,
		.kind = ops_of(call)->noun,
		.started_by = call->server->http ? "request" : "command",
		.key_id = call->principal.id,
		.key_name = call->principal.name,
		.content_type = media_content_type(call->body_media == MEDIA_COUNT ? MEDIA_JSON : call->body_media),
		.sha256 = sha256,
		.bytes = (int64_t)body->bytes,
		.replaces = query->replace == TRUTH_TRUE,
		.overwrites = query->overwrite == TRUTH_TRUE,
		.started_at_us = clock_wall_us(),
		.finished_at_us = ABSENT_COUNT,
		.revision = ABSENT_COUNT};
}

/* Decodes the query and checks the rows. */
static enum status import_read(struct call *call, struct import_query *query)
{
	const struct import_body *body = call->streamed;
	enum status status = record_decode_query(&table_import_query, call->query, call->query_count, &call->arena, query, &call->failure);

	return status == STATUS_OK ? import_rows_check(ops_of(call), call_catalogue(call), body->reader, query, &call->failure) : status;
}

static enum status import_try(struct call *call, const struct import_query *query)
{
	const struct import_body *body = call->streamed;
	struct row_set set = row_reader_rows(body->reader);
	struct import_view *view = ARENA_NEW(&call->arena, struct import_view);
	char id[UUID_TEXT_SIZE], sha256[2 * crypto_hash_sha256_BYTES + 1];
	enum status status;

	audit_none(call);
	if (!view)
		return STATUS_NO_MEMORY;
	record_begin(call, query, id, sha256, &view->record);
	view->record.id = NULL; /* a dry run is not stored */
	view->record.rows = (int64_t)set.seen;
	view->dry_run = true;
	status = import_rows_compare(ops_of(call), call_catalogue(call), &set, query, &call->arena, view, &call->failure);
	if (status == STATUS_OK)
		status = import_rows_tell_faults(body->reader, &call->arena, view, &call->failure);
	if (status == STATUS_OK)
		record_encode(&table_import_view, view, &call->json);
	return status;
}

/* Limits the rows of a kind: the catalogue is in memory. */
static enum status check_room(const struct call *call, const struct row_set *set, struct failure *failure)
{
	size_t held = row_span_of(ops_of(call), call_catalogue((struct call *)(uintptr_t)call)).count;

	if (held + set->count <= ROWS_MAX)
		return STATUS_OK;
	for (size_t i = 0; i < set->count; i++)
		held += row_of_id(ops_of(call), call_catalogue((struct call *)(uintptr_t)call),
					row_ops_id(ops_of(call), (char *)set->rows + i * row_size(ops_of(call)->kind))) == NULL;
	if (held <= ROWS_MAX)
		return STATUS_OK;
	return failure_set(failure, STATUS_TOO_LARGE,
		"the catalogue would have %zu rows of this kind; at most %d are allowed. Import fewer rows", held, ROWS_MAX);
}

static enum status import_store(struct call *call, struct idempotency *idempotency)
{
	const struct import_body *body = call->streamed;
	struct import_query query;
	struct import_record *record = ARENA_NEW(&call->arena, struct import_record);
	struct import_view view = {0};
	struct import_progress own = {.service = call->server->imports, .outer = call_progress(call)};
	const struct progress progress = imports_progress(&own);
	struct row_set set = row_reader_rows(body->reader);
	struct import_run run = {
		.import = record, .kind = ops_of(call)->kind, .rows = set.rows, .count = set.count, .progress = &progress, .idempotency = idempotency};
	char id[UUID_TEXT_SIZE], sha256[2 * crypto_hash_sha256_BYTES + 1];
	enum status status = record ? import_read(call, &query) : STATUS_NO_MEMORY;

	if (status == STATUS_OK)
		status = row_reader_failure(body->reader, &call->failure);
	if (status == STATUS_OK)
		status = check_room(call, &set, &call->failure);
	if (status != STATUS_OK)
		return status;
	record_begin(call, &query, id, sha256, record);
	call_created(call, "/v1/imports/%s", id);
	commit_keep_location(call, idempotency);
	status = audit_entry_of(call, &run.audit);
	if (status != STATUS_OK)
		return status;
	status = storage_import(call->server->storage, &run, &call->failure);
	progress_note(&progress, 0.95, "catalogue");
	if (status == STATUS_OK && record->revision != ABSENT_COUNT)
		status = server_catalogue_reload(call->server, &call->failure);
	if (status != STATUS_OK)
		return status;
	view.record = *record;
	record_encode(&table_import_view, &view, &call->json);
	return STATUS_OK;
}

static enum status import_replay(struct call *call, struct idempotency *idempotency)
{
	const char *slash = strrchr(idempotency->answer.location ? idempotency->answer.location : "/", '/');
	struct import_view *view = ARENA_NEW(&call->arena, struct import_view);
	enum status status = view ? storage_import_get(call->server->storage, slash + 1, &call->arena, &view->record, &call->failure)
							  : STATUS_NO_MEMORY;

	if (status == STATUS_OK)
		record_encode(&table_import_view, view, &call->json);
	return status;
}

enum status import_answer(struct call *call)
{
	struct import_query query;
	enum status status = record_decode_query(&table_import_query, call->query, call->query_count, &call->arena, &query, &call->failure);

	if (status != STATUS_OK || query.dry_run != TRUTH_TRUE)
		return status == STATUS_OK ? commit_waiting(call, import_store, import_replay) : status;
	status = commit_check_key(call);
	if (status == STATUS_OK)
		status = import_read(call, &query);
	return status == STATUS_OK ? import_try(call, &query) : status;
}

enum status handle_import(struct call *call)
{
	enum status status = imports_submit(call->server->imports, call, import_answer);

	return status == STATUS_OK ? HANDLER_PENDING : status;
}

enum status handle_export(struct call *call)
{
	return export_begin(call, ops_of(call));
}

enum status handle_import_list(struct call *call)
{
	struct import_list_query query;
	struct page_request page;
	struct import_list list;
	enum status status = record_decode_query(&table_import_list_query, call->query, call->query_count, &call->arena, &query, &call->failure);

	if (status != STATUS_OK)
		return status;
	page = page_request_of(&query.page);
	status = storage_import_list(call->server->storage, query.kind, &page, &call->arena, &list, &call->failure);
	return status == STATUS_OK ? page_answer(call, &table_import, list.items, list.count, list.next_cursor) : status;
}

enum status handle_import_get(struct call *call)
{
	struct import_record *record = ARENA_NEW(&call->arena, struct import_record);
	enum status status = record ? storage_import_get(call->server->storage, call->parameters[0], &call->arena, record, &call->failure)
								: STATUS_NO_MEMORY;

	if (status == STATUS_OK)
		record_encode(&table_import, record, &call->json);
	return status;
}
