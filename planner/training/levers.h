/* Levers: what would make a plan faster, cheaper or smaller, each tried by planning again with the change (E45).
 *
 * A lever is tried only where it can apply: what it acts on takes part of the step, or the request pins what it frees. It is offered
 * when the new plan gains, with the change of hours, dollars and bytes of memory. The number of accelerators stays, and what the
 * request pins stays pinned, unless that is the lever. Costs a search of layouts for each lever tried. Where the input has a measured
 * step, levers go by its shares, and hours and dollars are those of the measured run (measured.h). */
#ifndef FLEETPLAN_PLANNER_TRAINING_LEVERS_H
#define FLEETPLAN_PLANNER_TRAINING_LEVERS_H

#include "planner/training/fleet.h"

/* Adds to plan->findings. Given: the schedule, the recommended candidate_plan, and the plan with its option and compute_optimal filled. */
void levers_advise(const struct stage_schedule *schedule, const struct candidate_plan *best, struct training_plan *plan);

/* What a lever acts on, by the code of its advice; BOTTLENECK_UNSET for advice that is no lever. */
enum bottleneck levers_kind(const char *code);

#endif
