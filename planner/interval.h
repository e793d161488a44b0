/* Intervals: p10, p50 and p90 of a product of independent factors (E70), and quantiles and probabilities of an
 * interval (E130).
 *
 * Each factor (price, grid, power, efficiency, ...) is log-normal around its median; the variances of the logarithms
 * add. The spread above the median may differ from the spread below it. */
#ifndef FLEETPLAN_PLANNER_INTERVAL_H
#define FLEETPLAN_PLANNER_INTERVAL_H

#include "planner/findings.h"

/* Standard deviations of a factor's logarithm below and above its median, 0 or more. */
struct spread {
	double low, high;
};

/* Computes the standard deviation of a factor's logarithm from its p10 and p90.
 *
 * Given:    low   p10, any unit, > 0
 *           high  p90, same unit, >= low
 * Returned: ln(high / low) / (2 x 1.28155), >= 0; 0 if low is not above 0 or high not above low */
double interval_log_sigma(double low, double high);

/* Returns the standard deviation of the logarithm of a product of two independent factors: sqrt(a^2 + b^2). */
double interval_joint_sigma(double a, double b);

/* E70. Computes the interval of a product of independent log-normal factors.
 *
 * Given:    p50     median of the product, any unit, >= 0
 *           sigmas  standard deviations of the factors' logarithms, >= 0
 *           count   number of factors, >= 0
 * Returned: p10 = p50 exp(-1.28155 s), p50, p90 = p50 exp(1.28155 s), s = sqrt(sum of squares); unit of p50 */
struct interval interval_of_product(double p50, const double *sigmas, size_t count);

/* E130. Convert between a factor's interval and its spread, and combine the spreads of two independent factors.
 *
 * Given:    p10, p50, p90  interval of the factor, any unit, 0 < p10 <= p50 <= p90
 *           sigma          standard deviation of the factor's logarithm, equal on both sides, >= 0
 *           a, b           spreads of two independent factors
 *           spread         spread of a figure with the median p50
 * Returned: spread_of_range(): spread of the factor; spread_even(): `sigma` on both sides
 *           spread_joint(): on each side the root of the sum of squares
 *           interval_of_spread(): p10 = p50 exp(-1.28155 low), p90 = p50 exp(1.28155 high); unit of p50
 * Case:     tests/planner/test_interval.c */
struct spread spread_of_range(double p10, double p50, double p90);
struct spread spread_even(double sigma);
struct spread spread_joint(struct spread a, struct spread b);
struct interval interval_of_spread(double p50, struct spread spread);

/* E130. Computes a quantile of an interval. The distribution is two halves of log-normals that meet at p50 and pass
 * through p10 and p90.
 *
 * Given:    range        any unit, 0 < p10 <= p50 <= p90
 *           probability  0 < p < 1
 * Returned: the value that the figure does not exceed with this probability; unit of the range
 * Case:     tests/planner/test_interval.c */
double interval_quantile(const struct interval *range, double probability);

/* E130. Computes the probability that a figure is at most `value`. Inverse of interval_quantile().
 *
 * Given:    range  any unit, 0 < p10 <= p50 <= p90
 *           value  same unit, > 0
 * Returned: probability, 0 to 1
 * Case:     tests/planner/test_interval.c */
double interval_probability(const struct interval *range, double value);

/* Computes the standard normal quantile, with a relative error below 1.2e-9.
 *
 * Given:    p  probability, 0 < p < 1
 * Returned: the value that a standard normal variable does not exceed with probability p
 * Source:   Acklam 2003 */
double normal_quantile(double p);

#endif
