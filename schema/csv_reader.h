/* CSV (RFC 4180) as it arrives, in pieces of any size, told record by record.
 *
 * Quoted fields may hold commas, line ends and doubled quotes; records end with LF, CRLF or the end of the text; blank lines are passed
 * over; so is a UTF-8 byte order mark. MALFORMED: text behind a closing quote, a quote inside a field that does not begin with one,
 * a quote without end, NUL bytes, bytes that are not UTF-8, more columns in a record than the limit. TOO_LARGE: more bytes in one. NO_MEMORY.
 * One owner, one thread at a time. */
#ifndef FLEETPLAN_SCHEMA_CSV_READER_H
#define FLEETPLAN_SCHEMA_CSV_READER_H

#include "base/buffer.h"
#include "base/failure.h"

enum { CSV_READER_COLUMNS_MAX = 128, CSV_READER_RECORD_MAX_BYTES = 2 * 1024 * 1024 };

struct csv_reader;

/* A record's cells, each closed by a NUL; they hold until it returns. Anything but STATUS_OK ends the reading with it. */
typedef enum status csv_reader_function(void *context, const struct csv_reader *reader, struct failure *failure);

struct csv_reader {
	/* Of the present record. */
	size_t record, line; /* from 1; line: where it begins */
	size_t count;
	size_t starts[CSV_READER_COLUMNS_MAX]; /* of its cells, in `bytes` */
	struct buffer bytes;

	csv_reader_function *function;
	void *context;
	size_t lines; /* begun so far */
	int state;
	unsigned char mark; /* bytes of a byte order mark met at the start; beyond them it is text */
};

void csv_reader_init(struct csv_reader *reader, csv_reader_function *function, void *context);
void csv_reader_release(struct csv_reader *reader);

static inline const char *csv_reader_cell(const struct csv_reader *reader, size_t column)
{
	return reader->bytes.bytes + reader->starts[column];
}

FALLIBLE enum status csv_reader_feed(struct csv_reader *reader, const char *piece, size_t length, struct failure *failure);
FALLIBLE enum status csv_reader_end(struct csv_reader *reader, struct failure *failure);

#endif
