/* Intervals: how spreads of independent factors become p10, p50, p90 of their product (E70).
 *
 * Every factor (price, grid, power, efficiency, ...) is taken as log-normal around its central value; the logarithms'
 * variances add. Spreads are stated as p10..p90 or low..high. */
#ifndef FLEETPLAN_PLANNER_INTERVAL_H
#define FLEETPLAN_PLANNER_INTERVAL_H

#include "planner/findings.h"

/* Standard deviation of the logarithm of a factor whose p10 and p90 are given.
 * Given: low, high (same unit, 0 < low <= high). Returned: ln(high/low) / (2 x 1.28155), 0 or more. */
double interval_log_sigma(double low, double high);

/* Standard deviation of a product of two independent factors: the root of the sum of squares. */
double interval_joint_sigma(double a, double b);

/* E70. Given: p50 (any unit, >= 0); sigmas (of logarithms, >= 0) of independent factors; their count.
 * Returned: p10 = p50 x exp(-1.28155 s), p90 = p50 x exp(1.28155 s), s = sqrt(sum of squares). */
struct interval interval_of_product(double p50, const double *sigmas, size_t count);

#endif
