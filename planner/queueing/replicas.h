/* The equal replicas of a fleet: which one gets the next request, and how many there are (E92, E96, E99).
 *
 * Their number may change during a run. A new replica is cold: it serves no request before it is ready. A removed
 * replica finishes its requests. The caller owns the memory. */
#ifndef FLEETPLAN_PLANNER_QUEUEING_REPLICAS_H
#define FLEETPLAN_PLANNER_QUEUEING_REPLICAS_H

#include "planner/queueing/engine.h"

struct replicas {
	struct engine_state *engines;
	int64_t count, most; /* replicas that take requests; length of `engines` */
	enum routing routing;
	int64_t turn;
	int32_t *homes; /* for each prefix: the engine of its last request, or -1. NULL without prefixes */
};

/* E92, E96. Chooses the engine for a request and advances it to the request's arrival.
 * Given:    prefix: of the request, or PREFIX_NONE; only ROUTING_PREFIX_AWARE reads it; now_s: arrival, s, never
 *           falling.
 * Returned: an engine of `replicas`.
 * Source:   thresholds of prefix-aware routing as in SGLang's router (64 requests and 1.5 times).
 * Case:     tests/planner/test_simulation_engine.c, homes_are_left_when_they_are_crowded. */
struct engine_state *replicas_choose(struct replicas *replicas, int32_t prefix, double now_s);

/* Fills the caches with prefixes as after a long run; with ROUTING_PREFIX_AWARE each cache gets its own prefixes. Call
 * it before the first request. Returns the number of prefixes added. */
int64_t replicas_warm(struct replicas *replicas);

/* E99. Changes the number of replicas.
 * Given: count: new number (1 .. `most`); now_s: time of the change, s; startup_s: time until a new replica is ready,
 *        s.
 * Case:  tests/planner/test_simulation_fleet.c, a_cold_start_is_a_late_start. */
void replicas_resize(struct replicas *replicas, int64_t count, double now_s, double startup_s);

#endif
