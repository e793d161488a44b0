/* What the parts of an agent share; only for server/agent/. */
#ifndef FLEETPLAN_AGENT_AGENT_PRIVATE_H
#define FLEETPLAN_AGENT_AGENT_PRIVATE_H

#include <limits.h>
#include <stdatomic.h>

#include "agent/agent.h"
#include "agent/attempt.h"
#include "agent/backoff.h"
#include "agent/keeper.h"
#include "agent/spool.h"

/* How long a call may take that does not wait at the server. */
#define CALL_S 20.0

struct agent {
	const struct agent_options *options;
	char program[PATH_MAX], node[200];
	int wake_fd; /* eventfd: we stop */
	pthread_t thread;
	_Atomic bool stopping;
	_Atomic int64_t drained_ns; /* monotonic: when stopping must be over */

	/* The thread's own. */
	struct spool spool;
	struct link link, beats; /* its own calls, and those of the lease's keeper */
	struct bench_devices devices;
	bool registered, left_behind;
	int64_t probe_ns;  /* monotonic: when the devices are listed next */
	int64_t worked_ns; /* monotonic: when there was last something to do */
	unsigned broken; /* deliveries in a row that the server failed with */
	struct backoff backoff;
};

/* How long a call may take now, and by what it is called off: once we stop, by nothing but the end of that. */
struct link_patience agent_patience(const struct agent *agent, double seconds);

/* Whether we stop, and the time for that is over. */
bool agent_must_end(const struct agent *agent);

/* Waits, or less when we stop. */
void agent_wait(struct agent *agent, double seconds);

/* The wait after a call that failed in this way, longer each time in a row. */
void agent_wait_after(struct agent *agent, const char *event);

/* Runs a benchmark that was leased for a device, from its first heartbeat to its delivery. */
void agent_lease_run(struct agent *agent, const struct lease *lease);

/* Whether the same call may lead to something else later. */
bool agent_is_open(enum link_end end);

/* Delivers one result, and says in the log what became of it. */
enum link_end agent_deliver(struct agent *agent, const struct spool_entry *entry, const struct buffer *body);

/* Delivers what is in the spool, the oldest first. LINK_OK when nothing is left; LINK_BROKEN when the server failed with some. */
enum link_end agent_spool_deliver(struct agent *agent);

#endif
