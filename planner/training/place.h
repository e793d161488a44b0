/* Where the accelerators of a candidate_plan are had: provider, region and term by the objective and the caps. */
#ifndef FLEETPLAN_PLANNER_TRAINING_PLACE_H
#define FLEETPLAN_PLANNER_TRAINING_PLACE_H

#include "planner/training/fleet.h"

/* Places to choose from: the candidate's supplies, or 1: its own offer, or what the request says it costs. */
size_t place_count(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan);

/* Settles the candidate_plan at the place `index` (candidate_plan_settle()). False, and the candidate_plan as it was: no instance there holds what works together. */
bool place_take(const struct stage_schedule *schedule, size_t index, struct candidate_plan *candidate_plan);

/* In memory, and within deadline, budget and caps with the confidence of the request. */
bool place_is_acceptable(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan);

/* Settles the candidate_plan where the objective is least, of the acceptable places if there are any; of equal ones where it costs least. */
void place_best(const struct stage_schedule *schedule, struct candidate_plan *candidate_plan);

#endif
