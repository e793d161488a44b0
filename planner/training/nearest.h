/* When nothing is feasible: which constraint to relax, and by how much. */
#ifndef FLEETPLAN_PLANNER_TRAINING_NEAREST_H
#define FLEETPLAN_PLANNER_TRAINING_NEAREST_H

#include "planner/training/search.h"

/* Fills `failure` from what the search saw, planning again where that gives the number: STATUS_INVALID for pins that contradict
 * each other or the model, STATUS_INFEASIBLE otherwise. */
enum status nearest_explain(const struct programme *programme, const struct selection *selection, struct failure *failure);

#endif
