/* Live feeds: prices, grid intensities and models as their publishers serve them. One adapter a file turns bytes into rows and
 * knows no network, no clock and no storage; `feeds` is the table of all (names, hosts, limits, licences), which options, docs
 * and the API read.
 *
 * A refresh is a walk: the adapter names its requests one by one (`request`), whoever walks fetches each (fetch.h) and gives the
 * answer back (`read` for a whole one, `take` for pieces of one that is never held), until there is nothing more to ask. Rows are
 * collected, not believed: vet.h decides which of them count, and storage shows all of those at once or none. */
#ifndef FLEETPLAN_HWDB_FEEDS_FEED_H
#define FLEETPLAN_HWDB_FEEDS_FEED_H

#include "hwdb/feeds/feed_rows.h"

enum feed_id {
	FEED_AZURE, FEED_AWS, FEED_GCP, FEED_LAMBDA, FEED_RUNPOD, /* prices */
	FEED_ELECTRICITY_MAPS, FEED_WATTTIME, FEED_UK_CARBON,     /* grids */
	FEED_HUGGING_FACE,                                        /* models, one at a time and only when asked */
	FEED_COUNT
};

enum feed_kind { FEED_PRICES, FEED_GRID, FEED_MODELS, FEED_KIND_COUNT };
extern const char *const feed_kind_words[FEED_KIND_COUNT];

/* One request. The URL begins with the walk's base URL or is a link that an answer gave: fetch.h refuses another host's. */
struct feed_request {
	const char *method, *url, *body, *accept; /* NULL: GET, no body, JSON */
	const char *headers[2];                   /* "Name: value", with secrets perhaps */
	const char *bearer, *basic;
	bool conditional; /* answered 304 when nothing has changed: the walk goes on without its rows */
	bool streamed;    /* its body goes to `take`, piece by piece */
	bool ranged;      /* a part of a file, by a Range header: 206 is expected, and the host may hand it over to one of its stores */
	bool optional;    /* a 401, 403 or 404 is no failure of the walk: not every subscription has it */
};

struct feed_walk {
	const struct feed *feed;
	const char *base_url, *key;        /* without a slash at its end; what the key file holds, NULL: none */
	const char *stores;                /* hosts (or HOST:PORT), divided by spaces, that files may be redirected to; "": none */
	struct text_list scope;            /* regions, zones: what to ask for, in the feed's own words */
	const struct catalogue *catalogue; /* tells which instance has what accelerators */
	int64_t now_us;
	char today[11];                    /* "2026-11-21" */
	struct arena *arena;               /* of all texts and rows */
	struct feed_rows rows;

	/* Where it is. */
	size_t scope_at;
	const char *next; /* the next page of this item of the scope; NULL: the first */
	unsigned step;    /* of an item that takes several requests, or before the first */
	bool done;
	void *state;      /* the adapter's */
};

struct feed {
	const char *name, *title;
	enum feed_kind kind;
	const char *base_url, *hosts;
	const char *stores;           /* hosts, divided by spaces, that keep this one's large files: a redirect of a ranged request may lead there; NULL: none */
	const char *key;              /* what its file holds; NULL: needs none */
	const char *scope, *scope_is; /* what is asked for unless said otherwise; what these words are */
	const char *paging, *source, *licence, *documentation;
	size_t answer_max_bytes;      /* of one, unpacked; of a streamed one the whole stream */
	unsigned pages_max;           /* requests of one refresh */
	unsigned pause_ms;            /* between two requests to its host */
	unsigned request_s, refresh_s; /* time limits */

	/* The next request; *done when there is none. */
	enum status (*request)(struct feed_walk *walk, struct feed_request *request, struct failure *failure);
	/* A whole answer; moves the walk on. MALFORMED or INVALID end the refresh: nothing of it counts. */
	enum status (*read)(struct feed_walk *walk, const char *text, size_t length, struct failure *failure);
	/* A piece of a streamed one; length 0 is its end. */
	enum status (*take)(struct feed_walk *walk, const char *piece, size_t length, struct failure *failure);
	/* What can only be told when everything was read; NULL: nothing. */
	enum status (*finish)(struct feed_walk *walk, struct failure *failure);
};

extern const struct feed feeds[FEED_COUNT]; /* indexed by id */

/* By name; NULL when there is none. */
const struct feed *feed_find(const char *name);

/* Ready for its first request; scope NULL or without items: the feed's own. `base_url` NULL or "": its own.
 * STATUS_INVALID for a word that cannot be one of its scope, STATUS_NO_MEMORY. */
FALLIBLE enum status feed_walk_begin(struct feed_walk *walk, const struct feed *feed, const char *base_url, const char *scope,
	int64_t now_us, struct arena *arena, struct failure *failure);

/* After a request that is answered and read, or that told of no change: on to the next item of the scope. */
void feed_walk_next_item(struct feed_walk *walk);

/* "azure", for failures: "azure: the answer is not JSON (line 3)". MALFORMED. */
enum status feed_unreadable(const struct feed_walk *walk, struct failure *failure, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
