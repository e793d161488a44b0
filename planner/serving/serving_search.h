/* E59. Search over all possible fleets: the best one, and the Pareto front.
 *
 * All candidates, slices, layouts, precisions and batch limits are sized by formulas. Fleets that may be answered are
 * simulated. The search is bounded and deterministic. */
#ifndef FLEETPLAN_PLANNER_SERVING_SERVING_SEARCH_H
#define FLEETPLAN_PLANNER_SERVING_SERVING_SEARCH_H

#include "planner/serving/fleet_simulation.h"
#include "planner/serving/infeasible.h"

enum { FLEETS_MAX = 1024 };

struct search {
	const struct inference_input *input;
	const struct demand *demand;
	const struct fleet_limits *limits;
	size_t count;
	struct fleet fleets[FLEETS_MAX]; /* possible fleets; when full, the best so far */
	struct shortfall shortfall;
};

void search_start(struct search *search, const struct inference_input *input, const struct demand *demand, const struct fleet_limits *limits);

/* Sizes every layout, precision and batch limit of a candidate. */
void search_candidate(struct search *search, const struct candidate *candidate);

/* Does the same for every candidate and slice of the input. */
void search_all(struct search *search);

/* Returns the best fleet by the objective, simulated. NULL: no fleet is possible; the shortfall has the reason. */
struct fleet *search_best(struct search *search, struct simulator *simulator);

/* Simulates a fleet. False if it does not keep its promise, or then exceeds a cap; the fleet is excluded from then
 * on. */
bool search_simulate(struct search *search, struct simulator *simulator, struct fleet *fleet);

/* Finds the Pareto front of cost, carbon, accelerators and the objective, simulated, without `best`. Without a given
 * load the load counts too; without a promise the time of a request does. Fills at most `wanted` fleets, the best
 * first. Returns their number. */
size_t search_front(struct search *search, struct simulator *simulator, const struct fleet *best, struct fleet **front, size_t wanted);

/* True if `a` is better than `b`: by the extent of replicas, overload and the objective; then by accelerators, cost,
 * capacity, carbon and time of a request. */
bool search_is_better(const struct search *search, const struct fleet *a, const struct fleet *b);

#endif
