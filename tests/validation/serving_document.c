#include "validation/serving_document.h"

#include <math.h>

#include "planner/serving/serving_scope.h"

enum { REFIT_ROUNDS = 2, POWER_ROUNDS = 10, NAMES_MAX = 200 };

/* One row of the table of bounds. */
struct bound {
	const char *what;
	double reached, least, most; /* % */
};

void serving_judge(struct serving_cases *cases, struct serving_judgement *judgement)
{
	struct serving_constants values = serving_constants;
	struct power_constants power = power_constants;

	serving_outcomes_fill(cases, &serving_constants, &judgement->outcomes);
	serving_judge_left_out(cases, &serving_constants, &judgement->outcomes);
	fits_judge(cases, &judgement->fits);
	judgement->sweep_count = sweeps_judge(cases, judgement->sweeps);
	power_cases_judge(&serving_constants, &judgement->outcomes, &judgement->power);
	judgement->objective = serving_fit_objective(cases, &values);
	judgement->refitted = serving_fit_run(cases, NULL, NULL, REFIT_ROUNDS, &values);
	judgement->power_objective = power_fit_run(&judgement->power, NULL, 0, &power);
	judgement->power_refitted = power_fit_run(&judgement->power, NULL, POWER_ROUNDS, &power);
}

static struct serving_score score(const struct serving_judgement *judgement, enum quantity quantity, int run, enum serving_fitted_on fitted)
{
	struct serving_slice slice = {.quantity = quantity, .run = run, .home = true};

	return serving_score_of(&judgement->outcomes, &slice, fitted);
}

static int ascending(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/* Returns p10, p50 and p90 with linear interpolation. Sorts the values. */
static struct interval quantiles_of(double *values, size_t count)
{
	double shares[] = {0.1, 0.5, 0.9}, found[COUNT_OF(shares)] = {0};

	qsort(values, count, sizeof *values, ascending);
	for (size_t i = 0; i < COUNT_OF(shares) && count > 0; i++) {
		double at = shares[i] * (double)(count - 1);
		size_t low = (size_t)at, high = low + 1 < count ? low + 1 : low;

		found[i] = values[low] + (at - (double)low) * (values[high] - values[low]);
	}
	return (struct interval){found[0], found[1], found[2]};
}

/* Returns the score of the later suites, each left out of the fit. suite: one of them; NULL: all. */
static struct serving_score away(const struct serving_judgement *judgement, enum quantity quantity, const char *suite)
{
	struct serving_slice slice = {.quantity = quantity, .run = -1, .suite = suite, .away = true};

	return serving_score_of(&judgement->outcomes, &slice, FITTED_WITHOUT_SUITE);
}

/* True for the first outcome of a later suite. */
static bool first_of_suite(const struct serving_judgement *judgement, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (strcmp(judgement->outcomes.items[i].item->suite, judgement->outcomes.items[index].item->suite) == 0)
			return false;
	return judgement->outcomes.items[index].item->away;
}

/* Returns the share of the later suites' figures inside p10 to p90, each suite left out. least: the lowest share of a suite
 * with at least ten figures. */
static double away_covered(const struct serving_judgement *judgement, double *least)
{
	double covered = 0, count = 0;

	*least = 1;
	for (size_t i = 0; i < judgement->outcomes.count; i++) {
		double here = 0, figures = 0;

		if (!first_of_suite(judgement, i))
			continue;
		for (int quantity = 0; quantity < QUANTITY_COUNT; quantity++) {
			struct serving_score one = away(judgement, (enum quantity)quantity, judgement->outcomes.items[i].item->suite);

			here += one.covered * (double)one.count;
			figures += (double)one.count;
		}
		covered += here;
		count += figures;
		if (figures >= 10)
			*least = fmin(*least, here / figures);
	}
	return count > 0 ? covered / count : 0;
}

static void write_away(FILE *file, const struct serving_judgement *judgement)
{
	fprintf(file,
		"\n### Later suites\n\nSuites that were added after the model: independent tests, other vendors' stacks, older releases. *Fitted*: with the shipped constants. *Left out*: refitted without the\n"
		"suite. Suites of role `shown` in `tests/validation/suites.csv` have no weight in the fit. *Sigma*: the mean log standard deviation of the answers' intervals (E193).\n\n"
		"| suite | quantity | n | fitted: median | bias | left out: mean | median | bias | refused | inside | sigma |\n"
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < judgement->outcomes.count; i++) {
		const char *suite = judgement->outcomes.items[i].item->suite;

		if (!first_of_suite(judgement, i))
			continue;
		for (int quantity = 0; quantity < QUANTITY_COUNT; quantity++) {
			struct serving_slice slice = {.quantity = (enum quantity)quantity, .run = -1, .suite = suite, .away = true};
			struct serving_score fitted = serving_score_of(&judgement->outcomes, &slice, FITTED_ON_ALL),
								 out = away(judgement, (enum quantity)quantity, suite);
			double sigma = 0;

			for (size_t j = 0; j < judgement->outcomes.count; j++)
				if (serving_slice_has(&slice, judgement->outcomes.items[j].item) && !judgement->outcomes.items[j].refused)
					sigma += judgement->outcomes.items[j].log_sigma / (double)out.count;
			if (out.count > 0)
				fprintf(file, "| %s | %s | %zu | %.1f | %+.1f | %.1f | %.1f | %+.1f | %zu | %.0f | %.2f |\n", suite,
					serving_quantity_name((enum quantity)quantity), out.count, 100 * fitted.median, 100 * fitted.bias, 100 * out.mean,
					100 * out.median, 100 * out.bias, out.refused, 100 * out.covered, sigma);
		}
	}
}

/* The independent tests. Their table has predicted over measured throughput with all of them left out of the fit. */
static const char *const independent_suites[] = {"gpustack", "dstack-405b", "dstack-r1", "gpqa", "lm-arena-chat"};

static struct interval independent_of(const struct serving_judgement *judgement, const char *suite, size_t *count)
{
	static double ratios[SERVING_CASES_MAX];

	*count = 0;
	for (size_t i = 0; i < judgement->outcomes.count; i++) {
		const struct serving_outcome *outcome = &judgement->outcomes.items[i];

		if (outcome->item->quantity == QUANTITY_THROUGHPUT && strcmp(outcome->item->suite, suite) == 0)
			ratios[(*count)++] = outcome->without_independent;
	}
	return quantiles_of(ratios, *count);
}

/* Returns p10, p50 and p90 of the tests' medians. */
static struct interval independent_over(const struct serving_judgement *judgement)
{
	double medians[COUNT_OF(independent_suites)];
	size_t ignored;

	for (size_t i = 0; i < COUNT_OF(independent_suites); i++)
		medians[i] = independent_of(judgement, independent_suites[i], &ignored).p50;
	return quantiles_of(medians, COUNT_OF(independent_suites));
}

static void write_independent(FILE *file, const struct serving_judgement *judgement)
{
	struct interval over = independent_over(judgement);

	fprintf(file,
		"\n### Independent tests\n\nPredicted over measured throughput of independent tests. Such tests run an engine with its default flags, or run all engines in the same way. The constants are fitted without these tests, so they\n"
		"are those of vendors' tuned runs. `practice: typical` uses the median of the medians (E136, parts *flags* and *tuning*), and p10 to p90 as its range.\n\n| test | n | p10 | median | p90 |\n| --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < COUNT_OF(independent_suites); i++) {
		size_t count;
		struct interval one = independent_of(judgement, independent_suites[i], &count);

		fprintf(file, "| %s | %zu | %.2f | %.2f | %.2f |\n", independent_suites[i], count, one.p10, one.p50, one.p90);
	}
	fprintf(file, "| **their medians** | %zu | %.2f | %.2f | %.2f |\n", COUNT_OF(independent_suites), over.p10, over.p50, over.p90);
}

static double knees_right(const struct serving_judgement *judgement)
{
	double right = 0;

	for (size_t s = 0; s < judgement->sweep_count; s++)
		right += judgement->sweeps[s].observed_knee == judgement->sweeps[s].predicted_knee;
	return 100 * right / fmax(1, (double)judgement->sweep_count);
}

static double negatives_refused(const struct fits_judgement *fits)
{
	double made = 0, refused = 0;

	for (int i = 0; i < NEGATIVE_COUNT; i++) {
		made += (double)fits->made[i];
		refused += (double)fits->refused[i];
	}
	return 100 * refused / fmax(1, made);
}

static void bound_row(FILE *file, const char *what, double reached, double least, double most, const char *unit)
{
	bool held = reached >= least - 1e-9 && reached <= most + 1e-9;

	fprintf(file, "| %s | at %s %g%s | %.1f%s | %s |\n", what, least > 0 ? "least" : "most", least > 0 ? least : most, unit, reached, unit,
		held ? "met" : "**missed**");
}

/* E136. These are not constants of the model; a fit does not change them. */
#define PRACTICE_ROW(member_, value_, low_, high_, meaning_, source_, measured_on_) \
	{#member_, meaning_, source_, measured_on_, value_, low_, high_},
static const struct {
	const char *name, *meaning, *source, *measured_on;
	double value, low, high;
} practice_rows[] = {SERVING_PRACTICE_CONSTANTS(PRACTICE_ROW)};
#undef PRACTICE_ROW

static size_t constants_count(void)
{
	struct constants fitted, measured, power;

	serving_constants_list(&fitted);
	serving_measured_list(&measured);
	power_constants_list(&power);
	return fitted.count + measured.count + power.count + COUNT_OF(practice_rows);
}

/* Returns the lowest share of promises at 80 % kept among throughput, TPOT and TTFT, each model left out. */
static double promises_least(const struct serving_judgement *judgement)
{
	double least = 1;

	for (int quantity = 0; quantity < QUANTITY_COUNT; quantity++) {
		struct serving_slice slice = {.quantity = (enum quantity)quantity, .run = -1, .home = true};
		size_t count;
		double held = serving_promises_held(&judgement->outcomes, &slice, FITTED_WITHOUT_MODEL, 0.8, &count);

		least = count > 0 ? fmin(least, held) : least;
	}
	return least;
}

static void write_bounds(FILE *file, const struct serving_judgement *judgement)
{
	struct serving_slice hopper = {.quantity = QUANTITY_THROUGHPUT, .run = RUN_SATURATION, .hopper_and_ampere = true};
	struct serving_score saturation = score(judgement, QUANTITY_THROUGHPUT, RUN_SATURATION, FITTED_ON_ALL);
	struct serving_score tpot = score(judgement, QUANTITY_TPOT, RUN_CLOSED_LOOP, FITTED_ON_ALL);
	const struct fits_judgement *fits = &judgement->fits;
	const struct power_cases *power = &judgement->power;
	double least, covered = away_covered(judgement, &least);

	fprintf(file, "## Bounds of serving\n\n| bound | allowed | reached | |\n| --- | --- | --- | --- |\n");
#define MOST(what_, reached_, most_) bound_row(file, what_, 100 * (reached_), 0, most_, " %")
	MOST("throughput at saturation: mean error", saturation.mean, 14);
	MOST("throughput at saturation: median error", saturation.median, 11);
	MOST("throughput at saturation on H100, H200 and A100: mean error", serving_score_of(&judgement->outcomes, &hopper, FITTED_ON_ALL).mean,
		13);
	MOST("TPOT at a concurrency: mean error", tpot.mean, 15);
	MOST("TPOT at a concurrency: median error", tpot.median, 12);
	MOST("TTFT at a concurrency: median error", score(judgement, QUANTITY_TTFT, RUN_CLOSED_LOOP, FITTED_ON_ALL).median, 25);
	MOST("TTFT at an arrival rate: median error", score(judgement, QUANTITY_TTFT, RUN_ARRIVALS, FITTED_ON_ALL).median, 20);
	MOST("TPOT at an arrival rate: median error", score(judgement, QUANTITY_TPOT, RUN_ARRIVALS, FITTED_ON_ALL).median, 20);
	bound_row(file, "arrival-rate sweeps whose waiting starts at the predicted rate", knees_right(judgement), 80, 100, " %");
	MOST("throughput, each model left out: median error", score(judgement, QUANTITY_THROUGHPUT, -1, FITTED_WITHOUT_MODEL).median, 20);
	MOST("TPOT, each model left out: median error", score(judgement, QUANTITY_TPOT, -1, FITTED_WITHOUT_MODEL).median, 20);
	MOST("throughput, each accelerator left out: median error",
		score(judgement, QUANTITY_THROUGHPUT, -1, FITTED_WITHOUT_ACCELERATOR).median, 20);
	MOST("TPOT, each accelerator left out: median error", score(judgement, QUANTITY_TPOT, -1, FITTED_WITHOUT_ACCELERATOR).median, 20);
	bound_row(file, "promises at 80 % kept, each model left out: the lowest of throughput, TPOT and TTFT", 100 * promises_least(judgement),
		70, 90, " %");
	bound_row(
		file, "measured configurations that the planner accepts", 100 * (1 - (double)fits->ran_refused / (double)fits->ran), 98, 100, " %");
	bound_row(file, "constructed configurations that do not fit and that the planner refuses", negatives_refused(fits), 95, 100, " %");
	MOST("power: median error", power_score_of(power, offsetof(struct power_case, ratio_w), NULL, NULL).median, 15);
	MOST("energy per token: median error", power_score_of(power, offsetof(struct power_case, ratio_joules), NULL, NULL).median, 20);
	MOST("power, each model left out: median error", power_score_of(power, offsetof(struct power_case, without_model_w), NULL, NULL).median,
		25);
	MOST("energy per token, each model left out: median error",
		power_score_of(power, offsetof(struct power_case, without_model_joules), NULL, NULL).median, 25);
	MOST("later suites, each left out: median error of throughput", away(judgement, QUANTITY_THROUGHPUT, NULL).median, 18);
	MOST("later suites, each left out: median error of TPOT", away(judgement, QUANTITY_TPOT, NULL).median, 16);
	MOST("later suites, each left out: median error of TTFT", away(judgement, QUANTITY_TTFT, NULL).median, 28);
	bound_row(file, "later suites, each left out: figures inside p10 to p90", 100 * covered, 72, 88, " %");
	bound_row(file, "later suites with at least ten figures, each left out: fewest figures of a suite inside p10 to p90", 100 * least, 45,
		100, " %");
#undef MOST
	bound_row(file, "independent tests, all left out: median of the tests' medians of predicted over measured throughput",
		independent_over(judgement).p50, 1, 1.12, "");
	bound_row(file, "constants of serving of all kinds", (double)constants_count(), 0, 60, "");
}

static void score_row(FILE *file, const char *name, const struct serving_judgement *judgement, const struct serving_slice *slice)
{
	struct serving_score all = serving_score_of(&judgement->outcomes, slice, FITTED_ON_ALL);
	struct serving_score model = serving_score_of(&judgement->outcomes, slice, FITTED_WITHOUT_MODEL);
	struct serving_score accelerator = serving_score_of(&judgement->outcomes, slice, FITTED_WITHOUT_ACCELERATOR);

	if (all.count > 0)
		fprintf(file, "| %s | %zu | %.1f | %.1f | %.1f | %+.1f | %zu | %.0f | %.1f | %.1f | %.1f | %.1f |\n", name, all.count,
			100 * all.mean, 100 * all.median, 100 * all.p90, 100 * all.bias, all.refused, 100 * all.covered, 100 * model.mean,
			100 * model.median, 100 * accelerator.mean, 100 * accelerator.median);
}

/* A row for each different text that a case has at an offset. */
static void score_rows_by(
	FILE *file, const struct serving_judgement *judgement, size_t offset, const struct serving_slice *base, size_t member)
{
	const char *seen[NAMES_MAX];
	size_t count = 0;

	for (size_t i = 0; i < judgement->outcomes.count; i++) {
		const char *name = (const char *)judgement->outcomes.items[i].item + offset;
		struct serving_slice slice = *base;
		size_t at = 0;

		while (at < count && strcmp(seen[at], name) != 0)
			at++;
		if (at < count || count >= NAMES_MAX)
			continue;
		seen[count++] = name;
		*(const char **)(void *)((char *)&slice + member) = name;
		score_row(file, name, judgement, &slice);
	}
}

static void write_quantity(FILE *file, enum quantity quantity, const struct serving_judgement *judgement)
{
	struct serving_slice slice = {.quantity = quantity, .run = -1};

	fprintf(file,
		"\n### %s\n\n| slice | n | mean | median | p90 | bias | refused | inside | without its model: mean | median | without its accelerator: mean | median |\n"
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
		serving_quantity_name(quantity));
	score_row(file, "**all**", judgement, &slice);
	for (int run = 0; run < RUN_KIND_COUNT; run++) {
		slice.run = run;
		score_row(file, run_kind_name((enum run_kind)run), judgement, &slice);
	}
	slice.run = -1;
	score_rows_by(file, judgement, offsetof(struct serving_case, suite), &slice, offsetof(struct serving_slice, suite));
	score_rows_by(file, judgement, offsetof(struct serving_case, accelerator), &slice, offsetof(struct serving_slice, accelerator));
	score_rows_by(file, judgement, offsetof(struct serving_case, model), &slice, offsetof(struct serving_slice, model));
}

static void promise_row(FILE *file, const char *name, const struct serving_judgement *judgement, const struct serving_slice *slice,
	enum serving_fitted_on fitted)
{
	static const double levels[] = {0.5, 0.6, 0.7, 0.8, 0.9, 0.95};
	size_t count;

	serving_promises_held(&judgement->outcomes, slice, fitted, levels[0], &count);
	if (count == 0)
		return;
	fprintf(file, "| %s: %s | %zu |", serving_quantity_name(slice->quantity), name, count);
	for (size_t i = 0; i < COUNT_OF(levels); i++)
		fprintf(file, " %.0f |", 100 * serving_promises_held(&judgement->outcomes, slice, fitted, levels[i], &count));
	fprintf(file, "\n");
}

static void write_promises(FILE *file, const struct serving_judgement *judgement)
{
	fprintf(file,
		"\n## Promises of serving\n\nShare of the promises at a probability (E137) that are kept, in %%: the measured throughput is at least the answer's lower quantile; the measured TPOT or TTFT is at most the upper one. Below the\n"
		"column's number the planner is too bold; above it, too careful. The rows of suites have constants refitted without the case's model.\n\n"
		"| promises at | n | 50 %% | 60 %% | 70 %% | 80 %% | 90 %% | 95 %% |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (int quantity = 0; quantity < QUANTITY_COUNT; quantity++) {
		struct serving_slice slice = {.quantity = (enum quantity)quantity, .run = -1};

		promise_row(file, "all", judgement, &slice, FITTED_ON_ALL);
		promise_row(file, "without its model", judgement, &slice, FITTED_WITHOUT_MODEL);
		promise_row(file, "without its accelerator", judgement, &slice, FITTED_WITHOUT_ACCELERATOR);
		for (size_t i = 0; i < judgement->outcomes.count; i++) {
			bool seen = false;

			slice.suite = judgement->outcomes.items[i].item->suite;
			for (size_t j = 0; j < i && !seen; j++)
				seen = strcmp(judgement->outcomes.items[j].item->suite, slice.suite) == 0;
			if (!seen)
				promise_row(file, slice.suite, judgement, &slice, FITTED_WITHOUT_MODEL);
		}
	}
}

static void write_sweeps(FILE *file, const struct serving_judgement *judgement)
{
	fprintf(file,
		"\n## Where waiting starts\n\nSweeps of at least three arrival rates. The last two columns have the first rate (requests/s) whose mean TTFT is over three times that of the lowest rate.\n\n"
		"| model | accelerators | prompt, answer | rates | observed TTFT, ms | predicted TTFT, ms | observed rate | predicted rate |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (size_t s = 0; s < judgement->sweep_count; s++) {
		const struct sweep *sweep = &judgement->sweeps[s];
		const struct performance_request *request = &sweep->first->input.request;
		const size_t knees[2] = {sweep->observed_knee, sweep->predicted_knee};

		fprintf(file, "| %s | %ld x %s | %g, %g |", sweep->first->model, (long)request->common.gpu_count, sweep->first->accelerator,
			request->prompt_tokens.mean, request->output_tokens.mean);
		for (size_t i = 0; i < sweep->count; i++)
			fprintf(file, " %g", sweep->rates[i]);
		fprintf(file, " |");
		for (size_t i = 0; i < sweep->count; i++)
			fprintf(file, " %.0f", sweep->observed_ms[i]);
		fprintf(file, " |");
		for (size_t i = 0; i < sweep->count; i++)
			fprintf(file, " %.0f", sweep->predicted_ms[i]);
		for (int k = 0; k < 2; k++)
			if (knees[k] < sweep->count)
				fprintf(file, " | %g", sweep->rates[knees[k]]);
			else
				fprintf(file, " | none");
		fprintf(file, " |\n");
	}
}

static void write_fits(FILE *file, const struct fits_judgement *fits)
{
	fprintf(file,
		"\n## Configurations that fit\n\n| configurations | n | refused |\n| --- | --- | --- |\n| measured (they ran) | %zu | %zu |\n",
		fits->ran, fits->ran_refused);
	for (int i = 0; i < NEGATIVE_COUNT; i++)
		fprintf(file, "| constructed: %s | %zu | %zu |\n", negative_name((enum negative)i), fits->made[i], fits->refused[i]);
}

static void power_row(FILE *file, const char *name, const struct power_cases *cases, const char *accelerator, const char *model)
{
	struct power_score w = power_score_of(cases, offsetof(struct power_case, ratio_w), accelerator, model);
	struct power_score j = power_score_of(cases, offsetof(struct power_case, ratio_joules), accelerator, model);
	struct power_score t = power_score_of(cases, offsetof(struct power_case, ratio_tokens_per_s), accelerator, model);
	struct power_score left = power_score_of(cases, offsetof(struct power_case, without_model_w), accelerator, model);

	fprintf(file, "| %s | %zu | %.1f | %.1f | %+.1f | %.1f | %.1f | %+.1f | %.1f | %+.1f | %.1f |\n", name, w.count, 100 * w.mean,
		100 * w.median, 100 * w.bias, 100 * j.mean, 100 * j.median, 100 * j.bias, 100 * t.median, 100 * t.bias, 100 * left.median);
}

static const char *model_of(const struct power_cases *cases, size_t i)
{
	return cases->serving->items[cases->items[i].index].model;
}

static void write_power(FILE *file, const struct power_cases *cases)
{
	fprintf(file,
		"\n## Power and energy\n\nML.ENERGY leaderboard 2026-02 (`tests/validation/mlenergy_inference.csv`): vLLM at a batch limit, power of the accelerators. In the fit of the serving constants its\n"
		"throughputs have 0.3 of the weight of a published case. The length of its prompts is not published; 300 tokens are assumed, 1,000 for code completion. The catalogue lacks the models of %zu rows.\n"
		"The constants of power also have to agree with training (decision 0042), so refitted ones may be closer, even without the model.\n\n"
		"| slice | n | power: mean | median | bias | J per token: mean | median | bias | tokens/s: median | bias | power without its model: median |\n"
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
		cases->unknown);
	power_row(file, "**all**", cases, NULL, NULL);
	power_row(file, "h100-sxm5-80gb", cases, "h100-sxm5-80gb", NULL);
	power_row(file, "b200-sxm6-180gb", cases, "b200-sxm6-180gb", NULL);
	for (size_t i = 0; i < cases->count; i++) {
		bool seen = false;

		for (size_t j = 0; j < i && !seen; j++)
			seen = strcmp(model_of(cases, j), model_of(cases, i)) == 0;
		if (!seen)
			power_row(file, model_of(cases, i), cases, NULL, model_of(cases, i));
	}
}

static void write_practice(FILE *file)
{
	for (size_t i = 0; i < COUNT_OF(practice_rows); i++)
		fprintf(file, "| %s (practice) | %.3g | %.3g to %.3g | %s | %s | %s |\n", practice_rows[i].name, practice_rows[i].value,
			practice_rows[i].low, practice_rows[i].high, practice_rows[i].meaning, practice_rows[i].source, practice_rows[i].measured_on);
}

/* Writes the ranges of the quantities on which a constant depends (E180). */
static void write_inputs(FILE *file, const char *constant)
{
	const char *separator = "";

	for (int quantity = 0; quantity < SERVING_QUANTITY_COUNT; quantity++) {
		const struct serving_scope_row *row = serving_scope_row_of((enum serving_quantity)quantity);

		if (!serving_scope_rests_on(row, constant))
			continue;
		fprintf(file, "%s%s %.3g to %.3g", separator, row->name, row->from, row->to);
		separator = "; ";
	}
	if (!*separator) /* constants of power */
		fprintf(file, "8 to 480 billion parameters on H100 and B200 under vLLM");
	fprintf(file, " |\n");
}

static void constant_rows(FILE *file, const struct constants *constants, const void *values, const char *kind)
{
	for (size_t i = 0; i < constants->count; i++) {
		const struct constant *constant = &constants->items[i];

		fprintf(file, "| %s%s | %.3g | %.3g to %.3g | %s | %s | ", constant->name, kind, constant_value(constant, values), constant->low,
			constant->high, constant->meaning, constant->source);
		write_inputs(file, constant->name);
	}
}

static void write_constants(FILE *file)
{
	static struct constants list;

	fprintf(file,
		"\n## Constants of serving\n\n%zu constants, one set for all models and accelerators; `scripts/fit serving` refits them. *Measured* constants are taken directly from kernels. Those of practice follow from the pairs\n"
		"of `tests/validation/engine_pairs.csv` and from the independent tests (range: p10 to p90). *Fitted on*: the inputs on which the constant depends, with their ranges in the measurements. Outside of a\n"
		"range intervals widen, and a warning says so (E180).\n\n"
		"| constant | value | range | meaning | bounded by | fitted on |\n| --- | --- | --- | --- | --- | --- |\n",
		constants_count());
	serving_constants_list(&list);
	constant_rows(file, &list, &serving_constants, "");
	serving_measured_list(&list);
	constant_rows(file, &list, &serving_constants, " (measured)");
	power_constants_list(&list);
	constant_rows(file, &list, &power_constants, " (power)");
	write_practice(file);
}

void serving_document_write(FILE *file, const struct serving_judgement *judgement)
{
	fprintf(file,
		"# Serving\n\nPublished measurements of `tests/validation/inference*.jsonl` with their sources, as requests to `POST /v1/estimates/inference/performance`. Rows of trust C are not\n"
		"scored. A refused row counts as an error of 100 %%.\n\n![Predicted against observed figures, each model left out](accuracy-serving.svg)\n\n");
	write_bounds(file, judgement);
	fprintf(file,
		"\nA refit from the shipped constants lowers the objective from %.4f to %.4f (power: %.4f to %.4f).\n\n## Figures of serving\n\n"
		"Errors in %%: |predicted / observed - 1|. The bias is the median of predicted / observed - 1. *Inside*: share of figures between p10 and p90. *Without*: the constants are\n"
		"refitted without the case's model (under all names of its shape), or without its accelerator, so the fit never saw it.\n",
		judgement->objective, judgement->refitted, judgement->power_objective, judgement->power_refitted);
	for (int quantity = 0; quantity < QUANTITY_COUNT; quantity++)
		write_quantity(file, (enum quantity)quantity, judgement);
	write_away(file, judgement);
	write_independent(file, judgement);
	write_promises(file, judgement);
	write_sweeps(file, judgement);
	write_fits(file, &judgement->fits);
	write_power(file, &judgement->power);
	write_constants(file);
}
