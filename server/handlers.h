/* Which function answers which route. */
#ifndef FLEETPLAN_SERVER_HANDLERS_H
#define FLEETPLAN_SERVER_HANDLERS_H

#include "server/handler.h"

/* The handler of a route; NULL while it has none, which is answered 501. */
handler_function *handler_of(enum route_id route);

/* server/handlers/service.c */
handler_function handle_livez, handle_readyz, handle_metrics, handle_version, handle_openapi;

/* server/handlers/docs.c */
handler_function handle_docs, handle_docs_file;

#endif
