/* Comma-separated values (RFC 4180) in memory, record by record.
 *
 * The first record names the columns. Quoted fields may hold commas, line ends and doubled quotes; records end with LF,
 * CRLF or the end of the text; blank lines are skipped; a UTF-8 byte order mark is skipped. Refused: a record with
 * another number of fields than the header, a quote inside an unquoted field, an unterminated quote, NUL bytes, two
 * columns of one name, more than CSV_COLUMNS_MAX columns. Fields are copied into the arena. One thread at a time. */
#ifndef FLEETPLAN_HWDB_CSV_H
#define FLEETPLAN_HWDB_CSV_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/failure.h"

enum { CSV_COLUMNS_MAX = 64 };

struct csv {
	const char *name; /* of the file or body, for messages */
	const char *at, *end;
	struct arena *arena;
	size_t line; /* where the next record begins, from 1 */
	size_t record_line; /* where the current one began */
	size_t column_count;
	const char *columns[CSV_COLUMNS_MAX];
	const char *fields[CSV_COLUMNS_MAX]; /* of the current record; empty text for an empty field */
};

/* Reads the header. STATUS_MALFORMED and where, when the text is not CSV. */
FALLIBLE enum status csv_begin(
	struct csv *csv, const char *name, const char *text, size_t length, struct arena *arena, struct failure *failure);

/* The next record into fields[]. *more is false at the end. */
FALLIBLE enum status csv_next(struct csv *csv, bool *more, struct failure *failure);

/* Records left, quoted line ends counted as if they ended one: an upper bound for sizing an array. */
size_t csv_records_at_most(const struct csv *csv);

#endif
