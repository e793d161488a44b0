#include "planner/queueing/histogram.h"

#include <math.h>
#include <string.h>

static const double least_s = 1e-6, log_width = 0.005;

void histogram_clear(struct histogram *histogram)
{
	memset(histogram, 0, sizeof *histogram);
}

void histogram_add(struct histogram *histogram, double seconds)
{
	double bin = seconds > least_s ? log(seconds / least_s) / log_width : 0;

	histogram->bins[bin < HISTOGRAM_BINS - 1 ? (int)bin : HISTOGRAM_BINS - 1]++;
	histogram->count++;
	histogram->sum_s += seconds;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	for (int i = 0; i < HISTOGRAM_BINS; i++)
		into->bins[i] += from->bins[i];
	into->count += from->count;
	into->sum_s += from->sum_s;
}

double histogram_quantile_s(const struct histogram *histogram, double share)
{
	double rank = share * (double)histogram->count, below = 0;

	for (int i = 0; i < HISTOGRAM_BINS; i++) {
		double inside = histogram->bins[i];

		if (inside > 0 && below + inside >= rank)
			return least_s * exp(log_width * (i + (rank - below) / inside));
		below += inside;
	}
	return 0;
}

double histogram_mean_s(const struct histogram *histogram)
{
	return histogram->count > 0 ? histogram->sum_s / (double)histogram->count : 0;
}
