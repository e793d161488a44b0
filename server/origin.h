/* What a page in a browser may ask of a daemon that wants no key.
 *
 * Without keys the caller's address is all that a daemon trusts, and a browser on a trusted machine runs anybody's pages. A page can reach the daemon
 * under a name of its own (DNS rebinding: its Host is that name), or send what needs no permission of the daemon's (a form, a POST without a body:
 * its Origin is foreign). */
#ifndef FLEETPLAN_SERVER_ORIGIN_H
#define FLEETPLAN_SERVER_ORIGIN_H

#include <stdbool.h>

#include "base/failure.h"

struct origin_headers {
	const char *host, *origin, *fetch_site; /* NULL: not sent */
};

/* Whether a Host is one that no page can take: localhost, a name below .localhost, an address, or one of `allowed` (comma-separated names, without
 * ports). NULL, which browsers do not send, is. */
bool origin_host_is_trusted(const char *host, const char *allowed);

/* STATUS_FORBIDDEN where the Host is not trusted, and for a method that may change something where a page of another origin sends it, unless that
 * origin is in `cors_origins`. */
FALLIBLE enum status origin_judge(const char *method, const struct origin_headers *headers, const char *allowed_hosts, const char *cors_origins,
	struct failure *failure);

#endif
