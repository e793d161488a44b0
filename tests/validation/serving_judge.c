#include "validation/serving_judge.h"

#include <math.h>
#include <string.h>

#include "planner/interval.h"

enum { LEFT_OUT_ROUNDS = 4 };

void serving_outcomes_fill(struct serving_cases *cases, const struct serving_constants *values, struct serving_outcomes *outcomes)
{
	outcomes->count = cases->count;
	for (size_t i = 0; i < cases->count; i++) {
		struct serving_outcome *outcome = &outcomes->items[i];
		struct serving_case *item = &cases->items[i];
		struct serving_prediction prediction;

		serving_predict(item, values, true, &prediction);
		*outcome = (struct serving_outcome){.item = item, .refused = prediction.refused};
		outcome->ratio = outcome->without_model = outcome->without_accelerator = outcome->without_suite = outcome->without_independent =
			prediction.value / item->observed;
		outcome->log_sigma = interval_log_sigma(prediction.interval.p10, prediction.interval.p90);
		outcome->covered = !prediction.refused && item->observed >= prediction.interval.p10 && item->observed <= prediction.interval.p90;
	}
}

static bool seen_before(const struct serving_cases *cases, size_t index, serving_filter *same)
{
	for (size_t i = 0; i < index; i++)
		if (same(&cases->items[i], &cases->items[index]))
			return true;
	return false;
}

/* Refits without each group in turn and fills a ratio of the group's outcomes: the member of struct serving_outcome at
 * `offset`. */
static void leave_out(struct serving_cases *cases, serving_filter *same, const struct serving_constants *values, size_t offset,
	struct serving_outcomes *outcomes)
{
	for (size_t g = 0; g < cases->count; g++) {
		struct serving_constants refitted = *values;

		if (seen_before(cases, g, same) || (same == serving_same_suite && !cases->items[g].away))
			continue;
		serving_fit_run(cases, same, &cases->items[g], LEFT_OUT_ROUNDS, &refitted);
		for (size_t i = 0; i < cases->count; i++) {
			struct serving_prediction prediction;

			if (!same(&cases->items[i], &cases->items[g]))
				continue;
			serving_predict(&cases->items[i], &refitted, true, &prediction);
			*(double *)(void *)((char *)&outcomes->items[i] + offset) = prediction.value / cases->items[i].observed;
		}
	}
}

bool serving_is_independent(const struct serving_case *item)
{
	static const char *const suites[] = {"gpustack", "gpustack-low", "dstack-405b", "dstack-r1"};

	for (size_t i = 0; i < COUNT_OF(suites); i++)
		if (strcmp(item->suite, suites[i]) == 0)
			return true;
	return item->side; /* ML.ENERGY */
}

static bool independent(const struct serving_case *item, const void *argument)
{
	(void)argument;
	return serving_is_independent(item);
}

void serving_judge_independent(struct serving_cases *cases, const struct serving_constants *values, struct serving_outcomes *outcomes)
{
	struct serving_constants refitted = *values;

	serving_fit_run(cases, independent, NULL, LEFT_OUT_ROUNDS, &refitted);
	for (size_t i = 0; i < cases->count; i++) {
		struct serving_prediction prediction;

		if (!serving_is_independent(&cases->items[i]))
			continue;
		serving_predict(&cases->items[i], &refitted, true, &prediction);
		outcomes->items[i].without_independent = prediction.value / cases->items[i].observed;
	}
}

void serving_judge_suites_out(struct serving_cases *cases, const struct serving_constants *values, struct serving_outcomes *outcomes)
{
	leave_out(cases, serving_same_suite, values, offsetof(struct serving_outcome, without_suite), outcomes);
}

void serving_judge_left_out(struct serving_cases *cases, const struct serving_constants *values, struct serving_outcomes *outcomes)
{
	leave_out(cases, serving_same_model, values, offsetof(struct serving_outcome, without_model), outcomes);
	leave_out(cases, serving_same_accelerator, values, offsetof(struct serving_outcome, without_accelerator), outcomes);
	serving_judge_suites_out(cases, values, outcomes);
	serving_judge_independent(cases, values, outcomes);
}
