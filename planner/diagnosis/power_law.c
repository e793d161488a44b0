#include "planner/diagnosis/power_law.h"

#include <stdint.h>
#include <string.h>

static const double exponent_least = 0.05, exponent_most = 3;
static const double offset_least = 1e-4, offset_most = 1; /* of the range of the steps */
enum { CONSTANTS_FITTED = 4, REFINE_ROUNDS = 150, REFINE_ROUNDS_REPLICATE = 16 };

/* One trial: limit and amplitude for a basis x, and the remaining error. The unit of steps is their range. */
struct trial {
	double exponent, offset, limit, amplitude, error;
};

static double exponent_at(size_t i)
{
	return exponent_least * pow(exponent_most / exponent_least, (double)i / (CURVE_EXPONENTS - 1));
}

static double offset_at(size_t j)
{
	return offset_least * pow(offset_most / offset_least, (double)j / (CURVE_OFFSETS - 1));
}

static double curve_range(const struct curve *curve)
{
	return curve->step[curve->count - 1] - curve->step[0];
}

/* The offset counts from the curve's first step, because a log may begin late. */
static void fill_basis(const struct curve *curve, double exponent, double offset, double *basis)
{
	double range = curve_range(curve);

	for (size_t k = 0; k < curve->count; k++)
		basis[k] = pow((curve->step[k] - curve->step[0]) / range + offset, -exponent);
}

static double trial_error(const struct curve *curve, const double *loss, const double *basis, double limit, double amplitude)
{
	double error = 0;

	for (size_t k = 0; k < curve->count; k++) {
		double left = loss[k] - limit - amplitude * basis[k];

		error += curve->weight[k] * left * left;
	}
	return error;
}

/* Fits a line by weighted least squares; intercept and slope are at least 0. */
static void trial_solve(const struct curve *curve, const double *loss, const double *basis, struct trial *trial)
{
	double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0, spread;

	for (size_t k = 0; k < curve->count; k++) {
		double weight = curve->weight[k], x = basis[k];

		w += weight;
		wx += weight * x;
		wy += weight * loss[k];
		wxx += weight * x * x;
		wxy += weight * x * loss[k];
	}
	spread = w * wxx - wx * wx;
	trial->amplitude = spread > 1e-12 * w * wxx ? (w * wxy - wx * wy) / spread : 0;
	if (!(trial->amplitude > 0))
		trial->amplitude = 0;
	trial->limit = (wy - trial->amplitude * wx) / w;
	if (trial->limit < 0) {
		trial->limit = 0;
		trial->amplitude = fmax(0, wxy / wxx);
	}
	trial->error = trial_error(curve, loss, basis, trial->limit, trial->amplitude);
}

static void trial_at(const struct curve *curve, const double *loss, double exponent, double offset, struct trial *best)
{
	double basis[CURVE_POINTS_MAX];
	struct trial trial = {.exponent = exponent, .offset = offset};

	if (exponent < exponent_least || exponent > exponent_most || offset < offset_least / 10 || offset > offset_most * 10)
		return;
	fill_basis(curve, exponent, offset, basis);
	trial_solve(curve, loss, basis, &trial);
	if (trial.error < best->error)
		*best = trial;
}

/* Searches around the best trial of the grid by steps in six directions, in logarithms; the steps halve whenever no
 * direction is better. */
static void trial_refine(const struct curve *curve, const double *loss, int rounds, struct trial *best)
{
	double exponent_ratio = exponent_at(1) / exponent_at(0), offset_ratio = offset_at(1) / offset_at(0);

	for (int round = 0; round < rounds; round++) {
		const struct trial from = *best;

		trial_at(curve, loss, from.exponent * exponent_ratio, from.offset, best);
		trial_at(curve, loss, from.exponent / exponent_ratio, from.offset, best);
		trial_at(curve, loss, from.exponent, from.offset * offset_ratio, best);
		trial_at(curve, loss, from.exponent, from.offset / offset_ratio, best);
		trial_at(curve, loss, from.exponent * exponent_ratio, from.offset * offset_ratio, best);
		trial_at(curve, loss, from.exponent / exponent_ratio, from.offset / offset_ratio, best);
		if (best->error < from.error)
			continue;
		exponent_ratio = sqrt(exponent_ratio);
		offset_ratio = sqrt(offset_ratio);
	}
}

static struct trial trial_best(const struct curve *curve, const double *loss, const struct power_law_room *room, int rounds)
{
	struct trial best = {.error = INFINITY};

	for (size_t i = 0; i < CURVE_EXPONENTS; i++) {
		for (size_t j = 0; j < CURVE_OFFSETS; j++) {
			struct trial trial = {.exponent = exponent_at(i), .offset = offset_at(j)};

			trial_solve(curve, loss, room->basis[i][j], &trial);
			if (trial.error < best.error)
				best = trial;
		}
	}
	trial_refine(curve, loss, rounds, &best);
	return best;
}

/* Converts from units of the range, counted from the first step, to steps. */
static struct power_law law_of(const struct curve *curve, const struct trial *trial)
{
	double range = curve_range(curve);

	return (struct power_law){.limit = trial->limit,
		.amplitude = trial->amplitude * pow(range, trial->exponent),
		.offset_steps = trial->offset * range - curve->step[0],
		.exponent = trial->exponent,
		.residual = sqrt(trial->error / fmax(1, (double)curve->count - CONSTANTS_FITTED))};
}

bool power_law_fit(const struct curve *curve, struct power_law_room *room, struct power_law *law)
{
	struct trial best;

	for (size_t i = 0; i < CURVE_EXPONENTS; i++)
		for (size_t j = 0; j < CURVE_OFFSETS; j++)
			fill_basis(curve, exponent_at(i), offset_at(j), room->basis[i][j]);
	best = trial_best(curve, curve->loss, room, REFINE_ROUNDS);
	*law = law_of(curve, &best);
	return best.amplitude > 0 && isfinite(law->amplitude);
}

double power_law_loss(const struct power_law *law, double step)
{
	return law->limit + law->amplitude * pow(step + law->offset_steps, -law->exponent);
}

/* --- interval ------------------------------------------------------------------------------------------------------ */

/* xorshift64*: Vigna 2016, arXiv 1402.6246. */
static uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

static void sort_few(double *values, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		double value = values[i];
		size_t at = i;

		for (; at > 0 && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
}

static struct interval interval_around(double middle, double *values, size_t count)
{
	sort_few(values, count);
	return (struct interval){.p10 = fmin(middle, values[count / 10]), .p50 = middle, .p90 = fmax(middle, values[count - 1 - count / 10])};
}

void power_law_interval(const struct curve *curve, const struct power_law *law, double final_step, struct power_law_room *room,
	struct interval *limit, struct interval *final)
{
	double residual[CURVE_POINTS_MAX], loss[CURVE_POINTS_MAX];
	double widened = sqrt((double)curve->count / (double)(curve->count - CONSTANTS_FITTED));
	double last = given_or(final_step, curve->step[curve->count - 1]);
	uint64_t state = 0x9e3779b97f4a7c15ULL;

	for (size_t k = 0; k < curve->count; k++)
		residual[k] = widened * sqrt(curve->weight[k]) * (curve->loss[k] - power_law_loss(law, curve->step[k]));
	for (size_t i = 0; i < CURVE_REPLICATES; i++) {
		struct trial trial;
		struct power_law drawn;

		for (size_t k = 0; k < curve->count; k++)
			loss[k] = power_law_loss(law, curve->step[k]) + residual[random_next(&state) % curve->count] / sqrt(curve->weight[k]);
		trial = trial_best(curve, loss, room, REFINE_ROUNDS_REPLICATE);
		drawn = law_of(curve, &trial);
		room->limits[i] = drawn.limit;
		room->finals[i] = power_law_loss(&drawn, last);
	}
	*limit = interval_around(law->limit, room->limits, CURVE_REPLICATES);
	*final = interval_around(power_law_loss(law, last), room->finals, CURVE_REPLICATES);
}

/* --- cost of further steps ----------------------------------------------------------------------------------------- */

double power_law_steps_per_percent(const struct power_law *law, double step)
{
	double wanted = 0.99 * power_law_loss(law, step) - law->limit;

	if (!(wanted > 0))
		return INFINITY;
	return pow(wanted / law->amplitude, -1 / law->exponent) - law->offset_steps - step;
}

double power_law_stop_step(const struct power_law *law, double first, double steps_max)
{
	double low = first, high = first, stride = fmax(1, fabs(first));

	if (power_law_steps_per_percent(law, first) > steps_max)
		return first;
	while (power_law_steps_per_percent(law, high) <= steps_max) {
		low = high;
		high += stride;
		stride *= 2;
		if (high > 1e15)
			return INFINITY;
	}
	while (high - low > 0.5) {
		double middle = low + (high - low) / 2;

		if (!(middle > low && middle < high))
			break;
		if (power_law_steps_per_percent(law, middle) > steps_max)
			high = middle;
		else
			low = middle;
	}
	return high;
}
