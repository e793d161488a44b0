/* Imports: many rows of one kind that become visible together, and never half.
 *
 * Rows are written by small transactions of the writer, between which everything else goes on, and hold from one last small
 * transaction on. What was not published when the daemon died, or could not be, is swept: nobody ever saw it. There is one
 * import at a time; others wait their turn. A row that somebody changes by itself while an import of its kind is under way
 * keeps that change, and counts as kept. */
#ifndef FLEETPLAN_STORAGE_IMPORTS_H
#define FLEETPLAN_STORAGE_IMPORTS_H

#include "storage/catalogue_rows.h"

struct feed_refresh_put; /* storage/feeds.h */
struct import_record;    /* hwdb/catalogue/records.h */
struct progress;         /* planner/progress.h */

/* Told of each row that is added (`before` is NULL) or changed, on the writer's thread, before it is written. */
typedef void import_note(void *context, const void *before, const void *after);

struct import_run {
	/* Of the caller: id, started_by, key, content_type, sha256, bytes, replaces, overwrites, started_at_us. All else is filled. */
	struct import_record *import;
	enum row_kind kind; /* not calibrations */
	const void *rows;   /* array of the kind's struct, every id once */
	size_t count;
	const struct progress *progress;         /* NULL: nobody's */
	const struct idempotency *idempotency;   /* NULL: none */
	const struct audit_record *audit;        /* its entry of the audit log, in the transaction that publishes; NULL: none */
	import_note *note;                       /* NULL: nobody's */
	void *context;
	struct feed_refresh_put *refresh;        /* becomes true in the transaction that publishes; NULL: none */
};

/* Blocks until the rows hold, or will not. OK, CANCELLED (by its progress), INVALID (a row outside what can be stored, an id that
 * stands twice), or what storage says. Rows of origin user and measured stay, unless it overwrites. The record of what failed is
 * kept too. Not for the writer's thread. */
FALLIBLE enum status storage_import(struct storage *storage, struct import_run *run, struct failure *failure);

/* Settles or sweeps what the import before left, in small transactions; nothing that is read differs by it. The next import does it
 * too. Worth a call after each, and at start. */
FALLIBLE enum status storage_import_tidy(struct storage *storage, struct failure *failure);

struct import_list {
	struct import_record *items; /* newest first */
	size_t count;
	const char *next_cursor;
};

/* `kind` NULL: any. */
FALLIBLE enum status storage_import_list(struct storage *storage, const char *kind, const struct page_request *page, struct arena *arena,
	struct import_list *list, struct failure *failure);
FALLIBLE enum status storage_import_get(struct storage *storage, const char *id, struct arena *arena, struct import_record *import,
	struct failure *failure);

#endif
