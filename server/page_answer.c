#include "server/page_answer.h"

#include "schema/field.h"

struct page_request page_request_of(const struct page_query *query)
{
	return (struct page_request){.limit = query->limit > 0 ? (size_t)query->limit : PAGE_LIMIT_DEFAULT, .cursor = query->cursor};
}

enum status page_label_of(struct call *call, const char *label, const char **key, const char **value)
{
	const char *colon = label ? strchr(label, ':') : NULL;

	if (!label)
		return STATUS_OK;
	if (!colon || colon == label) {
		failure_add(&call->failure, "/label", "bad_format", "label must be key:value, for example team:research");
		return STATUS_INVALID;
	}
	*key = arena_strndup(&call->arena, label, (size_t)(colon - label));
	*value = colon + 1;
	return *key ? STATUS_OK : STATUS_NO_MEMORY;
}

enum { PAGE_READ_ROWS = 25, PAGE_READ_MAX_BYTES = 128 * 1024 * 1024 };

static void page_answer_csv(struct call *call, const struct field_table *table, const char *items, size_t count)
{
	csv_header(table, CSV_LIST, &call->answer);
	for (size_t i = 0; i < count; i++)
		csv_row(table, CSV_LIST, items + i * table->size, &call->answer);
}

enum status page_answer(struct call *call, const struct field_table *table, const void *items, size_t count, const char *next_cursor)
{
	return page_answer_remarked(call, table, items, count, next_cursor, &(struct page_remark){.empty_because = NULL});
}

enum status page_answer_remarked(struct call *call, const struct field_table *table, const void *items, size_t count,
	const char *next_cursor, const struct page_remark *remark)
{
	struct json_writer *json = &call->json;

	if (next_cursor)
		call_link_next(call, next_cursor);
	if (call->accept == MEDIA_CSV) {
		page_answer_csv(call, table, items, count);
		return STATUS_OK;
	}
	json_begin_object(json);
	json_key(json, "items");
	json_begin_array(json);
	for (size_t i = 0; i < count; i++)
		record_encode(table, (const char *)items + i * table->size, json);
	json_end_array(json);
	json_key(json, "next_cursor");
	json_string(json, next_cursor);
	if (count == 0 && remark->empty_because) {
		json_key(json, "empty_because");
		json_string(json, remark->empty_because);
	}
	if (remark->looking) {
		json_key(json, "looking");
		json_bool(json, true);
	}
	json_end_object(json);
	return STATUS_OK;
}

static void page_rows_write(struct call *call, const struct field_table *table, const struct text_list *fields, const struct page_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		const char *row = (const char *)rows->items + i * table->size;

		if (call->accept == MEDIA_CSV)
			csv_row(table, CSV_LIST, row, &call->answer);
		else if (fields)
			record_encode_fields(table, row, fields, &call->json);
		else
			record_encode(table, row, &call->json);
	}
}

/* Reads rows until the page is full. *next is the cursor of the next page, in the call's arena. */
static enum status page_rows_read(struct call *call, const struct field_table *table, const struct text_list *fields,
	const struct page_request *page, page_read *read, const void *filter, const char **next)
{
	size_t left = page->limit ? page->limit : PAGE_LIMIT_DEFAULT;
	struct page_request some = {.cursor = page->cursor};
	enum status status = STATUS_OK;
	struct arena arena;

	*next = NULL;
	arena_init(&arena, PAGE_READ_MAX_BYTES);
	do {
		struct page_rows rows = {0};

		some.limit = left < PAGE_READ_ROWS ? left : PAGE_READ_ROWS;
		status = read(call, filter, &some, &arena, &rows);
		if (status != STATUS_OK)
			break;
		page_rows_write(call, table, fields, &rows);
		left -= rows.count;
		some.cursor = *next = arena_strdup(&call->arena, rows.next_cursor);
		if (rows.next_cursor && !*next)
			status = STATUS_NO_MEMORY;
		arena_reset(&arena);
	} while (status == STATUS_OK && *next && left > 0 && call->answer.length < PAGE_ANSWER_BYTES && !call->answer.failed);
	arena_release(&arena);
	return status;
}

enum status page_answer_read(
	struct call *call, const struct field_table *table, const struct page_request *page, page_read *read, const void *filter)
{
	return page_answer_read_fields(call, table, NULL, page, read, filter);
}

enum status page_answer_read_fields(struct call *call, const struct field_table *table, const struct text_list *fields,
	const struct page_request *page, page_read *read, const void *filter)
{
	bool csv = call->accept == MEDIA_CSV;
	struct json_writer *json = &call->json;
	const char *next;
	enum status status;

	if (csv) {
		csv_header(table, CSV_LIST, &call->answer);
	} else {
		json_begin_object(json);
		json_key(json, "items");
		json_begin_array(json);
	}
	status = page_rows_read(call, table, fields, page, read, filter, &next);
	if (status != STATUS_OK)
		return status;
	if (next)
		call_link_next(call, next);
	if (csv)
		return STATUS_OK;
	json_end_array(json);
	json_key(json, "next_cursor");
	json_string(json, next);
	json_end_object(json);
	return STATUS_OK;
}
