/* A pass over all stored data (check.c). */
#ifndef FLEETPLAN_STORAGE_SQLITE_CHECK_PASS_H
#define FLEETPLAN_STORAGE_SQLITE_CHECK_PASS_H

#include "storage/check.h"
#include "storage/sqlite/store.h"

struct check {
	struct connection *connection;
	check_note *note;
	void *context;
	struct check_result *result;
	bool (*ends)(void *context); /* true: end the pass now; NULL: the pass runs to the end without pauses */
	void *ends_context;
	bool no_memory; /* output: the pass left something out without memory */
	bool rows_only; /* skip the structure of the pages */
	/* Called for a damaged row, or NULL. A table with row numbers has the number in the first column of `rows`; other
	 * tables use their key. */
	void (*damaged)(struct check *check, const struct sealed_table *table, sqlite3_stmt *rows);
};

void check_run(struct check *check);

/* Opens a connection that does not change the log beside the file. */
FALLIBLE enum status check_open(const char *path, struct connection *connection, struct failure *failure);

#endif
