#include "validation/serving_scores.h"

#include <math.h>

#include "planner/interval.h"

static bool is_or_any(const char *wanted, const char *name)
{
	return !wanted || strcmp(wanted, name) == 0;
}

static bool hopper_or_ampere(const char *accelerator)
{
	return strncmp(accelerator, "h100", 4) == 0 || strncmp(accelerator, "h200", 4) == 0 || strncmp(accelerator, "a100", 4) == 0;
}

bool serving_slice_has(const struct serving_slice *slice, const struct serving_case *item)
{
	return !item->side && item->quantity == slice->quantity && (slice->run < 0 || slice->run == (int)item->run) &&
		is_or_any(slice->suite, item->suite) && is_or_any(slice->model, item->model) && is_or_any(slice->accelerator, item->accelerator) &&
		!(slice->home && item->away) && !(slice->away && !item->away) && (!slice->hopper_and_ampere || hopper_or_ampere(item->accelerator));
}

static int by_value(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double median_of(double *values, size_t count)
{
	qsort(values, count, sizeof *values, by_value);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static double ratio_of(const struct serving_outcome *outcome, enum serving_fitted_on fitted)
{
	switch (fitted) {
	case FITTED_WITHOUT_MODEL:
		return outcome->without_model;
	case FITTED_WITHOUT_ACCELERATOR:
		return outcome->without_accelerator;
	case FITTED_WITHOUT_SUITE:
		return outcome->without_suite;
	case FITTED_ON_ALL:
		break;
	}
	return outcome->ratio;
}

/* True if the observed figure lies in an interval of the answer's width around the prediction with these constants. */
static bool covered_by(const struct serving_outcome *outcome, enum serving_fitted_on fitted)
{
	if (fitted == FITTED_ON_ALL)
		return outcome->covered;
	return !outcome->refused && fabs(log(ratio_of(outcome, fitted))) <= normal_quantile(0.9) * outcome->log_sigma;
}

struct serving_score serving_score_of(
	const struct serving_outcomes *outcomes, const struct serving_slice *slice, enum serving_fitted_on fitted)
{
	static double errors[SERVING_CASES_MAX], signs[SERVING_CASES_MAX];
	struct serving_score score = {.count = 0};
	size_t known = 0, covered = 0;

	for (size_t i = 0; i < outcomes->count; i++) {
		const struct serving_outcome *outcome = &outcomes->items[i];
		double ratio = ratio_of(outcome, fitted);

		if (!serving_slice_has(slice, outcome->item))
			continue;
		errors[score.count] = outcome->refused ? 1 : fabs(ratio - 1);
		score.mean += errors[score.count++];
		covered += covered_by(outcome, fitted);
		score.refused += outcome->refused;
		if (!outcome->refused)
			signs[known++] = ratio - 1;
	}
	if (score.count == 0)
		return score;
	score.mean /= (double)score.count;
	score.covered = (double)covered / (double)score.count;
	score.median = median_of(errors, score.count);
	score.p90 = errors[(score.count - 1) * 9 / 10];
	score.bias = known > 0 ? median_of(signs, known) : 0;
	return score;
}

double serving_promises_held(const struct serving_outcomes *outcomes, const struct serving_slice *slice, enum serving_fitted_on fitted,
	double probability, size_t *promised)
{
	double z = normal_quantile(probability);
	size_t held = 0;

	*promised = 0;
	for (size_t i = 0; i < outcomes->count; i++) {
		const struct serving_outcome *outcome = &outcomes->items[i];
		double over = log(ratio_of(outcome, fitted)); /* predicted over observed */

		if (outcome->refused || !serving_slice_has(slice, outcome->item))
			continue;
		(*promised)++;
		held += (slice->quantity == QUANTITY_THROUGHPUT ? over : -over) <= z * outcome->log_sigma;
	}
	return *promised > 0 ? (double)held / (double)*promised : 0;
}
