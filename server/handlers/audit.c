/* The audit log: as pages, or the whole log as a stream. */
#include "storage/audit.h"

#include "api/tables/tables.h"
#include "server/export.h"
#include "server/handlers.h"
#include "server/page_answer.h"
#include "server/server.h"

static struct audit_filter filter_of(const struct audit_list_query *query)
{
	return (struct audit_filter){.key_id = query->key,
		.method = query->method,
		.entity = query->entity,
		.outcome = query->outcome,
		.text = query->q,
		.after_us = query->after_us,
		.before_us = query->before_us};
}

static enum status audit_read(struct storage *storage, const void *filter, const struct page_request *some, struct arena *arena,
	struct page_rows *rows, struct failure *failure)
{
	struct audit_list list;
	enum status status = storage_audit_list(storage, filter, some, arena, &list, failure);

	*rows = (struct page_rows){.items = list.items, .count = list.count, .next_cursor = list.next_cursor};
	return status;
}

enum status handle_audit_list(struct call *call)
{
	struct audit_list_query query = {0};
	struct audit_filter filter;
	struct page_request page;
	struct page_rows rows;
	enum status status = record_decode_query(&table_audit_list_query, call->query, call->query_count, &call->arena, &query, &call->failure);

	if (status != STATUS_OK)
		return status;
	page = page_request_of(&query.page);
	filter = filter_of(&query);
	status = audit_read(call->server->storage, &filter, &page, &call->arena, &rows, &call->failure);
	return status == STATUS_OK ? page_answer(call, &table_audit_entry, rows.items, rows.count, rows.next_cursor) : status;
}

enum status handle_audit_export(struct call *call)
{
	struct audit_list_query query = {0};
	struct audit_filter *filter = ARENA_NEW(&call->arena, struct audit_filter);
	enum status status = filter ? STATUS_OK : STATUS_NO_MEMORY;

	if (status == STATUS_OK)
		status = record_decode_query(&table_audit_export_query, call->query, call->query_count, &call->arena, &query, &call->failure);
	if (status != STATUS_OK)
		return status;
	*filter = filter_of(&query);
	return export_rows(call, &(struct export_source){.table = &table_audit_entry, .name = "audit", .read = audit_read, .filter = filter});
}
