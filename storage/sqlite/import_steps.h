/* The steps of an import on the writer (imports.c), and what changes of single rows have to do with one. */
#ifndef FLEETPLAN_STORAGE_SQLITE_IMPORT_STEPS_H
#define FLEETPLAN_STORAGE_SQLITE_IMPORT_STEPS_H

#include "storage/imports.h"
#include "storage/sqlite/rows.h"

/* STORAGE_IMPORT_BEGIN: the record is written; *number is told. */
struct import_begin {
	struct storage_job job;
	const struct import_record *import;
	int64_t number;
};

/* STORAGE_IMPORT_ROWS: as many of the rows as a transaction may take, at least one. */
struct import_rows {
	struct storage_job job;
	const struct import_run *run;
	int64_t number;
	size_t begin, end; /* positions in run->rows; `end` is output */
};

/* STORAGE_IMPORT_ENDS: imported rows that the import does not name shall end with it. */
struct import_ends {
	struct storage_job job;
	const struct import_run *run;
	int64_t number;
	const char *const *ids;
	size_t count;
};

/* STORAGE_IMPORT_END: published, or given up. The record's counts, moments and revision are told. */
struct import_end {
	struct storage_job job;
	struct import_record *import; /* its state and detail are taken */
	int64_t number;
	const struct idempotency *idempotency;
};

/* STORAGE_IMPORT_TIDY: a step of settling or sweeping. */
struct import_tidy {
	struct storage_job job;
	bool more; /* output */
};

/* What STORAGE_IMPORT_END does, for operations that publish with what they do themselves. */
FALLIBLE enum status import_publish(struct storage *storage, struct import_end *end, struct arena *arena, struct failure *failure);

/* Before a row is changed by itself: what an import that is not settled has made of it is settled, or given up when it is not
 * published yet. */
FALLIBLE enum status import_release_row(struct storage *storage, enum row_kind kind, const char *id, struct arena *arena,
	struct failure *failure);

#endif
