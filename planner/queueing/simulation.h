/* A fleet under traffic, simulated: what share of the requests gets its first token and its tokens in time (E92, E93).
 *
 * Requests are shared out over engines as they arrive; the first are a warm-up and not counted; the rest of the traffic goes on
 * until all that count are done. The same setting and seed give the same answer, bit for bit. Pure: memory is the caller's. */
#ifndef FLEETPLAN_PLANNER_QUEUEING_SIMULATION_H
#define FLEETPLAN_PLANNER_QUEUEING_SIMULATION_H

#include "planner/progress.h"
#include "planner/queueing/engine.h"
#include "planner/queueing/histogram.h"
#include "planner/queueing/replicas.h"
#include "planner/queueing/traffic.h"

/* From some moment on, so many replicas. */
struct replica_change {
	double at_s;
	int64_t replicas;
};

/* One run. */
struct simulation_setting {
	const struct engine_setting *engine; /* all replicas alike */
	int64_t replicas;
	const struct engine_setting *prefill; /* NULL: every replica does both; else engines for prompts only */
	int64_t prefill_replicas;
	double handoff_s, handoff_token_s; /* of a prompt's cache from there to here: latency, and for each token */
	enum routing routing; /* unset: round robin */
	const struct replica_change *changes; /* of `replicas`, which is then the most: sorted by time, the first at 0; borrowed */
	size_t change_count; /* 0: `replicas` all the time */
	double startup_s; /* from a change until a replica that came with it serves */
	bool cold_only; /* percentiles of those alone who come while a replica starts */
	double front_end_s; /* before and after the engine, of every request */
	const struct traffic_plan *traffic;
	int64_t concurrency; /* > 0: so many are kept in flight instead of arriving by themselves; one replica */
	int64_t warmup_requests, requests; /* not counted; counted */
	bool ends; /* nobody comes after them, and whoever waits is served: a run that may be overloaded, as far as its requests fit into the workspace */
	uint64_t seed;
	int64_t work; /* times that engines take steps together, at most: some 100 ns each; 0: without limit */
	const struct progress *progress; /* NULL: nobody looks on; a run that is stopped has used up its work */
};

struct simulation_result {
	struct histogram ttft, tpot, e2e; /* seconds of each counted request; tpot of those with two tokens or more */
	struct histogram rest_ttft, rest_tpot, rest_e2e; /* of those that others go ahead of; the former are then of the others */
	int64_t arrived, finished, refused; /* of all; refused: longer than a cache */
	int64_t evictions, steps;
	double arrived_tokens, finished_tokens; /* prompt and output tokens */
	double cached_share; /* of the tokens of all prompts that entered an engine, found in its cache */
	double replica_s; /* replicas x time, of those that take requests, until the last counted one ended */
	double counted_output_tokens, counted_s; /* of the counted requests; from the first's arrival to the last's end */
	double busy_fraction, mean_batch, flops_per_s, bytes_per_s; /* of one replica; the latter two while busy */
	int64_t work;
	bool saturated, exhausted; /* more waited than may, or the work was used up: the run was given up */
};

/* Bytes of workspace that a run takes at most: aligned for any type. */
size_t simulation_workspace_bytes(const struct simulation_setting *setting);

/* Runs. `workspace` holds at least so many bytes; nothing in it needs to be set, or is of use afterwards. */
void simulation_run(const struct simulation_setting *setting, void *workspace, struct simulation_result *result);

#endif
