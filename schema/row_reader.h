/* Row reader: reads many rows of one field table in pieces. The text is CSV, or JSON (a list of objects, or one object
 * a line). Each row is decoded like a single body. The reader does not store the body: it stores each row's struct and
 * its texts, equal texts mostly once.
 *
 * The CSV header names the table's keys in any order. An empty cell is absent. The items of a list (aliases) are
 * separated by spaces. Objects (a model's config, conflicts) are JSON. The reader removes the apostrophe that csv_text()
 * (schema/record.h) puts before a formula. It ignores read-only members (origin, revision, ...) in CSV and JSON, so that
 * an export can be imported. It collects the faults of all rows, and stores the first ROW_FAULTS_MAX with their place.
 * One owner, one thread at a time. */
#ifndef FLEETPLAN_SCHEMA_ROW_READER_H
#define FLEETPLAN_SCHEMA_ROW_READER_H

#include "schema/record.h"

enum row_form { ROW_FORM_CSV, ROW_FORM_JSON };

enum { ROWS_MAX = 250000, ROW_FAULTS_MAX = 500, ROWS_MEMORY_MAX_BYTES = 384 * 1024 * 1024 };

/* row: CSV: as in a spreadsheet, the header is 1; JSON: the index of the element, from 0. line: its first line, from 1. */
struct row_place {
	uint32_t row, line;
};

struct row_fault {
	struct row_place place;
	const char *column; /* the key; "key/0": an item in a member; "": the whole row */
	const char *code, *detail;
};

struct row_reader;

/* Creates a reader. NULL without memory. */
struct row_reader *row_reader_new(const struct field_table *table, enum row_form form);
void row_reader_free(struct row_reader *reader); /* NULL is allowed */

/* Reads the next piece. MALFORMED (not CSV, not JSON), INVALID (a wrong header, with its faults), TOO_LARGE, NO_MEMORY. */
FALLIBLE enum status row_reader_feed(struct row_reader *reader, const char *piece, size_t length, struct failure *failure);
FALLIBLE enum status row_reader_end(struct row_reader *reader, struct failure *failure);

size_t row_reader_memory_bytes(const struct row_reader *reader);

/* The result after row_reader_end(): the rows without faults, an array of the table's struct, and their places. The
 * reader owns it. Callers may put texts with the same lifetime into its arena. */
struct row_set {
	void *rows;
	const struct row_place *places;
	size_t count;
	size_t seen; /* rows read, with and without faults */
	struct arena *arena;
};
struct row_set row_reader_rows(struct row_reader *reader);

/* Removes the rows whose `good` is false: the caller found a fault in them. */
void row_reader_keep(struct row_reader *reader, const bool *good);

/* Adds a fault that the caller found in a row (an unknown accelerator, an id that occurs twice). */
void row_reader_fault(struct row_reader *reader, struct row_place place, const char *column, const char *code, const char *detail);
void row_reader_faults_of(struct row_reader *reader, struct row_place place, const struct failure *failure);

const struct row_fault *row_reader_faults(const struct row_reader *reader, size_t *count, size_t *total);

/* Puts the faults into a failure and returns its status: "/17/price_usd_per_hour", "row 17, line 17: should be ...". */
FALLIBLE enum status row_reader_failure(const struct row_reader *reader, struct failure *failure);

#endif
