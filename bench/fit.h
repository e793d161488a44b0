/* Fits latency and bandwidth to times for several sizes: T(S) = alpha + S / beta (Hockney 1994). */
#ifndef FLEETPLAN_BENCH_FIT_H
#define FLEETPLAN_BENCH_FIT_H

#include <stdbool.h>
#include <stddef.h>

struct fit_point {
	double bytes, time_s;
};

struct fit_line {
	double alpha_s, beta_bytes_per_s;
	double worst_residual; /* |fitted / measured - 1| of the worst point */
};

/* Least squares over relative errors, so microseconds weigh as much as seconds. alpha is not negative. Returns false
 * for fewer than two sizes, or if the times do not grow with the size. */
bool fit_line_make(const struct fit_point *points, size_t count, struct fit_line *line);

#endif
