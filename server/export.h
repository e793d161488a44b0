/* Exports: all rows of one kind at one moment, as an answer of any length. Pages are read and written as fast as the
 * client reads them.
 *
 * The moment is the moment of a catalogue revision: all pages show the same catalogue, even if rows are written
 * meanwhile. */
#ifndef FLEETPLAN_SERVER_EXPORT_H
#define FLEETPLAN_SERVER_EXPORT_H

#include "server/handler.h"
#include "server/page_answer.h"
#include "server/row_kinds.h"

struct exchange;
struct export;
struct storage;
struct MHD_Response;

/* The source of an export's rows; `read` returns one page after another. `filter` lives as long as the call. */
struct export_source {
	const struct field_table *table;
	const char *name; /* name of the file, without its extension */
	enum status (*read)(struct storage *storage, const void *filter, const struct page_request *some, struct arena *arena,
		struct page_rows *rows, struct failure *failure);
	const void *filter;
};

/* Answers the call with all rows of a source. For inline routes. */
FALLIBLE enum status export_rows(struct call *call, const struct export_source *source);

/* Answers the call with the catalogue rows of now or of ?as_of=. For inline routes. */
FALLIBLE enum status export_begin(struct call *call, const struct row_ops *ops);

/* Used by the HTTP core: make the response that libmicrohttpd reads from (NULL: no memory); end the export. */
struct MHD_Response *export_response(struct exchange *exchange);
void export_end(struct exchange *exchange);

#endif
