/* The inputs of an option's hours, cost and footprint, each with its range, and the effect of changing one of them
 * (E108). */
#ifndef FLEETPLAN_PLANNER_TRAINING_INPUTS_H
#define FLEETPLAN_PLANNER_TRAINING_INPUTS_H

#include "planner/footprint/footprint_sensitivity.h"
#include "planner/training/fleet.h"

/* Names of inputs that are not members of a request: measured power over the model's power (about 1), and the hours of
 * a run over the hours of its steps and failures (E131). */
#define INPUT_POWER_MODEL "power_model"
#define INPUT_PRACTICE    "practice"

/* Fills `inputs` for a settled candidate_plan. Given: `mfu`, the option's MFU with its range. */
void inputs_of_candidate_plan(
	const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, const struct figure *mfu, struct figures *inputs);

/* Returns the figures of a settled candidate_plan that depend on the inputs. */
struct moved moved_of_candidate_plan(const struct candidate_plan *candidate_plan);

/* Computes hours, cost and footprint again with one input at another value, on the same accelerators, layout and place.
 * Given: an input of inputs_of_candidate_plan(). False: this input cannot be changed. */
bool inputs_move(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, const struct figure *input,
	double value, struct moved *moved);

#endif
