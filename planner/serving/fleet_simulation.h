/* E59. An analytic fleet simulated: simulated, and resized until it keeps its promise with the fewest replicas.
 *
 * The formulas of latency.h rank hundreds of layouts in microseconds; a simulation decides about the few that might be
 * answered. Deterministic: steps are counted, not seconds. */
#ifndef FLEETPLAN_PLANNER_SERVING_FLEET_SIMULATION_H
#define FLEETPLAN_PLANNER_SERVING_FLEET_SIMULATION_H

#include "planner/queueing/trial.h"
#include "planner/serving/serving_fleet.h"

enum { FLEET_SIMULATIONS_MAX = 64 };

struct simulator {
	const struct inference_input *input;
	const struct demand *demand;
	const struct fleet_limits *limits;
	void *workspace; /* NULL: nothing is simulated */
	size_t workspace_bytes;
	int64_t work, work_left; /* of the simulation, for this plan: all, and what is left */
	int64_t work_later; /* set aside for what is asked once the fleet is settled */
	bool again; /* for another confidence, when the answer is there: its progress is not counted again */
	size_t count;
	struct trial trials[FLEET_SIMULATIONS_MAX]; /* of the fleets simulated; they point here */
};

void simulator_start(struct simulator *simulator, const struct inference_input *input, const struct demand *demand,
	const struct fleet_limits *limits);

/* Workspace for any plan, bytes. */
size_t simulator_workspace_bytes(void);

/* Whether another fleet can be simulated: workspace, places and work are left. */
bool simulator_can(const struct simulator *simulator);

/* Simulates a fleet that can stand. Without enough work left its formulas stay, and its trial NULL.
 * Sets its trial, replicas and what follows from them; FLEET_LATENCY when no number of
 * replicas (or, for a fixed fleet, no load) keeps the promise. */
void simulator_run(struct simulator *simulator, struct fleet *fleet);

/* The same, where of a fixed number the load is asked: FLEET_LATENCY unless it holds more than so much. */
void simulator_prove_beyond(struct simulator *simulator, struct fleet *fleet, double requests_per_s);

/* Work set aside for the front, for a schedule by the hour and for advice; simulator_more() hands it out. */
enum { SIMULATOR_SCHEDULE_WORK = 1000000, SIMULATOR_DAY_WORK = 3000000, SIMULATOR_ADVICE_WORK = 1800000, SIMULATOR_FRONT_WORK = 600000, SIMULATOR_OBSERVED_WORK = 100000,
	SIMULATOR_OBSERVED_MOST = 6 };
void simulator_more(struct simulator *simulator, int64_t work);

/* Whether a simulated fleet, with so many replicas instead of its own (`prefill`: further ones, for prompts alone), keeps the promise at a
 * load. False too without enough work left. */
bool simulator_keeps(struct simulator *simulator, const struct fleet *fleet, double decode, double prefill, double requests_per_s);

/* A day of a simulated fleet whose number of replicas follows a schedule (E99), all of them doing both. */
struct day {
	const struct rate_piece *pieces;
	const struct replica_change *changes; /* in time with the pieces, the first at 0 */
	size_t piece_count, change_count;
	double most_replicas, startup_s;
	bool cold_only; /* latencies of those who come while a replica starts */
};

/* False where it is too long to simulate. trial->saturated: replicas do not carry it. `kept` by means, without their intervals. */
bool simulator_day(struct simulator *simulator, const struct fleet *fleet, const struct day *day, struct trial *trial);

/* Simulates a simulated fleet once more with the plan's own replicas, which are faster than those it was simulated with: into `planned`. */
void simulator_observe(struct simulator *simulator, struct fleet *fleet);

/* The largest load that a fleet holds within headroom and promise, simulated; the same whatever load it was found for. `careful`: as a
 * load that is asked for is judged; else with few replications, which found 6 to 12 % less. Absent: work ran out. */
double simulator_most_requests_per_s(struct simulator *simulator, const struct fleet *fleet, bool careful);

/* The same of a simulated fleet, into requests_per_s_max. */
void simulator_find_most(struct simulator *simulator, struct fleet *fleet, bool careful);

#endif
