/* From a resolved request to what is to be planned. */
#ifndef FLEETPLAN_PLANNER_TRAINING_PROGRAMME_H
#define FLEETPLAN_PLANNER_TRAINING_PROGRAMME_H

#include "planner/training/fleet.h"

/* The programme that planner_training() plans: stages with their sequences and batches (E44), teacher and deadline, with the shipped
 * constants. Given: input, resolved and free of contradictions; teacher, which is filled where only its size was given. Both must
 * outlive the programme. What is chosen is noted in `findings`. */
void programme_of_input(const struct training_input *input, struct model *teacher, struct programme *programme, struct findings *findings);

#endif
