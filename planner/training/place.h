/* The place where a candidate_plan rents its accelerators: provider, region and term, chosen by the objective and the
 * caps. */
#ifndef FLEETPLAN_PLANNER_TRAINING_PLACE_H
#define FLEETPLAN_PLANNER_TRAINING_PLACE_H

#include "planner/training/fleet.h"

/* Returns the number of places to choose from: the candidate's supplies; or 1, for its own offer or the price that the
 * request gives. */
size_t place_count(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan);

/* Settles the candidate_plan at the place `index` (candidate_plan_settle()). False, with the candidate_plan unchanged:
 * no instance at that place is large enough for the accelerators that work together. */
bool place_take(const struct stage_schedule *schedule, size_t index, struct candidate_plan *candidate_plan);

/* True if the plan fits in memory (or memory is waived), and keeps deadline, budget and caps with the request's
 * confidence. */
bool place_is_acceptable(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan);

/* Settles the candidate_plan at the acceptable place with the least objective, or at any place if none is acceptable;
 * of equal places at the cheapest. */
void place_best(const struct stage_schedule *schedule, struct candidate_plan *candidate_plan);

#endif
