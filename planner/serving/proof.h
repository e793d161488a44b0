/* E59. An analytic fleet put to the proof: simulated, and resized until it keeps its promise with the fewest replicas.
 *
 * The formulas of latency.h rank hundreds of layouts in microseconds; a simulation decides about the few that might be
 * answered. Deterministic: steps are counted, not seconds. */
#ifndef FLEETPLAN_PLANNER_SERVING_PROOF_H
#define FLEETPLAN_PLANNER_SERVING_PROOF_H

#include "planner/serving/fleet.h"
#include "planner/simulation/trial.h"

enum { PROOFS_MAX = 16 };

struct prover {
	const struct inference_input *input;
	const struct demand *demand;
	const struct fleet_limits *limits;
	void *workspace; /* NULL: nothing is simulated */
	size_t workspace_bytes;
	int64_t work, work_left; /* of the simulation, for this plan: all, and what is left */
	size_t count;
	struct trial trials[PROOFS_MAX]; /* of the fleets proved; they point here */
};

void prover_start(struct prover *prover, const struct inference_input *input, const struct demand *demand,
	const struct fleet_limits *limits);

/* Workspace for any plan, bytes. */
size_t prover_workspace_bytes(void);

/* Whether another fleet can be proved: workspace, places and work are left. */
bool prover_can(const struct prover *prover);

/* Simulates a fleet that can stand. Without enough work left its formulas stay, and its trial NULL.
 * Sets its trial, replicas and what follows from them; FLEET_LATENCY when no number of
 * replicas (or, for a fixed fleet, no load) keeps the promise. */
void prover_prove(struct prover *prover, struct fleet *fleet);

/* The largest load that a proved fleet holds within headroom and promise, into requests_per_s_max. */
void prover_find_most(struct prover *prover, struct fleet *fleet);

#endif
