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
	fprintf(file, "| run | team | published GPU-hours | their run MFU, %% | as requested: predicted | ratio | inside | told: predicted | ratio | inside | 6PT at 30 %%: ratio | at 40 %% |\n"
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
	fprintf(file, "\n| all | n | refused | mean error | median | geometric bias | inside p10 to p90 | p10 above 75 %% run MFU | promises at 80 %% held |\n"
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (int way = 0; way < 4; way++) {
		bool told = way % 2, left_out = way < 2;
		struct run_score score = runs_score(runs, told ? ASKED_TOLD : ASKED_DEFAULT, left_out);

		fprintf(file, "| %s, %s | %zu | %zu | %.1f | %.1f | %+.1f | %.0f | %.0f | %.0f |\n", told ? "number and release told" : "as requested",
			left_out ? "team left out" : "fitted", score.count, score.refused, 100 * score.mean, 100 * score.median, 100 * score.bias, 100 * score.inside,
			100 * score.impossible, 100 * score.held);
	}
	for (int rule = 0; rule < RULE_COUNT; rule++) {
		struct run_score score = runs_rule_score(runs, (enum rule)rule);

		fprintf(file, "| 6PT at %.0f %% | %zu | | %.1f | %.1f | %+.1f | | | |\n", 100 * rule_share((enum rule)rule), score.count, 100 * score.mean, 100 * score.median, 100 * score.bias);
	}
}

/* Those whose definition is unclear: only that they can be asked. */
static void write_unscored(FILE *file, const struct validation_cases *cases, const struct runs *runs)
{
	size_t unscored = 0;

	for (size_t i = 0; i < runs->count; i++)
		unscored += !runs->items[i].item->scored;
	fprintf(file, "\n%zu further runs are planned and not scored, since their definition is unclear.", unscored);
	for (size_t i = 0; i < cases->refused_count; i++)
		fprintf(file, "%s%s", i == 0 ? " Not planned, since the published total lacks what a request needs: " : ", ", cases->refused[i].id);
	fprintf(file, "%s\n", cases->refused_count > 0 ? "." : "");
}

void document_runs_write(FILE *file, const struct validation_cases *cases, const struct runs *runs)
{
	fprintf(file, "\n## Whole runs\n\nPublished GPU-hours of whole trainings (`runs*.jsonl`, and the rows `e2e-*` of `training.jsonl`) beside the answer's. *As requested*: model, tokens and accelerator, as\n"
		"the request stands. *Told*: with the number of accelerators and the release of the software that the team had. *Run MFU*: `workload.flops_total` over GPU-hours x 3600 x the dense peak of\n"
		"the request's precision. *Inside*: between p10 and p90. *Promise*: the published hours are at most the p80 at the published number of accelerators. *6PT*: 6 x active parameters x\n"
		"tokens at 30 and 40 %% of that peak. One constant is fitted to these runs, practice's `layout` (%.2f; %.2f to %.2f without one team): each row is planned with the one that\n"
		"its team had no part in. Rows without `informed` get the same request twice; BLOOM and DeepSeek-V3 state their number in the request.\n\n",
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

/* The suites of the outcomes, in their order, each once. */
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
	} slices[] = {{"dense, 16 bits, until 2022, without vtrain-single", slice_dense}, {"dense, 16 bits, hardware since", slice_dense_new}, {"dense, 8 and 4 bits", slice_narrow},
		{"mixtures of experts", slice_experts}, {"fine-tuning", slice_tuning}, {"suites that bounds rest on", slice_judged}};
	static struct promises promises;

	fprintf(file, "\n## Promises\n\nOf 100 promises at a probability, how many held: the published figure is at most that quantile of the answer's range (probability integral transform). Below the\n"
		"column's number: too bold; above: too careful. Steps are those with their suites left out of the fit; whole runs are asked at the published number of accelerators.\n\n"
		"![Promises that held against the probability promised](accuracy-reliability.svg)\n\n| promises at | n |");
	for (int level = 0; level < PROMISE_LEVEL_COUNT; level++)
		fprintf(file, " %.0f %% |", 100 * promise_levels[level]);
	fprintf(file, "\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (int told = 0; told < 2; told++) {
		runs_promises(&judgement->runs, told ? ASKED_TOLD : ASKED_DEFAULT, &promises);
		promise_row(file, told ? "whole runs, number and release told" : "whole runs, as requested", &promises);
	}
	for (size_t s = 0; s < COUNT_OF(slices); s++) {
		promises_of(&judgement->outcomes, slices[s].wanted, NULL, &promises);
		promise_row(file, slices[s].name, &promises);
	}
	suite_rows(file, &judgement->outcomes, &promises);
}
