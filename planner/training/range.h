/* Uncertainty of a candidate_plan's figures, and the probability with which it keeps the request's limits (E133). */
#ifndef FLEETPLAN_PLANNER_TRAINING_RANGE_H
#define FLEETPLAN_PLANNER_TRAINING_RANGE_H

#include "planner/training/fleet.h"

/* Standard deviation of the logarithm of observed over predicted step time. Source: the validation runs, each suite
 * left out of the fit (make validate). It is wider for mixtures of experts, and for 16-bit products on accelerators of
 * 2024 and later that run no compiled step, whose published runs disagree with each other. ground.h adds a spread where
 * accelerator, kind or software were not measured. A calibration narrows the spread (E126). A given mfu leaves the
 * variation of a week's mean. */
#define STEP_LOG_SIGMA          0.12
#define STEP_LOG_SIGMA_EXPERTS  0.17
#define STEP_LOG_SIGMA_NEW      0.28
#define STEP_LOG_SIGMA_NEW_YEAR 2024
#define STEP_LOG_SIGMA_CEILING  0.08 /* part of the 0.12 that comes from the unknown ceiling of products; without it 0.09 remains */
#define STEP_LOG_SIGMA_GIVEN    0.03

/* Returns the standard deviation of the logarithm of the step time of a candidate_plan whose layout is found; wider
 * outside of the measured ranges (E135). */
double range_step_log_sigma(
	const struct stage_schedule *schedule, const struct candidate *candidate, const struct candidate_plan *candidate_plan);

/* Fills candidate_plan->range from its hours, cost and footprint, its step_log_sigma and least_step_s. No p10 is faster
 * than the best measured product of the accelerator. */
void range_fill(const struct stage_schedule *schedule, struct candidate_plan *candidate_plan);

/* True if a measurement of the candidate's own products or software is in use. */
bool range_is_calibrated(const struct candidate *candidate);

/* E133. Computes the probability with which the candidate_plan keeps each limit that the request sets.
 * Given: schedule (deadline and confidence; budget and caps of its request); candidate_plan, with its range filled.
 * Returned: promises (limit in h, USD, kWh or kg, and a probability; 0 where the figure is unknown); the number of
 * promises, at most PROMISES_MAX.
 * Case: a_promise_is_kept_with_its_confidence in tests/planner/test_training_practice.c. */
size_t range_promises(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct promised *promises);

/* True if a figure stays within a limit with the schedule's confidence. */
bool range_keeps(const struct stage_schedule *schedule, const struct interval *figure, double limit);

/* True if the plan keeps each limit with at least the request's confidence. */
bool range_keeps_promises(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan);

/* Lists the candidate_plan's uncertainties, the most expensive first: the hours and cost that each adds at the
 * request's confidence, and what would reduce it.
 * Returned: the number of uncertainties, at most UNCERTAINTIES_MAX. */
size_t range_uncertainties(
	const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct uncertainty *uncertainties);

/* E151. Computes the spread of a step that remains from the measured terms beside the ceiling of products (E126 covers
 * that one). Each term moves the step by its share of the step.
 * Given: calibration (its 80 % intervals of memory, launches, the host's link and collectives); use (shares of the
 * step, sum 1).
 * Returned: standard deviation of the step's logarithm; 0 where nothing was measured.
 * Source: derivative of ln T = ln sum of parts by each part's logarithm; parts are independent.
 * Case: E151 in tests/planner/golden/measurement.txt. */
double range_measured_log_sigma(const struct calibration *calibration, const struct bottleneck_use *use);

#endif
