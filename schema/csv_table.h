/* CSV (RFC 4180) in memory, with a header: record by record.
 *
 * The first record names the columns. What is CSV says schema/csv_reader.h; refused are also a record with another number of fields than the
 * header, two columns of one name, more than CSV_COLUMNS_MAX columns. Fields are copied into the arena. One thread at a time. */
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
	size_t record_count;       /* behind the header */
	size_t record_line;        /* where the current one began, from 1 */
	const char *const *fields; /* of the current record; empty text for an empty field */

	const struct csv_record *next;
};

/* Reads all of it. STATUS_MALFORMED and where, when the text is not CSV; STATUS_NO_MEMORY. */
FALLIBLE enum status csv_begin(
	struct csv *csv, const char *name, const char *text, size_t length, struct arena *arena, struct failure *failure);

/* Makes the next record the current one; false at the end. */
bool csv_next(struct csv *csv);

#endif
