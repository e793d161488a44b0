#include "bench/statistics.h"

#include <math.h>

#include "base/status.h"
#include "bench/random.h"

#define SPREAD_LIMIT 0.05
#define DRIFT_LIMIT  0.03

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
	statistics->unstable = statistics->p90 - statistics->p10 > SPREAD_LIMIT * statistics->median || fabs(statistics->drift) > DRIFT_LIMIT;
}

void bench_clusters_make(const size_t *ends, size_t rounds, struct bench_clusters *clusters)
{
	size_t parts = rounds >= BENCH_CLUSTERS_LEAST ? 1 : (BENCH_CLUSTERS_LEAST + rounds) / rounds, begin = 0;

	CHECK(rounds <= BENCH_CLUSTERS_MAX);
	clusters->count = 0;
	for (size_t r = 0; r < rounds; begin = ends[r++]) {
		size_t samples = ends[r] - begin, own = samples < parts ? samples : parts;

		for (size_t part = 1; part <= own; part++)
			clusters->ends[clusters->count++] = begin + samples * part / own;
	}
}

static size_t cluster_begin(const struct bench_clusters *clusters, size_t i)
{
	return i ? clusters->ends[i - 1] : 0;
}

/* Ratio of Student's t to the normal's quantile at 90 % and 95 % (two-sided 0.8 and 0.9), for 2 degrees of freedom
 * and more. */
static double few_clusters_factor(size_t count, double probability)
{
	static const double factors[2][BENCH_CLUSTERS_MAX - 2] = {
		{1.471, 1.278, 1.196, 1.152, 1.124, 1.104, 1.090, 1.079, 1.071, 1.064, 1.058, 1.054, 1.050, 1.046},
		{1.775, 1.431, 1.296, 1.225, 1.181, 1.152, 1.131, 1.114, 1.102, 1.092, 1.083, 1.077, 1.071, 1.066},
	};

	return sqrt((double)count / (double)(count - 1)) * factors[probability > 0.85][count - 3];
}

bool bench_median_interval(
	const double *samples, const struct bench_clusters *clusters, double *scratch, double probability, double *low, double *high)
{
	double drawn[BENCH_DRAWS], median, factor;
	size_t count = clusters->count, total = count ? clusters->ends[count - 1] : 0;
	uint64_t state = 149; /* a fixed seed: the same samples give the same interval */

	if (count < 3)
		return false;
	median = median_of(samples, scratch, total);
	for (size_t draw = 0; draw < BENCH_DRAWS; draw++) {
		size_t taken = 0;

		for (size_t i = 0; i < count; i++) {
			size_t chosen = (size_t)(random_next(&state) % count), begin = cluster_begin(clusters, chosen),
				   length = clusters->ends[chosen] - begin;

			length = length < total - taken ? length : total - taken; /* clusters differ in size: draw as many samples as there are in total */
			memcpy(scratch + taken, samples + begin, length * sizeof(*scratch));
			taken += length;
		}
		qsort(scratch, taken, sizeof(*scratch), ascending);
		drawn[draw] = quantile(scratch, taken, 0.5);
	}
	qsort(drawn, BENCH_DRAWS, sizeof(*drawn), ascending);
	factor = few_clusters_factor(count, probability);
	*low = median * pow(fmin(1, quantile(drawn, BENCH_DRAWS, (1 - probability) / 2) / median), factor);
	*high = median * pow(fmax(1, quantile(drawn, BENCH_DRAWS, (1 + probability) / 2) / median), factor);
	return true;
}

bool bench_trend(const double *samples, const struct bench_clusters *clusters, double *scratch, double drift)
{
	double medians[BENCH_CLUSTERS_MAX], n = (double)clusters->count, ascents = 0;

	for (size_t i = 0; i < clusters->count; i++)
		medians[i] = median_of(samples + cluster_begin(clusters, i), scratch, clusters->ends[i] - cluster_begin(clusters, i));
	for (size_t i = 0; i < clusters->count; i++)
		for (size_t k = i + 1; k < clusters->count; k++)
			ascents += (medians[k] > medians[i]) - (medians[k] < medians[i]);
	return fabs(drift) > DRIFT_LIMIT && fabs(ascents) - 1 > 1.96 * sqrt(n * (n - 1) * (2 * n + 5) / 18);
}
