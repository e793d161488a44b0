#include "validation/judge.h"

#include "planner/step/adapters.h"
#include "planner/step/generic.h"
#include "planner/step/pairs.h"
#include "planner/training/practice.h"

enum { LEFT_OUT_ROUNDS = 6, REFIT_ROUNDS = 2 };

static struct outcome items[OUTCOMES_MAX];

static double predicted_of(const struct training_option *option, int kind, struct interval *interval)
{
	*interval = (struct interval){ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER};
	switch (kind) {
	case EXPECT_STEP:
		*interval = option->interval.step_time_s;
		return option->step.time_s;
	case EXPECT_MODEL_BYTES:
		return option->memory.model_bytes;
	case EXPECT_LAYERS_BYTES:
		return option->memory.layers_bytes;
	case EXPECT_TOTAL_BYTES:
		return option->memory.total_bytes;
	default:
		return option->tflops_per_gpu;
	}
}

/* Returns the step time by the rule of thumb; NaN for generic models, which have no tokens. */
static double rule_step_s(const struct validation_case *item, const struct training_plan *plan, enum rule rule)
{
	double peak = accelerator_peak_flops_per_s(&item->candidate->accelerator, item->input.request.common.precision, NULL);

	if (item->input.model.kind == MODEL_GENERIC)
		return ABSENT_NUMBER;
	return 6 * item->input.model.params_active * plan->batch.global_batch_tokens /
		((double)plan->recommended.gpu_count * peak * rule_share(rule));
}

static void outcome_add(
	const struct validation_case *item, int kind, const struct training_plan *plan, bool refused, struct judgement *judgement)
{
	struct outcome *outcome = &items[judgement->outcomes.count];
	double observed = item->expected[kind];
	struct interval interval;

	if (!is_given(observed))
		return;
	CHECK(judgement->outcomes.count < OUTCOMES_MAX);
	*outcome = (struct outcome){
		.item = item, .kind = kind, .refused = refused, .predicted = predicted_of(&plan->recommended, kind, &interval)};
	outcome->ratio = outcome->left_ratio = outcome->predicted / observed;
	outcome->range = interval;
	for (int rule = 0; rule < RULE_COUNT; rule++)
		outcome->rule_ratio[rule] = kind == EXPECT_STEP ? rule_step_s(item, plan, (enum rule)rule) / observed : ABSENT_NUMBER;
	judgement->outcomes.count++;
}

/* Plans one case. A run that ran, but that the planner refuses for memory, counts as refused and is planned again without
 * the memory check. */
static void judge_case(struct validation_case *item, struct judgement *judgement)
{
	static struct training_plan plan;
	static struct failure failure;
	enum status status;
	bool refused;

	failure_clear(&failure);
	findings_clear(&plan.findings);
	status = planner_training(&item->input, &plan, &failure);
	refused = status == STATUS_INFEASIBLE;
	if (status != STATUS_OK && (item->oom != refused || status == STATUS_INVALID))
		printf("%s: %s%s\n", item->id, failure.detail, failure.fault_count > 0 ? failure.faults[0].detail : "");
	judgement->oom_planned += item->oom && !refused;
	judgement->ran += !item->oom && item->role != SUITE_SHOWN;
	judgement->refused += !item->oom && refused && item->role != SUITE_SHOWN;
	if (status != STATUS_OK) {
		failure_clear(&failure);
		item->input.request.common.enforce_memory = TRUTH_FALSE;
		if (item->oom || planner_training(&item->input, &plan, &failure) != STATUS_OK)
			return;
	}
	for (int kind = 0; kind < EXPECT_COUNT; kind++)
		outcome_add(item, kind, &plan, refused, judgement);
}

static struct outcome *outcome_of(const struct sample *sample, const struct outcomes *outcomes)
{
	for (size_t i = 0; i < outcomes->count; i++)
		if (outcomes->items[i].item == sample->item && outcomes->items[i].kind == EXPECT_STEP)
			return &outcomes->items[i];
	return NULL;
}

static void judge_left_out(const struct samples *samples, const struct constants *constants, struct judgement *judgement)
{
	for (size_t s = 0; s < samples->suite_count; s++) {
		struct physics physics = physics_fitted;

		if (suite_role_of(samples->suites[s]) != SUITE_FITTED)
			continue;
		fit_run(samples, constants, samples->suites[s], LEFT_OUT_ROUNDS, &physics);
		for (size_t i = 0; i < samples->count; i++) {
			struct outcome *outcome = outcome_of(&samples->items[i], &judgement->outcomes);

			if (outcome && strcmp(outcome->item->suite, samples->suites[s]) == 0)
				outcome->left_ratio = exp(sample_log_ratio(&samples->items[i], &physics));
		}
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_spread(const struct outcomes *outcomes)
{
	static double spreads[OUTCOMES_MAX];
	size_t count = 0;

	for (size_t i = 0; i < outcomes->count; i++)
		if (slice_steps(&outcomes->items[i], NULL) && strncmp(outcomes->items[i].item->family, "dense", 5) == 0 &&
			outcomes->items[i].item->role != SUITE_SHOWN)
			spreads[count++] = outcomes->items[i].range.p90 / outcomes->items[i].range.p10;
	qsort(spreads, count, sizeof spreads[0], compare);
	return count > 0 ? spreads[count / 2] : 0;
}

void judge_cases(struct validation_cases *cases, struct judgement *judgement)
{
	static struct constants constants;
	struct physics physics = physics_fitted;
	struct samples samples;

	*judgement = (struct judgement){.outcomes = {.items = items}};
	for (size_t i = 0; i < cases->count; i++)
		if (!cases->items[i].team)
			judge_case(&cases->items[i], judgement);
	runs_judge(cases, &judgement->runs);
	judgement->pinned_spread = median_spread(&judgement->outcomes);
	samples_of_cases(cases, &samples);
	constants_list(&constants);
#define ONE(...) +1
	judgement->constants = constants.count +
		(size_t)(0 COMPILED_CONSTANTS(ONE) ADAPTER_CONSTANTS(ONE) GENERIC_CONSTANTS(ONE) PAIR_CONSTANTS(ONE) PRACTICE_CONSTANTS(ONE));
#undef ONE
	judgement->objective = fit_objective(&samples, &constants, NULL, &physics);
	judgement->refitted = fit_run(&samples, &constants, NULL, REFIT_ROUNDS, &physics);
	judge_left_out(&samples, &constants, judgement);
	free(samples.items);
}

bool limit_held(const struct limit *limit)
{
	double reached = *limit->unit ? rint(10 * limit->reached) / 10 : limit->reached;

	return reached >= limit->least - 1e-12 && reached <= limit->most + 1e-12;
}

#define LIMIT(what_, reached_, least_, most_, unit_, where_) \
	limits[n++] = (struct limit) \
	{ \
		what_, unit_, reached_, least_, most_, where_ \
	}
#define RUNS(what_) (told ? "whole runs, number and release given: " what_ : "whole runs, as requested: " what_)
static size_t limits_of_runs(const struct runs *runs, enum asked asked, struct limit *limits, size_t n)
{
	struct run_score score = runs_score(runs, asked, true);
	bool told = asked == ASKED_TOLD;

	LIMIT(RUNS("mean error of GPU-hours"), 100 * score.mean, 0, 29, "%", NULL);
	LIMIT(RUNS("median error of GPU-hours"), 100 * score.median, 0, told ? 23 : 25, "%", NULL);
	LIMIT(RUNS("geometric bias of GPU-hours"), 100 * score.bias, -10, 10, "%", NULL);
	LIMIT(RUNS("published GPU-hours inside p10 to p90"), 100 * score.inside, 70, 90, "%", NULL);
	LIMIT(RUNS("answers whose p10 implies a run_mfu above 0.75"), 100 * score.impossible, 0, 0, "%", NULL);
	LIMIT(RUNS("promises at 80 % kept"), 100 * score.held, 70, 90, "%", NULL);
	return n;
}

size_t limits_of(const struct judgement *judgement, struct limit *limits)
{
	const struct outcomes *all = &judgement->outcomes;
	struct score_by_suite dense = score_suites(all, slice_dense, false), left = score_suites(all, slice_dense, true);
	struct score_by_suite unseen = score_suites(all, slice_unseen_language, true), unseen_all = score_suites(all, slice_unseen, true);
	struct score_by_suite steps = score_suites(all, slice_judged, true);
	struct score megatron = score_of(all, slice_megatron, NULL, false), zero = score_of(all, slice_zero, NULL, true);
	size_t n = 0;

	LIMIT("dense models, 16 bits, hardware until 2022: mean of the suites' mean errors", 100 * dense.mean, 0, 8, "%", NULL);
	LIMIT("dense models, 16 bits, hardware until 2022: mean of the suites' median errors", 100 * dense.median, 0, 6, "%", NULL);
	LIMIT("dense models, 16 bits, hardware until 2022: largest bias of a suite", 100 * dense.worst_bias, -6, 6, "%", dense.worst_bias_suite);
	LIMIT("Megatron 2020 and 2021, Korthikanti: mean error", 100 * megatron.mean, 0, 6, "%", NULL);
	LIMIT("Megatron 2020 and 2021, Korthikanti: median error", 100 * megatron.median, 0, 5, "%", NULL);
	LIMIT("vTrain, several machines: mean error", 100 * score_of(all, slice_vtrain_multi, NULL, false).mean, 0, 8, "%", NULL);
	LIMIT("vTrain, one machine: mean error", 100 * score_of(all, slice_vtrain_single, NULL, false).mean, 0, 9, "%", NULL);
	LIMIT("dense models in 8 and 4 bits: mean error", 100 * score_of(all, slice_narrow, NULL, false).mean, 0, 10, "%", NULL);
	LIMIT("fine-tuning: mean error", 100 * score_of(all, slice_tuning, NULL, false).mean, 0, 10, "%", NULL);
	LIMIT("mixtures of experts: mean error", 100 * score_of(all, slice_experts, NULL, false).mean, 0, 17, "%", NULL);
	LIMIT("dense models, 16 bits, hardware until 2022, each suite left out: mean of the suites' mean errors", 100 * left.mean, 0, 6.6, "%",
		NULL);
	LIMIT("dense models, 16 bits, hardware until 2022, each suite left out: mean of the suites' median errors", 100 * left.median, 0, 6,
		"%", NULL);
	LIMIT("suites outside the fit, language models: mean of the suites' mean errors", 100 * unseen.mean, 0, 13, "%", NULL);
	LIMIT("suites outside the fit, with ResNet and BERT: mean of the suites' mean errors", 100 * unseen_all.mean, 0, 16, "%", NULL);
	LIMIT("suites outside the fit: steps inside p10 to p90", 100 * score_of(all, slice_unseen, NULL, true).covered, 72, 88, "%", NULL);
	LIMIT("suites outside the fit with at least ten rows: fewest steps of a suite inside p10 to p90", 100 * unseen_all.least_covered, 45,
		100, "%", unseen_all.least_covered_suite);
	LIMIT("suites outside the fit: refused for memory",
		100.0 * (double)score_of(all, slice_unseen, NULL, true).refused / (double)score_of(all, slice_unseen, NULL, true).count, 0, 3, "%",
		NULL);
	LIMIT("memory of Korthikanti's layers: mean error", 100 * score_of(all, slice_memory_states, NULL, false).mean, 0, 1, "%", NULL);
	LIMIT("memory of all other runs: mean error", 100 * score_of(all, slice_memory_other, NULL, false).mean, 0, 10, "%", NULL);
	LIMIT("runs that ran out of memory, but that the planner accepts", (double)judgement->oom_planned, 0, 0, "", NULL);
	LIMIT("runs that ran, but that the planner refuses", 100.0 * (double)judgement->refused / (double)judgement->ran, 0, 2, "%", NULL);
	LIMIT("ZeRO-3 of Megatron 2021: mean error", 100 * zero.mean, 0, 15, "%", NULL);
	LIMIT("ZeRO-3 of Megatron 2021: refused", (double)zero.refused, 0, 0, "", NULL);
	n = limits_of_runs(&judgement->runs, ASKED_DEFAULT, limits, n);
	n = limits_of_runs(&judgement->runs, ASKED_TOLD, limits, n);
	LIMIT("suites in the fit, each but the anchors left out: steps inside p10 to p90",
		100 * score_of(all, slice_judged, NULL, true).covered, 75, 90, "%", NULL);
	LIMIT("suites in the fit, each but the anchors left out: fewest steps of a suite inside p10 to p90", 100 * steps.least_covered, 60, 100,
		"%", steps.least_covered_suite);
	LIMIT("median p90/p10 of pinned dense steps", judgement->pinned_spread, 1, 1.5, "", NULL);
	LIMIT("constants of training of all kinds", (double)judgement->constants, 0, 60, "", NULL);
#undef RUNS
#undef LIMIT
	CHECK(n <= LIMITS_MAX);
	return n;
}
