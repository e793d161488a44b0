/* What repeated measurements say together: quantiles, drift, how well their median is known, and whether they can be trusted. */
#ifndef FLEETPLAN_BENCH_STATISTICS_H
#define FLEETPLAN_BENCH_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

struct bench_statistics {
	size_t n;
	double median, p10, p90, min, max, mean;
	double drift;  /* median of the last third over that of the first, less 1: heat, clocks, a neighbour */
	bool unstable; /* (p90 - p10) / median above 5 %, or |drift| above 3 % */
};

/* Of `count` >= 1 finite samples in the order in which they were taken. `scratch` has room for as many; both may not
 * overlap. Quantiles interpolate linearly between order statistics (Hyndman and Fan 1996, type 7). */
void bench_statistics_compute(const double *samples, double *scratch, size_t count, struct bench_statistics *statistics);

enum { BENCH_CLUSTERS_LEAST = 4, BENCH_CLUSTERS_MAX = 16, BENCH_DRAWS = 400 };

/* Parts of a series of samples that were taken one after the other: ends[i] is the index behind part i's last sample. */
struct bench_clusters {
	size_t ends[BENCH_CLUSTERS_MAX];
	size_t count;
};

/* Rounds as clusters where there are BENCH_CLUSTERS_LEAST; else each is split into equal parts until there are, as far as its samples go.
 * `ends` are those of `rounds` <= BENCH_CLUSTERS_MAX rounds, none of them empty. */
void bench_clusters_make(const size_t *ends, size_t rounds, struct bench_clusters *clusters);

/* E149. Where the median lies with this probability (0.8: its p10 and p90).
 * Given: the samples, all above 0, in clusters; room for as many in scratch; the probability (0.8 or 0.9). Returned: low <= median <= high. False with fewer
 * than three clusters, where nothing is known of it.
 * Source: cluster bootstrap, percentiles (Davison and Hinkley, Bootstrap Methods and their Application, 1997, 3.8); few clusters widen it by
 * sqrt(k / (k - 1)) and Student's t with k - 1 degrees of freedom over the normal's quantile (A. C. Cameron, J. B. Gelbach and D. L. Miller,
 * Review of Economics and Statistics 90, 2008), as factors, so that low stays above 0. */
bool bench_median_interval(const double *samples, const struct bench_clusters *clusters, double *scratch, double probability, double *low, double *high);

/* E150. Whether the clusters' medians go one way: Mann and Kendall's test at 5 % (H. B. Mann, Econometrica 13, 1945), and by more than 3 % from the
 * first third to the last. Fewer than five clusters show no trend. */
bool bench_trend(const double *samples, const struct bench_clusters *clusters, double *scratch, double drift);

#endif
