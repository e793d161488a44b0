/* Catalogue rows: the differences between kinds, and the two changes on which all others are built. */
#ifndef FLEETPLAN_STORAGE_SQLITE_ROWS_H
#define FLEETPLAN_STORAGE_SQLITE_ROWS_H

#include "storage/catalogue_rows.h"
#include "storage/sqlite/store.h"

/* Statements of a kind, in the order of STATEMENT_ROWS. */
enum row_statement { ROW_INSERT, ROW_CLOSE, ROW_GET, ROW_LIST, ROW_LOAD };

enum statement_name row_statement(enum row_kind kind, enum row_statement which);
const struct column_map *row_map(enum row_kind kind);
const char *row_id(enum row_kind kind, const void *row);
static inline const struct row_meta *row_meta(const void *row)
{
	return row;
} /* the first member of each kind */

/* One change of the catalogue (or of the calibrations): all its rows have the same revision and time. */
struct row_change {
	int64_t revision, at_us;
	bool begun[2]; /* catalogue, calibration */
	int64_t revisions[2], moments_us[2];
};

/* Creates the next revision of the kind's scope, once in a change. */
FALLIBLE enum status row_change_begin(
	struct storage *storage, struct row_change *change, enum row_kind kind, struct arena *arena, struct failure *failure);

/* Reads the valid row into the kind's struct. STATUS_NOT_FOUND if there is none. */
FALLIBLE enum status row_current(
	struct storage *storage, enum row_kind kind, const char *id, void *row, struct arena *arena, struct failure *failure);

/* Closes the valid row of that id, if any; row_replace also adds this row. */
FALLIBLE enum status row_close(
	struct storage *storage, struct row_change *change, enum row_kind kind, const char *id, struct arena *arena, struct failure *failure);
FALLIBLE enum status row_replace(
	struct storage *storage, struct row_change *change, enum row_kind kind, const void *row, struct arena *arena, struct failure *failure);

bool row_content_equal(enum row_kind kind, const void *a, const void *b);

/* Returns the newest revision of a scope up to a time; 0 if there is none. */
FALLIBLE enum status row_revision(
	struct connection *connection, enum row_kind kind, int64_t as_of_us, struct arena *arena, int64_t *revision, struct failure *failure);

/* "catalogue" or "calibration". */
const char *row_scope_name(enum row_kind kind);

/* Returns the time of a revision of the kind's scope. STATUS_NOT_FOUND (the failure is not filled) if it never existed. */
FALLIBLE enum status row_revision_moment(
	struct connection *connection, enum row_kind kind, int64_t revision, struct arena *arena, int64_t *moment_us, struct failure *failure);

/* Called by an import (row_imports.c) for each changed row: `before` is NULL for a new one. */
typedef enum status row_note(void *context, enum row_kind kind, const void *before, const void *after, struct failure *failure);

/* Stores rows like an import that keeps rows of users and measurements, and calls `note` before each change. */
FALLIBLE enum status rows_import_noted(struct storage *storage, const struct catalogue_rows *rows, row_note *note, void *context,
	struct rows_difference *difference, struct arena *arena, struct failure *failure);

/* The array of one kind in a struct catalogue_rows. */
struct row_array {
	const char *items;
	size_t count;
};
struct row_array rows_of(const struct catalogue_rows *rows, enum row_kind kind);

#endif
