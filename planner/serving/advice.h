/* What another choice would save, each planned again and proved as the plan itself was. */
#ifndef FLEETPLAN_PLANNER_SERVING_ADVICE_H
#define FLEETPLAN_PLANNER_SERVING_ADVICE_H

#include "planner/serving/proof.h"

/* Advice about a proved fleet: narrower weights or cache, another layout or batch limit than those pinned, wider replicas, prompts on
 * replicas of their own, a prefix cache, drafts, slices of boards. Effects in accelerators and dollars a month; of a fixed number
 * of accelerators in the load that it holds. */
void serving_advise(struct prover *prover, const struct fleet *best, struct findings *findings);

#endif
