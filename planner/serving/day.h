/* E99. Simulation of the day of the peak with the schedule by the hour: the latencies while replicas start and stop. */
#ifndef FLEETPLAN_PLANNER_SERVING_DAY_H
#define FLEETPLAN_PLANNER_SERVING_DAY_H

#include "planner/serving/fleet_simulation.h"

/* E99. Fills the latencies of `autoscaled` from the option's schedule. Nothing without a schedule, or if the day takes
 * too long to simulate.
 * Case: tests/planner/test_serving_fleet_simulation.c, a_schedule_is_lived_through. */
void day_fill(struct simulator *simulator, const struct fleet *fleet, struct inference_option *option);

#endif
