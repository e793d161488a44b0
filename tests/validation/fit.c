#include "validation/fit.h"

static const double knee = 0.03;        /* residuals below it count as squares, above it as they are */
static const double pull = 0.0015;      /* weight of the pull of a constant that lies at the end of its range */
static const double difference = 0.02;  /* of a logarithm, for derivatives: above the steps that choices between layouts make */

double *constant_in(const struct constant *constant, struct physics *physics)
{
	return (double *)(void *)((char *)physics + constant->offset);
}

static double value_of(const struct constant *constant, const struct physics *physics)
{
	return *(const double *)(const void *)((const char *)physics + constant->offset);
}

void constants_list(struct constants *constants)
{
#define ROW(member_, least_, most_, meaning_, source_) {#member_, meaning_, source_, offsetof(struct physics, member_), least_, most_},
	static const struct constant rows[] = {PHYSICS_CONSTANTS(ROW)};
#undef ROW
	*constants = (struct constants){.count = 0};
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		constants->items[constants->count++] = rows[i];
	for (int stack = STACK_MEGATRON_LM; stack < STACK_MAXTEXT; stack++)
		constants->items[constants->count++] = (struct constant){stack_name((enum stack)stack), "speed of every kernel under this software, mid 2024", "its own runs",
			offsetof(struct physics, stack_speed) + (size_t)stack * sizeof(double), 2.0 / 3, 1.5};
	CHECK(constants->count <= CONSTANTS_MAX);
}

/* Where a constant lies in its range, from -1 to 1 in logarithms. */
static double place(const struct constant *constant, double logarithm)
{
	double low = log(constant->low), high = log(constant->high);

	return (2 * logarithm - low - high) / (high - low);
}

static double pull_of(const struct constants *constants, const struct physics *physics)
{
	double sum = 0;

	for (size_t i = 0; i < constants->count; i++) {
		double at = place(&constants->items[i], log(value_of(&constants->items[i], physics)));

		sum += pull * at * at;
	}
	return sum;
}

static bool left_out(const struct sample *sample, const char *without)
{
	return without && strcmp(sample->item->suite, without) == 0;
}

static double residuals(const struct samples *samples, const char *without, const struct physics *physics, double *out)
{
	double sum = 0, weight = 0;

	for (size_t i = 0; i < samples->count; i++) {
		if (left_out(&samples->items[i], without))
			continue;
		out[i] = sample_log_ratio(&samples->items[i], physics);
		sum += samples->items[i].weight * sqrt(out[i] * out[i] + knee * knee);
		weight += samples->items[i].weight;
	}
	return sum / weight;
}

double fit_objective(const struct samples *samples, const struct constants *constants, const char *without, const struct physics *physics)
{
	static double out[SAMPLES_MAX];

	return residuals(samples, without, physics, out) + pull_of(constants, physics);
}

/* Solves a x = b in place (Cholesky); a is symmetric and, damped, positive definite. */
static void solve(double a[CONSTANTS_MAX][CONSTANTS_MAX], double *b, size_t n)
{
	for (size_t j = 0; j < n; j++) {
		for (size_t k = 0; k < j; k++)
			a[j][j] -= a[j][k] * a[j][k];
		a[j][j] = sqrt(fmax(a[j][j], 1e-18));
		for (size_t i = j + 1; i < n; i++) {
			for (size_t k = 0; k < j; k++)
				a[i][j] -= a[i][k] * a[j][k];
			a[i][j] /= a[j][j];
		}
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++)
			b[i] -= a[i][k] * b[k];
		b[i] /= a[i][i];
	}
	for (size_t i = n; i-- > 0;) {
		for (size_t k = i + 1; k < n; k++)
			b[i] -= a[k][i] * b[k];
		b[i] /= a[i][i];
	}
}

/* The normal equations at one point. */
struct slope {
	double matrix[CONSTANTS_MAX][CONSTANTS_MAX], right[CONSTANTS_MAX];
};

static void slope_add_pull(const struct constants *constants, const struct physics *physics, struct slope *slope)
{
	for (size_t j = 0; j < constants->count; j++) {
		const struct constant *constant = &constants->items[j];
		double steep = 2 / log(constant->high / constant->low);

		slope->matrix[j][j] += 2 * pull * steep * steep;
		slope->right[j] -= 2 * pull * steep * place(constant, log(value_of(constant, physics)));
	}
}

static void slope_of(const struct samples *samples, const struct constants *constants, const char *without, const struct physics *physics,
	const double *at, struct slope *slope)
{
	static double changed[CONSTANTS_MAX][SAMPLES_MAX];
	double total = 0;

	*slope = (struct slope){.right = {0}};
	for (size_t j = 0; j < constants->count; j++) {
		struct physics moved = *physics;

		*constant_in(&constants->items[j], &moved) *= exp(difference);
		residuals(samples, without, &moved, changed[j]);
	}
	for (size_t i = 0; i < samples->count; i++)
		total += left_out(&samples->items[i], without) ? 0 : samples->items[i].weight;
	for (size_t i = 0; i < samples->count; i++) {
		double weight = samples->items[i].weight / total / sqrt(at[i] * at[i] + knee * knee);

		if (left_out(&samples->items[i], without))
			continue;
		for (size_t j = 0; j < constants->count; j++) {
			double by_j = (changed[j][i] - at[i]) / difference;

			slope->right[j] -= weight * by_j * at[i];
			for (size_t k = 0; k <= j && by_j != 0; k++)
				slope->matrix[j][k] += weight * by_j * (changed[k][i] - at[i]) / difference;
		}
	}
	slope_add_pull(constants, physics, slope);
}

static void step_by(const struct constants *constants, const double *by, struct physics *physics)
{
	for (size_t j = 0; j < constants->count; j++) {
		double *value = constant_in(&constants->items[j], physics);

		*value = fmin(fmax(*value * exp(fmin(fmax(by[j], -0.7), 0.7)), constants->items[j].low), constants->items[j].high);
	}
}

double fit_run(const struct samples *samples, const struct constants *constants, const char *without, int rounds, struct physics *physics)
{
	static double at[SAMPLES_MAX];
	static struct slope slope, tried;
	double best = residuals(samples, without, physics, at) + pull_of(constants, physics), damping = 0.01;

	for (int round = 0; round < rounds; round++) {
		double before = best;
		bool better = false;

		slope_of(samples, constants, without, physics, at, &slope);
		for (int attempt = 0; attempt < 7 && !better; attempt++, damping *= 5) {
			struct physics moved = *physics;
			double reached;

			tried = slope;
			for (size_t j = 0; j < constants->count; j++)
				tried.matrix[j][j] *= 1 + damping;
			solve(tried.matrix, tried.right, constants->count);
			step_by(constants, tried.right, &moved);
			reached = fit_objective(samples, constants, without, &moved);
			better = reached < best - 1e-7;
			if (!better)
				continue;
			best = reached;
			*physics = moved;
			damping /= 50;
		}
		residuals(samples, without, physics, at);
		if (before - best < 2e-5)
			break;
	}
	return best;
}
