/* The bounded pool on which handlers run that plan, read a lot or write. The queue has a stated length; when it is full the
 * caller is told at once and answers 503, since a request that waits longer than its client does is work for nobody. */
#ifndef FLEETPLAN_SERVER_WORKERS_H
#define FLEETPLAN_SERVER_WORKERS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct exchange;

struct workers {
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	struct exchange *first, **last;
	pthread_t *threads;
	unsigned thread_count;
	void (*run)(struct exchange *exchange);
	size_t maximum;
	_Atomic size_t waiting; /* reserved or queued */
	bool stopping;
};

/* Starts `count` threads that call `run` for each exchange, in the order of arrival. */
FALLIBLE bool workers_start(struct workers *workers, unsigned count, size_t maximum, void (*run)(struct exchange *));

/* A place in the queue, false when it is full. Thread-safe. Every place is used by one workers_push(). */
bool workers_reserve(struct workers *workers);
void workers_push(struct workers *workers, struct exchange *exchange);

/* How long the first in the queue has waited: about as long as whoever comes next will. 0 when nobody waits. Thread-safe. */
int64_t workers_waited_ns(struct workers *workers);

void workers_stop(struct workers *workers); /* runs what is queued, then joins; nothing when never started */

#endif
