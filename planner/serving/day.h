/* E99. The day of the peak, simulated as the schedule by the hour has it: what users see while replicas come and go. */
#ifndef FLEETPLAN_PLANNER_SERVING_DAY_H
#define FLEETPLAN_PLANNER_SERVING_DAY_H

#include "planner/serving/fleet_simulation.h"

/* Fills the latencies of `autoscaled` from the schedule that the option has; nothing where it has none, or it takes too long. */
void day_fill(struct simulator *simulator, const struct fleet *fleet, struct inference_option *option);

#endif
