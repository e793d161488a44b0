/* Refreshes a live feed: fetches its rows, checks them and stores them in one operation. */
#ifndef FLEETPLAN_SERVER_FEED_REFRESH_H
#define FLEETPLAN_SERVER_FEED_REFRESH_H

#include "hwdb/feeds/feed_records.h"
#include "hwdb/feeds/fetch.h"
#include "server/feed_settings.h"

struct server;

struct feed_refresh {
	struct server *server;
	const struct feed *feed;
	const struct feed_setting *setting;
	const struct fetch_options *options;
	const struct progress *progress; /* NULL: no progress is reported */
	const char *started_by;          /* schedule, request */
};

/* Runs the refresh, stores its record, and fills *record. The arena holds the record's texts and all rows. Returns the
 * status of the refresh: OK; UNAVAILABLE (no answer, or no rows that pass the checks; the earlier rows remain);
 * CANCELLED; or the storage's failure. */
FALLIBLE enum status feed_refresh_run(
	const struct feed_refresh *refresh, struct arena *arena, struct feed_refresh_record *record, struct failure *failure);

/* Prepares the walk of a feed from its settings: URL, scope and key. */
FALLIBLE enum status feed_refresh_walk(
	const struct feed *feed, const struct feed_setting *setting, struct arena *arena, struct feed_walk *walk, struct failure *failure);

#endif
