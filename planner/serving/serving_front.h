/* E114. Of all fleets at all offers, those that nothing beats in money, carbon and time of a request. */
#ifndef FLEETPLAN_PLANNER_SERVING_SERVING_FRONT_H
#define FLEETPLAN_PLANNER_SERVING_SERVING_FRONT_H

#include "planner/serving/serving_search.h"

/* Times of a request count in steps of a tenth: models are no closer. Given: s (> 0). Returned: the lower end of its step, s. */
double service_time_step_s(double e2e_s);

/* Fills the plan's front from a search whose best fleet is simulated. Fleets on the front are simulated, cleanest and fastest first, with
 * work of their own, so that it does not matter what else is answered; those for which it does not suffice are left out and counted in
 * an assumption. Where a number of accelerators is given without a load, what is compared is what a request costs and emits. */
void service_front_fill(struct search *search, struct simulator *simulator, struct inference_plan *plan);

#endif
