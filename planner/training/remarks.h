/* Remarks of an answer beside its figures: assumptions of the planner, warnings, advice, sensitivity. */
#ifndef FLEETPLAN_PLANNER_TRAINING_REMARKS_H
#define FLEETPLAN_PLANNER_TRAINING_REMARKS_H

#include "planner/training/search.h"

/* Adds remarks to plan->findings. Given: the schedule, the recommended candidate_plan and the plan with its options
 * filled. */
void remarks_fill(const struct stage_schedule *schedule, const struct candidate_plan *best, struct training_plan *plan);

/* Notes the rule that chose the number of accelerators, and which of nearly equal options it takes. */
void remarks_of_sizing(enum sizing sizing, struct findings *findings);

/* Names the accelerators that the search left early because they cost far more, and how to include them. */
void remarks_of_left(const struct stage_schedule *schedule, const size_t candidates[], size_t count, struct findings *findings);

/* Computes how far each input of the recommended option moves it over the input's range (E108). Hours, cost and
 * footprint are computed again for the same accelerators, layout and place. */
void sensitivity_fill(const struct stage_schedule *schedule, const struct candidate_plan *best, struct training_plan *plan);

/* Adds a small number of useful levers, each with its effect. */
void advice_fill(const struct stage_schedule *schedule, const struct candidate_plan *best, struct training_plan *plan);

/* Advises a larger number of the same accelerator on the front when it is both faster and cheaper than the fewest that
 * meet the deadline. */
void advice_of_larger(const struct candidate_plan *front, size_t count, const struct candidate_plan *best, struct training_plan *plan);

#endif
