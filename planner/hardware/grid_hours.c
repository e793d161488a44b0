#include "planner/hardware/grid_hours.h"

#include <math.h>

static const double us_per_hour = 3600e6, minutes_per_hour = 60;

void grid_hours_integrate(const double *gco2e_per_kwh, size_t count, int64_t step_minutes, double *integral)
{
	double step_hours = (double)step_minutes / minutes_per_hour;

	integral[0] = 0;
	for (size_t i = 0; i < count; i++)
		integral[i + 1] = integral[i] + gco2e_per_kwh[i] * step_hours;
}

/* Returns the integral from the start over `steps`, which may be a fraction. */
static double integral_at(const struct grid_hours *series, double steps)
{
	size_t whole = (size_t)steps;

	if (whole >= series->count)
		return series->integral[series->count];
	return series->integral[whole] + (steps - (double)whole) * (series->integral[whole + 1] - series->integral[whole]);
}

struct grid_span grid_hours_mean(const struct grid_hours *series, int64_t start_us, double hours, double mean_gco2e_per_kwh)
{
	double step_hours, from, to, covered_hours, window_hours = fmax(hours, 1e-9);
	struct grid_span span = {.gco2e_per_kwh = mean_gco2e_per_kwh, .covered_fraction = 0};

	if (series->count == 0)
		return span;
	step_hours = (double)series->step_minutes / minutes_per_hour;
	from = ((double)(start_us - series->start_us) / us_per_hour) / step_hours;
	to = from + window_hours / step_hours;
	from = fmin(fmax(from, 0), (double)series->count);
	to = fmin(fmax(to, 0), (double)series->count);
	covered_hours = (to - from) * step_hours;
	if (!(covered_hours > 0))
		return span;
	span.covered_fraction = fmin(1, covered_hours / window_hours);
	span.gco2e_per_kwh = (integral_at(series, to) - integral_at(series, from)) / window_hours +
		(1 - span.covered_fraction) * mean_gco2e_per_kwh;
	return span;
}
