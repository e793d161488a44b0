#include "validation/document.h"

struct slice {
	const char *name;
	outcome_filter *wanted;
};

static const struct slice slices[] = {
	{"dense, 16 bits, until 2022, without vtrain-single", slice_dense}, {"dense, 16 bits, hardware since", slice_dense_new}, {"dense, 8 and 4 bits", slice_narrow}, {"mixtures of experts", slice_experts},
	{"fine-tuning", slice_tuning}, {"all steps", slice_steps},
};

static void score_row(FILE *file, const char *name, const struct outcomes *outcomes, outcome_filter *wanted, const void *argument)
{
	struct score score = score_of(outcomes, wanted, argument, false), left = score_of(outcomes, wanted, argument, true);

	fprintf(file, "| %s | %zu | %.1f | %.1f | %.1f | %+.1f | %zu | %.0f | %.1f | %.1f | %+.1f | %.0f |\n", name, score.count, 100 * score.mean,
		100 * score.median, 100 * score.p90, 100 * score.bias, score.refused, 100 * score.covered, 100 * left.mean, 100 * left.median,
		100 * left.bias, 100 * left.covered);
}

/* A suite's step times only. */
static bool suite_steps(const struct outcome *outcome, const void *argument)
{
	return slice_steps(outcome, NULL) && slice_suite(outcome, argument);
}

static bool first_of_suite(const struct outcomes *outcomes, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (slice_steps(&outcomes->items[i], NULL) && slice_suite(&outcomes->items[i], outcomes->items[index].item->suite))
			return false;
	return slice_steps(&outcomes->items[index], NULL);
}

static void write_steps(FILE *file, const struct outcomes *outcomes)
{
	fprintf(file, "## Step times\n\nErrors in %%: |predicted / observed - 1|; bias keeps the sign. *Left out*: the constants are refitted without the suite, so that it stands for software and\n"
		"hardware that the fit never saw (`vtrain-single` always stays in: nothing else shows the cost of launches; `maxtext`, TPUs, has no part in the fit, but gave\n"
		"their ceilings, and no bound rests on it). *Inside*: share of runs between p10 and p90.\n\n"
		"| suite | n | mean | median | p90 | bias | refused | inside | left out: mean | median | bias | inside |\n"
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < outcomes->count; i++)
		if (first_of_suite(outcomes, i))
			score_row(file, outcomes->items[i].item->suite, outcomes, suite_steps, outcomes->items[i].item->suite);
	for (size_t s = 0; s < COUNT_OF(slices); s++)
		score_row(file, slices[s].name, outcomes, slices[s].wanted, NULL);
}

static void write_limits(FILE *file, const struct judgement *judgement)
{
	struct limit limits[LIMITS_MAX];
	size_t count = limits_of(judgement, limits);

	fprintf(file, "## Bounds\n\n| bound | allowed | reached | |\n| --- | --- | --- | --- |\n");
	for (size_t i = 0; i < count; i++) {
		const struct limit *limit = &limits[i];
		char allowed[64];

		if (limit->least > 0)
			snprintf(allowed, sizeof allowed, "%g to %g", limit->least, limit->most);
		else if (limit->least < 0)
			snprintf(allowed, sizeof allowed, "+-%g", limit->most);
		else
			snprintf(allowed, sizeof allowed, "at most %g", limit->most);
		fprintf(file, "| %s | %s%s%s | %.*f%s%s%s%s%s | %s |\n", limit->what, allowed, *limit->unit ? " " : "", limit->unit, *limit->unit || limit->reached < 2 ? 1 + !*limit->unit : 0,
			limit->reached, *limit->unit ? " " : "", limit->unit, limit->where ? " (" : "", limit->where ? limit->where : "", limit->where ? ")" : "",
			limit_held(limit) ? "held" : "**missed**");
	}
}

/* The published figures are the layers' alone: what is left of the error without the tables that the first stage holds as well, 18 bytes
 * an entry (weight 2, gradient 4, optimizer 12). */
static double error_without_tables(const struct outcomes *outcomes)
{
	double sum = 0, count = 0;

	for (size_t i = 0; i < outcomes->count; i++) {
		const struct outcome *outcome = &outcomes->items[i];
		const struct model *model = &outcome->item->input.model;
		double tensor = (double)outcome->item->input.request.parallelism.tensor, tables;

		if (!slice_memory_states(outcome, NULL))
			continue;
		tables = 18 * (double)model->hidden * ((double)model->vocabulary / tensor + model->learned_positions);
		sum += fabs(outcome->ratio * (1 - tables / outcome->predicted) - 1);
		count++;
	}
	return sum / fmax(1, count);
}

static void write_memory(FILE *file, const struct outcomes *outcomes)
{
	static const struct slice memories[] = {{"Korthikanti et al. 2022: model_bytes", slice_memory_states}, {"all others", slice_memory_other}};

	fprintf(file, "\n## Memory\n\n| figures | n | mean | median | p90 | bias |\n| --- | --- | --- | --- | --- | --- |\n");
	for (size_t s = 0; s < COUNT_OF(memories); s++) {
		struct score score = score_of(outcomes, memories[s].wanted, NULL, false);

		fprintf(file, "| %s | %zu | %.1f | %.1f | %.1f | %+.1f |\n", memories[s].name, score.count, 100 * score.mean, 100 * score.median, 100 * score.p90, 100 * score.bias);
	}
	fprintf(file, "\nKorthikanti's figures are those of the layers alone: without the embedding tables, which the first stage really holds, the mean error is %.1f %%.\n",
		100 * error_without_tables(outcomes));
}

static void write_runs(FILE *file, const struct outcomes *outcomes)
{
	fprintf(file, "\n## Whole runs\n\nPublished GPU-hours contain evaluation, rollbacks, ramps, slow nodes and the software of their year, which a request does not state: only rows that state\n"
		"their number of accelerators are judged, the others are shown with the MFU that they imply.\n\n"
		"| run | published GPU-hours | predicted | ratio | implied MFU | judged |\n| --- | --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < outcomes->count; i++) {
		const struct outcome *outcome = &outcomes->items[i];

		if (outcome->kind == EXPECT_GPU_HOURS)
			fprintf(file, "| %s | %.4g | %.3g | %.2f | %.1f %% | %s |\n", outcome->item->id, outcome->item->expected[EXPECT_GPU_HOURS], outcome->predicted,
				outcome->ratio, 100 * outcome->implied_mfu, slice_runs(outcome, NULL) ? "yes" : "no");
	}
}

static void write_constants(FILE *file)
{
	static struct constants constants;
	struct physics physics = physics_fitted;

	constants_list(&constants);
	fprintf(file, "\n## Constants\n\n| constant | value | range | meaning | bounded by |\n| --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < constants.count; i++)
		fprintf(file, "| %s | %.3g | %.3g to %.3g | %s | %s |\n", constants.items[i].name, *constant_in(&constants.items[i], &physics),
			constants.items[i].low, constants.items[i].high, constants.items[i].meaning, constants.items[i].source);
}

void document_write(FILE *file, const struct judgement *judgement)
{
	fprintf(file, "# Accuracy\n\nWritten by `make validate`; `make check-accuracy` (part of CI) fails when the planner, the shipped constants or this page drift apart.\n"
		"Training: published runs of `tests/validation/training.jsonl` with their sources, planned as requests. Serving: the second half.\n\n"
		"![Predicted against observed step times, suites left out](accuracy.svg)\n\n");
	write_limits(file, judgement);
	fprintf(file, "\nRuns refused although they ran: %zu of %zu. Refitting from the shipped constants lowers the fit's objective from %.4f to %.4f.\n\n", judgement->refused,
		judgement->ran, judgement->objective, judgement->refitted);
	write_steps(file, &judgement->outcomes);
	write_memory(file, &judgement->outcomes);
	write_runs(file, &judgement->outcomes);
	write_constants(file);
}
