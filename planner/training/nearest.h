/* Errors when no plan is feasible: which constraint to relax, and by how much. */
#ifndef FLEETPLAN_PLANNER_TRAINING_NEAREST_H
#define FLEETPLAN_PLANNER_TRAINING_NEAREST_H

#include "planner/training/search.h"

/* Returns STATUS_INVALID when pins contradict each other, the model, the batch or the number of accelerators. Adds a
 * fault for each with values that would work, and names the nearest layout without the faulty pins. */
enum status nearest_check_pins(const struct stage_schedule *schedule, struct failure *failure);

/* Fills `failure` from the results of the search. Plans again where that gives the number to report. Returns
 * STATUS_INFEASIBLE with a fault for each constraint that no plan keeps. */
enum status nearest_explain(const struct stage_schedule *schedule, const struct selection *selection, struct failure *failure);

#endif
