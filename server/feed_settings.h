/* How each live feed is set up: of the options `feeds`, `feed-urls`, `feed-scopes`, `feed-redirects` and `feed-keys`. A feed that is not named in
 * `feeds` is off, and nothing goes out for it. Immutable after reading; texts are the arena's. */
#ifndef FLEETPLAN_SERVER_FEED_SETTINGS_H
#define FLEETPLAN_SERVER_FEED_SETTINGS_H

#include "hwdb/feeds/feed.h"

struct options;

enum { FEED_KEY_MAX_BYTES = 2000, FEED_MINUTES_MAX = 525600 };

struct feed_setting {
	bool enabled;
	unsigned every_minutes; /* refreshed of itself so often; 0: only when asked */
	const char *base_url, *scope, *stores; /* NULL: the feed's own */
	const char *key_file;   /* NULL: none is configured */
};

/* Checks all that can be checked without going out: names, numbers, URLs, scopes, and that key files of feeds that need one can be
 * read. STATUS_INVALID with a sentence for a person. */
FALLIBLE enum status feed_settings_read(const struct options *options, struct arena *arena, struct feed_setting settings[FEED_COUNT],
	struct failure *failure);

/* The key as its file holds it now, so that a secret can be changed without a restart; NULL for a feed without one. Its text never goes
 * into a failure. */
FALLIBLE enum status feed_key_read(const struct feed *feed, const struct feed_setting *setting, struct arena *arena, const char **key,
	struct failure *failure);

#endif
