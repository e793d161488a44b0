/* Rows of a file beside the catalogue: whether they can be true, and what would change. For the endpoint and the command alike. */
#ifndef FLEETPLAN_SERVER_IMPORT_ROWS_H
#define FLEETPLAN_SERVER_IMPORT_ROWS_H

#include "schema/row_reader.h"
#include "server/row_kinds.h"

/* Fills what the rows were not given (ids), resolves names and checks bounds; what is wrong is noted in the reader. The rows'
 * origin is `imported` from then on. */
FALLIBLE enum status import_rows_check(const struct row_ops *ops, const struct catalogue *catalogue, struct row_reader *reader,
	const struct import_query *query, struct failure *failure);

enum { IMPORT_CHANGES_TOLD = 1000 };

/* Counts what an import of the rows would do, and tells the first changes; texts in the arena. */
FALLIBLE enum status import_rows_compare(const struct row_ops *ops, const struct catalogue *catalogue, const struct row_set *rows,
	const struct import_query *query, struct arena *arena, struct import_view *view, struct failure *failure);

/* The faults that the reader has, as they are answered. */
FALLIBLE enum status import_rows_tell_faults(const struct row_reader *reader, struct arena *arena, struct import_view *view, struct failure *failure);

#endif
