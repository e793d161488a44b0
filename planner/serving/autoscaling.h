/* E97. The number of replicas for each hour of a daily profile, and the saving against the peak's fleet all day. */
#ifndef FLEETPLAN_PLANNER_SERVING_AUTOSCALING_H
#define FLEETPLAN_PLANNER_SERVING_AUTOSCALING_H

#include "planner/serving/fleet_simulation.h"

/* E97. Computes the time from the decision to start a replica until its first request.
 * Given:    request: startup_s, if given, is the result; replica: prepared, for the size of the weights.
 * Returned: s; by default 60 s for the engine and the weights at 130 GB in 110 s.
 * Source:   Fu et al. 2024 (ServerlessLLM, OSDI), section 2.
 * Case:     tests/planner/test_serving_sizing.c. */
double autoscaling_startup_s(const struct inference_request *request, const struct replica *replica);

/* E97. Fills `autoscaling` and `autoscaled` of an option; nothing without a daily profile.
 * Given:    fleet: sized; simulator: may be NULL. With a workspace each number of replicas is simulated at the largest
 *           load that it carries. Else formulas decide, scaled so that they agree with the fleet at its peak.
 * Returned: members of *option.
 * Case:     tests/planner/test_serving_fleet_cost.c, an_even_day_saves_nothing. */
void autoscaling_fill(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct simulator *simulator, struct inference_option *option);

#endif
