/* Chooses the reader for the body of a streamed route. */
#ifndef FLEETPLAN_SERVER_STREAMED_H
#define FLEETPLAN_SERVER_STREAMED_H

#include "api/routes.h"
#include "server/wire/body.h"

/* Opens the route's sink with an empty state. STATUS_NO_MEMORY. */
FALLIBLE enum status streamed_open(const struct route *route, enum media media, struct body_sink *sink, struct failure *failure);

#endif
