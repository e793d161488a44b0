#include "api/readers/arrival_reader.h"

#include <stdlib.h>

#include "base/json_writer.h"
#include "schema/json_stream.h"

enum { ROWS_FIRST = 1024, COLUMNS = 3, ROWS_DEPTH = 3 }; /* depth: inside of {"trace": {"arrivals": [ */

/* Kinds of faults of a row. The first few of each kind are reported, so that one kind does not hide another; all are
 * counted. */
enum row_problem { ROW_NO_LIST, ROW_NO_NUMBER, ROW_TIME, ROW_UNSORTED, ROW_PROMPT, ROW_OUTPUT, ROW_PROBLEM_COUNT };
enum { TOLD_OF_EACH = FAULTS_MAX / ROW_PROBLEM_COUNT };

static const double most = 1e9; /* limit of a time in seconds, and of tokens */
static const char stand_in[] = "[0,1,1]";
static const char pointer_of_rows[] = "/trace/arrivals";

_Static_assert(sizeof(struct trace_arrival) == COLUMNS * sizeof(double), "a row is its three numbers");

struct arrival_reader {
	struct json_stream stream;
	struct buffer kept, text;
	const char *piece;
	size_t piece_kept;          /* bytes of the current piece that are stored or skipped already */
	bool in_trace, in_arrivals; /* the last key at depth 1 is `trace`, at depth 2 `arrivals` */
	bool in_rows, row_is_good;
	size_t columns, seen; /* columns: of the current row; seen: rows so far, good or not */
	size_t stand_in_at;   /* position in `kept`; 0: none */
	double row[COLUMNS];
	struct trace_arrival *rows;
	size_t count, capacity;
	size_t told[ROW_PROBLEM_COUNT];
	struct failure faults;
};

struct arrival_reader *arrival_reader_new(void)
{
	struct arrival_reader *reader = calloc(1, sizeof *reader);

	if (!reader)
		return NULL;
	buffer_init(&reader->kept, ARRIVALS_KEPT_MAX_BYTES);
	buffer_init(&reader->text, ARRIVALS_TEXT_MAX_BYTES);
	return reader;
}

void arrival_reader_free(struct arrival_reader *reader)
{
	if (!reader)
		return;
	free(reader->rows);
	buffer_release(&reader->kept);
	buffer_release(&reader->text);
	free(reader);
}

size_t arrival_reader_memory_bytes(const struct arrival_reader *reader)
{
	return sizeof *reader + reader->kept.capacity + reader->capacity * sizeof *reader->rows;
}

/* --- rows ---------------------------------------------------------------------------------------------------------- */

/* Records a fault of the current row: of one of its numbers, or (column COLUMNS) of the whole row. */
static void row_fault(struct arrival_reader *reader, enum row_problem problem, size_t column)
{
	static const struct {
		const char *code, *detail;
	} problems[ROW_PROBLEM_COUNT] = {[ROW_NO_LIST] = {"wrong_type", "should be a list of 3 numbers, [t_s, prompt_tokens, output_tokens]"},
		[ROW_NO_NUMBER] = {"wrong_type", "should be a number"},
		[ROW_TIME] = {"out_of_range", "should be a time in seconds, 0 to 1e9"},
		[ROW_UNSORTED] = {"unsorted", "arrives before the request ahead of it: sort the rows by t_s"},
		[ROW_PROMPT] = {"out_of_range", "should be the tokens of the prompt, 1 to 1e9"},
		[ROW_OUTPUT] = {"out_of_range", "should be the tokens of the answer, 1 to 1e9"}};
	char pointer[FAULT_POINTER_MAX];

	reader->row_is_good = false;
	if (reader->told[problem]++ >= TOLD_OF_EACH) {
		reader->faults.fault_total++;
		return;
	}
	snprintf(pointer, sizeof pointer, "%s/%zu", pointer_of_rows, reader->seen);
	if (column < COLUMNS)
		snprintf(pointer + strlen(pointer), sizeof pointer - strlen(pointer), "/%zu", column);
	failure_add(&reader->faults, pointer, problems[problem].code, "%s", problems[problem].detail);
}

static void row_check(struct arrival_reader *reader)
{
	const double *row = reader->row;

	if (reader->columns != COLUMNS) {
		row_fault(reader, ROW_NO_LIST, COLUMNS);
		return;
	}
	if (!(row[0] >= 0 && row[0] <= most))
		row_fault(reader, ROW_TIME, 0);
	else if (reader->count > 0 && row[0] < reader->rows[reader->count - 1].t_s)
		row_fault(reader, ROW_UNSORTED, 0);
	if (!(row[1] >= 1 && row[1] <= most))
		row_fault(reader, ROW_PROMPT, 1);
	if (!(row[2] >= 1 && row[2] <= most))
		row_fault(reader, ROW_OUTPUT, 2);
}

static enum status rows_make_room(struct arrival_reader *reader, struct failure *failure)
{
	size_t capacity = reader->capacity > 0 ? reader->capacity * 2 : ROWS_FIRST;
	struct trace_arrival *rows;

	if (reader->count < reader->capacity)
		return STATUS_OK;
	capacity = capacity < ARRIVALS_MAX ? capacity : ARRIVALS_MAX;
	rows = realloc(reader->rows, capacity * sizeof *rows);
	if (!rows)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory to read the trace");
	reader->rows = rows;
	reader->capacity = capacity;
	return STATUS_OK;
}

static enum status row_ends(struct arrival_reader *reader, struct failure *failure)
{
	enum status status;

	if (reader->row_is_good)
		row_check(reader);
	if (reader->seen++ == ARRIVALS_MAX)
		return failure_set(failure, STATUS_TOO_LARGE, "the trace has more than %d requests, the limit; send a part of it", ARRIVALS_MAX);
	if (!reader->row_is_good)
		return STATUS_OK;
	status = rows_make_room(reader, failure);
	if (status == STATUS_OK)
		reader->rows[reader->count++] = (struct trace_arrival){reader->row[0], reader->row[1], reader->row[2]};
	return status;
}

static void row_takes(struct arrival_reader *reader, const struct json_stream *stream, enum json_token token)
{
	size_t column = reader->columns++;

	if (token != TOKEN_NUMBER)
		row_fault(reader, ROW_NO_NUMBER, column);
	else if (column < COLUMNS)
		reader->row[column] = stream->number;
}

static bool token_begins(enum json_token token)
{
	return token == TOKEN_BEGIN_ARRAY || token == TOKEN_BEGIN_OBJECT;
}

static bool token_ends(enum json_token token)
{
	return token == TOKEN_END_ARRAY || token == TOKEN_END_OBJECT;
}

/* A list or object is counted at its beginning, with the depth around it. */
static enum status read_row_token(
	struct arrival_reader *reader, const struct json_stream *stream, enum json_token token, struct failure *failure)
{
	size_t around = stream->depth - (token_begins(token) || token_ends(token));

	if (around == ROWS_DEPTH && token_ends(token))
		return row_ends(reader, failure);
	if (around == ROWS_DEPTH) {
		reader->row_is_good = true;
		reader->columns = 0;
		if (token != TOKEN_BEGIN_ARRAY)
			row_fault(reader, ROW_NO_LIST, COLUMNS);
		return token_begins(token) ? STATUS_OK : row_ends(reader, failure);
	}
	if (around == ROWS_DEPTH + 1 && reader->row_is_good && !token_ends(token))
		row_takes(reader, stream, token);
	return STATUS_OK;
}

/* --- the text around the rows ------------------------------------------------------------------------------------- */

static void keep_until(struct arrival_reader *reader, size_t end)
{
	buffer_append(&reader->kept, reader->piece + reader->piece_kept, end - reader->piece_kept);
	reader->piece_kept = end;
}

static void rows_begin(struct arrival_reader *reader, const struct json_stream *stream)
{
	keep_until(reader, stream->at + 1);
	reader->in_rows = true;
}

static void rows_end(struct arrival_reader *reader, const struct json_stream *stream)
{
	reader->in_rows = false;
	reader->piece_kept = stream->at;
	if (reader->seen == 0)
		return;
	reader->stand_in_at = reader->kept.length;
	buffer_append(&reader->kept, stand_in, sizeof stand_in - 1);
}

static enum status read_token(void *context, const struct json_stream *stream, enum json_token token, struct failure *failure)
{
	struct arrival_reader *reader = context;

	if (reader->in_rows && (stream->depth != ROWS_DEPTH || token != TOKEN_END_ARRAY))
		return read_row_token(reader, stream, token, failure);
	if (reader->in_rows) {
		rows_end(reader, stream);
	} else if (token == TOKEN_KEY && stream->depth == 1) {
		reader->in_trace = strcmp(stream->text, "trace") == 0;
		reader->in_arrivals = false;
	} else if (token == TOKEN_KEY && stream->depth == 2) {
		reader->in_arrivals = reader->in_trace && strcmp(stream->text, "arrivals") == 0;
	} else if (token == TOKEN_BEGIN_ARRAY && stream->depth == ROWS_DEPTH && reader->in_arrivals) {
		rows_begin(reader, stream);
	}
	return STATUS_OK;
}

/* --- the body ---------------------------------------------------------------------------------------------------------- */

enum status arrival_reader_feed(struct arrival_reader *reader, const char *piece, size_t length, struct failure *failure)
{
	enum status status;

	if (!reader->stream.function)
		json_stream_init(&reader->stream, read_token, reader);
	reader->piece = piece;
	reader->piece_kept = 0;
	status = json_stream_feed(&reader->stream, piece, length, failure);
	if (status == STATUS_OK && !reader->in_rows)
		keep_until(reader, length);
	if (status == STATUS_OK && reader->kept.failed)
		return failure_set(
			failure, STATUS_TOO_LARGE, "the request is larger than %d bytes without trace.arrivals, the limit", ARRIVALS_KEPT_MAX_BYTES);
	return status;
}

enum status arrival_reader_end(struct arrival_reader *reader, struct failure *failure)
{
	if (!reader->stream.function)
		return failure_set(failure, STATUS_MALFORMED, "not JSON: the body is empty");
	return json_stream_end(&reader->stream, failure);
}

const struct buffer *arrival_reader_request(const struct arrival_reader *reader)
{
	return &reader->kept;
}

enum status arrival_reader_take(const struct arrival_reader *reader, struct request_trace *trace, struct failure *failure)
{
	const struct failure *faults = &reader->faults;

	if (faults->fault_total == 0 && reader->stand_in_at > 0) {
		trace->arrivals = reader->rows;
		trace->count = reader->count;
	}
	for (size_t i = 0; i < faults->fault_count; i++)
		failure_add(failure, faults->faults[i].pointer, faults->faults[i].code, "%s", faults->faults[i].detail);
	failure->fault_total += faults->fault_total - faults->fault_count;
	if (faults->fault_total > 0) {
		failure->detail[0] = '\0';
		failure_summarize(failure);
	}
	return failure->status;
}

static void rows_write(const struct arrival_reader *reader, struct buffer *text)
{
	struct json_writer writer;

	json_writer_init(&writer, text);
	for (size_t i = 0; i < reader->count; i++) {
		json_begin_array(&writer);
		json_double(&writer, reader->rows[i].t_s);
		json_double(&writer, reader->rows[i].prompt_tokens);
		json_double(&writer, reader->rows[i].output_tokens);
		json_end_array(&writer);
	}
}

enum status arrival_reader_text(struct arrival_reader *reader, struct json_text *text, struct failure *failure)
{
	const struct buffer *kept = &reader->kept;
	size_t behind = reader->stand_in_at + sizeof stand_in - 1;

	*text = (struct json_text){.text = kept->bytes, .length = kept->length};
	if (reader->stand_in_at == 0)
		return STATUS_OK;
	buffer_clear(&reader->text);
	buffer_append(&reader->text, kept->bytes, reader->stand_in_at);
	rows_write(reader, &reader->text);
	buffer_append(&reader->text, kept->bytes + behind, kept->length - behind);
	*text = (struct json_text){.text = reader->text.bytes, .length = reader->text.length};
	if (!reader->text.failed)
		return STATUS_OK;
	return failure_set(failure, STATUS_TOO_LARGE,
		"a trace that is stored with its plan may have %d bytes; use an estimate for a longer one", ARRIVALS_TEXT_MAX_BYTES);
}
