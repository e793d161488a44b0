/* E109. Hourly carbon intensity of a grid, and its mean over a window of time.
 *
 * A series is constant within a step. `integral` holds its sum up to each border of a step, so the mean over a window
 * takes two look-ups for a series of any length: the planner needs the mean of thousands of windows. For hours that
 * the series does not cover the caller gives a mean. Pure. */
#ifndef FLEETPLAN_PLANNER_HARDWARE_GRID_HOURS_H
#define FLEETPLAN_PLANNER_HARDWARE_GRID_HOURS_H

#include <stddef.h>
#include <stdint.h>

struct grid_hours {
	int64_t start_us, step_minutes;
	size_t count;           /* steps */
	const double *integral; /* count + 1 of them: g/kWh x hours from the start to each border */
	const char *source;
};

/* E109. Computes the integral of a series up to each border of a step.
 *
 * Given:    gco2e_per_kwh  intensity of each step, g/kWh, finite
 *           count          number of steps, >= 0
 *           step_minutes   length of a step, min, >= 1
 * Returned: integral[0..count], g/kWh x h */
void grid_hours_integrate(const double *gco2e_per_kwh, size_t count, int64_t step_minutes, double *integral);

struct grid_span {
	double gco2e_per_kwh;    /* mean over the window */
	double covered_fraction; /* part of the window that the series covers: 0..1 */
};

/* E109. Computes the mean carbon intensity over a window.
 *
 * Given:    series              count may be 0
 *           start_us            beginning of the window, us since 1970
 *           hours               length of the window, h, >= 0; 0: the intensity at its beginning
 *           mean_gco2e_per_kwh  intensity of the hours that the series does not cover, g/kWh
 * Returned: gco2e_per_kwh = (integral over the covered part + mean x rest) / length, g/kWh; covered_fraction, 0..1
 * Case:     tests/planner/golden/footprint.txt */
struct grid_span grid_hours_mean(const struct grid_hours *series, int64_t start_us, double hours, double mean_gco2e_per_kwh);

#endif
