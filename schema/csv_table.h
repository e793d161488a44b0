/* CSV table (RFC 4180): reads a text in memory and returns its records one by one.
 *
 * The first record is the header and names the columns. schema/csv_reader.h says what valid CSV is. Also MALFORMED: a
 * record with another number of fields than the header, two columns with the same name, more than CSV_COLUMNS_MAX
 * columns. Fields are copied into the arena. One thread at a time. */
#ifndef FLEETPLAN_SCHEMA_CSV_TABLE_H
#define FLEETPLAN_SCHEMA_CSV_TABLE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/failure.h"

enum { CSV_COLUMNS_MAX = 64 };

struct csv_record;

struct csv {
	const char *name; /* of the file or body, for messages */
	size_t column_count;
	const char *columns[CSV_COLUMNS_MAX];
	size_t record_count;       /* without the header */
	size_t record_line;        /* first line of the current record, from 1 */
	const char *const *fields; /* of the current record; "": an empty field */

	const struct csv_record *next;
};

/* Reads the whole text. STATUS_MALFORMED with the line when it is not valid; STATUS_NO_MEMORY. */
FALLIBLE enum status csv_begin(
	struct csv *csv, const char *name, const char *text, size_t length, struct arena *arena, struct failure *failure);

/* Moves to the next record. False at the end. */
bool csv_next(struct csv *csv);

#endif
