/* Checks the rows of a file against the catalogue: whether they can be true, and what they would change. Used by the
 * endpoint and by the command. */
#ifndef FLEETPLAN_SERVER_IMPORT_ROWS_H
#define FLEETPLAN_SERVER_IMPORT_ROWS_H

#include "schema/row_reader.h"
#include "server/row_kinds.h"

/* Sets missing ids, resolves names and checks bounds; notes the faults in the reader. Sets the rows' origin to
 * `imported`. */
FALLIBLE enum status import_rows_check(const struct row_ops *ops, const struct catalogue *catalogue, struct row_reader *reader,
	const struct import_query *query, struct failure *failure);

enum { IMPORT_CHANGES_TOLD = 1000 };

/* Counts the changes that an import of the rows would make, and lists the first IMPORT_CHANGES_TOLD; texts in the
 * arena. */
FALLIBLE enum status import_rows_compare(const struct row_ops *ops, const struct catalogue *catalogue, const struct row_set *rows,
	const struct import_query *query, struct arena *arena, struct import_view *view, struct failure *failure);

/* Copies the reader's faults into the answer. */
FALLIBLE enum status import_rows_tell_faults(
	const struct row_reader *reader, struct arena *arena, struct import_view *view, struct failure *failure);

#endif
