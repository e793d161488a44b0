/* From a resolved request to what is to be planned. */
#ifndef FLEETPLAN_PLANNER_TRAINING_STAGE_SCHEDULE_H
#define FLEETPLAN_PLANNER_TRAINING_STAGE_SCHEDULE_H

#include "planner/training/fleet.h"

/* The schedule that planner_training() plans: stages with their sequences and batches (E44), teacher and deadline, with the shipped
 * constants. Given: input, resolved and free of contradictions; teacher, which is filled where only its size was given. Both must
 * outlive the schedule. What is chosen is noted in `findings`. */
void stage_schedule_of_input(const struct training_input *input, struct model *teacher, struct stage_schedule *schedule, struct findings *findings);

#endif
