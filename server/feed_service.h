/* The live feeds of a daemon: a thread for each that is on, which refreshes it when asked and, where that is configured, of itself.
 * Nothing that a feed does holds a connection's thread, a worker or a job's: what waits for one is a call that is pending.
 *
 * Off unless configured (feed_settings.h). A feed does one thing at a time; few may wait for it. Thread-safe. */
#ifndef FLEETPLAN_SERVER_FEED_SERVICE_H
#define FLEETPLAN_SERVER_FEED_SERVICE_H

#include "hwdb/feeds/feed_records.h"
#include "server/feed_settings.h"
#include "server/handler.h"

struct feed_service;
struct fetch_options;

enum { FEED_QUEUE_MAX = 8 };

/* Reads the settings and starts what is on, which may be nothing. STATUS_INVALID for settings that are wrong. */
FALLIBLE enum status feeds_start(struct server *server, struct feed_service **service, struct failure *failure);

/* Tells all threads to stop what they do (within moments), so that calls that wait for them end. NULL is fine; so below. */
void feeds_cut(struct feed_service *service);
void feeds_stop(struct feed_service *service);

/* How it is set up. */
const struct feed_setting *feeds_setting(const struct feed_service *service, enum feed_id id);
const struct fetch_options *feeds_fetch_options(const struct feed_service *service);

/* CONFLICT for a feed that is off, with how to switch it on. */
FALLIBLE enum status feeds_need(const struct feed_service *service, enum feed_id id, struct failure *failure);

/* Lets `work` answer the call on the feed's thread: the handler then returns HANDLER_PENDING. OVERLOADED when too many wait. */
FALLIBLE enum status feeds_submit(struct feed_service *service, enum feed_id id, struct call *call, handler_function *work);

/* A refresh on the feed's own thread, for such a `work`. */
FALLIBLE enum status feeds_refresh(struct feed_service *service, enum feed_id id, const struct progress *progress, const char *started_by,
	struct arena *arena, struct feed_refresh_record *record, struct failure *failure);

/* How it is now. */
struct feed_state {
	bool running;
	size_t waiting;
	int64_t next_at_us; /* of itself; 0: never */
	uint64_t refreshes[3]; /* since the start: succeeded or unchanged, failed, cancelled */
	int64_t last_good_us; /* of this start; 0: none */
	uint64_t quarantined, rows_changed;
};
void feeds_state_get(struct feed_service *service, enum feed_id id, struct feed_state *state);

#endif
