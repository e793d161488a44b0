/* One JSON line a request, when it has ended: the only place where requests are logged. Thread-safe. */
#ifndef FLEETPLAN_SERVER_REQUEST_LOG_H
#define FLEETPLAN_SERVER_REQUEST_LOG_H

#include <stdbool.h>

struct exchange;

/* `sent`: the answer went out whole. The route is logged as its template; the key by its id, never its text. */
void request_log(const struct exchange *exchange, bool sent);

#endif
