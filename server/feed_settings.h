/* The settings of each live feed, from the options `feeds`, `feed-urls`, `feed-scopes`, `feed-redirects` and
 * `feed-keys`. A feed that `feeds` does not name is off: the daemon sends no request for it. Immutable after reading;
 * the arena owns the texts. */
#ifndef FLEETPLAN_SERVER_FEED_SETTINGS_H
#define FLEETPLAN_SERVER_FEED_SETTINGS_H

#include "hwdb/feeds/feed.h"

struct options;

enum { FEED_KEY_MAX_BYTES = 2000, FEED_MINUTES_MAX = 525600 };

struct feed_setting {
	bool enabled;
	unsigned every_minutes;                /* interval of scheduled refreshes; 0: only on request */
	const char *base_url, *scope, *stores; /* NULL: the feed's default */
	const char *key_file;                  /* NULL: not configured */
};

/* Reads the settings and checks what can be checked without a request: names, numbers, URLs, scopes, and that the key
 * files of feeds that need one are readable. STATUS_INVALID, with a sentence for the operator. */
FALLIBLE enum status feed_settings_read(
	const struct options *options, struct arena *arena, struct feed_setting settings[FEED_COUNT], struct failure *failure);

/* Reads the key from its file at each call, so that a key can be replaced without a restart; NULL for a feed without a
 * key. The key's text is never part of a failure. */
FALLIBLE enum status feed_key_read(
	const struct feed *feed, const struct feed_setting *setting, struct arena *arena, const char **key, struct failure *failure);

#endif
