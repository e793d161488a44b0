/* E59. Every fleet that can stand, the best of them, and those that nothing beats.
 *
 * All candidates, slices, layouts, precisions and batch limits are sized by formulas; what might be answered is simulated.
 * Bounded and deterministic. */
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
	struct fleet fleets[FLEETS_MAX]; /* those that can stand; when full the best so far */
	struct shortfall shortfall;
};

void search_start(struct search *search, const struct inference_input *input, const struct demand *demand,
	const struct fleet_limits *limits);

/* Sizes every layout, precision and batch limit of a candidate. */
void search_candidate(struct search *search, const struct candidate *candidate);

/* The same of every candidate and slice of the input. */
void search_all(struct search *search);

/* The best by the objective, simulated; NULL: none stands, and the shortfall says why. */
struct fleet *search_best(struct search *search, struct simulator *simulator);

/* Simulates a fleet; one that does not pass, or is then beyond a cap, is left out from then on, and false. */
bool search_simulate(struct search *search, struct simulator *simulator, struct fleet *fleet);

/* The Pareto front of cost, carbon, accelerators and the objective (and the load, where it is asked for; and the time of a request,
 * where nothing is promised), simulated, without `best`:
 * at most `wanted` fleets, best first. Returns how many. */
size_t search_front(
	struct search *search, struct simulator *simulator, const struct fleet *best, struct fleet **front, size_t wanted);

/* Whether `a` is before `b` by the objective; what is equal goes by accelerators, cost, carbon and time of a request. */
bool search_is_better(const struct search *search, const struct fleet *a, const struct fleet *b);

#endif
