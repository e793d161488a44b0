/* When nothing is feasible: which constraint to relax, and by how much. */
#ifndef FLEETPLAN_PLANNER_TRAINING_NEAREST_H
#define FLEETPLAN_PLANNER_TRAINING_NEAREST_H

#include "planner/training/search.h"

/* STATUS_INVALID when pins contradict each other, the model, the batch or the number of accelerators: a fault for each with what would
 * do, and the nearest layout without the faulty ones. */
enum status nearest_check_pins(const struct stage_schedule *schedule, struct failure *failure);

/* Fills `failure` from what the search saw, planning again where that gives the number: STATUS_INFEASIBLE with a
 * fault for each constraint that does not hold. */
enum status nearest_explain(const struct stage_schedule *schedule, const struct selection *selection, struct failure *failure);

#endif
