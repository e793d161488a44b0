/* Intervals: how spreads of independent factors become p10, p50, p90 of their product (E70), and what an interval says of any
 * other probability (E130).
 *
 * Every factor (price, grid, power, efficiency, ...) is taken as log-normal around its median; the logarithms' variances add.
 * A factor may reach further up than down: it then has a spread on either side of its median. */
#ifndef FLEETPLAN_PLANNER_INTERVAL_H
#define FLEETPLAN_PLANNER_INTERVAL_H

#include "planner/findings.h"

/* Standard deviations of a factor's logarithm below and above its median, 0 or more. */
struct spread {
	double low, high;
};

/* Standard deviation of the logarithm of a factor whose p10 and p90 are given.
 * Given: low, high (same unit, 0 < low <= high). Returned: ln(high/low) / (2 x 1.28155), 0 or more. */
double interval_log_sigma(double low, double high);

/* Standard deviation of a product of two independent factors: the root of the sum of squares. */
double interval_joint_sigma(double a, double b);

/* E70. Given: p50 (any unit, >= 0); sigmas (of logarithms, >= 0) of independent factors; their count.
 * Returned: p10 = p50 x exp(-1.28155 s), p90 = p50 x exp(1.28155 s), s = sqrt(sum of squares). */
struct interval interval_of_product(double p50, const double *sigmas, size_t count);

/* E130. A factor's spread from its p10, p50 and p90 (0 < p10 <= p50 <= p90), the same on both sides, of a product of two independent factors
 * (root of the sum of squares on each side), and the interval of a figure whose median and spread are known. */
struct spread spread_of_range(double p10, double p50, double p90);
struct spread spread_even(double sigma);
struct spread spread_joint(struct spread a, struct spread b);
struct interval interval_of_spread(double p50, struct spread spread);

/* E130. A figure as two halves of log-normals that meet at its p50 and go through its p10 and p90.
 * Given: range (0 < p10 <= p50 <= p90), probability (0 < p < 1). Returned: the value that the figure does not exceed with it. */
double interval_quantile(const struct interval *range, double probability);
/* Given: range as above, value > 0. Returned: probability that the figure is at most `value`, 0 to 1. */
double interval_probability(const struct interval *range, double value);

/* Standard normal quantile, 0 < p < 1: Acklam 2003, relative error below 1.2e-9. */
double normal_quantile(double p);

#endif
