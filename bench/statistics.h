/* What repeated measurements say together: quantiles, drift, and whether they can be trusted. */
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

#endif
