/* Percentiles of seconds in fixed memory: bins that are half a per cent wide each, from a microsecond to 11 days. */
#ifndef FLEETPLAN_PLANNER_QUEUEING_HISTOGRAM_H
#define FLEETPLAN_PLANNER_QUEUEING_HISTOGRAM_H

#include <stdint.h>

enum { HISTOGRAM_BINS = 5528 };

struct histogram {
	int64_t count;
	double sum_s;
	uint32_t bins[HISTOGRAM_BINS];
};

void histogram_clear(struct histogram *histogram);
void histogram_add(
	struct histogram *histogram, double seconds); /* what is outside goes into the last bin on its side */
void histogram_merge(struct histogram *into, const struct histogram *from);

/* Seconds that a share (0..1) stays below: within half a per cent of the order statistic; 0 of nothing. */
double histogram_quantile_s(const struct histogram *histogram, double share);
double histogram_mean_s(const struct histogram *histogram); /* exact; 0 of nothing */

#endif
