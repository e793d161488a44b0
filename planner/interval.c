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

struct interval interval_of_product(double p50, const double *sigmas, size_t count)
{
	double variance = 0, factor;

	for (size_t i = 0; i < count; i++)
		variance += sigmas[i] * sigmas[i];
	factor = exp(z_p90 * sqrt(variance));
	return (struct interval){.p10 = p50 / factor, .p50 = p50, .p90 = p50 * factor};
}
