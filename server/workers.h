/* A bounded pool on which handlers run that plan, read a lot or write, and its queue.
 *
 * The queue is fair: it keeps the work of each client apart (struct client), and the client that has had the least of the
 * pool's time comes next; within a client, the address that has had the least, and there the first that came. Time is what a
 * thread has computed, charged when the work ends, with an advance when it begins. Who comes after a pause starts level with
 * those who are there. While others wait, nothing that one client has sent delays them by more than what is running.
 *
 * Where work has a rate, a client that is more than a second ahead of it waits, however little there is to do besides.
 *
 * The queue has a stated length. When it is full, the newest work of the client with the most of it is turned away to be answered
 * 503 at once, since a request that waits longer than its client does is work for nobody. */
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

/* Whose work something is. `who`: an API key, or an address where no key was shown. */
struct client {
	uint64_t who, address;
};

struct workers_options {
	unsigned threads;
	unsigned threads_per_client; /* that one client may have at once; 0: all */
	size_t maximum;              /* waiting */
	int64_t (*run)(struct exchange *exchange); /* answers for how long its client has had its due: nanoseconds, 0 where there is no rate */
};

struct workers {
	struct workers_options options;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	struct exchange *first, **last; /* all that wait, in the order of arrival */
	struct share *shares;           /* of clients */
	uint64_t level_ns;              /* what the client that was served last has had: newcomers start there */
	pthread_t *threads;
	unsigned thread_count;
	_Atomic size_t waiting;
	bool stopping;
};

FALLIBLE bool workers_start(struct workers *workers, const struct workers_options *options);

/* Queues it as its client's. NULL, or the exchange that was turned away in exchange for it: itself or another, the caller's now.
 * Thread-safe. */
struct exchange *workers_push(struct workers *workers, struct exchange *exchange);

/* How long the first of this client has waited: about as long as whatever it sends next will. 0 when nothing waits. Thread-safe. */
int64_t workers_waited_ns(struct workers *workers, const struct client *client);

/* Whether work of another client than this running exchange's waits that could begin if a thread were free. Thread-safe; scans the queue. */
bool workers_others_wait(struct workers *workers, const struct exchange *running);

void workers_stop(struct workers *workers); /* runs what is queued, then joins, and takes no more; nothing when never started */

#endif
