#include "validation/document.h"

static void write_answer(FILE *file, const struct run *run, enum asked asked)
{
	const struct run_answer *answer = &run->left[asked];
	bool inside = run->published_hours >= answer->range.p10 && run->published_hours <= answer->range.p90;

	if (answer->refused)
		fprintf(file, " refused | | |");
	else
		fprintf(file, " %.3g | %.2f | %s |", answer->gpu_hours, answer->gpu_hours / run->published_hours, inside ? "yes" : "no");
}

static void write_rows(FILE *file, const struct runs *runs)
{
	fprintf(file,
		"| run | team | published GPU-hours | their run MFU, %% | as requested: predicted | ratio | inside | given: predicted | ratio | inside | 6PT at 30 %%: ratio | at 40 %% |\n"
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < runs->count; i++) {
		const struct run *run = &runs->items[i];

		if (!run->item->scored)
			continue;
		fprintf(file, "| %s | %s | %.4g | %.1f |", run->item->id, run->item->team, run->published_hours, 100 * run->published_mfu);
		write_answer(file, run, ASKED_DEFAULT);
		write_answer(file, run, ASKED_TOLD);
		fprintf(file, " %.2f | %.2f |\n", run->rule_hours[RULE_30] / run->published_hours, run->rule_hours[RULE_40] / run->published_hours);
	}
}

static void write_totals(FILE *file, const struct runs *runs)
{
	fprintf(file,
		"\n| all | n | refused | mean error | median | geometric bias | inside p10 to p90 | p10 above 75 %% run MFU | promises at 80 %% kept |\n"
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (int way = 0; way < 4; way++) {
		bool told = way % 2, left_out = way < 2;
		struct run_score score = runs_score(runs, told ? ASKED_TOLD : ASKED_DEFAULT, left_out);

		fprintf(file, "| %s, %s | %zu | %zu | %.1f | %.1f | %+.1f | %.0f | %.0f | %.0f |\n",
			told ? "number and release given" : "as requested", left_out ? "team left out" : "fitted", score.count, score.refused,
			100 * score.mean, 100 * score.median, 100 * score.bias, 100 * score.inside, 100 * score.impossible, 100 * score.held);
	}
	for (int rule = 0; rule < RULE_COUNT; rule++) {
		struct run_score score = runs_rule_score(runs, (enum rule)rule);

		fprintf(file, "| 6PT at %.0f %% | %zu | | %.1f | %.1f | %+.1f | | | |\n", 100 * rule_share((enum rule)rule), score.count,
			100 * score.mean, 100 * score.median, 100 * score.bias);
	}
}

/* Writes the number of runs whose definition is unclear, and the runs that cannot be planned. */
static void write_unscored(FILE *file, const struct validation_cases *cases, const struct runs *runs)
{
	size_t unscored = 0;

	for (size_t i = 0; i < runs->count; i++)
		unscored += !runs->items[i].item->scored;
	fprintf(file, "\n%zu further runs are planned, but not scored, because their definition is unclear.", unscored);
	for (size_t i = 0; i < cases->refused_count; i++)
		fprintf(file, "%s%s", i == 0 ? " Not planned, because the published total lacks what a request needs: " : ", ", cases->refused[i].id);
	fprintf(file, "%s\n", cases->refused_count > 0 ? "." : "");
}

void document_runs_write(FILE *file, const struct validation_cases *cases, const struct runs *runs)
{
	fprintf(file,
		"\n## Whole runs\n\nPublished GPU-hours of whole trainings (`runs*.jsonl`, and the rows `e2e-*` of `training.jsonl`) beside those of the answer. *As requested*: the request states model, tokens\n"
		"and accelerator. *Given*: it also states the number of accelerators and the release of the software that the team had. *Run MFU*: `workload.flops_total` divided by GPU-hours x 3600 x the\n"
		"dense peak of the request's precision. *Inside*: the published hours are between p10 and p90. *Promise*: they are at most the p80 at the published number of accelerators. *6PT*: 6 x active\n"
		"parameters x tokens at 30 and 40 %% of that peak. One constant is fitted to these runs, `layout` of practice (%.2f; %.2f to %.2f without one team). Each row is planned with the value\n"
		"that is fitted without its team. Rows that state no further facts have the same request in both columns; BLOOM and DeepSeek-V3 state their number in the request.\n\n",
		runs->layout, runs->least_layout, runs->most_layout);
	write_rows(file, runs);
	write_totals(file, runs);
	write_unscored(file, cases, runs);
}

static void promise_row(FILE *file, const char *name, const struct promises *promises)
{
	fprintf(file, "| %s | %zu |", name, promises->count);
	for (int level = 0; level < PROMISE_LEVEL_COUNT; level++)
		fprintf(file, " %.0f |", 100 * promises_held(promises, promise_levels[level]));
	fputc('\n', file);
}

/* Writes one row for each suite, in the order of the outcomes. */
static void suite_rows(FILE *file, const struct outcomes *outcomes, struct promises *promises)
{
	for (size_t i = 0; i < outcomes->count; i++) {
		if (!outcome_opens_suite(outcomes, i))
			continue;
		promises_of(outcomes, suite_steps, outcomes->items[i].item->suite, promises);
		promise_row(file, outcomes->items[i].item->suite, promises);
	}
}

void document_promises_write(FILE *file, const struct judgement *judgement)
{
	static const struct {
		const char *name;
		outcome_filter *wanted;
	} slices[] = {{"dense, 16 bits, hardware until 2022, without vtrain-single", slice_dense},
		{"dense, 16 bits, newer hardware", slice_dense_new}, {"dense, 8 and 4 bits", slice_narrow}, {"mixtures of experts", slice_experts},
		{"fine-tuning", slice_tuning}, {"suites in the fit", slice_judged}};
	static struct promises promises;

	fprintf(file,
		"\n## Promises\n\nShare of the promises at a probability that are kept, in %%: the published figure is at most that quantile of the answer's range (probability integral transform). Below the\n"
		"column's number the planner is too bold; above it, too careful. Steps have their *fitted* suites left out of the fit; whole runs have the published number of accelerators.\n\n"
		"![Promises kept against the probability promised](accuracy-reliability.svg)\n\n| promises at | n |");
	for (int level = 0; level < PROMISE_LEVEL_COUNT; level++)
		fprintf(file, " %.0f %% |", 100 * promise_levels[level]);
	fprintf(file, "\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (int told = 0; told < 2; told++) {
		runs_promises(&judgement->runs, told ? ASKED_TOLD : ASKED_DEFAULT, &promises);
		promise_row(file, told ? "whole runs, number and release given" : "whole runs, as requested", &promises);
	}
	for (size_t s = 0; s < COUNT_OF(slices); s++) {
		promises_of(&judgement->outcomes, slices[s].wanted, NULL, &promises);
		promise_row(file, slices[s].name, &promises);
	}
	suite_rows(file, &judgement->outcomes, &promises);
}
