/* Statistics of repeated measurements: quantiles, drift, the interval of the median, and whether the measurements
 * are stable. */
#ifndef FLEETPLAN_BENCH_STATISTICS_H
#define FLEETPLAN_BENCH_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

struct bench_statistics {
	size_t n;
	double median, p10, p90, min, max, mean;
	double drift;  /* median of the last third over that of the first, less 1; causes: heat, clocks, other load */
	bool unstable; /* (p90 - p10) / median above 5 %, or |drift| above 3 % */
};

/* `samples` are `count` >= 1 finite numbers in the order of measurement. `scratch` has room for as many and does not
 * overlap them. Quantiles interpolate linearly between order statistics (Hyndman and Fan 1996, type 7). */
void bench_statistics_compute(const double *samples, double *scratch, size_t count, struct bench_statistics *statistics);

enum { BENCH_CLUSTERS_LEAST = 4, BENCH_CLUSTERS_MAX = 16, BENCH_DRAWS = 400 };

/* Consecutive parts of a series of samples: ends[i] is the index after the last sample of part i. */
struct bench_clusters {
	size_t ends[BENCH_CLUSTERS_MAX];
	size_t count;
};

/* Uses the rounds as clusters if there are at least BENCH_CLUSTERS_LEAST. Otherwise splits each round into equal
 * parts until there are, if it has enough samples. `ends` has `rounds` <= BENCH_CLUSTERS_MAX entries; no round is
 * empty. */
void bench_clusters_make(const size_t *ends, size_t rounds, struct bench_clusters *clusters);

/* E149. The interval that contains the median with the given probability (0.8: its p10 and p90).
 * Input: samples, all above 0, in clusters; scratch with room for as many; the probability (0.8 or 0.9). Output: low <=
 * median <= high. Returns false with fewer than three clusters: the interval is then unknown.
 * Source: cluster bootstrap, percentiles (Davison and Hinkley, Bootstrap Methods and their Application, 1997, 3.8).
 * For few clusters the interval is widened by sqrt(k / (k - 1)) and by Student's t with k - 1 degrees of freedom
 * over the normal's quantile (A. C. Cameron, J. B. Gelbach and D. L. Miller, Review of Economics and Statistics 90,
 * 2008). Both are factors, so low stays above 0. */
bool bench_median_interval(
	const double *samples, const struct bench_clusters *clusters, double *scratch, double probability, double *low, double *high);

/* E150. True if the clusters' medians have a trend: by the Mann-Kendall test at 5 % (H. B. Mann, Econometrica 13,
 * 1945), and by more than 3 % from the first third to the last. Fewer than five clusters show no trend. */
bool bench_trend(const double *samples, const struct bench_clusters *clusters, double *scratch, double drift);

#endif
