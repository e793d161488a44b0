#include "planner/interval.h"

#include <math.h>

static const double z_p90 = 1.2815515655446004; /* standard normal quantile of 0.9 */

double interval_log_sigma(double low, double high)
{
	return low > 0 && high > low ? log(high / low) / (2 * z_p90) : 0;
}

double interval_joint_sigma(double a, double b)
{
	return sqrt(a * a + b * b);
}

/* Rational approximation for both tails; 0 < p < 0.02425. The caller mirrors the upper tail. */
static double lower_tail(double p)
{
	static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00, -2.549732539343734e+00,
		4.374664141464968e+00, 2.938163982698783e+00};
	static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
	double q = sqrt(-2 * log(p));

	return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) / ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
}

double normal_quantile(double p)
{
	static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02, -2.759285104469687e+02, 1.383577518672690e+02,
		-3.066479806614716e+01, 2.506628277459239e+00};
	static const double b[] = {
		-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01, -1.328068155288572e+01};
	static const double tail = 0.02425;
	double q = p - 0.5, r = q * q;

	CHECK(p > 0 && p < 1);
	if (p < tail)
		return lower_tail(p);
	if (p > 1 - tail)
		return -lower_tail(1 - p);
	return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
		(((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

struct interval interval_of_product(double p50, const double *sigmas, size_t count)
{
	double variance = 0, factor;

	for (size_t i = 0; i < count; i++)
		variance += sigmas[i] * sigmas[i];
	factor = exp(z_p90 * sqrt(variance));
	return (struct interval){.p10 = p50 / factor, .p50 = p50, .p90 = p50 * factor};
}

struct spread spread_of_range(double p10, double p50, double p90)
{
	return (struct spread){.low = log(p50 / p10) / z_p90, .high = log(p90 / p50) / z_p90};
}

struct spread spread_even(double sigma)
{
	return (struct spread){sigma, sigma};
}

struct spread spread_joint(struct spread a, struct spread b)
{
	return (struct spread){.low = interval_joint_sigma(a.low, b.low), .high = interval_joint_sigma(a.high, b.high)};
}

struct interval interval_of_spread(double p50, struct spread spread)
{
	return (struct interval){.p10 = p50 * exp(-z_p90 * spread.low), .p50 = p50, .p90 = p50 * exp(z_p90 * spread.high)};
}

double interval_quantile(const struct interval *range, double probability)
{
	double z = normal_quantile(probability) / z_p90;

	return range->p50 * (z < 0 ? pow(range->p10 / range->p50, -z) : pow(range->p90 / range->p50, z));
}

double interval_probability(const struct interval *range, double value)
{
	double side = value < range->p50 ? log(range->p50 / range->p10) : log(range->p90 / range->p50);
	double distance = log(value / range->p50);

	if (side <= 0)
		return distance < 0 ? 0 : 1;
	return 0.5 * erfc(-z_p90 * distance / side * sqrt(0.5));
}
