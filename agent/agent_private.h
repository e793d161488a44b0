/* Shared by the files of an agent. For agent/ only. */
#ifndef FLEETPLAN_AGENT_AGENT_PRIVATE_H
#define FLEETPLAN_AGENT_AGENT_PRIVATE_H

#include <limits.h>
#include <stdatomic.h>

#include "agent/agent.h"
#include "agent/attempt.h"
#include "agent/backoff.h"
#include "agent/keeper.h"
#include "agent/spool.h"

/* Time limit of a call that does not wait at the server. */
#define CALL_S 20.0

struct agent {
	const struct agent_options *options;
	char program[PATH_MAX], node[200];
	int wake_fd; /* eventfd; readable: stop */
	pthread_t thread;
	_Atomic bool stopping;
	_Atomic int64_t drained_ns; /* monotonic: the deadline of stopping */

	/* Used only by the agent's thread. */
	struct spool spool;
	struct link link, beats; /* beats: for the heartbeats of the lease's keeper */
	struct bench_devices devices;
	bool registered, left_behind;
	int64_t probe_ns;  /* monotonic: when the devices are listed next */
	int64_t worked_ns; /* monotonic: the last time with work */
	unsigned broken;   /* deliveries in a row that ended with LINK_BROKEN */
	struct backoff backoff;
};

/* The time limit and the interruption of a call. While the agent stops, only the deadline of stopping ends a call. */
struct link_patience agent_patience(const struct agent *agent, double seconds);

/* True if the agent stops and the deadline of stopping has passed. */
bool agent_must_end(const struct agent *agent);

/* Waits; returns early when the agent stops. */
void agent_wait(struct agent *agent, double seconds);

/* Logs `event` with the failure of the last call, and waits; longer after each failure in a row. */
void agent_wait_after(struct agent *agent, const char *event);

/* Runs a leased benchmark, from the first heartbeat to the delivery of its result. */
void agent_lease_run(struct agent *agent, const struct lease *lease);

/* True if repeating the call later may succeed. */
bool agent_is_open(enum link_end end);

/* Delivers one result and logs the outcome. */
enum link_end agent_deliver(struct agent *agent, const struct spool_entry *entry, const struct buffer *body);

/* Delivers the results in the spool, in the order of their ids. LINK_OK: all are delivered or damaged. LINK_BROKEN: the
 * server failed with some. Other failures end the delivery. */
enum link_end agent_spool_deliver(struct agent *agent);

#endif
