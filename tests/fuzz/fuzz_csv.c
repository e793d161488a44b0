/* Any bytes as CSV for the three readers. Each gives the same result for every division into pieces, a table has the
 * reader's records, and written cells read back unchanged. */
#include "base/utf8.h"
#include "fuzz/input.h"
#include "hwdb/feeds/csv_stream.h"
#include "schema/csv_reader.h"
#include "schema/csv_table.h"
#include "schema/record.h"
#include "schema/row_texts.h"

enum { CELLS_MAX_BYTES = 1 << 20 };

/* Appends a record to the buffer: each cell ends with NUL, a record with \1. */
static enum status keep_record(void *context, const struct csv_reader *reader, struct failure *failure)
{
	struct buffer *cells = context;

	CHECK(reader->count >= 1 && reader->count <= CSV_READER_COLUMNS_MAX && reader->line >= 1 && reader->record >= 1);
	for (size_t i = 0; i < reader->count; i++) {
		const char *cell = csv_reader_cell(reader, i);

		CHECK(utf8_valid(cell, strlen(cell)));
		buffer_append(cells, cell, strlen(cell) + 1);
	}
	buffer_append_char(cells, '\1');
	return cells->failed ? failure_set(failure, STATUS_TOO_LARGE, "too many cells") : STATUS_OK;
}

static enum status feed_reader(void *reader, const char *piece, size_t length, struct failure *failure)
{
	return csv_reader_feed(reader, piece, length, failure);
}

static enum status read_cells(const char *text, size_t length, size_t step, struct buffer *cells)
{
	static struct failure failure;
	struct csv_reader reader;
	enum status status;

	failure_clear(&failure);
	buffer_init(cells, CELLS_MAX_BYTES);
	csv_reader_init(&reader, keep_record, cells);
	status = input_feed(feed_reader, &reader, text, length, step, &failure);
	if (status == STATUS_OK)
		status = csv_reader_end(&reader, &failure);
	csv_reader_release(&reader);
	return status;
}

/* Reads the same with the reader of whole texts, which needs as many fields in each record as the header has. */
static bool read_whole(const char *text, size_t length, struct arena *arena, struct buffer *cells)
{
	static struct failure failure;
	static struct csv csv;
	size_t records = 0;

	failure_clear(&failure);
	buffer_init(cells, CELLS_MAX_BYTES);
	if (csv_begin(&csv, "fuzz", text, length, arena, &failure) != STATUS_OK)
		return false;
	for (size_t i = 0; i < csv.column_count; i++)
		buffer_append(cells, csv.columns[i], strlen(csv.columns[i]) + 1);
	buffer_append_char(cells, '\1');
	for (; csv_next(&csv); records++) {
		for (size_t i = 0; i < csv.column_count; i++)
			buffer_append(cells, csv.fields[i], strlen(csv.fields[i]) + 1);
		buffer_append_char(cells, '\1');
	}
	CHECK(records == csv.record_count);
	return true;
}

static bool is_same(const struct buffer *a, const struct buffer *b)
{
	return a->length == b->length && (a->length == 0 || memcmp(a->bytes, b->bytes, a->length) == 0);
}

struct streamed {
	struct csv_stream stream;
	struct buffer cells;
};

static enum status keep_streamed(void *context, const struct csv_stream *stream, struct failure *failure)
{
	struct buffer *cells = context;

	for (size_t i = 0; i < stream->wanted_count; i++)
		buffer_append(cells, stream->fields[i], strlen(stream->fields[i]) + 1);
	return cells->failed ? failure_set(failure, STATUS_TOO_LARGE, "too many cells") : STATUS_OK;
}

static enum status feed_stream(void *stream, const char *piece, size_t length, struct failure *failure)
{
	return csv_stream_feed(stream, piece, length, failure);
}

static enum status read_streamed(const char *text, size_t length, size_t step, struct buffer *cells)
{
	static const char *const wanted[] = {"a", "b"};
	static struct failure failure;
	static struct csv_stream stream;
	enum status status;

	failure_clear(&failure);
	buffer_init(cells, CELLS_MAX_BYTES);
	csv_stream_init(&stream, wanted, COUNT_OF(wanted), keep_streamed, cells);
	status = input_feed(feed_stream, &stream, text, length, step, &failure);
	return status == STATUS_OK ? csv_stream_feed(&stream, "", 0, &failure) : status;
}

static enum status check_guarded(void *context, const struct csv_reader *reader, struct failure *failure)
{
	(void)failure;
	if (reader->record == 1)
		return STATUS_OK;
	CHECK(reader->count == 2 && strcmp(row_texts_unguarded(csv_reader_cell(reader, 0)), context) == 0);
	CHECK(!csv_is_formula(csv_reader_cell(reader, 0)) || csv_reader_cell(reader, 0)[0] == '\'');
	return STATUS_OK;
}

/* Writes the text as a cell beside another, and reads both. */
static void check_written(const char *text)
{
	static struct failure failure;
	struct csv_reader reader;
	struct buffer row;

	buffer_init(&row, CELLS_MAX_BYTES);
	buffer_append_text(&row, "text,x\n"); /* only the very start can have a byte order mark */
	csv_text(text, &row);
	buffer_append_text(&row, ",x\n");
	csv_reader_init(&reader, check_guarded, (void *)(uintptr_t)text);
	failure_clear(&failure);
	CHECK(csv_reader_feed(&reader, row.bytes, row.length, &failure) == STATUS_OK && csv_reader_end(&reader, &failure) == STATUS_OK);
	CHECK(reader.record == 2);
	csv_reader_release(&reader);
	buffer_release(&row);
}

/* The first byte chooses the arena, the second the size of the pieces. */
void fuzz_one(struct input *input)
{
	static struct arena arena;
	struct buffer cells, again;
	enum status status;
	size_t length, step;
	char *text;

	input_arena(input, &arena, 1 << 20);
	step = input_byte(input) % 64 + 1;
	text = input_rest(input, &length);
	status = read_cells(text, length, length + 1, &cells);
	CHECK(read_cells(text, length, step, &again) == status && is_same(&cells, &again));
	buffer_release(&again);
	if (read_whole(text, length, &arena, &again))
		CHECK(status == STATUS_OK && is_same(&cells, &again));
	buffer_release(&again);
	buffer_release(&cells);
	status = read_streamed(text, length, length + 1, &cells);
	CHECK(read_streamed(text, length, step, &again) == status && (status != STATUS_OK || is_same(&cells, &again)));
	buffer_release(&again);
	buffer_release(&cells);
	if (utf8_valid(text, strlen(text)))
		check_written(text);
}
