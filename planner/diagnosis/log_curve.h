/* A training log made ready to be judged: smoothed, its noise measured, thinned to the points of a fit. */
#ifndef FLEETPLAN_PLANNER_DIAGNOSIS_LOG_CURVE_H
#define FLEETPLAN_PLANNER_DIAGNOSIS_LOG_CURVE_H

#include "planner/diagnosis/diagnosis.h"
#include "planner/diagnosis/power_law.h"

enum { LOG_ROWS_MIN = 8, LOG_ROWS_MAX = 100000 };

/* Some 2 MB, of the caller; nothing in it counts before or after a call. */
struct log_room {
	double scratch[LOG_ROWS_MAX], steps[LOG_ROWS_MAX], losses[LOG_ROWS_MAX];
	struct power_law_room fit;
};

/* A series of one log: borrowed columns of equal length, steps rising. */
struct series {
	const double *step, *value;
	size_t count;
};

/* Middle of the values; scratch holds as many. Given: count > 0. */
double series_quantile(const double *values, size_t count, double share, double *scratch);

/* `bins` stretches of equally many rows (count >= bins): mean step and median value of each. */
void series_bins(struct series series, size_t bins, double *scratch, struct curve *curve);

/* Stretches that grow with the row, so that the early fall keeps its shape: the points of a fit. */
void series_thin(struct series series, double *scratch, struct curve *curve);

/* Standard deviation of the values around whatever trend they follow: median of |v[i] - (v[i-1] + v[i+1])/2| / 0.6745 /
 * sqrt(1.5), as of normal noise. Given: count >= 3. Source: von Neumann's differences, with the median for robustness. */
double series_noise(struct series series, double *scratch);

#endif
