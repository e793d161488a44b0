/* Where the accelerators of an outline are had: provider, region and term by the objective and the caps. */
#ifndef FLEETPLAN_PLANNER_TRAINING_PLACE_H
#define FLEETPLAN_PLANNER_TRAINING_PLACE_H

#include "planner/training/fleet.h"

/* Places to choose from: the candidate's supplies, or 1: its own offer, or what the request says it costs. */
size_t place_count(const struct programme *programme, const struct outline *outline);

/* Settles the outline at the place `index` (outline_settle()). False, and the outline as it was: no instance there holds what works together. */
bool place_take(const struct programme *programme, size_t index, struct outline *outline);

/* In memory, and within deadline, budget and caps with the confidence of the request. */
bool place_is_acceptable(const struct programme *programme, const struct outline *outline);

/* Settles the outline where the objective is least, of the acceptable places if there are any; of equal ones where it costs least. */
void place_best(const struct programme *programme, struct outline *outline);

#endif
