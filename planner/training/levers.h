/* Levers: changes that would make a plan faster, cheaper or smaller. The planner tries each by planning again with the
 * change (E45).
 *
 * A lever is tried only where it can apply: the part of the step that it acts on takes time, or the request pins what
 * the lever frees. It is offered when the new plan is better, with the change of hours, dollars and bytes of memory.
 * The number of accelerators and the request's pins stay the same unless the lever changes them. Each lever tried costs
 * one search of layouts. Where the input has a measured step, levers use its shares, and hours and dollars are those of
 * the measured run (measured.h). */
#ifndef FLEETPLAN_PLANNER_TRAINING_LEVERS_H
#define FLEETPLAN_PLANNER_TRAINING_LEVERS_H

#include "planner/training/fleet.h"

/* Adds the levers to plan->findings. Given: the schedule, the recommended candidate_plan, and the plan with its option
 * and compute_optimal filled. */
void levers_advise(const struct stage_schedule *schedule, const struct candidate_plan *best, struct training_plan *plan);

/* Returns the part of the step that a lever acts on, by the code of its advice; BOTTLENECK_UNSET for advice that is not
 * a lever. */
enum bottleneck levers_kind(const char *code);

#endif
