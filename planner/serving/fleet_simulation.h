/* E59, E93. Simulates a fleet that was sized by formulas, and resizes it to the fewest replicas that keep its promise.
 *
 * The formulas of latency.h rank hundreds of layouts in microseconds. Simulations decide about the few that may be
 * answered. They are deterministic: their limit counts groups of steps, not seconds. */
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
	int64_t work, work_left; /* simulation work of this plan: all of it, and the rest */
	int64_t work_later;      /* reserved for simulations after the best fleet is found */
	bool again;              /* a later search for another confidence; its progress is not reported again */
	size_t count;
	struct trial trials[FLEET_SIMULATIONS_MAX]; /* of the simulated fleets, which point into this array */
};

void simulator_start(
	struct simulator *simulator, const struct inference_input *input, const struct demand *demand, const struct fleet_limits *limits);

/* Returns the size of a workspace that is enough for any plan, bytes. */
size_t simulator_workspace_bytes(void);

/* True if another fleet can be simulated: there is a workspace, a free trial and work left. */
bool simulator_can(const struct simulator *simulator);

/* Simulates a fleet whose verdict is FLEET_OK. Sets its trial, its replicas and the figures that follow from them.
 * Without enough work the figures by formulas remain, and the trial is NULL. The verdict becomes FLEET_LATENCY if no
 * number of replicas (or, for a fixed fleet, no load) keeps the promise, and FLEET_COUNT if a fixed fleet does not keep
 * it at the given load. */
void simulator_run(struct simulator *simulator, struct fleet *fleet);

/* The same for a fixed number of accelerators without a load: the verdict is FLEET_LATENCY unless the fleet carries
 * more than requests_per_s. */
void simulator_prove_beyond(struct simulator *simulator, struct fleet *fleet, double requests_per_s);

/* Work that is reserved for schedules by the hour, days, advice, the front and observations. simulator_more() releases
 * it. */
enum {
	SIMULATOR_SCHEDULE_WORK = 1000000,
	SIMULATOR_DAY_WORK = 3000000,
	SIMULATOR_ADVICE_WORK = 1800000,
	SIMULATOR_FRONT_WORK = 600000,
	SIMULATOR_OBSERVED_WORK = 100000,
	SIMULATOR_OBSERVED_MOST = 6
};
void simulator_more(struct simulator *simulator, int64_t work);

/* True if a simulated fleet keeps the promise at a load with another number of replicas: `decode`, and `prefill` for
 * prompts only. False also without enough work. */
bool simulator_keeps(struct simulator *simulator, const struct fleet *fleet, double decode, double prefill, double requests_per_s);

/* A day of a simulated fleet whose number of replicas follows a schedule (E99). Every replica does prompts and
 * decoding. */
struct day {
	const struct rate_piece *pieces;
	const struct replica_change *changes; /* at the times of the pieces, the first at 0 */
	size_t piece_count, change_count;
	double most_replicas, startup_s;
	bool cold_only; /* only latencies of requests that arrive while a replica starts */
};

/* E99. Simulates a day.
 * Returned: *trial; `saturated`: the replicas do not carry the load; `kept`: by the means of latencies, without their
 *           intervals. False if the day is too long to simulate.
 * Case:     tests/planner/test_serving_fleet_simulation.c, a_day_is_lived_through_without_the_spare. */
bool simulator_day(struct simulator *simulator, const struct fleet *fleet, const struct day *day, struct trial *trial);

/* Simulates a simulated fleet again with replicas of the plan's own speed, without the allowance. Fills
 * fleet->planned. */
void simulator_observe(struct simulator *simulator, struct fleet *fleet);

/* Returns the largest load that a fleet carries within headroom and promise, simulated, requests/s. It does not depend
 * on the load for which the fleet was sized. `careful`: with as many repetitions as for a given load; else with few,
 * which found 6 to 12 % less. Absent: the work was used up.
 * Case: tests/planner/test_serving_fleet_simulation.c, what_a_fleet_holds_depends_on_no_load. */
double simulator_most_requests_per_s(struct simulator *simulator, const struct fleet *fleet, bool careful);

/* Fills requests_per_s_max of a simulated fleet with the same figure. */
void simulator_find_most(struct simulator *simulator, struct fleet *fleet, bool careful);

#endif
