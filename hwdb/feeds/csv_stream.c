#include "hwdb/feeds/csv_stream.h"

#include <string.h>

void csv_stream_init(struct csv_stream *stream, const char *const *wanted, size_t count,
	enum status (*record)(void *, const struct csv_stream *, struct failure *), void *context)
{
	CHECK(count <= CSV_STREAM_WANTED_MAX);
	*stream = (struct csv_stream){.wanted = wanted, .wanted_count = count, .record = record, .context = context};
	memset(stream->at_wanted, -1, sizeof stream->at_wanted);
}

/* Returns the buffer of the present field; NULL: the column is not wanted. */
static char *field_target(struct csv_stream *stream)
{
	int wanted;

	if (!stream->has_header)
		return stream->name;
	wanted = stream->column < CSV_STREAM_COLUMNS_MAX ? stream->at_wanted[stream->column] : -1;
	return wanted >= 0 ? stream->fields[wanted] : NULL;
}

static void field_add(struct csv_stream *stream, char *target, const char *bytes, size_t length)
{
	size_t room = CSV_STREAM_FIELD_MAX - stream->length;

	if (!target || room == 0)
		return;
	if (length > room)
		length = room;
	memcpy(target + stream->length, bytes, length);
	stream->length += length;
}

static void field_end(struct csv_stream *stream)
{
	char *target = field_target(stream);

	if (target)
		target[stream->length] = '\0';
	if (!stream->has_header && stream->column < CSV_STREAM_COLUMNS_MAX) {
		for (size_t i = 0; i < stream->wanted_count; i++) {
			if (strcmp(stream->name, stream->wanted[i]) == 0) {
				stream->at_wanted[stream->column] = (signed char)i;
				stream->found++;
			}
		}
	}
	stream->column++;
	stream->length = 0;
	stream->quoted = stream->quote_seen = stream->field_begun = false;
}

static enum status record_end(struct csv_stream *stream, struct failure *failure)
{
	enum status status = STATUS_OK;

	field_end(stream);
	stream->records++;
	if (!stream->has_header) {
		stream->has_header = stream->found == stream->wanted_count;
		stream->columns = stream->column;
		if (!stream->has_header)
			memset(stream->at_wanted, -1, sizeof stream->at_wanted);
		if (!stream->has_header && stream->records == CSV_STREAM_PREAMBLE_MAX)
			status = failure_set(failure, STATUS_MALFORMED, "none of the first %zu records has all expected columns", stream->records);
		stream->found = 0;
	} else if (stream->column != stream->columns) {
		status = failure_set(
			failure, STATUS_MALFORMED, "record %zu has %zu fields, the header has %zu", stream->records, stream->column, stream->columns);
	} else {
		status = stream->record(stream->context, stream, failure);
	}
	stream->column = 0;
	stream->begun = false;
	return status;
}

/* Returns the number of bytes before the next special byte. */
static size_t plain_run(const struct csv_stream *stream, const char *piece, size_t length)
{
	size_t run = 0;

	if (stream->quoted) {
		const char *quote = memchr(piece, '"', length);

		return quote ? (size_t)(quote - piece) : length;
	}
	while (run < length && piece[run] != ',' && piece[run] != '\n' && piece[run] != '\r')
		run++;
	return run;
}

static enum status take_byte(struct csv_stream *stream, char byte, struct failure *failure)
{
	if (stream->quoted && byte == '"') { /* the end of the field, or the first of a doubled quote */
		stream->quoted = false;
		stream->quote_seen = true;
	} else if (stream->quote_seen && byte == '"') {
		field_add(stream, field_target(stream), "\"", 1);
		stream->quoted = true;
		stream->quote_seen = false;
	} else if (byte == ',') {
		field_end(stream);
	} else if (byte == '\n') {
		return stream->begun ? record_end(stream, failure) : STATUS_OK;
	} else if (stream->quote_seen && byte != '\r') {
		return failure_set(failure, STATUS_MALFORMED, "record %zu: text follows a closing quote", stream->records + 1);
	}
	return STATUS_OK;
}

enum status csv_stream_feed(struct csv_stream *stream, const char *piece, size_t length, struct failure *failure)
{
	enum status status = STATUS_OK;
	size_t at = 0;

	if (length == 0 && (stream->begun || stream->quoted || !stream->has_header))
		return failure_set(
			failure, STATUS_MALFORMED, "the file ends %s", stream->has_header ? "in the middle of a record" : "before its header");
	while (at < length && status == STATUS_OK) {
		size_t run;

		if (!stream->quoted && !stream->quote_seen && !stream->field_begun && piece[at] == '"') {
			stream->quoted = stream->begun = stream->field_begun = true;
			at++;
			continue;
		}
		run = stream->quote_seen ? 0 : plain_run(stream, piece + at, length - at);
		if (run > 0) {
			field_add(stream, field_target(stream), piece + at, run);
			stream->begun = stream->field_begun = true;
		}
		at += run;
		if (at < length) {
			stream->begun |= piece[at] == ',';
			status = take_byte(stream, piece[at++], failure);
		}
	}
	return status;
}
