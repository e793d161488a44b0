/* E59. An analytic fleet put to the proof: simulated, and resized until it keeps its promise with the fewest replicas.
 *
 * The formulas of latency.h rank hundreds of layouts in microseconds; a simulation decides about the few that might be
 * answered. Deterministic: steps are counted, not seconds. */
#ifndef FLEETPLAN_PLANNER_SERVING_PROOF_H
#define FLEETPLAN_PLANNER_SERVING_PROOF_H

#include "planner/serving/fleet.h"
#include "planner/simulation/trial.h"

enum { PROOFS_MAX = 64 };

struct prover {
	const struct inference_input *input;
	const struct demand *demand;
	const struct fleet_limits *limits;
	void *workspace; /* NULL: nothing is simulated */
	size_t workspace_bytes;
	int64_t work, work_left; /* of the simulation, for this plan: all, and what is left */
	int64_t work_later; /* set aside for what is asked once the fleet is settled */
	bool again; /* for another confidence, when the answer is there: its progress is not counted again */
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

/* The same, where of a fixed number the load is asked: FLEET_LATENCY unless it holds more than so much. */
void prover_prove_beyond(struct prover *prover, struct fleet *fleet, double requests_per_s);

/* Work set aside for the front, for a schedule by the hour and for advice; prover_more() hands it out. */
enum { PROVER_SCHEDULE_WORK = 1000000, PROVER_DAY_WORK = 3000000, PROVER_ADVICE_WORK = 1800000, PROVER_FRONT_WORK = 600000, PROVER_OBSERVED_WORK = 100000,
	PROVER_OBSERVED_MOST = 6 };
void prover_more(struct prover *prover, int64_t work);

/* Whether a proved fleet, with so many replicas instead of its own (`prefill`: further ones, for prompts alone), keeps the promise at a
 * load. False too without enough work left. */
bool prover_keeps(struct prover *prover, const struct fleet *fleet, double decode, double prefill, double requests_per_s);

/* A day of a proved fleet whose number of replicas follows a schedule (E99), all of them doing both. */
struct day {
	const struct rate_piece *pieces;
	const struct replica_change *changes; /* in time with the pieces, the first at 0 */
	size_t piece_count, change_count;
	double most_replicas, startup_s;
	bool cold_only; /* latencies of those who come while a replica starts */
};

/* False where it is too long to simulate. trial->saturated: replicas do not carry it. `kept` by means, without their intervals. */
bool prover_day(struct prover *prover, const struct fleet *fleet, const struct day *day, struct trial *trial);

/* Simulates a proved fleet once more with the plan's own replicas, which are faster than those it was proved with: into `planned`. */
void prover_observe(struct prover *prover, struct fleet *fleet);

/* The largest load that a fleet holds within headroom and promise, simulated; the same whatever load it was found for. `careful`: as a
 * load that is asked for is judged; else with few replications, which found 6 to 12 % less. Absent: work ran out. */
double prover_most_requests_per_s(struct prover *prover, const struct fleet *fleet, bool careful);

/* The same of a proved fleet, into requests_per_s_max. */
void prover_find_most(struct prover *prover, struct fleet *fleet, bool careful);

#endif
