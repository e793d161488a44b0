/* The answered option made from a candidate_plan: figures, intervals, provenance, bottleneck. */
#ifndef FLEETPLAN_PLANNER_TRAINING_OPTION_H
#define FLEETPLAN_PLANNER_TRAINING_OPTION_H

#include "planner/training/fleet.h"

/* Fills every member of the option. All figures are finite except absent ones: market and marginal carbon, monthly
 * figures without a cadence, and cost where no price is known. */
void training_option_fill(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct training_option *option);

#endif
