#include "schema/csv_reader.h"

#include <string.h>

#include "base/utf8.h"

enum csv_state {
	CSV_START,      /* before the first byte of a record */
	CSV_FIELD,      /* a field begins */
	CSV_PLAIN,      /* in a field without quotes */
	CSV_QUOTED,     /* in a quoted field */
	CSV_QUOTE_SEEN, /* after a quote in a quoted field: its end, or the first of a doubled quote */
	CSV_RETURN      /* after a CR; an LF must follow */
};

static const char byte_order_mark[] = "\xef\xbb\xbf";
enum { MARK_LENGTH = sizeof byte_order_mark - 1 };

void csv_reader_init(struct csv_reader *reader, csv_reader_function *function, void *context)
{
	*reader = (struct csv_reader){.function = function, .context = context, .lines = 1, .line = 1, .state = CSV_START};
	buffer_init(&reader->bytes, CSV_READER_RECORD_MAX_BYTES);
}

void csv_reader_release(struct csv_reader *reader)
{
	buffer_release(&reader->bytes);
}

static enum status csv_malformed(const struct csv_reader *reader, struct failure *failure, const char *problem)
{
	return failure_set(failure, STATUS_MALFORMED, "not CSV: line %zu: %s", reader->lines, problem);
}

/* The failure of a record that could not store `more` bytes. */
static enum status record_refused(const struct csv_reader *reader, size_t more, struct failure *failure)
{
	if (more <= CSV_READER_RECORD_MAX_BYTES - reader->bytes.length)
		return failure_set(failure, STATUS_NO_MEMORY, "line %zu: no memory for a record", reader->line);
	return failure_set(failure, STATUS_TOO_LARGE, "line %zu: the record has more than %d bytes", reader->line, CSV_READER_RECORD_MAX_BYTES);
}

static void field_begin(struct csv_reader *reader)
{
	if (reader->state == CSV_START) {
		reader->line = reader->lines;
		reader->count = 0;
		buffer_clear(&reader->bytes);
	}
	if (reader->count < CSV_READER_COLUMNS_MAX)
		reader->starts[reader->count] = reader->bytes.length;
	reader->count++;
}

static void field_end(struct csv_reader *reader)
{
	buffer_append_char(&reader->bytes, '\0');
	reader->state = CSV_FIELD;
}

static enum status record_end(struct csv_reader *reader, struct failure *failure)
{
	size_t text = reader->bytes.length;

	field_end(reader);
	reader->state = CSV_START;
	reader->record++;
	if (reader->bytes.failed)
		return record_refused(reader, 1, failure);
	if (reader->count > CSV_READER_COLUMNS_MAX)
		return failure_set(
			failure, STATUS_MALFORMED, "not CSV: line %zu: the record has more than %d fields", reader->line, CSV_READER_COLUMNS_MAX);
	for (size_t i = 0; i < reader->count; i++)
		if (!utf8_valid(csv_reader_cell(reader, i), strlen(csv_reader_cell(reader, i))))
			return failure_set(failure, STATUS_MALFORMED, "not CSV: line %zu, field %zu: not UTF-8", reader->line, i + 1);
	return text == 0 && reader->count == 1 ? STATUS_OK : reader->function(reader->context, reader, failure);
}

/* Counts the bytes before the next delimiter, quote, line end or NUL. */
static size_t plain_run(const struct csv_reader *reader, const char *piece, size_t length)
{
	size_t run = 0;

	if (reader->state == CSV_QUOTED) {
		while (run < length && piece[run] != '"' && piece[run] != '\n' && piece[run] != '\0')
			run++;
		return run;
	}
	while (run < length && piece[run] != ',' && piece[run] != '\n' && piece[run] != '\r' && piece[run] != '"' && piece[run] != '\0')
		run++;
	return run;
}

/* Reads a byte in a quoted field, or the byte after a quote in it. */
static enum status take_quoted(struct csv_reader *reader, char byte, struct failure *failure)
{
	if (reader->state == CSV_QUOTED && byte == '"') {
		reader->state = CSV_QUOTE_SEEN;
	} else if (reader->state == CSV_QUOTED) {
		reader->lines += byte == '\n';
		buffer_append_char(&reader->bytes, byte);
	} else if (byte == '"') {
		buffer_append_char(&reader->bytes, '"');
		reader->state = CSV_QUOTED;
	} else {
		return csv_malformed(reader, failure, "text follows a closing quote");
	}
	return STATUS_OK;
}

static enum status line_end(struct csv_reader *reader, struct failure *failure)
{
	enum status status = STATUS_OK;

	if (reader->state == CSV_FIELD)
		field_begin(reader); /* "a,b," ends with an empty field */
	if (reader->state != CSV_START)
		status = record_end(reader, failure);
	reader->lines++;
	return status;
}

static enum status take_byte(struct csv_reader *reader, char byte, struct failure *failure)
{
	if (byte == '\0')
		return csv_malformed(reader, failure, "the text has a NUL byte");
	if (reader->state == CSV_QUOTED || (reader->state == CSV_QUOTE_SEEN && byte != ',' && byte != '\n' && byte != '\r'))
		return take_quoted(reader, byte, failure);
	if (reader->state == CSV_RETURN && byte != '\n')
		return csv_malformed(reader, failure, "a carriage return without a line feed; end lines with LF or CRLF");
	if (byte == '\n') {
		if (reader->state == CSV_RETURN)
			reader->state = reader->count > 0 ? CSV_PLAIN : CSV_START;
		return line_end(reader, failure);
	}
	if (byte == '\r') {
		if (reader->state == CSV_FIELD)
			field_begin(reader);
		reader->count = reader->state == CSV_START ? 0 : reader->count;
		reader->state = CSV_RETURN;
		return STATUS_OK;
	}
	if (byte == '"' && reader->state == CSV_PLAIN)
		return csv_malformed(reader, failure, "a quote is inside a field that does not begin with a quote; quote the whole field");
	if (reader->state == CSV_START || reader->state == CSV_FIELD)
		field_begin(reader);
	if (byte == '"')
		reader->state = CSV_QUOTED;
	else
		field_end(reader); /* the byte is a comma */
	return STATUS_OK;
}

/* Skips a byte order mark, which may arrive in pieces. A part of a mark is not UTF-8. */
static enum status skip_mark(struct csv_reader *reader, const char **at, const char *end, struct failure *failure)
{
	unsigned char met;

	while (reader->mark < MARK_LENGTH && *at < end && **at == byte_order_mark[reader->mark]) {
		reader->mark++;
		++*at;
	}
	if (*at == end || reader->mark == MARK_LENGTH)
		return STATUS_OK;
	met = reader->mark;
	reader->mark = MARK_LENGTH;
	return met > 0 ? csv_malformed(reader, failure, "not UTF-8") : STATUS_OK;
}

enum status csv_reader_feed(struct csv_reader *reader, const char *piece, size_t length, struct failure *failure)
{
	const char *at = piece, *end = piece + length;
	enum status status = skip_mark(reader, &at, end, failure);

	while (at < end && status == STATUS_OK) {
		size_t run = reader->state == CSV_QUOTE_SEEN || reader->state == CSV_RETURN ? 0 : plain_run(reader, at, (size_t)(end - at));

		if (run > 0) {
			if (reader->state == CSV_START || reader->state == CSV_FIELD) {
				field_begin(reader);
				reader->state = CSV_PLAIN;
			}
			buffer_append(&reader->bytes, at, run);
			at += run;
			if (reader->bytes.failed)
				return record_refused(reader, run, failure);
			continue;
		}
		status = take_byte(reader, *at++, failure);
	}
	return status;
}

enum status csv_reader_end(struct csv_reader *reader, struct failure *failure)
{
	if (reader->mark > 0 && reader->mark < MARK_LENGTH)
		return csv_malformed(reader, failure, "not UTF-8");
	if (reader->state == CSV_QUOTED)
		return csv_malformed(reader, failure, "a quoted field does not end");
	if (reader->state == CSV_RETURN)
		return csv_malformed(reader, failure, "a carriage return without a line feed; end lines with LF or CRLF");
	return reader->state == CSV_START ? STATUS_OK : line_end(reader, failure);
}
