#include "bench/fit.h"

#include <math.h>

/* Sums over the points for the least squares of the relative errors (alpha + b S - T) / T: with u = 1 / T and v = S
 * / T, alpha u + b v = 1. */
struct fit_sums {
	double uu, uv, vv, u, v;
};

static bool solve(const struct fit_sums *sums, double *alpha_s, double *s_per_byte)
{
	double determinant = sums->uu * sums->vv - sums->uv * sums->uv;

	if (determinant > 1e-12 * sums->uu * sums->vv) { /* at least two sizes */
		*alpha_s = (sums->u * sums->vv - sums->v * sums->uv) / determinant;
		*s_per_byte = (sums->v * sums->uu - sums->u * sums->uv) / determinant;
		if (*alpha_s >= 0)
			return *s_per_byte > 0;
	} else {
		return false;
	}
	*alpha_s = 0;
	*s_per_byte = sums->v / sums->vv;
	return *s_per_byte > 0;
}

bool fit_line_make(const struct fit_point *points, size_t count, struct fit_line *line)
{
	struct fit_sums sums = {0};
	double s_per_byte;

	*line = (struct fit_line){0};
	for (size_t i = 0; i < count; i++) {
		double u = 1 / points[i].time_s, v = points[i].bytes / points[i].time_s;

		sums.uu += u * u;
		sums.uv += u * v;
		sums.vv += v * v;
		sums.u += u;
		sums.v += v;
	}
	if (count < 2 || !solve(&sums, &line->alpha_s, &s_per_byte))
		return false;
	line->beta_bytes_per_s = 1 / s_per_byte;
	for (size_t i = 0; i < count; i++)
		line->worst_residual = fmax(line->worst_residual, fabs((line->alpha_s + points[i].bytes * s_per_byte) / points[i].time_s - 1));
	return isfinite(line->beta_bytes_per_s) && isfinite(line->alpha_s);
}
