/* The schedule of a training, made from a resolved request. */
#ifndef FLEETPLAN_PLANNER_TRAINING_STAGE_SCHEDULE_H
#define FLEETPLAN_PLANNER_TRAINING_STAGE_SCHEDULE_H

#include "planner/training/fleet.h"

/* Fills the schedule that planner_training() plans: stages with their sequences and batches (E44), teacher, deadline
 * and the shipped constants. Given: input, resolved and free of contradictions; teacher, which is filled where the
 * request gives only its size. Both must outlive the schedule. Notes each chosen value in `findings`. */
void stage_schedule_of_input(
	const struct training_input *input, struct model *teacher, struct stage_schedule *schedule, struct findings *findings);

#endif
