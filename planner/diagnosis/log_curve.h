/* A training log prepared for the verdicts: smoothed, its noise measured, thinned to the points of a fit. */
#ifndef FLEETPLAN_PLANNER_DIAGNOSIS_LOG_CURVE_H
#define FLEETPLAN_PLANNER_DIAGNOSIS_LOG_CURVE_H

#include "planner/diagnosis/diagnosis.h"
#include "planner/diagnosis/power_law.h"

enum { LOG_ROWS_MIN = 8, LOG_ROWS_MAX = 100000 };

/* Working memory, about 2 MB, owned by the caller; its contents mean nothing before and after a call. */
struct log_room {
	double scratch[LOG_ROWS_MAX], steps[LOG_ROWS_MAX], losses[LOG_ROWS_MAX];
	struct power_law_room fit;
};

/* A series of one log: borrowed columns of equal length; steps rise. */
struct series {
	const double *step, *value;
	size_t count;
};

/* Returns the quantile `share` (0 to 1) of the values, interpolated. `scratch` has room for as many. Given: count >
 * 0. */
double series_quantile(const double *values, size_t count, double share, double *scratch);

/* Makes a curve of `bins` stretches with equally many rows (count >= bins): mean step and median value of each. */
void series_bins(struct series series, size_t bins, double *scratch, struct curve *curve);

/* Makes the points of a fit: stretches that grow with the row, so that the early fall keeps its shape. */
void series_thin(struct series series, double *scratch, struct curve *curve);

/* E86. Computes the standard deviation of one row around the trend: median of |v[i] - (v[i-1] + v[i+1])/2| / 0.6745 /
 * sqrt(1.5), as for normal noise.
 * Given:    series, count >= 3; scratch: room for as many values.
 * Returned: in the unit of the values.
 * Source:   von Neumann's differences, with the median for robustness. */
double series_noise(struct series series, double *scratch);

#endif
