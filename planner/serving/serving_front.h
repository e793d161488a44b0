/* E114. The Pareto front of all fleets at all offers in cost, carbon and time of a request. */
#ifndef FLEETPLAN_PLANNER_SERVING_SERVING_FRONT_H
#define FLEETPLAN_PLANNER_SERVING_SERVING_FRONT_H

#include "planner/serving/serving_search.h"

/* E114. Rounds the time of a request down to a step of 10 %, because the model is not more accurate.
 * Given:    e2e_s: time of a request, s (> 0).
 * Returned: the lower end of its step, a power of 1.1, s.
 * Case:     tests/planner/golden/serving.txt (E114). */
double service_time_step_s(double e2e_s);

/* E114. Fills the plan's front from a search whose best fleet is simulated. Fleets on the front are simulated, cleanest
 * and fastest first, with their own part of the work, so that the front does not depend on the rest of the answer.
 * Fleets for which the work is not enough are left out and counted in an assumption. For a given number of accelerators
 * without a load, cost and carbon are those of a request.
 * Case: tests/planner/test_serving_front.c, the_front_is_what_nothing_beats. */
void service_front_fill(struct search *search, struct simulator *simulator, struct inference_plan *plan);

#endif
