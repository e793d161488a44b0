/* Keeps one lease alive from a thread of its own, and knows when its worker must stop: the server may take its time to
 * answer, or be gone, while the worker is still to be watched. The thread beats and tells; it stops nothing itself. */
#ifndef FLEETPLAN_AGENT_KEEPER_H
#define FLEETPLAN_AGENT_KEEPER_H

#include <pthread.h>

#include "agent/lease_clock.h"
#include "agent/link.h"

enum keeper_word {
	KEEPER_GO_ON,
	KEEPER_CANCELLED, /* somebody does not want the benchmark any more */
	KEEPER_LOST,      /* the server says that it is ours no more */
	KEEPER_OVER       /* nobody answered for so long that it may be another's soon */
};

struct keeper {
	struct link *link; /* the thread's while it runs */
	const struct lease *lease;
	int wake_fd;
	pthread_t thread;

	pthread_mutex_t lock; /* of what follows */
	bool stopping;
	enum keeper_word word;
	struct lease_clock clock;
	struct buffer progress;
};

/* Asks for the lease once, since it is not known how long ago a long poll's answer was given, and goes on asking from a
 * thread. Anything but LINK_OK: the lease cannot be relied on, and nothing was started. The lease outlives the keeper. */
enum link_end keeper_start(struct keeper *keeper, struct link *link, const struct lease *lease);

/* What holds now. The same from every thread; CANCELLED gives way to LOST and OVER. */
enum keeper_word keeper_ask(struct keeper *keeper);

void keeper_tell(struct keeper *keeper, const struct buffer *progress); /* to be told with the next heartbeat */

void keeper_stop(struct keeper *keeper);

#endif
