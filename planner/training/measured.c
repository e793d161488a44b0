#include "planner/training/measured.h"

/* A predicted part below this share of the step is too small to give a factor. */
static const double least_share = 0.01;

/* True for the two parts that only a profiler's kernels can separate. Without a measurement they are part of the
 * computing. */
static bool is_in_computing(const struct measured_step *measured, enum bottleneck kind)
{
	return (kind == BOTTLENECK_MEMORY || kind == BOTTLENECK_MEMORY_BANDWIDTH) && !is_given(measured->parts_s[kind]);
}

/* Returns the factor of computing, which also applies to the parts that it includes for lack of a measurement. */
static double computing_factor(const struct measured_step *measured, const double *predicted_s)
{
	double all_s = predicted_s[BOTTLENECK_COMPUTE];

	for (enum bottleneck kind = BOTTLENECK_COMPUTE; kind < BOTTLENECK_COUNT; kind++)
		all_s += is_in_computing(measured, kind) ? predicted_s[kind] : 0;
	return is_given(measured->parts_s[BOTTLENECK_COMPUTE]) && all_s > 0 ? measured->parts_s[BOTTLENECK_COMPUTE] / all_s : 1;
}

static void scale_part(
	const struct measured_step *measured, enum bottleneck kind, double share, double predicted_s, struct measured_scale *scale)
{
	double part_s = measured->parts_s[kind];

	if (kind == BOTTLENECK_COMPUTE || is_in_computing(measured, kind)) {
		scale->factors[kind] = scale->factors[BOTTLENECK_COMPUTE];
		part_s = scale->factors[kind] * predicted_s;
	} else if (is_given(part_s) && share >= least_share) {
		scale->factors[kind] = part_s / predicted_s;
	}
	scale->shares[kind] = given_or(part_s, predicted_s) / measured->time_s;
}

struct measured_scale measured_scale_of(const struct measured_step *measured, const struct step_result *predicted, double gpu_count)
{
	struct bottleneck_use use = step_bottleneck(predicted);
	struct measured_scale scale = {.samples_per_gpu = predicted->samples / gpu_count};
	double predicted_s[BOTTLENECK_COUNT] = {0}, known_s = 0;

	for (enum bottleneck kind = BOTTLENECK_COMPUTE; kind < BOTTLENECK_COUNT; kind++) {
		predicted_s[kind] = use.shares[kind] * predicted->time.time_s;
		scale.factors[kind] = 1;
		scale.shares[kind] = use.shares[kind];
	}
	if (!measured)
		return scale;
	scale.factors[BOTTLENECK_COMPUTE] = computing_factor(measured, predicted_s);
	for (enum bottleneck kind = BOTTLENECK_COMPUTE; kind < BOTTLENECK_COUNT; kind++) {
		scale_part(measured, kind, use.shares[kind], predicted_s[kind], &scale);
		known_s += scale.factors[kind] * predicted_s[kind];
	}
	scale.rest_s = fmax(0, measured->time_s - known_s);
	return scale;
}

double measured_step_s(const struct measured_scale *scale, const struct step_result *step, double gpu_count)
{
	struct bottleneck_use use = step_bottleneck(step);
	double time_s = scale->rest_s * step->samples / gpu_count / scale->samples_per_gpu;

	for (enum bottleneck kind = BOTTLENECK_COMPUTE; kind < BOTTLENECK_COUNT; kind++)
		time_s += scale->factors[kind] * use.shares[kind] * step->time.time_s;
	return time_s;
}
