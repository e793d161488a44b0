/* Replicas alike that share out requests: who gets the next one, and how many there are (E92, E96, E99).
 *
 * Their number may change while they run: one that comes is cold for a time and serves nobody before it is ready; one that goes
 * ends what it has begun. Memory is the caller's. */
#ifndef FLEETPLAN_PLANNER_QUEUEING_REPLICAS_H
#define FLEETPLAN_PLANNER_QUEUEING_REPLICAS_H

#include "planner/queueing/engine.h"

struct replicas {
	struct engine_state *engines;
	int64_t count, most; /* that take requests; places */
	enum routing routing;
	int64_t turn;
	int32_t *homes; /* of each prefix: the engine that its last request went to, or -1. NULL without prefixes */
};

/* The one that a request goes to, advanced to the time of its arrival. prefix: PREFIX_NONE, or whose home counts with
 * ROUTING_PREFIX_AWARE. */
struct engine_state *replicas_choose(struct replicas *replicas, int32_t prefix, double now_s);

/* As they are after a long time: caches hold prefixes, with ROUTING_PREFIX_AWARE each its own. Before the first request.
 * Returns how many prefixes were put there. */
int64_t replicas_warm(struct replicas *replicas);

/* So many from now on, 1 to `most`: those that come are ready after startup_s. */
void replicas_resize(struct replicas *replicas, int64_t count, double now_s, double startup_s);

#endif
