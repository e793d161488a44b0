/* Exports: all rows of one kind and moment as an answer of any length, written page by page as the client takes it.
 *
 * The moment is that of a revision, so that pages that are read one after the other are of one catalogue, whatever is written
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

/* Where an export's rows come from: pages of them, one after the other. `filter` lives as long as the call. */
struct export_source {
	const struct field_table *table;
	const char *name; /* of the file, without its ending */
	enum status (*read)(struct storage *storage, const void *filter, const struct page_request *some, struct arena *arena, struct page_rows *rows,
		struct failure *failure);
	const void *filter;
};

/* Answers the call with all rows of a source. Of inline routes. */
FALLIBLE enum status export_rows(struct call *call, const struct export_source *source);

/* Answers the call with the rows, of now or ?as_of=. Of inline routes. */
FALLIBLE enum status export_begin(struct call *call, const struct row_ops *ops);

/* The core's: the response that libmicrohttpd reads from (NULL without memory), and its end. */
struct MHD_Response *export_response(struct exchange *exchange);
void export_end(struct exchange *exchange);

#endif
