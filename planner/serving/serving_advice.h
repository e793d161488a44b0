/* Advice: savings of other choices. Each choice is planned and simulated like the plan itself. */
#ifndef FLEETPLAN_PLANNER_SERVING_SERVING_ADVICE_H
#define FLEETPLAN_PLANNER_SERVING_SERVING_ADVICE_H

#include "planner/serving/fleet_simulation.h"

/* Gives advice about a simulated fleet: narrower weights or cache, another layout or batch limit than the pinned ones,
 * wider replicas, separate replicas for prompts, a prefix cache, drafts, slices of boards. Effects are in accelerators
 * and USD a month; for a fixed number of accelerators without a load they are in the load that it carries. */
void serving_advise(struct simulator *simulator, const struct fleet *best, struct findings *findings);

#endif
