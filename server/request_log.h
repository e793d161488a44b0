/* Writes the log line of a request, one JSON line when the request has ended. Requests are logged only here.
 * Thread-safe. */
#ifndef FLEETPLAN_SERVER_REQUEST_LOG_H
#define FLEETPLAN_SERVER_REQUEST_LOG_H

#include <stdbool.h>

struct exchange;

/* `sent`: the whole answer was sent. The line has the route's template, and the key's id but never its text. */
void request_log(const struct exchange *exchange, bool sent);

#endif
