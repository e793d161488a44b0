/* Percentiles of durations in fixed memory. Each bin is 0.5 % wide; the bins reach from 1 us to 11 days. */
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
void histogram_add(struct histogram *histogram, double seconds); /* a value outside the range goes into the nearest bin */
void histogram_merge(struct histogram *into, const struct histogram *from);

/* Returns the quantile of a share (0..1), s, within 0.5 % of the order statistic; 0 for an empty histogram. */
double histogram_quantile_s(const struct histogram *histogram, double share);
double histogram_mean_s(const struct histogram *histogram); /* exact; 0 for an empty histogram */

#endif
