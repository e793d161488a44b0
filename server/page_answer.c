#include "server/page_answer.h"

#include "api/field.h"

struct page_request page_request_of(const struct page_query *query)
{
	return (struct page_request){
		.limit = query->limit > 0 ? (size_t)query->limit : PAGE_LIMIT_DEFAULT, .cursor = query->cursor};
}

enum status page_label_of(struct call *call, const char *label, const char **key, const char **value)
{
	const char *colon = label ? strchr(label, ':') : NULL;

	if (!label)
		return STATUS_OK;
	if (!colon || colon == label) {
		failure_add(&call->failure, "/label", "bad_format", "a label is given as key:value, like team:research");
		return STATUS_INVALID;
	}
	*key = arena_strndup(&call->arena, label, (size_t)(colon - label));
	*value = colon + 1;
	return *key ? STATUS_OK : STATUS_NO_MEMORY;
}

static void page_answer_csv(struct call *call, const struct field_table *table, const char *items, size_t count)
{
	api_csv_header(table, CSV_LIST, &call->answer);
	for (size_t i = 0; i < count; i++)
		api_csv_row(table, CSV_LIST, items + i * table->size, &call->answer);
}

enum status page_answer(struct call *call, const struct field_table *table, const void *items, size_t count, const char *next_cursor)
{
	return page_answer_remarked(call, table, items, count, next_cursor, &(struct page_remark){.empty_because = NULL});
}

enum status page_answer_remarked(struct call *call, const struct field_table *table, const void *items, size_t count, const char *next_cursor,
	const struct page_remark *remark)
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
		api_encode(table, (const char *)items + i * table->size, json);
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
