/* Exports: all rows of one kind and moment as an answer of any length, written page by page as the client takes it.
 *
 * The moment is that of a revision, so that pages that are read one after the other are of one catalogue, whatever is written
 * meanwhile. */
#ifndef FLEETPLAN_SERVER_EXPORT_H
#define FLEETPLAN_SERVER_EXPORT_H

#include "server/handler.h"
#include "server/row_kinds.h"

struct exchange;
struct export;
struct MHD_Response;

/* Answers the call with the rows, of now or ?as_of=. Of inline routes. */
FALLIBLE enum status export_begin(struct call *call, const struct row_ops *ops);

/* The core's: the response that libmicrohttpd reads from (NULL without memory), and its end. */
struct MHD_Response *export_response(struct exchange *exchange);
void export_end(struct exchange *exchange);

#endif
