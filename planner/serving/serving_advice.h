/* What another choice would save, each planned again and simulated as the plan itself was. */
#ifndef FLEETPLAN_PLANNER_SERVING_SERVING_ADVICE_H
#define FLEETPLAN_PLANNER_SERVING_SERVING_ADVICE_H

#include "planner/serving/fleet_simulation.h"

/* Advice about a simulated fleet: narrower weights or cache, another layout or batch limit than those pinned, wider replicas, prompts on
 * replicas of their own, a prefix cache, drafts, slices of boards. Effects in accelerators and dollars a month; of a fixed number
 * of accelerators in the load that it holds. */
void serving_advise(struct simulator *simulator, const struct fleet *best, struct findings *findings);

#endif
