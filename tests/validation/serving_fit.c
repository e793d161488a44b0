#include "validation/serving_fit.h"

#include <math.h>

static const double quantity_weights[QUANTITY_COUNT] = {1, 1.5, 0.5}, side_weight = 0.3, away_weight = 0.5;

/* Log ratio of a prediction that is refused: an error of 100 %. */
static const double refused_log_ratio = 0.69;

struct fitted {
	struct serving_cases *cases;
	double weights[SERVING_CASES_MAX];
};

#define ROW(member_, least_, most_, meaning_, source_) \
	{#member_, meaning_, source_, offsetof(struct serving_constants, member_), least_, most_},
void serving_constants_list(struct constants *constants)
{
	static const struct constant rows[] = {SERVING_FITTED(ROW)};

	*constants = (struct constants){.count = COUNT_OF(rows)};
	CHECK(COUNT_OF(rows) <= CONSTANTS_MAX);
	memcpy(constants->items, rows, sizeof rows);
}

void serving_measured_list(struct constants *constants)
{
	static const struct constant rows[] = {SERVING_MEASURED(ROW)};

	*constants = (struct constants){.count = COUNT_OF(rows)};
	memcpy(constants->items, rows, sizeof rows);
}
#undef ROW

bool serving_same_model(const struct serving_case *item, const void *argument)
{
	const struct serving_case *other = argument;
	const struct model *a = &item->input.model, *b = &other->input.model;

	return a->layer_count == b->layer_count && a->hidden == b->hidden && fabs(a->params_total / b->params_total - 1) < 0.005;
}

bool serving_same_accelerator(const struct serving_case *item, const void *argument)
{
	const struct serving_case *other = argument;

	return strcmp(item->accelerator, other->accelerator) == 0;
}

bool serving_same_suite(const struct serving_case *item, const void *argument)
{
	const struct serving_case *other = argument;

	return strcmp(item->suite, other->suite) == 0;
}

static double alike_count(const struct serving_cases *cases, const struct serving_case *item)
{
	double count = 0;

	for (size_t i = 0; i < cases->count; i++)
		count += cases->items[i].side == item->side && cases->items[i].quantity == item->quantity &&
			serving_same_accelerator(&cases->items[i], item) && serving_same_model(&cases->items[i], item);
	return count;
}

static void log_ratios(const struct fit_problem *problem, const void *values, double *out)
{
	const struct fitted *fitted = problem->context;

	for (size_t i = 0; i < problem->count; i++) {
		struct serving_prediction prediction;

		out[i] = 0;
		if (problem->weights[i] <= 0)
			continue;
		serving_predict(&fitted->cases->items[i], values, false, &prediction);
		out[i] = prediction.refused ? refused_log_ratio : log(prediction.value / fitted->cases->items[i].observed);
	}
}

static struct fit_problem problem_of(struct serving_cases *cases, serving_filter *without, const void *argument, struct fitted *fitted)
{
	static struct constants constants;

	serving_constants_list(&constants);
	fitted->cases = cases;
	for (size_t i = 0; i < cases->count; i++) {
		const struct serving_case *item = &cases->items[i];

		fitted->weights[i] = (without && without(item, argument)) || item->role == SUITE_SHOWN ? 0
																							   : (item->side          ? side_weight
																										 : item->away ? away_weight
																													  : 1) *
				quantity_weights[item->quantity] / sqrt(alike_count(cases, item));
	}
	return (struct fit_problem){.constants = &constants,
		.values_bytes = sizeof(struct serving_constants),
		.count = cases->count,
		.weights = fitted->weights,
		.residuals = log_ratios,
		.context = fitted};
}

double serving_fit_objective(struct serving_cases *cases, const struct serving_constants *values)
{
	static struct fitted fitted;
	struct fit_problem problem = problem_of(cases, NULL, NULL, &fitted);

	return solver_objective(&problem, values);
}

double serving_fit_run(
	struct serving_cases *cases, serving_filter *without, const void *argument, int rounds, struct serving_constants *values)
{
	static struct fitted fitted;
	struct fit_problem problem = problem_of(cases, without, argument, &fitted);

	return solver_run(&problem, rounds, values);
}
