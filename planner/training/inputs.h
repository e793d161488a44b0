/* What an option's hours, cost and footprint rest upon, each with its range, and what happens when one of them changes (E108). */
#ifndef FLEETPLAN_PLANNER_TRAINING_INPUTS_H
#define FLEETPLAN_PLANNER_TRAINING_INPUTS_H

#include "planner/footprint/footprint_sensitivity.h"
#include "planner/training/fleet.h"

/* Names of inputs that are no members of a request: how far measured power is from the model's (around 1), and the hours of a run over those that its
 * steps and failures account for (E131). */
#define INPUT_POWER_MODEL "power_model"
#define INPUT_PRACTICE "practice"

/* Fills `inputs` for a settled candidate_plan. `mfu` of the option with its range. */
void inputs_of_candidate_plan(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, const struct figure *mfu, struct figures *inputs);

/* The figures of a settled candidate_plan that inputs move. */
struct moved moved_of_candidate_plan(const struct candidate_plan *candidate_plan);

/* The same accelerators, layout and place with one input at another value: hours, cost and footprint are computed again. Given: an input of
 * inputs_of_candidate_plan(). False: it is none that can be moved. */
bool inputs_move(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, const struct figure *input, double value, struct moved *moved);

#endif
