/* A bounded pool of threads for handlers that plan, read a lot or write, and its queue.
 *
 * The queue is fair. It keeps the work of each client apart (struct client). Next comes the client that has used the
 * least time of the pool; within a client, the address that has used the least; within an address, the first request.
 * Time is the computing time of a thread. It is charged when the work ends, with an advance when it begins. A client
 * that returns after a pause starts level with the clients that are present. So the work that one client has queued
 * delays the others by no more than what is already running.
 *
 * If the work has a rate, a client that is more than a second ahead of its rate waits, even if there is no other work.
 *
 * The queue has a maximum length. When it is full, the newest work of the client with the most work is rejected and
 * answered 503 at once: a request that waits longer than its client is wasted work. */
#ifndef FLEETPLAN_SERVER_WORKERS_H
#define FLEETPLAN_SERVER_WORKERS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct exchange;
struct share;

/* The client of some work. `who`: an API key, or an address if no key was sent. */
struct client {
	uint64_t who, address;
};

struct workers_options {
	unsigned threads;
	unsigned threads_per_client;               /* that one client may use at once; 0: all */
	size_t maximum;                            /* maximum number of waiting calls */
	int64_t (*run)(struct exchange *exchange); /* returns the time for which its client has used up its rate, ns; 0: no rate */
};

struct workers {
	struct workers_options options;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	struct exchange *first, **last; /* all waiting calls, in the order of arrival */
	struct share *shares;           /* of the clients */
	uint64_t level_ns;              /* time used by the client that was served last: new clients start there */
	pthread_t *threads;
	unsigned thread_count;
	_Atomic size_t waiting;
	bool stopping;
};

FALLIBLE bool workers_start(struct workers *workers, const struct workers_options *options);

/* Queues the exchange for its client. Returns NULL, or the exchange that was rejected to make room (this one or
 * another), which then belongs to the caller. Thread-safe. */
struct exchange *workers_push(struct workers *workers, struct exchange *exchange);

/* Returns how long the first waiting work of this client has waited: its next request will wait about as long. 0 if
 * none waits. Thread-safe. */
int64_t workers_waited_ns(struct workers *workers, const struct client *client);

/* True if work of another client waits that could begin if a thread were free. Thread-safe; scans the queue. */
bool workers_others_wait(struct workers *workers, const struct exchange *running);

void workers_stop(struct workers *workers); /* runs the queued work, joins, and accepts no more; does nothing if never started */

#endif
