#include "validation/slices.h"

#include "planner/operators/device.h"

static bool narrow(const struct outcome *outcome)
{
	return precision_weight_bytes(outcome->item->input.request.common.precision) < 2;
}

static bool step(const struct outcome *outcome)
{
	return outcome->kind == EXPECT_STEP;
}

static bool dense(const struct outcome *outcome)
{
	return strncmp(outcome->item->family, "dense", 5) == 0;
}

bool slice_suite(const struct outcome *outcome, const void *argument)
{
	return strcmp(outcome->item->suite, argument) == 0;
}

bool slice_steps(const struct outcome *outcome, const void *argument)
{
	(void)argument;
	return step(outcome);
}

bool slice_judged(const struct outcome *outcome, const void *argument)
{
	return slice_steps(outcome, argument) && outcome->item->role != SUITE_SHOWN;
}

bool slice_unseen(const struct outcome *outcome, const void *argument)
{
	return slice_steps(outcome, argument) && outcome->item->role == SUITE_SHOWN;
}

bool slice_unseen_language(const struct outcome *outcome, const void *argument)
{
	return slice_unseen(outcome, argument) && strcmp(outcome->item->family, "generic") != 0 && strcmp(outcome->item->family, "encoder") != 0;
}

bool slice_left_out(const struct outcome *outcome, const void *argument)
{
	return slice_steps(outcome, argument) && outcome->item->role == SUITE_FITTED;
}

bool slice_dense(const struct outcome *outcome, const void *argument)
{
	return slice_left_out(outcome, argument) && dense(outcome) && !narrow(outcome) &&
		device_architecture_year(&outcome->item->candidate->accelerator) <= 2022;
}

bool slice_dense_new(const struct outcome *outcome, const void *argument)
{
	return slice_left_out(outcome, argument) && dense(outcome) && !narrow(outcome) && !slice_dense(outcome, argument);
}

bool slice_megatron(const struct outcome *outcome, const void *argument)
{
	(void)argument;
	return step(outcome) &&
		(slice_suite(outcome, "megatron2020") || slice_suite(outcome, "megatron2021-t1") || slice_suite(outcome, "korthikanti2022"));
}

bool slice_vtrain_multi(const struct outcome *outcome, const void *argument)
{
	(void)argument;
	return step(outcome) && slice_suite(outcome, "vtrain-multi");
}

bool slice_vtrain_single(const struct outcome *outcome, const void *argument)
{
	(void)argument;
	return step(outcome) && slice_suite(outcome, "vtrain-single");
}

bool slice_narrow(const struct outcome *outcome, const void *argument)
{
	return slice_judged(outcome, argument) && dense(outcome) && narrow(outcome);
}

bool slice_tuning(const struct outcome *outcome, const void *argument)
{
	return slice_judged(outcome, argument) && strncmp(outcome->item->family, "finetune", 8) == 0;
}

bool slice_experts(const struct outcome *outcome, const void *argument)
{
	return slice_judged(outcome, argument) && strcmp(outcome->item->family, "moe") == 0;
}

bool slice_memory_states(const struct outcome *outcome, const void *argument)
{
	(void)argument;
	return outcome->kind == EXPECT_LAYERS_BYTES && slice_suite(outcome, "korthikanti2022-mem");
}

bool slice_memory_other(const struct outcome *outcome, const void *argument)
{
	return (outcome->kind == EXPECT_MODEL_BYTES || outcome->kind == EXPECT_TOTAL_BYTES) && !slice_memory_states(outcome, argument);
}

bool slice_zero(const struct outcome *outcome, const void *argument)
{
	(void)argument;
	return step(outcome) && slice_suite(outcome, "megatron2021-t2");
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct interval outcome_left_range(const struct outcome *outcome)
{
	double by = outcome->left_ratio / outcome->ratio;

	return (struct interval){outcome->range.p10 * by, outcome->range.p50 * by, outcome->range.p90 * by};
}

static bool inside(const struct outcome *outcome, bool left_out)
{
	double observed = outcome->item->expected[outcome->kind];
	struct interval range = left_out ? outcome_left_range(outcome) : outcome->range;

	return observed >= range.p10 && observed <= range.p90;
}

struct score score_of(const struct outcomes *outcomes, outcome_filter *wanted, const void *argument, bool left_out)
{
	static double errors[OUTCOMES_MAX];
	struct score score = {.count = 0};
	double covered = 0;

	for (size_t i = 0; i < outcomes->count; i++) {
		const struct outcome *outcome = &outcomes->items[i];
		double ratio = left_out ? outcome->left_ratio : outcome->ratio;

		if (!wanted(outcome, argument))
			continue;
		errors[score.count++] = fabs(ratio - 1);
		score.mean += fabs(ratio - 1);
		score.bias += ratio - 1;
		score.refused += outcome->refused;
		covered += inside(outcome, left_out);
	}
	if (score.count == 0)
		return score;
	qsort(errors, score.count, sizeof errors[0], compare);
	score.mean /= (double)score.count;
	score.bias /= (double)score.count;
	score.covered = covered / (double)score.count;
	score.median = (errors[(score.count - 1) / 2] + errors[score.count / 2]) / 2;
	score.p90 = errors[(score.count - 1) * 9 / 10];
	return score;
}

struct score score_of_rule(const struct outcomes *outcomes, outcome_filter *wanted, const void *argument, enum rule rule)
{
	static double errors[OUTCOMES_MAX];
	struct score score = {.count = 0};

	for (size_t i = 0; i < outcomes->count; i++) {
		double ratio = outcomes->items[i].rule_ratio[rule];

		if (!wanted(&outcomes->items[i], argument) || !is_given(ratio))
			continue;
		errors[score.count++] = fabs(ratio - 1);
		score.mean += fabs(ratio - 1);
	}
	if (score.count == 0)
		return score;
	qsort(errors, score.count, sizeof errors[0], compare);
	score.mean /= (double)score.count;
	score.median = (errors[(score.count - 1) / 2] + errors[score.count / 2]) / 2;
	return score;
}

void promises_of(const struct outcomes *outcomes, outcome_filter *wanted, const void *argument, struct promises *promises)
{
	promises->count = 0;
	for (size_t i = 0; i < outcomes->count; i++) {
		const struct outcome *outcome = &outcomes->items[i];
		struct interval range = outcome_left_range(outcome);

		if (wanted(outcome, argument))
			promises_add(promises, &range, outcome->item->expected[outcome->kind]);
	}
}

/* The outcomes of one suite that another filter picks. */
struct part {
	outcome_filter *wanted;
	const char *suite;
};

static bool in_part(const struct outcome *outcome, const void *argument)
{
	const struct part *part = argument;

	return slice_suite(outcome, part->suite) && part->wanted(outcome, NULL);
}

static bool seen_before(const struct outcomes *outcomes, size_t index, outcome_filter *wanted)
{
	for (size_t i = 0; i < index; i++)
		if (wanted(&outcomes->items[i], NULL) && slice_suite(&outcomes->items[i], outcomes->items[index].item->suite))
			return true;
	return false;
}

bool suite_steps(const struct outcome *outcome, const void *argument)
{
	return step(outcome) && slice_suite(outcome, argument);
}

bool outcome_opens_suite(const struct outcomes *outcomes, size_t index)
{
	return step(&outcomes->items[index]) && !seen_before(outcomes, index, slice_steps);
}

struct score_by_suite score_suites(const struct outcomes *outcomes, outcome_filter *wanted, bool left_out)
{
	struct score_by_suite all = {.least_covered = INFINITY};

	for (size_t i = 0; i < outcomes->count; i++) {
		struct part part = {wanted, outcomes->items[i].item->suite};
		struct score score;

		if (!wanted(&outcomes->items[i], NULL) || seen_before(outcomes, i, wanted))
			continue;
		score = score_of(outcomes, in_part, &part, left_out);
		all.suites++;
		all.mean += score.mean;
		all.median += score.median;
		if (fabs(score.bias) > fabs(all.worst_bias)) {
			all.worst_bias = score.bias;
			all.worst_bias_suite = part.suite;
		}
		if ((wanted != slice_unseen || score.count >= SUITE_LARGE) && score.covered < all.least_covered) {
			all.least_covered = score.covered;
			all.least_covered_suite = part.suite;
		}
	}
	all.mean /= fmax(1, (double)all.suites);
	all.median /= fmax(1, (double)all.suites);
	return all;
}
