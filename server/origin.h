/* Checks requests from web pages to a daemon without API keys.
 *
 * Without keys the daemon trusts the client's address, but a browser on a trusted machine runs pages of any site. A
 * page can reach the daemon under a name of its own (DNS rebinding: the Host is that name). It can also send requests
 * for which a browser asks no permission (a form, a POST without a body: the Origin is foreign). */
#ifndef FLEETPLAN_SERVER_ORIGIN_H
#define FLEETPLAN_SERVER_ORIGIN_H

#include <stdbool.h>

#include "base/failure.h"

struct origin_headers {
	const char *host, *origin, *fetch_site; /* NULL: not sent */
};

/* True if a page cannot use this Host for DNS rebinding: localhost, a name below .localhost, an address, or one of
 * `allowed` (comma-separated names, without ports). True for NULL: browsers always send a Host. */
bool origin_host_is_trusted(const char *host, const char *allowed);

/* STATUS_FORBIDDEN if the Host is not trusted. STATUS_FORBIDDEN also for a method that may change something, if a page
 * of another origin sends it and that origin is not in `cors_origins`. */
FALLIBLE enum status origin_judge(
	const char *method, const struct origin_headers *headers, const char *allowed_hosts, const char *cors_origins, struct failure *failure);

#endif
