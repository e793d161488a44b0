/* The live feeds of a daemon. Each enabled feed has a thread that refreshes it on request and, if configured, on a
 * schedule. A feed never blocks a connection's thread, a worker or a job's thread: a call that waits for a feed is
 * pending.
 *
 * Feeds are off unless configured (feed_settings.h). A feed does one thing at a time; at most FEED_QUEUE_MAX calls wait
 * for it. Thread-safe. */
#ifndef FLEETPLAN_SERVER_FEED_SERVICE_H
#define FLEETPLAN_SERVER_FEED_SERVICE_H

#include "hwdb/feeds/feed_records.h"
#include "server/feed_settings.h"
#include "server/handler.h"

struct feed_service;
struct fetch_options;

enum { FEED_QUEUE_MAX = 8 };

/* Reads the settings and starts the enabled feeds, possibly none. STATUS_INVALID for wrong settings. */
FALLIBLE enum status feeds_start(struct server *server, struct feed_service **service, struct failure *failure);

/* Cancels the work of all threads, within moments, so that the calls that wait for them end. Does nothing for NULL;
 * feeds_stop() too. */
void feeds_cut(struct feed_service *service);
void feeds_stop(struct feed_service *service);

/* The settings of a feed. */
const struct feed_setting *feeds_setting(const struct feed_service *service, enum feed_id id);
const struct fetch_options *feeds_fetch_options(const struct feed_service *service);

/* STATUS_CONFLICT for a feed that is off; the failure says how to switch it on. */
FALLIBLE enum status feeds_need(const struct feed_service *service, enum feed_id id, struct failure *failure);

/* Runs `work` on the feed's thread to answer the call; the handler then returns HANDLER_PENDING. OVERLOADED if too many
 * calls wait. */
FALLIBLE enum status feeds_submit(struct feed_service *service, enum feed_id id, struct call *call, handler_function *work);

/* Refreshes the feed. Call it on the feed's own thread, from such a `work`. */
FALLIBLE enum status feeds_refresh(struct feed_service *service, enum feed_id id, const struct progress *progress, const char *started_by,
	struct arena *arena, struct feed_refresh_record *record, struct failure *failure);

/* The present state of a feed. */
struct feed_state {
	bool running;
	size_t waiting;
	int64_t next_at_us;    /* the next scheduled refresh; 0: none */
	uint64_t refreshes[3]; /* since the start: [0] succeeded or unchanged, [1] failed, [2] cancelled */
	int64_t last_good_us;  /* since the start; 0: none */
	uint64_t quarantined, rows_changed;
};
void feeds_state_get(struct feed_service *service, enum feed_id id, struct feed_state *state);

#endif
