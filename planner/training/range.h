/* How far a candidate_plan's figures may be off, and with which probability it keeps what was promised (E133). */
#ifndef FLEETPLAN_PLANNER_TRAINING_RANGE_H
#define FLEETPLAN_PLANNER_TRAINING_RANGE_H

#include "planner/training/fleet.h"

/* Standard deviation of the logarithm of observed over predicted step time, from the validation runs with their suite left out
 * of the fit (make validate): wider for mixtures of experts, for 16-bit products on accelerators of 2024 and later, whose published
 * runs disagree among themselves. Where accelerator, kind or software were not measured ground.h adds its own. A calibration narrows it (E126), a given mfu leaves what a week's mean varies. */
#define STEP_LOG_SIGMA 0.12
#define STEP_LOG_SIGMA_EXPERTS 0.17
#define STEP_LOG_SIGMA_NEW 0.28
#define STEP_LOG_SIGMA_NEW_YEAR 2024
#define STEP_LOG_SIGMA_CEILING 0.08 /* of which not to know the ceiling of products is this: what is left of 0.12 is 0.09 */
#define STEP_LOG_SIGMA_GIVEN 0.03

/* Standard deviation of the logarithm of the step time of a candidate_plan whose layout is found; wider outside of what was measured (E135). */
double range_step_log_sigma(const struct stage_schedule *schedule, const struct candidate *candidate, const struct candidate_plan *candidate_plan);

/* Fills candidate_plan->range from its hours, cost and footprint, its step_log_sigma and least_step_s: no p10 is faster than the best
 * measured product of the accelerator. */
void range_fill(const struct stage_schedule *schedule, struct candidate_plan *candidate_plan);

/* Whether a measurement of the candidate's own products or software counts. */
bool range_is_calibrated(const struct candidate *candidate);

/* E133. The limits that the request sets, each with the probability with which the candidate_plan keeps it. Returned: how many of PROMISES_MAX. */
size_t range_promises(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct promised *promises);

/* Whether a figure stays within a limit with the schedule's confidence. */
bool range_keeps(const struct stage_schedule *schedule, const struct interval *figure, double limit);

/* Whether each is kept with at least the request's confidence. */
bool range_keeps_promises(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan);

/* The candidate_plan's uncertainties, the costliest first: what each adds to hours and cost at the request's confidence, and what would shrink it.
 * Returned: how many of UNCERTAINTIES_MAX. */
size_t range_uncertainties(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct uncertainty *uncertainties);

/* E151. What the measured terms leave of a step beside the ceiling of products, which E126 has: each moves the step by its share of it.
 * Given: the calibration's intervals (80 %), of memory, launches, the host's link and collectives; shares of the step (sum 1).
 * Returned: standard deviation of the step's logarithm, 0 where nothing was measured.
 * Source: derivative of ln T = ln sum of parts by each part's logarithm; parts are independent. */
double range_measured_log_sigma(const struct calibration *calibration, const struct bottleneck_use *use);

#endif
