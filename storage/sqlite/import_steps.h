/* The steps of an import on the writer (imports.c), and how changes of single rows affect an import. */
#ifndef FLEETPLAN_STORAGE_SQLITE_IMPORT_STEPS_H
#define FLEETPLAN_STORAGE_SQLITE_IMPORT_STEPS_H

#include "storage/imports.h"
#include "storage/sqlite/rows.h"

/* STORAGE_IMPORT_BEGIN: writes the record; *number is an output. */
struct import_begin {
	struct storage_job job;
	const struct import_record *import;
	int64_t number;
};

/* STORAGE_IMPORT_ROWS: writes as many rows as one transaction may have, at least one. */
struct import_rows {
	struct storage_job job;
	const struct import_run *run;
	int64_t number;
	size_t begin, end; /* positions in run->rows; `end` is output */
};

/* STORAGE_IMPORT_ENDS: the import also ends imported rows that its file does not contain. */
struct import_ends {
	struct storage_job job;
	const struct import_run *run;
	int64_t number;
	const char *const *ids;
	size_t count;
};

/* STORAGE_IMPORT_END: publishes or gives up. Fills the record's counts, times and revision. */
struct import_end {
	struct storage_job job;
	struct import_record *import; /* its state and detail are inputs */
	int64_t number;
	const struct idempotency *idempotency;
};

/* STORAGE_IMPORT_TIDY: one step of settling or sweeping. */
struct import_tidy {
	struct storage_job job;
	bool more; /* output */
};

/* Does the work of STORAGE_IMPORT_END, for operations that publish together with their own changes. */
FALLIBLE enum status import_publish(struct storage *storage, struct import_end *end, struct arena *arena, struct failure *failure);

/* Call before a single row changes: settles the row's state from an unsettled import, or gives it up if the import is
 * not published yet. */
FALLIBLE enum status import_release_row(
	struct storage *storage, enum row_kind kind, const char *id, struct arena *arena, struct failure *failure);

#endif
