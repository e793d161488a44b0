/* E109. Carbon intensity of a grid by the hour, and its mean over the hours in which something runs.
 *
 * A series is constant within a step. What it sums up to at each border is kept, so that any window's mean takes two look-ups,
 * however long the series is: a planner asks for thousands of windows. Hours that the series does not cover count by the grid's mean.
 * Pure. */
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

/* Fills integral[0..count] from the steps. Given: gco2e_per_kwh, finite, of each step; step_minutes >= 1. */
void grid_hours_integrate(const double *gco2e_per_kwh, size_t count, int64_t step_minutes, double *integral);

struct grid_span {
	double gco2e_per_kwh;    /* mean over the window */
	double covered_fraction; /* of the window, that the series covers: 0..1 */
};

/* E109. Given: the series (count may be 0); the window's beginning, microseconds since 1970, and its length, hours (>= 0); the mean for
 * hours that are not covered. Returned: (integral over the covered part + mean x the rest) / length; with a length of 0 the
 * intensity of that moment. */
struct grid_span grid_hours_mean(const struct grid_hours *series, int64_t start_us, double hours, double mean_gco2e_per_kwh);

#endif
