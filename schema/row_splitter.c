#include "schema/row_splitter.h"

#include <string.h>

void row_splitter_init(struct row_splitter *splitter, row_splitter_function *function, void *context)
{
	*splitter = (struct row_splitter){.function = function, .context = context, .lines = 1};
	buffer_init(&splitter->element, ROW_ELEMENT_MAX_BYTES);
}

void row_splitter_release(struct row_splitter *splitter)
{
	buffer_release(&splitter->element);
}

/* An element did not fit: beyond its maximum, or without memory. */
static enum status no_room(const struct row_splitter *splitter, struct failure *failure)
{
	if (!splitter->element.full)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the rows");
	return failure_set(failure, STATUS_TOO_LARGE, "element %zu has more than %d bytes", splitter->place, ROW_ELEMENT_MAX_BYTES);
}

static enum status element_ends(struct row_splitter *splitter, struct failure *failure)
{
	enum status status;

	if (splitter->element.failed)
		return no_room(splitter, failure);
	status = splitter->function(
		splitter->context, splitter->element.bytes, splitter->element.length, splitter->place, splitter->line, failure);
	splitter->place++;
	splitter->in_element = false;
	buffer_clear(&splitter->element);
	return status;
}

/* --- a list -------------------------------------------------------------------------------------------------------- */

static void append_until(struct row_splitter *splitter, size_t end)
{
	buffer_append(&splitter->element, splitter->piece + splitter->piece_kept, end - splitter->piece_kept);
	splitter->piece_kept = end;
}

/* Reports an element that is neither an object nor a list as null. */
static enum status scalar_element(struct row_splitter *splitter, const struct json_stream *stream, struct failure *failure)
{
	splitter->line = stream->line;
	buffer_append_text(&splitter->element, "null");
	return element_ends(splitter, failure);
}

static enum status list_token(void *context, const struct json_stream *stream, enum json_token token, struct failure *failure)
{
	struct row_splitter *splitter = context;
	bool begins = token == TOKEN_BEGIN_OBJECT || token == TOKEN_BEGIN_ARRAY, ends = token == TOKEN_END_OBJECT || token == TOKEN_END_ARRAY;

	if (begins && stream->depth == 2) {
		splitter->line = stream->line;
		splitter->piece_kept = stream->at;
		splitter->in_element = true;
	} else if (ends && stream->depth == 2) {
		append_until(splitter, stream->at + 1);
		return element_ends(splitter, failure);
	} else if (!begins && !ends && stream->depth == 1) {
		return scalar_element(splitter, stream, failure);
	}
	return STATUS_OK;
}

static enum status feed_list(struct row_splitter *splitter, const char *piece, size_t length, struct failure *failure)
{
	enum status status;

	splitter->piece = piece;
	splitter->piece_kept = 0;
	status = json_stream_feed(&splitter->stream, piece, length, failure);
	if (status == STATUS_OK && splitter->in_element)
		append_until(splitter, length);
	if (status == STATUS_OK && splitter->element.failed)
		return no_room(splitter, failure);
	return status;
}

/* --- lines --------------------------------------------------------------------------------------------------------- */

static bool is_blank(const struct buffer *line)
{
	for (size_t i = 0; i < line->length; i++)
		if (!strchr(" \t\r", line->bytes[i]) || line->bytes[i] == '\0')
			return false;
	return true;
}

static enum status line_ends(struct row_splitter *splitter, struct failure *failure)
{
	enum status status = STATUS_OK;

	splitter->line = splitter->lines++;
	if (splitter->element.failed || !is_blank(&splitter->element))
		status = element_ends(splitter, failure);
	buffer_clear(&splitter->element);
	return status;
}

static enum status feed_lines(struct row_splitter *splitter, const char *piece, size_t length, struct failure *failure)
{
	const char *end = piece + length;
	enum status status = STATUS_OK;

	while (piece < end && status == STATUS_OK) {
		const char *line_end = memchr(piece, '\n', (size_t)(end - piece));

		buffer_append(&splitter->element, piece, (size_t)((line_end ? line_end : end) - piece));
		if (line_end || splitter->element.failed)
			status = line_ends(splitter, failure);
		piece = line_end ? line_end + 1 : end;
	}
	return status;
}

/* --- both forms -------------------------------------------------------------------------------------------------------- */

enum status row_splitter_feed(struct row_splitter *splitter, const char *piece, size_t length, struct failure *failure)
{
	for (; splitter->form == SPLIT_UNKNOWN && length > 0; piece++, length--) {
		splitter->lines += *piece == '\n';
		if (strchr(" \t\r\n", *piece) && *piece != '\0')
			continue;
		splitter->form = *piece == '[' ? SPLIT_LIST : SPLIT_LINES;
		json_stream_init(&splitter->stream, list_token, splitter);
		splitter->stream.line = splitter->lines;
		break;
	}
	if (length == 0)
		return STATUS_OK;
	return splitter->form == SPLIT_LIST ? feed_list(splitter, piece, length, failure) : feed_lines(splitter, piece, length, failure);
}

enum status row_splitter_end(struct row_splitter *splitter, struct failure *failure)
{
	if (splitter->form == SPLIT_UNKNOWN)
		return failure_set(failure, STATUS_MALFORMED, "not JSON: the text is empty; send a list of rows");
	if (splitter->form == SPLIT_LIST)
		return json_stream_end(&splitter->stream, failure);
	return line_ends(splitter, failure);
}
