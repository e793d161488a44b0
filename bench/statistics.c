#include "bench/statistics.h"

#include <math.h>

#include "base/status.h"

#define SPREAD_LIMIT 0.05
#define DRIFT_LIMIT 0.03

static int ascending(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double quantile(const double *sorted, size_t count, double q)
{
	double at = q * (double)(count - 1), below = floor(at);
	size_t i = (size_t)below;

	return i + 1 < count ? sorted[i] + (at - below) * (sorted[i + 1] - sorted[i]) : sorted[count - 1];
}

static double median_of(const double *samples, double *scratch, size_t count)
{
	memcpy(scratch, samples, count * sizeof(*samples));
	qsort(scratch, count, sizeof(*scratch), ascending);
	return quantile(scratch, count, 0.5);
}

void bench_statistics_compute(const double *samples, double *scratch, size_t count, struct bench_statistics *statistics)
{
	size_t third = count / 3;
	double sum = 0, first;

	CHECK(count > 0);
	*statistics = (struct bench_statistics){.n = count};
	if (third) {
		first = median_of(samples, scratch, third);
		statistics->drift = first > 0 ? median_of(samples + count - third, scratch, third) / first - 1 : 0;
	}
	for (size_t i = 0; i < count; i++)
		sum += samples[i];
	statistics->mean = sum / (double)count;
	statistics->median = median_of(samples, scratch, count);
	statistics->p10 = quantile(scratch, count, 0.1);
	statistics->p90 = quantile(scratch, count, 0.9);
	statistics->min = scratch[0];
	statistics->max = scratch[count - 1];
	statistics->unstable = statistics->p90 - statistics->p10 > SPREAD_LIMIT * statistics->median ||
		fabs(statistics->drift) > DRIFT_LIMIT;
}
