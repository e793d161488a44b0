/* Simulates a fleet under traffic: the latencies of its requests (E92, E93).
 *
 * Requests are routed to engines as they arrive. The first requests are a warm-up and are not counted. Traffic
 * continues until all counted requests are done. The same setting and seed give the same result, bit for bit. Pure; the
 * caller owns the memory. */
#ifndef FLEETPLAN_PLANNER_QUEUEING_SIMULATION_H
#define FLEETPLAN_PLANNER_QUEUEING_SIMULATION_H

#include "planner/progress.h"
#include "planner/queueing/engine.h"
#include "planner/queueing/histogram.h"
#include "planner/queueing/replicas.h"
#include "planner/queueing/traffic.h"

/* A change of the number of replicas. */
struct replica_change {
	double at_s;
	int64_t replicas;
};

/* One run. */
struct simulation_setting {
	const struct engine_setting *engine; /* the same for all replicas */
	int64_t replicas;
	const struct engine_setting *prefill; /* engines for prompts only; NULL: every replica does prompts and decoding */
	int64_t prefill_replicas;
	double handoff_s, handoff_token_s;    /* transfer of a prompt's cache to its decoding replica: latency, and time per prompt token */
	enum routing routing;                 /* unset: round robin */
	const struct replica_change *changes; /* of the number of replicas, at most `replicas`: sorted by time, the first at 0; borrowed */
	size_t change_count;                  /* 0: the number is `replicas` all the time */
	double startup_s;                     /* from a change until its new replicas serve */
	bool cold_only;                       /* count latencies only of requests that arrive while a replica starts */
	double front_end_s;                   /* added to the first token and the end of every request */
	const struct traffic_plan *traffic;
	int64_t concurrency;               /* > 0: closed loop with this number of requests in flight; one replica only. 0: open loop */
	int64_t warmup_requests, requests; /* not counted; counted */
	bool ends; /* traffic ends after these requests, and all are served, even by an overloaded fleet; the workspace limits their number */
	uint64_t seed;
	int64_t work;                    /* limit: groups of steps that engines compute together, some 100 ns each; 0: no limit */
	const struct progress *progress; /* NULL: none; a stopped run counts as exhausted */
};

struct simulation_result {
	struct histogram ttft, tpot, e2e;                /* seconds of each counted request; tpot: of requests with two tokens or more */
	struct histogram rest_ttft, rest_tpot, rest_e2e; /* of CLASS_REST where there are two classes; the former three are then of CLASS_FIRST */
	int64_t arrived, finished, refused;              /* of all requests; refused: the request does not fit into a cache */
	int64_t evictions, steps;
	double arrived_tokens, finished_tokens;  /* prompt and output tokens */
	double cached_share;                     /* part of the tokens of all prompts that entered an engine which its cache held, 0..1 */
	double replica_s;                        /* replicas that take requests x time, until the last counted request ended */
	double counted_output_tokens, counted_s; /* of the counted requests; from the first arrival to the last end */
	double busy_fraction, mean_batch, flops_per_s, bytes_per_s; /* of one replica; the latter two while busy */
	int64_t work;
	bool saturated, exhausted; /* too many requests waited; the work was used up. Either one aborts the run */
};

/* Returns the size of the workspace of a run, bytes. The workspace must be aligned for any type. */
size_t simulation_workspace_bytes(const struct simulation_setting *setting);

/* E92. Runs one simulation.
 * Given:    setting: replicas and requests (>= 1); workspace: at least simulation_workspace_bytes(); its content does
 *           not matter before and after.
 * Returned: *result; latencies in s, rates per s.
 * Valid:    where the step times of the engine setting are valid.
 * Case:     tests/planner/test_simulation.c, one_server_waits_as_pollaczek_and_khinchine (M/G/1) and
 *           many_servers_wait_as_erlang (M/M/c); tests/planner/test_simulation_fleet.c, the_first_class_waits_as_cobham
 *           (E95). */
void simulation_run(const struct simulation_setting *setting, void *workspace, struct simulation_result *result);

#endif
