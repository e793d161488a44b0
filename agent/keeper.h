/* Keeper: renews one lease from its own thread, and says when the worker must stop. The caller watches the worker while
 * the server is slow or away. The thread sends heartbeats with the progress; it does not stop the worker. */
#ifndef FLEETPLAN_AGENT_KEEPER_H
#define FLEETPLAN_AGENT_KEEPER_H

#include <pthread.h>

#include "agent/lease_clock.h"
#include "agent/link.h"

enum keeper_word {
	KEEPER_GO_ON,
	KEEPER_CANCELLED, /* the benchmark was cancelled */
	KEEPER_LOST,      /* the server says that this agent does not have the lease any more */
	KEEPER_OVER       /* the server did not renew the lease in time: another agent may get it soon */
};

struct keeper {
	struct link *link; /* only the thread uses it while it runs */
	const struct lease *lease;
	int wake_fd;
	pthread_t thread;

	pthread_mutex_t lock; /* of the members below */
	bool stopping;
	enum keeper_word word;
	struct lease_clock clock;
	struct buffer progress;
};

/* Renews the lease once, because the age of a long poll's answer is not known, and starts the thread. Any result but
 * LINK_OK: the lease is not certain, and no thread runs. The lease must live longer than the keeper. */
enum link_end keeper_start(struct keeper *keeper, struct link *link, const struct lease *lease);

/* The current state. Any thread. LOST and OVER override CANCELLED. */
enum keeper_word keeper_ask(struct keeper *keeper);

void keeper_tell(struct keeper *keeper, const struct buffer *progress); /* to send with the next heartbeat */

void keeper_stop(struct keeper *keeper);

#endif
