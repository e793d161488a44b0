/* One refresh of a live feed, from its first request to the rows that everybody sees: fetched, vetted, put in one operation. */
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
	const struct progress *progress; /* NULL: nobody's */
	const char *started_by;          /* schedule, request */
};

/* Whatever came of it is recorded, and in *record (texts in the arena, which also holds all rows). The status is that of the refresh:
 * OK, UNAVAILABLE (nothing came, or nothing that can be believed; the rows of before stand), CANCELLED, or what storage says. */
FALLIBLE enum status feed_refresh_run(const struct feed_refresh *refresh, struct arena *arena, struct feed_refresh_record *record,
	struct failure *failure);

/* The walk of a feed as it is set up: its URL, scope and key. */
FALLIBLE enum status feed_refresh_walk(const struct feed *feed, const struct feed_setting *setting, struct arena *arena, struct feed_walk *walk,
	struct failure *failure);

#endif
