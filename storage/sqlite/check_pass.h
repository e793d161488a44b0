/* A pass over everything that is stored (check.c). */
#ifndef FLEETPLAN_STORAGE_SQLITE_CHECK_PASS_H
#define FLEETPLAN_STORAGE_SQLITE_CHECK_PASS_H

#include "storage/check.h"
#include "storage/sqlite/store.h"

struct check {
	struct connection *connection;
	check_note *note;
	void *context;
	struct check_result *result;
	bool (*ends)(void *context); /* NULL: goes on to the end, as fast as it can */
	void *ends_context;
	bool rows_only;              /* not the structure of the pages */
	/* NULL, or what to do with a damaged row: of a table of row numbers, which is the first column of `rows`, or of one by its key. */
	void (*damaged)(struct check *check, const struct sealed_table *table, sqlite3_stmt *rows);
};

void check_run(struct check *check);

/* A connection that leaves the log beside the file as it is. */
FALLIBLE enum status check_open(const char *path, struct connection *connection, struct failure *failure);

#endif
