/* Imports: many rows of one kind that become visible together, or not at all.
 *
 * The writer stores the rows in small transactions, with other work in between; one last small transaction makes them
 * valid. If the daemon dies before that, or if it fails, the rows are swept; no reader has seen them. One import runs
 * at a time; others wait. If a client changes a row while an import of its kind is running, the change stays and the
 * row counts as kept. */
#ifndef FLEETPLAN_STORAGE_IMPORTS_H
#define FLEETPLAN_STORAGE_IMPORTS_H

#include "storage/catalogue_rows.h"

struct feed_refresh_put; /* storage/feeds.h */
struct import_record;    /* hwdb/catalogue/records.h */
struct progress;         /* planner/progress.h */

/* Called for each added (`before` is NULL) or changed row, on the writer's thread, before the row is written. */
typedef void import_note(void *context, const void *before, const void *after);

struct import_run {
	/* From the caller: id, started_by, key, content_type, sha256, bytes, replaces, overwrites, started_at_us. The other
	 * members are outputs. */
	struct import_record *import;
	enum row_kind kind; /* not calibrations */
	const void *rows;   /* array of the kind's struct, ids are unique */
	size_t count;
	const struct progress *progress;       /* NULL: not reported */
	const struct idempotency *idempotency; /* NULL: none */
	const struct audit_record *audit;      /* its audit entry, written in the transaction that publishes; NULL: none */
	import_note *note;                     /* NULL: none */
	void *context;
	struct feed_refresh_put *refresh; /* its refresh is stored in the transaction that publishes; NULL: none */
};

/* Blocks until the rows are valid or the import has failed. Returns OK, CANCELLED (by its progress), INVALID (a row out
 * of range, or an id that occurs twice), or a status of storage. Rows of origin user and measured stay, unless it
 * overwrites. The record of a failed import is stored too. Do not call on the writer's thread. */
FALLIBLE enum status storage_import(struct storage *storage, struct import_run *run, struct failure *failure);

/* Settles or sweeps the rest of the previous import, in small transactions. Readers see no difference. The next import
 * does it too. Call it after each import and at start. */
FALLIBLE enum status storage_import_tidy(struct storage *storage, struct failure *failure);

struct import_list {
	struct import_record *items; /* newest first */
	size_t count;
	const char *next_cursor;
};

/* `kind` NULL: any. */
FALLIBLE enum status storage_import_list(struct storage *storage, const char *kind, const struct page_request *page, struct arena *arena,
	struct import_list *list, struct failure *failure);
FALLIBLE enum status storage_import_get(
	struct storage *storage, const char *id, struct arena *arena, struct import_record *import, struct failure *failure);

#endif
