#include "server/handlers.h"

static handler_function *const handlers[ROUTE_COUNT] = {
	[ROUTE_LIVEZ] = handle_livez,
	[ROUTE_READYZ] = handle_readyz,
	[ROUTE_METRICS] = handle_metrics,
	[ROUTE_VERSION] = handle_version,
	[ROUTE_OPENAPI] = handle_openapi,
	[ROUTE_DOCS] = handle_docs,
	[ROUTE_DOCS_FILE] = handle_docs_file,
};

handler_function *handler_of(enum route_id route)
{
	return handlers[route];
}
