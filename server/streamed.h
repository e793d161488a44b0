/* Which reader takes the body of a route that is marked streamed. */
#ifndef FLEETPLAN_SERVER_STREAMED_H
#define FLEETPLAN_SERVER_STREAMED_H

#include "api/routes.h"
#include "server/wire/body.h"

/* Opens the route's own sink, with an empty state behind it. NO_MEMORY. */
FALLIBLE enum status streamed_open(const struct route *route, enum media media, struct body_sink *sink, struct failure *failure);

#endif
