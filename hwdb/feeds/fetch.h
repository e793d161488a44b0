/* The walker of feeds: it fetches what an adapter requests, within the feed's limits, and nothing else.
 *
 * Every URL, from an adapter or from an answer, must have the scheme, host and port of the base URL. It must use https
 * and an address of the public internet unless `local` (tests, internal mirrors) allows http and other addresses.
 * Redirects are followed on the same host, at most three in a row; for a part of a file also to one of the feed's
 * stores, without the key. Limits apply to the size of answers after decompression, the number of requests, and the
 * time of a request and of the refresh. A request that gets 429, 5xx or a broken connection is tried three times, after
 * the pause that the host requests (Retry-After) if that is at most a minute. A longer pause is stored, and the host
 * gets no requests until it ends. */
#ifndef FLEETPLAN_HWDB_FEEDS_FETCH_H
#define FLEETPLAN_HWDB_FEEDS_FETCH_H

#include "hwdb/feeds/feed.h"
#include "hwdb/feeds/feed_records.h"
#include "hwdb/feeds/pace.h"
#include "planner/progress.h"

struct fetch_options {
	struct pace *pace;
	const char *ca_file; /* PEM; NULL or "": the system's certificates */
	bool local;          /* allows http, and addresses outside of the public internet */
	unsigned request_s;  /* in place of the feed's limit; 0: the feed's */
	const char *resolve; /* for tests, as in http_client.h */
};

/* Traffic of a walk, and validators for the next refresh. */
struct fetch_traffic {
	const struct feed_validator *known; /* input: validators of earlier refreshes */
	size_t known_count;
	int64_t requests, bytes, unchanged; /* unchanged: answered 304 */
	struct feed_validator *fresh;       /* in the walk's arena */
	size_t fresh_count;
};

/* Checks a base URL of feeds: http or https (http only if `local`), a host, no user, query or fragment. INVALID
 * otherwise. */
FALLIBLE enum status fetch_base_check(const char *base_url, bool local, struct failure *failure);

/* Runs a walk to its end and collects its rows. MALFORMED: an unexpected answer; UNAVAILABLE: no answer, or a redirect
 * to another place; CANCELLED by `progress`; NO_MEMORY. The failure never contains a secret. */
FALLIBLE enum status fetch_walk(struct feed_walk *walk, const struct fetch_options *options, const struct progress *progress,
	struct fetch_traffic *traffic, struct failure *failure);

/* Fetches one whole document by the same rules, for feeds of single objects. NUL-terminated, in the walk's arena.
 * NOT_FOUND for a 404, FORBIDDEN for a 401 or 403. */
FALLIBLE enum status fetch_document(struct feed_walk *walk, const struct fetch_options *options, const struct feed_request *request,
	const struct progress *progress, const char **text, size_t *length, struct failure *failure);

#endif
