#include "validation/judge.h"

enum { LEFT_OUT_ROUNDS = 6, REFIT_ROUNDS = 2 };

static struct outcome items[OUTCOMES_MAX];

static double predicted_of(const struct training_option *option, int kind, struct interval *interval)
{
	*interval = (struct interval){ABSENT_NUMBER, ABSENT_NUMBER, ABSENT_NUMBER};
	switch (kind) {
	case EXPECT_STEP:
		*interval = option->interval.step_time_s;
		return option->step.time_s;
	case EXPECT_GPU_HOURS:
		*interval = option->interval.gpu_hours;
		return option->gpu_hours;
	case EXPECT_MODEL_BYTES:
		return option->memory.model_bytes;
	case EXPECT_TOTAL_BYTES:
		return option->memory.total_bytes;
	default:
		return option->tflops_per_gpu;
	}
}

static void outcome_add(const struct validation_case *item, int kind, const struct training_plan *plan, bool refused, struct judgement *judgement)
{
	struct outcome *outcome = &items[judgement->outcomes.count];
	double observed = item->expected[kind];
	struct interval interval;

	if (!is_given(observed))
		return;
	CHECK(judgement->outcomes.count < OUTCOMES_MAX);
	*outcome = (struct outcome){.item = item, .kind = kind, .refused = refused, .predicted = predicted_of(&plan->recommended, kind, &interval)};
	outcome->ratio = outcome->left_ratio = outcome->predicted / observed;
	outcome->half_width = log(interval.p90 / interval.p50);
	if (kind == EXPECT_GPU_HOURS)
		outcome->implied_mfu = plan->workload.flops_total /
			(observed * 3600 * accelerator_peak_flops_per_s(&item->candidate.accelerator, item->input.request.common.precision, NULL));
	judgement->outcomes.count++;
}

/* A run that ran is planned even where our memory says it would not; that counts as refused. */
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
	judgement->ran += !item->oom;
	judgement->refused += !item->oom && refused;
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

		if (strcmp(samples->suites[s], "vtrain-single") == 0) /* nothing else shows the launch cost */
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
		if (slice_steps(&outcomes->items[i], NULL) && strncmp(outcomes->items[i].item->family, "dense", 5) == 0)
			spreads[count++] = exp(2 * outcomes->items[i].half_width);
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
		judge_case(&cases->items[i], judgement);
	judgement->pinned_spread = median_spread(&judgement->outcomes);
	samples_of_cases(cases, &samples);
	constants_list(&constants);
	judgement->constants = constants.count;
	judgement->objective = fit_objective(&samples, &constants, NULL, &physics);
	judgement->refitted = fit_run(&samples, &constants, NULL, REFIT_ROUNDS, &physics);
	judge_left_out(&samples, &constants, judgement);
	free(samples.items);
}

bool limit_held(const struct limit *limit)
{
	return limit->reached >= limit->least - 1e-12 && limit->reached <= limit->most + 1e-12;
}

size_t limits_of(const struct judgement *judgement, struct limit *limits)
{
	const struct outcomes *all = &judgement->outcomes;
	struct score_by_suite dense = score_suites(all, slice_dense, false), left = score_suites(all, slice_dense, true);
	struct score_by_suite steps = score_suites(all, slice_judged, true);
	struct score megatron = score_of(all, slice_megatron, NULL, false);
	size_t n = 0;

#define LIMIT(what_, reached_, least_, most_, unit_, where_) limits[n++] = (struct limit){what_, unit_, reached_, least_, most_, where_}
	LIMIT("dense, 16 bits, hardware until 2022: mean over suites of the mean error", 100 * dense.mean, 0, 8, "%", NULL);
	LIMIT("the same of the median error", 100 * dense.median, 0, 6, "%", NULL);
	LIMIT("the same: largest bias of a suite", 100 * dense.worst_bias, -6, 6, "%", dense.worst_bias_suite);
	LIMIT("Megatron 2020, 2021, Korthikanti: mean error", 100 * megatron.mean, 0, 6, "%", NULL);
	LIMIT("the same: median error", 100 * megatron.median, 0, 5, "%", NULL);
	LIMIT("vTrain, several machines: mean error", 100 * score_of(all, slice_vtrain_multi, NULL, false).mean, 0, 8, "%", NULL);
	LIMIT("vTrain, one machine: mean error", 100 * score_of(all, slice_vtrain_single, NULL, false).mean, 0, 9, "%", NULL);
	LIMIT("dense in 8 and 4 bits: mean error", 100 * score_of(all, slice_narrow, NULL, false).mean, 0, 10, "%", NULL);
	LIMIT("fine-tuning: mean error", 100 * score_of(all, slice_tuning, NULL, false).mean, 0, 10, "%", NULL);
	LIMIT("mixtures of experts: mean error", 100 * score_of(all, slice_experts, NULL, false).mean, 0, 17, "%", NULL);
	LIMIT("dense, each suite left out: mean over suites of the mean error", 100 * left.mean, 0, 12, "%", NULL);
	LIMIT("the same of the median error", 100 * left.median, 0, 9, "%", NULL);
	LIMIT("memory, Korthikanti's model bytes: mean error", 100 * score_of(all, slice_memory_states, NULL, false).mean, 0, 2, "%", NULL);
	LIMIT("memory, all others: mean error", 100 * score_of(all, slice_memory_other, NULL, false).mean, 0, 10, "%", NULL);
	LIMIT("runs that ran out of memory, but are planned", (double)judgement->oom_planned, 0, 0, "", NULL);
	LIMIT("runs that ran, but are refused", 100.0 * (double)judgement->refused / (double)judgement->ran, 0, 2, "%", NULL);
	LIMIT("whole runs that state their accelerators: mean error of GPU-hours", 100 * score_of(all, slice_runs, NULL, false).mean, 0, 25, "%", NULL);
	LIMIT("step times inside p10 to p90, suites left out", 100 * score_of(all, slice_judged, NULL, true).covered, 75, 90, "%", NULL);
	LIMIT("the same of the suite that has fewest", 100 * steps.least_covered, 60, 100, "%", steps.least_covered_suite);
	LIMIT("median p90/p10 of pinned dense steps", judgement->pinned_spread, 1, 1.5, "", NULL);
	LIMIT("fitted constants", (double)judgement->constants, 0, 40, "", NULL);
#undef LIMIT
	CHECK(n <= LIMITS_MAX);
	return n;
}
