/* What an answer says beside its figures: assumptions of the planner, warnings, advice, sensitivity. */
#ifndef FLEETPLAN_PLANNER_TRAINING_REMARKS_H
#define FLEETPLAN_PLANNER_TRAINING_REMARKS_H

#include "planner/training/search.h"

/* Adds to plan->findings. Given: the schedule, the recommended candidate_plan and the plan with its options filled. */
void remarks_fill(const struct stage_schedule *schedule, const struct candidate_plan *best, struct training_plan *plan);

/* By which rule the number was taken, and which of options that are nearly equal. */
void remarks_of_sizing(enum sizing sizing, struct findings *findings);

/* Which accelerators were left early because they cost far more, and how to see them. */
void remarks_of_left(const struct stage_schedule *schedule, const size_t candidates[], size_t count, struct findings *findings);

/* How far each of the recommended option's inputs moves it over its range (E108): hours, cost and footprint of the same accelerators, layout and
 * place are computed again. */
void sensitivity_fill(const struct stage_schedule *schedule, const struct candidate_plan *best, struct training_plan *plan);

/* Few and useful levers, each with its effect. */
void advice_fill(const struct stage_schedule *schedule, const struct candidate_plan *best, struct training_plan *plan);

/* When a larger number of the same accelerator on the front is both faster and cheaper than the fewest that meet the deadline. */
void advice_of_larger(const struct candidate_plan *front, size_t count, const struct candidate_plan *best, struct training_plan *plan);

#endif
