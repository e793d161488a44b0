/* A thread that polls waiting things: calls that wait for a job or a benchmark, and streams of events. It calls `look`
 * of each watch ten times a second, and at once when the watcher is woken. Without watches, the thread sleeps.
 *
 * The memory of a watch belongs to the code that adds it. From watcher_add on the watcher owns the watch, until `look`
 * returns true; `look` may free it. The calls of `look` run on the watcher's thread, one after the other, and must be
 * short. Thread-safe. */
#ifndef FLEETPLAN_SERVER_WATCH_H
#define FLEETPLAN_SERVER_WATCH_H

#include <pthread.h>
#include <stdbool.h>

#include "base/status.h"

struct watch {
	struct watch *next;
	/* Returns true when the watch is over. `last`: the service stops, and the watch must end now. */
	bool (*look)(struct watch *watch, bool last);
};

struct watcher {
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	struct watch *added; /* not yet seen by the thread */
	bool woken, stopping, running;
	pthread_t thread;
};

FALLIBLE bool watcher_start(struct watcher *watcher);
void watcher_add(struct watcher *watcher, struct watch *watch); /* after the stop: calls `look` for the last time at once */
void watcher_wake(struct watcher *watcher);
void watcher_stop(struct watcher *watcher); /* calls `look` of each watch for the last time, then joins; does nothing if never started */

#endif
