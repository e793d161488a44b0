/* E97. Replicas by the hour of a daily profile, and what following it saves against the peak's fleet all day. */
#ifndef FLEETPLAN_PLANNER_SERVING_AUTOSCALING_H
#define FLEETPLAN_PLANNER_SERVING_AUTOSCALING_H

#include "planner/serving/fleet_simulation.h"

/* E97. Seconds from the decision to the first request served: the engine's start and reading the weights; `request` may give it. */
double autoscaling_startup_s(const struct inference_request *request, const struct replica *replica);

/* Fills `autoscaling` and `autoscaled` of the option of a sized fleet; nothing without a profile. With a simulator that has a
 * workspace each number of replicas is simulated at the largest load that it is to hold; else formulas decide, scaled so that they
 * agree with the fleet at its peak. */
void autoscaling_fill(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct simulator *simulator, struct inference_option *option);

#endif
