/* Live feeds: prices, grid intensities and models from their publishers. Each adapter, one in a file, turns bytes into
 * rows; it uses no network, clock or storage. `feeds` is the table of all feeds (names, hosts, limits, licences), which
 * options, docs and the API use.
 *
 * A refresh is a walk. The adapter names its requests one by one (`request`). The walker (fetch.h) fetches each and
 * passes the answer back (`read` for a whole answer, `take` for pieces of a streamed one) until the adapter has no more
 * requests. The walk only collects rows: vet.h decides which of them count, and storage publishes all of those at once
 * or none. */
#ifndef FLEETPLAN_HWDB_FEEDS_FEED_H
#define FLEETPLAN_HWDB_FEEDS_FEED_H

#include "hwdb/feeds/feed_rows.h"

enum feed_id {
	FEED_AZURE,
	FEED_AWS,
	FEED_GCP,
	FEED_LAMBDA,
	FEED_RUNPOD, /* prices */
	FEED_ELECTRICITY_MAPS,
	FEED_WATTTIME,
	FEED_UK_CARBON,    /* grid intensities */
	FEED_HUGGING_FACE, /* models, one at a time and only on request */
	FEED_COUNT
};

enum feed_kind { FEED_PRICES, FEED_GRID, FEED_MODELS, FEED_KIND_COUNT };
extern const char *const feed_kind_words[FEED_KIND_COUNT];

/* One request. The URL begins with the walk's base URL or is a link from an answer: fetch.h rejects another host's. */
struct feed_request {
	const char *method, *url, *body, *accept; /* NULL: GET, no body, JSON */
	const char *headers[2];                   /* "Name: value"; may contain secrets */
	const char *bearer, *basic;
	bool conditional; /* a 304 is expected when nothing has changed: the walk then continues without these rows */
	bool streamed;    /* its body is passed to `take` in pieces */
	bool ranged;      /* a part of a file, by a Range header: 206 is expected, and the host may redirect to one of its stores */
	bool optional;    /* a 401, 403 or 404 does not fail the walk: some subscriptions do not include the answer */
};

struct feed_walk {
	const struct feed *feed;
	const char *base_url, *key;        /* base_url: without a final slash; key: content of the key file, NULL: none */
	const char *stores;                /* hosts (or HOST:PORT), separated by spaces, to which files may be redirected; "": none */
	struct text_list scope;            /* regions or zones to fetch, in the feed's own words */
	const struct catalogue *catalogue; /* maps instance types to accelerators */
	int64_t now_us;
	char today[11];      /* "2026-11-21" */
	struct arena *arena; /* for all texts and rows */
	struct feed_rows rows;

	/* Position of the walk. */
	size_t scope_at;
	const char *next; /* the next page of this item of the scope; NULL: the first */
	unsigned step;    /* of an item that needs several requests, or of the requests before the first item */
	bool done;
	void *state; /* used by the adapter */
};

struct feed {
	const char *name, *title;
	enum feed_kind kind;
	const char *base_url, *hosts;
	const char *stores; /* hosts, separated by spaces, of the publisher's large files, to which ranged requests may be redirected; NULL: none */
	const char *key;              /* what the key file contains; NULL: no key needed */
	const char *scope, *scope_is; /* default scope; meaning of its words */
	const char *paging, *source, *licence, *documentation;
	size_t answer_max_bytes;       /* largest unpacked answer; for a streamed answer the whole stream */
	unsigned pages_max;            /* most requests in one refresh */
	unsigned pause_ms;             /* between two requests to the host */
	unsigned request_s, refresh_s; /* time limits */

	/* Returns the next request; *done when there is none. */
	enum status (*request)(struct feed_walk *walk, struct feed_request *request, struct failure *failure);
	/* Reads a whole answer and advances the walk. MALFORMED or INVALID end the refresh without any rows. */
	enum status (*read)(struct feed_walk *walk, const char *text, size_t length, struct failure *failure);
	/* Reads a piece of a streamed answer; length 0 is its end. */
	enum status (*take)(struct feed_walk *walk, const char *piece, size_t length, struct failure *failure);
	/* Adds rows that need the whole walk; NULL: nothing to add. */
	enum status (*finish)(struct feed_walk *walk, struct failure *failure);
};

extern const struct feed feeds[FEED_COUNT]; /* indexed by id */

/* Returns a feed by name; NULL when there is none. */
const struct feed *feed_find(const char *name);

/* Prepares a walk for its first request. `scope` NULL or empty: the feed's own; `base_url` NULL or "": the feed's own.
 * STATUS_INVALID for a word that cannot be part of its scope, STATUS_NO_MEMORY. */
FALLIBLE enum status feed_walk_begin(struct feed_walk *walk, const struct feed *feed, const char *base_url, const char *scope,
	int64_t now_us, struct arena *arena, struct failure *failure);

/* Advances to the next item of the scope, after a request that was answered and read or that reported no change. */
void feed_walk_next_item(struct feed_walk *walk);

/* Sets a failure with the feed's name: "azure: the answer is not JSON (line 3)". Returns MALFORMED. */
enum status feed_unreadable(const struct feed_walk *walk, struct failure *failure, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
