/* The routes of catalogue rows: one set of functions serves accelerators, models, prices and regions, by a table of
 * kinds. */
#include "api/tables/tables.h"
#include "server/commit.h"
#include "server/handlers.h"
#include "server/page_answer.h"
#include "server/row_store.h"
#include "server/server.h"

/* Reads the catalogue in which names are looked up, for the requested time. The caller releases *past; NULL: use the
 * current one. */
static enum status names_as_of(struct call *call, int64_t as_of_us, struct catalogue **past)
{
	*past = NULL;
	return as_of_us > 0 ? server_catalogue_as_of(call->server, as_of_us, past, &call->failure) : STATUS_OK;
}

static enum status rows_filter(struct call *call, const struct row_ops *ops, const struct catalogue_query *query, struct row_filter *filter)
{
	struct catalogue *past = NULL;
	enum status status = query->accelerator ? names_as_of(call, query->as_of_us, &past) : STATUS_OK;

	if (status != STATUS_OK)
		return status;
	*filter = row_filter_of(ops, past ? past : call_catalogue(call), query);
	filter->accelerator_id = arena_strdup(&call->arena, filter->accelerator_id);
	status = query->accelerator && !filter->accelerator_id ? STATUS_NO_MEMORY : STATUS_OK;
	if (past)
		catalogue_release(past);
	return status;
}

struct rows_wanted {
	const struct row_ops *ops;
	struct row_filter filter;
};

static enum status rows_read(
	struct call *call, const void *filter, const struct page_request *some, struct arena *arena, struct page_rows *rows)
{
	const struct rows_wanted *wanted = filter;
	struct row_list list;
	enum status status = storage_row_list(call->server->storage, wanted->ops->kind, &wanted->filter, some, arena, &list, &call->failure);

	*rows = (struct page_rows){.items = list.items, .count = list.count, .next_cursor = list.next_cursor};
	return status;
}

static enum status rows_list(struct call *call, const struct row_ops *ops)
{
	struct catalogue_query query;
	struct rows_wanted wanted = {.ops = ops};
	struct page_request page;
	enum status status = record_decode_query(ops->query, call->query, call->query_count, &call->arena, &query, &call->failure);

	if (status == STATUS_OK && query.as_of_us > 0)
		status = server_as_of_check(query.as_of_us, &call->failure);
	/* The snapshot's revision may be older than the stored one, never newer: at worst a client sends one request too
	 * many. */
	if (status != STATUS_OK || call_not_modified(call, call_catalogue(call)->revision))
		return status;
	page = page_request_of(&query.page);
	status = rows_filter(call, ops, &query, &wanted.filter);
	return status == STATUS_OK ? page_answer_read(call, ops->table, &page, rows_read, &wanted) : status;
}

static enum status row_named(struct call *call, const struct row_ops *ops, const struct catalogue *catalogue, int64_t as_of_us, void *row)
{
	const char *id = row_id_of_name(ops, catalogue, call->parameters[0]);
	enum status status = storage_row_get(call->server->storage, ops->kind, id, as_of_us, &call->arena, row, &call->failure);

	if (status == STATUS_NOT_FOUND)
		row_not_found(ops, catalogue, id, &call->failure);
	return status;
}

/* Reads the row that the path names by id or alias, now or as of a time; aliases are those of that time. */
static enum status row_read(struct call *call, const struct row_ops *ops, int64_t as_of_us, void *row)
{
	struct catalogue *past;
	enum status status;

	if (!as_of_us)
		return row_named(call, ops, call_catalogue(call), 0, row);
	status = storage_row_get(call->server->storage, ops->kind, call->parameters[0], as_of_us, &call->arena, row, &call->failure);
	if (status != STATUS_NOT_FOUND)
		return status;
	failure_clear(&call->failure); /* it may be an alias; only then all rows of that time are read */
	status = names_as_of(call, as_of_us, &past);
	if (status == STATUS_OK)
		status = row_named(call, ops, past, as_of_us, row);
	if (past)
		catalogue_release(past);
	return status;
}

static enum status row_get(struct call *call, const struct row_ops *ops)
{
	struct catalogue_query query = {0};
	void *row = arena_alloc(&call->arena, 1, row_size(ops->kind));
	enum status status = row ? STATUS_OK : STATUS_NO_MEMORY;

	if (status == STATUS_OK && call->query_count)
		status = record_decode_query(&table_catalogue_row_query, call->query, call->query_count, &call->arena, &query, &call->failure);
	if (status == STATUS_OK && query.as_of_us > 0)
		status = server_as_of_check(query.as_of_us, &call->failure);
	if (status == STATUS_OK)
		status = row_read(call, ops, query.as_of_us > 0 ? query.as_of_us : 0, row);
	if (status != STATUS_OK || call_not_modified(call, row_meta_of(ops, row)->revision))
		return status;
	return row_answer(call, ops, row);
}

static enum status row_create(struct call *call, const struct row_ops *ops, struct idempotency *idempotency)
{
	struct row_put put = {.create_only = true, .expected_revision = ABSENT_COUNT};
	void *row = arena_alloc(&call->arena, 1, row_size(ops->kind));
	enum status status = row ? record_decode(ops->table, call->body, call->body_length, &call->arena, row, &call->failure) : STATUS_NO_MEMORY;

	return status == STATUS_OK ? row_store(call, ops, row, "user", &put, idempotency) : status;
}

static enum status row_put_whole(struct call *call, const struct row_ops *ops)
{
	struct row_put put = {.expected_revision = ABSENT_COUNT};
	void *row = arena_alloc(&call->arena, 1, row_size(ops->kind)), *old = arena_alloc(&call->arena, 1, row_size(ops->kind));
	enum status status = row && old ? STATUS_OK : STATUS_NO_MEMORY;

	if (status == STATUS_OK)
		status = record_decode(ops->table, call->body, call->body_length, &call->arena, row, &call->failure);
	if (status == STATUS_OK)
		status = row_take_path_id(ops, row, call->parameters[0], &call->failure);
	if (status == STATUS_OK && call->if_match) {
		status = row_read(call, ops, 0, old);
		if (status == STATUS_NOT_FOUND)
			status = failure_set(&call->failure, STATUS_PRECONDITION_FAILED,
				"If-Match was sent, but the row does not exist; leave If-Match out to create it");
		if (status == STATUS_OK)
			status = call_match(call, put.expected_revision = row_meta_of(ops, old)->revision);
	}
	return status == STATUS_OK ? row_store(call, ops, row, "user", &put, NULL) : status;
}

static enum status row_patch(struct call *call, const struct row_ops *ops)
{
	struct row_put put = {0};
	void *row = arena_alloc(&call->arena, 1, row_size(ops->kind));
	enum status status = row ? row_read(call, ops, 0, row) : STATUS_NO_MEMORY;
	const char *id;

	if (status != STATUS_OK)
		return status;
	put.expected_revision = row_meta_of(ops, row)->revision;
	id = row_ops_id(ops, row);
	status = record_merge_patch(ops->table, call->body, call->body_length, &call->arena, row, &call->failure);
	if (status == STATUS_OK)
		status = row_take_path_id(ops, row, id, &call->failure);
	if (status == STATUS_OK) /* RFC 9110 13.2.1: a fault of the body comes before the precondition */
		status = call_match(call, put.expected_revision);
	if (status == STATUS_OK)
		status = row_store(call, ops, row, "user", &put, NULL);
	if (status == STATUS_PRECONDITION_FAILED && !call->if_match)
		return failure_set(&call->failure, STATUS_CONFLICT, "another request changed the row at the same time; read it and try again");
	return status;
}

static enum status row_delete(struct call *call, const struct row_ops *ops)
{
	struct row_remove remove = {.job = {.kind = STORAGE_ROW_REMOVE}, .kind = ops->kind, .expected_revision = ABSENT_COUNT};
	void *row = arena_alloc(&call->arena, 1, row_size(ops->kind));
	enum status status = row ? row_read(call, ops, 0, row) : STATUS_NO_MEMORY;
	bool damaged = status == STATUS_UNAVAILABLE &&
		!call->if_match; /* a damaged row can be deleted; if the store is unavailable, the delete fails too */

	if (damaged) {
		failure_clear(&call->failure);
		status = STATUS_OK;
	}
	if (status == STATUS_OK && call->if_match)
		status = call_match(call, remove.expected_revision = row_meta_of(ops, row)->revision);
	if (status != STATUS_OK)
		return status;
	remove.id = damaged ? row_id_of_name(ops, call_catalogue(call), call->parameters[0]) : row_ops_id(ops, row);
	status = commit_run(call, &remove.job);
	if (status == STATUS_OK)
		status = server_catalogue_changed(call->server, ops->kind, remove.id, remove.revision, &call->failure);
	if (status == STATUS_OK)
		call_no_content(call);
	return status;
}

#define ROWS(noun, KIND) \
	enum status handle_##noun##_list(struct call *call) \
	{ \
		return rows_list(call, &row_ops_table[KIND]); \
	} \
	enum status handle_##noun##_get(struct call *call) \
	{ \
		return row_get(call, &row_ops_table[KIND]); \
	} \
	static enum status create_##noun(struct call *call, struct idempotency *idempotency) \
	{ \
		return row_create(call, &row_ops_table[KIND], idempotency); \
	} \
	static enum status replay_##noun(struct call *call, struct idempotency *idempotency) \
	{ \
		return row_replay(call, &row_ops_table[KIND], idempotency); \
	} \
	enum status handle_##noun##_create(struct call *call) \
	{ \
		return commit_waiting(call, create_##noun, replay_##noun); \
	} \
	enum status handle_##noun##_put(struct call *call) \
	{ \
		return row_put_whole(call, &row_ops_table[KIND]); \
	} \
	enum status handle_##noun##_patch(struct call *call) \
	{ \
		return row_patch(call, &row_ops_table[KIND]); \
	} \
	enum status handle_##noun##_delete(struct call *call) \
	{ \
		return row_delete(call, &row_ops_table[KIND]); \
	}

ROWS(accelerator, ROW_ACCELERATOR)
ROWS(model, ROW_MODEL)
ROWS(price, ROW_PRICE)
ROWS(region, ROW_REGION)
