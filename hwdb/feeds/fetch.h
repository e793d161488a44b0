/* Walks a feed: fetches what its adapter asks for, within the feed's limits, and nothing else.
 *
 * Every URL, whether an adapter made it or an answer gave it, must be of the base URL's scheme, host and port; https alone, to
 * addresses of the open internet alone, unless `local` (tests, mirrors in the house) allows http and other addresses. A redirect
 * is followed on the same host, three deep; of a part of a file also to one of the feed's stores, without the key. Answers are capped after decompression, requests and the whole refresh in time and
 * number. 429, 5xx and broken connections are tried three times, with the pause that the host asks for (Retry-After) when that
 * is no longer than a minute; a longer one is remembered, and the host left alone until then. */
#ifndef FLEETPLAN_HWDB_FEEDS_FETCH_H
#define FLEETPLAN_HWDB_FEEDS_FETCH_H

#include "hwdb/feeds/feed.h"
#include "hwdb/feeds/feed_records.h"
#include "hwdb/feeds/pace.h"
#include "planner/progress.h"

struct fetch_options {
	struct pace *pace;
	const char *ca_file; /* PEM; NULL or "": the system's */
	bool local;          /* http, and addresses that are not of the open internet */
	unsigned request_s;  /* instead of the feed's; 0: the feed's */
	const char *resolve; /* for tests, as in http_client.h */
};

/* What went over the wire, and what to ask with next time. */
struct fetch_traffic {
	const struct feed_validator *known; /* in: of earlier refreshes */
	size_t known_count;
	int64_t requests, bytes, unchanged; /* unchanged: answered 304 */
	struct feed_validator *fresh;       /* of the walk's arena */
	size_t fresh_count;
};

/* Whether feeds may be had from this URL: http or https (http only if `local`), a host, no user, query or fragment. INVALID. */
FALLIBLE enum status fetch_base_check(const char *base_url, bool local, struct failure *failure);

/* To the end of the walk, rows collected. MALFORMED: an answer that is not what it should be; UNAVAILABLE: none came, or from
 * elsewhere; CANCELLED as `progress` said; NO_MEMORY. No secret is ever in the failure. */
FALLIBLE enum status fetch_walk(struct feed_walk *walk, const struct fetch_options *options, const struct progress *progress,
	struct fetch_traffic *traffic, struct failure *failure);

/* One document that is kept whole, by the same rules: of feeds that are asked for single things. NUL-terminated, in the walk's
 * arena. NOT_FOUND for a 404, FORBIDDEN for a 401 or 403. */
FALLIBLE enum status fetch_document(struct feed_walk *walk, const struct fetch_options *options, const struct feed_request *request,
	const struct progress *progress, const char **text, size_t *length, struct failure *failure);

#endif
