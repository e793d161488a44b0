#include "server/export.h"

#include "base/log.h"
#include "server/http_private.h"
#include "server/server.h"

enum {
	EXPORT_FIRST_ROWS = 4,
	EXPORT_PAGE_ROWS = 200,
	EXPORT_PAGE_BYTES = 128 * 1024,
	EXPORT_PAGE_MAX_BYTES = 512 * 1024 * 1024,
	EXPORT_BLOCK_BYTES = 32 * 1024
};

struct export
{
	struct exchange *exchange;
	struct export_source source;
	struct arena page, cursors[2]; /* the page's rows; its cursor and the cursor of the page before */
	const char *cursor;
	size_t pages, rows; /* rows: number of rows of the next page */
	bool ended, failed;
	struct buffer pending;
	size_t sent_bytes; /* bytes of `pending` that are sent */
	struct failure failure;
};

static void write_rows(struct export *export, const struct page_rows *list)
{
	const struct field_table *table = export->source.table;
	enum media media = export->exchange->call.answer_media;
	struct json_writer writer;

	for (size_t i = 0; i < list->count; i++) {
		const char *row = (const char *)list->items + i * table->size;

		if (media == MEDIA_CSV) {
			csv_row(table, CSV_EXPORT, row, &export->pending);
			continue;
		}
		if (media == MEDIA_JSON)
			buffer_append_text(&export->pending, export->pages == 0 && i == 0 ? "[" : ",\n");
		json_writer_init(&writer, &export->pending);
		writer.exact = true;
		record_encode(table, row, &writer);
		if (media == MEDIA_NDJSON)
			buffer_append_char(&export->pending, '\n');
	}
	if (media == MEDIA_JSON && !list->next_cursor)
		buffer_append_text(&export->pending, export->pages == 0 && list->count == 0 ? "[]\n" : "]\n");
}

/* Chooses the number of rows of the next page so that a page has about EXPORT_PAGE_BYTES: an export holds one page in
 * memory. */
static void fit_rows(struct export *export, size_t rows)
{
	size_t fitting = export->pending.length > 0 ? rows * EXPORT_PAGE_BYTES / export->pending.length : 0;

	export->rows = fitting < 1 ? 1 : fitting > EXPORT_PAGE_ROWS ? EXPORT_PAGE_ROWS : fitting;
	if (export->rows > 4 * rows)
		export->rows = 4 * rows; /* the next ones may be larger */
}

/* Reads the next page, or the end. */
static void fill_page(struct export *export)
{
	struct page_request request = {.limit = export->rows, .cursor = export->cursor};
	struct arena *cursors = &export->cursors[export->pages % 2];
	struct page_rows list;
	enum status status;

	arena_reset(&export->page);
	buffer_clear(&export->pending);
	export->sent_bytes = 0;
	if (export->pages == 0 && export->exchange->call.answer_media == MEDIA_CSV)
		csv_header(export->source.table, CSV_EXPORT, &export->pending);
	status = export->source.read(
		export->exchange->call.server->storage, export->source.filter, &request, &export->page, &list, &export->failure);
	if (status == STATUS_OK) {
		write_rows(export, &list);
		fit_rows(export, list.count ? list.count : 1);
		arena_reset(cursors);
		export->cursor = arena_strdup(cursors, list.next_cursor);
		export->ended = !export->cursor;
		export->pages++;
	}
	export->failed = status != STATUS_OK || export->pending.failed;
	if (export->failed)
		log_event(
			LOG_ERROR, "export_cut", LOG_TEXT("request", export->exchange->call.request_id), LOG_TEXT("detail", export->failure.detail));
}

static ssize_t export_read(void *closure, uint64_t position, char *out, size_t room)
{
	struct export *export = closure;
	struct exchange *exchange = export->exchange;
	size_t left;

	(void)position;
	while (!export->failed && export->sent_bytes == export->pending.length && !export->ended)
		fill_page(export);
	left = export->pending.length - export->sent_bytes;
	if (export->failed)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (left == 0)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (left > room)
		left = room;
	memcpy(out, export->pending.bytes + export->sent_bytes, left);
	export->sent_bytes += left;
	exchange->answer_length += left;
	/* Each block starts a new deadline. */
	return peer_enter(&exchange->http->peers, exchange->peer, PHASE_SENDING) ? (ssize_t)left : MHD_CONTENT_READER_END_WITH_ERROR;
}

struct MHD_Response *export_response(struct exchange *exchange)
{
	return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, EXPORT_BLOCK_BYTES, export_read, exchange->export, NULL);
}

void export_end(struct exchange *exchange)
{
	struct export *export = exchange->export;

	if (!export)
		return;
	exchange->export = NULL;
	arena_release(&export->page);
	arena_release(&export->cursors[0]);
	arena_release(&export->cursors[1]);
	buffer_release(&export->pending);
	free(export);
}

enum status export_rows(struct call *call, const struct export_source *source)
{
	struct exchange *exchange = exchange_of(call);
	struct export *export = calloc(1, sizeof *export);

	if (!export)
		return STATUS_NO_MEMORY;
	export->exchange = exchange;
	export->source = *source;
	export->rows = EXPORT_FIRST_ROWS;
	arena_init(&export->page, EXPORT_PAGE_MAX_BYTES);
	arena_init(&export->cursors[0], 4096);
	arena_init(&export->cursors[1], 4096);
	buffer_init(&export->pending, EXPORT_PAGE_MAX_BYTES);
	call_header(call, "Content-Disposition",
		arena_printf(&call->arena, "attachment; filename=\"%s.%s\"", source->name,
			call->answer_media == MEDIA_CSV          ? "csv"
				: call->answer_media == MEDIA_NDJSON ? "ndjson"
													 : "json"));
	exchange->export = export;
	return STATUS_OK;
}

/* A filter of catalogue rows at one moment. */
struct catalogue_rows_of {
	enum row_kind kind;
	struct row_filter filter;
};

static enum status catalogue_read(struct storage *storage, const void *filter, const struct page_request *some, struct arena *arena,
	struct page_rows *rows, struct failure *failure)
{
	const struct catalogue_rows_of *of = filter;
	struct row_list list;
	enum status status = storage_row_list(storage, of->kind, &of->filter, some, arena, &list, failure);

	*rows = (struct page_rows){.items = list.items, .count = list.count, .next_cursor = list.next_cursor};
	return status;
}

enum status export_begin(struct call *call, const struct row_ops *ops)
{
	struct catalogue_query query = {0};
	struct catalogue_rows_of *of = ARENA_NEW(&call->arena, struct catalogue_rows_of);
	const char *name = arena_printf(&call->arena, "%ss", ops->noun);
	int64_t moment_us = 0, revision = 0;
	enum status status = of && name ? STATUS_OK : STATUS_NO_MEMORY;

	if (status == STATUS_OK)
		status = record_decode_query(&table_catalogue_row_query, call->query, call->query_count, &call->arena, &query, &call->failure);
	if (status == STATUS_OK && query.as_of_us > 0)
		status = server_as_of_check(query.as_of_us, &call->failure);
	if (status == STATUS_OK)
		status = storage_catalogue_moment(
			call->server->storage, query.as_of_us > 0 ? query.as_of_us : 0, &call->arena, &moment_us, &revision, &call->failure);
	if (status != STATUS_OK || call_not_modified(call, revision))
		return status;
	*of = (struct catalogue_rows_of){
		.kind = ops->kind, .filter.as_of_us = moment_us > 0 ? moment_us : 1}; /* before the first change there are no rows */
	return export_rows(call, &(struct export_source){.table = ops->table, .name = name, .read = catalogue_read, .filter = of});
}
