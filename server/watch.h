/* A thread that looks after what waits: calls that wait for a job or a benchmark, and streams of events. Each has a look ten
 * times a second, and at once when the watcher is woken; while there is nothing to look after, the thread sleeps.
 *
 * A watch is memory of whoever adds it. From watcher_add on it is the watcher's, until its look answers true; the look
 * may free it. Looks run on the watcher's thread, one after the other, and must be short. Thread-safe. */
#ifndef FLEETPLAN_SERVER_WATCH_H
#define FLEETPLAN_SERVER_WATCH_H

#include <pthread.h>
#include <stdbool.h>

#include "base/status.h"

struct watch {
	struct watch *next;
	/* True: over. `last`: the service ends, and it has to be over. */
	bool (*look)(struct watch *watch, bool last);
};

struct watcher {
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	struct watch *added; /* not looked at yet */
	bool woken, stopping, running;
	pthread_t thread;
};

FALLIBLE bool watcher_start(struct watcher *watcher);
void watcher_add(struct watcher *watcher, struct watch *watch); /* after the stop: has its last look at once */
void watcher_wake(struct watcher *watcher);
void watcher_stop(struct watcher *watcher); /* a last look for each, then joins; nothing when never started */

#endif
