/* CSV reader (RFC 4180): reads a text in pieces of any size and calls a function for each record.
 *
 * Quoted fields may have commas, line ends and doubled quotes. Records end with LF, CRLF or the end of the text.
 * The reader ignores blank lines and a UTF-8 byte order mark. MALFORMED: text behind a closing quote, a quote inside
 * a field that does not begin with a quote, a quoted field that does not end, NUL bytes, bytes that are not UTF-8,
 * more than CSV_READER_COLUMNS_MAX columns. TOO_LARGE: a record of more than CSV_READER_RECORD_MAX_BYTES. NO_MEMORY.
 * One owner, one thread at a time. */
#ifndef FLEETPLAN_SCHEMA_CSV_READER_H
#define FLEETPLAN_SCHEMA_CSV_READER_H

#include "base/buffer.h"
#include "base/failure.h"

enum { CSV_READER_COLUMNS_MAX = 128, CSV_READER_RECORD_MAX_BYTES = 2 * 1024 * 1024 };

struct csv_reader;

/* Receives a record (csv_reader_cell). The cells are valid until it returns. Any status but STATUS_OK stops the reader. */
typedef enum status csv_reader_function(void *context, const struct csv_reader *reader, struct failure *failure);

struct csv_reader {
	/* Of the current record. */
	size_t record, line; /* from 1; line: of its first byte */
	size_t count;
	size_t starts[CSV_READER_COLUMNS_MAX]; /* of its cells, in `bytes` */
	struct buffer bytes;

	csv_reader_function *function;
	void *context;
	size_t lines; /* lines that have begun so far */
	int state;
	unsigned char mark; /* bytes of a byte order mark found so far, at the start of the text */
};

void csv_reader_init(struct csv_reader *reader, csv_reader_function *function, void *context);
void csv_reader_release(struct csv_reader *reader);

/* A cell of the current record; a NUL ends it. */
static inline const char *csv_reader_cell(const struct csv_reader *reader, size_t column)
{
	return reader->bytes.bytes + reader->starts[column];
}

FALLIBLE enum status csv_reader_feed(struct csv_reader *reader, const char *piece, size_t length, struct failure *failure);
FALLIBLE enum status csv_reader_end(struct csv_reader *reader, struct failure *failure);

#endif
