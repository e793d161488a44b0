#include "validation/solver.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/status.h"

static const double knee = 0.03;       /* residuals below it count about as squares, above it about linearly */
static const double pull = 0.0015;     /* pull of a constant at the end of its range */
static const double difference = 0.02; /* of a logarithm, for derivatives; larger than jumps between layouts */

/* A changed copy of the values. */
union values {
	unsigned char bytes[VALUES_MAX_BYTES];
	double aligned;
};

double *constant_in(const struct constant *constant, void *values)
{
	return (double *)(void *)((char *)values + constant->offset);
}

double constant_value(const struct constant *constant, const void *values)
{
	return *(const double *)(const void *)((const char *)values + constant->offset);
}

/* Returns the position of a constant in its range, from -1 to 1 in logarithms. */
static double range_position(const struct constant *constant, double logarithm)
{
	double low = log(constant->low), high = log(constant->high);

	return (2 * logarithm - low - high) / (high - low);
}

static double pull_of(const struct constants *constants, const void *values)
{
	double sum = 0;

	for (size_t i = 0; i < constants->count; i++) {
		double at = range_position(&constants->items[i], log(constant_value(&constants->items[i], values)));

		sum += pull * at * at;
	}
	return sum;
}

static double total_weight(const struct fit_problem *problem)
{
	double total = 0;

	for (size_t i = 0; i < problem->count; i++)
		total += problem->weights[i];
	return total;
}

static double objective_at(const struct fit_problem *problem, const void *values, double *out)
{
	double sum = 0;

	CHECK(problem->count <= RESIDUALS_MAX && problem->values_bytes <= VALUES_MAX_BYTES);
	problem->residuals(problem, values, out);
	for (size_t i = 0; i < problem->count; i++)
		sum += problem->weights[i] * sqrt(out[i] * out[i] + knee * knee);
	return sum / total_weight(problem) + pull_of(problem->constants, values);
}

double solver_objective(const struct fit_problem *problem, const void *values)
{
	static double out[RESIDUALS_MAX];

	return objective_at(problem, values, out);
}

/* Solves a x = b in place (Cholesky). a is symmetric, and positive definite because it is damped. */
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

static void slope_add_pull(const struct constants *constants, const void *values, struct slope *slope)
{
	for (size_t j = 0; j < constants->count; j++) {
		const struct constant *constant = &constants->items[j];
		double steep = 2 / log(constant->high / constant->low);

		slope->matrix[j][j] += 2 * pull * steep * steep;
		slope->right[j] -= 2 * pull * steep * range_position(constant, log(constant_value(constant, values)));
	}
}

static void slope_of(const struct fit_problem *problem, const void *values, const double *at, struct slope *slope)
{
	static double changed[CONSTANTS_MAX][RESIDUALS_MAX];
	const struct constants *constants = problem->constants;
	double total = total_weight(problem);

	*slope = (struct slope){.right = {0}};
	for (size_t j = 0; j < constants->count; j++) {
		union values moved;

		memcpy(moved.bytes, values, problem->values_bytes);
		*constant_in(&constants->items[j], moved.bytes) *= exp(difference);
		problem->residuals(problem, moved.bytes, changed[j]);
	}
	for (size_t i = 0; i < problem->count; i++) {
		double weight = problem->weights[i] / total / sqrt(at[i] * at[i] + knee * knee);

		if (problem->weights[i] <= 0)
			continue;
		for (size_t j = 0; j < constants->count; j++) {
			double by_j = (changed[j][i] - at[i]) / difference;

			slope->right[j] -= weight * by_j * at[i];
			for (size_t k = 0; k <= j && by_j != 0; k++)
				slope->matrix[j][k] += weight * by_j * (changed[k][i] - at[i]) / difference;
		}
	}
	slope_add_pull(constants, values, slope);
}

static void step_by(const struct constants *constants, const double *by, void *values)
{
	for (size_t j = 0; j < constants->count; j++) {
		double *value = constant_in(&constants->items[j], values);

		*value = fmin(fmax(*value * exp(fmin(fmax(by[j], -0.7), 0.7)), constants->items[j].low), constants->items[j].high);
	}
}

double solver_run(const struct fit_problem *problem, int rounds, void *values)
{
	static double at[RESIDUALS_MAX];
	static struct slope slope, tried;
	double best = objective_at(problem, values, at), damping = 0.01;

	for (int round = 0; round < rounds; round++) {
		double before = best;
		bool better = false;

		slope_of(problem, values, at, &slope);
		for (int attempt = 0; attempt < 7 && !better; attempt++, damping *= 5) {
			union values moved;
			double reached;

			memcpy(moved.bytes, values, problem->values_bytes);
			tried = slope;
			for (size_t j = 0; j < problem->constants->count; j++)
				tried.matrix[j][j] *= 1 + damping;
			solve(tried.matrix, tried.right, problem->constants->count);
			step_by(problem->constants, tried.right, moved.bytes);
			reached = solver_objective(problem, moved.bytes);
			better = reached < best - 1e-7;
			if (!better)
				continue;
			best = reached;
			memcpy(values, moved.bytes, problem->values_bytes);
			damping /= 50;
		}
		objective_at(problem, values, at);
		if (before - best < 2e-5)
			break;
	}
	return best;
}
