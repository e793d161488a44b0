/* Many rows of one field table as they arrive: CSV, or JSON (a list of objects, or objects line by line), each decoded by its table as
 * a single one would be. Bodies are never held: a row is its struct and its texts, of which the same are kept once.
 *
 * In CSV the header names the table's keys, in any order; an empty cell is absent; a list's items (aliases) are parted by spaces,
 * objects (a model's config, conflicts) are JSON; the apostrophe that guards a text which a spreadsheet would take for a formula (csv_table.h) is
 * taken off. Members that are only answered (origin, revision, ...) are passed over in both, so that what was exported can be
 * imported. Faults are collected over all rows, the first ROW_FAULTS_MAX with their place. One owner, one thread at a time. */
#ifndef FLEETPLAN_SCHEMA_ROW_READER_H
#define FLEETPLAN_SCHEMA_ROW_READER_H

#include "schema/record.h"

enum row_form { ROW_FORM_CSV, ROW_FORM_JSON };

enum { ROWS_MAX = 250000, ROW_FAULTS_MAX = 500, ROWS_MEMORY_MAX_BYTES = 384 * 1024 * 1024 };

/* Row: in CSV as a spreadsheet counts, the header being 1; in JSON the element's place, from 0. Line: where it begins, from 1. */
struct row_place {
	uint32_t row, line;
};

struct row_fault {
	struct row_place place;
	const char *column; /* the key; of something within a member as "key/0"; "" of the whole row */
	const char *code, *detail;
};

struct row_reader;

/* NULL without memory. */
struct row_reader *row_reader_new(const struct field_table *table, enum row_form form);
void row_reader_free(struct row_reader *reader); /* NULL is nothing */

/* The next piece. MALFORMED (no CSV, no JSON), INVALID (a header that cannot be used, with its faults), TOO_LARGE, NO_MEMORY. */
FALLIBLE enum status row_reader_feed(struct row_reader *reader, const char *piece, size_t length, struct failure *failure);
FALLIBLE enum status row_reader_end(struct row_reader *reader, struct failure *failure);

size_t row_reader_memory_bytes(const struct row_reader *reader);

/* After the end: rows without faults, an array of the table's struct, and where each stood. All of it is the reader's; texts that are
 * to live as long may be put into its arena. */
struct row_set {
	void *rows;
	const struct row_place *places;
	size_t count;
	size_t seen; /* with and without faults */
	struct arena *arena;
};
struct row_set row_reader_rows(struct row_reader *reader);

/* Leaves out the rows that were found wrong later: those of which `good` is false. */
void row_reader_keep(struct row_reader *reader, const bool *good);

/* A fault of a row that is found later (an unknown accelerator, an id that stands twice). */
void row_reader_fault(struct row_reader *reader, struct row_place place, const char *column, const char *code, const char *detail);
void row_reader_faults_of(struct row_reader *reader, struct row_place place, const struct failure *failure);

const struct row_fault *row_reader_faults(const struct row_reader *reader, size_t *count, size_t *total);

/* Puts the faults into a failure, which is INVALID then: "/17/price_usd_per_hour", "row 17, line 17: should be ...". */
FALLIBLE enum status row_reader_failure(const struct row_reader *reader, struct failure *failure);

#endif
