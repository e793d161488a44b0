#include "validation/document.h"

#include "planner/step/adapters.h"
#include "planner/step/generic.h"
#include "planner/step/pairs.h"
#include "planner/training/ground.h"
#include "planner/training/practice.h"
#include "planner/training/scope.h"

struct slice {
	const char *name;
	outcome_filter *wanted;
};

static const struct slice slices[] = {
	{"dense, 16 bits, hardware until 2022, without vtrain-single", slice_dense},
	{"dense, 16 bits, newer hardware", slice_dense_new},
	{"dense, 8 and 4 bits", slice_narrow},
	{"mixtures of experts", slice_experts},
	{"fine-tuning", slice_tuning},
	{"suites in the fit", slice_judged},
	{"suites outside the fit", slice_unseen},
	{"all steps", slice_steps},
};

static void score_row(FILE *file, const char *name, const struct outcomes *outcomes, outcome_filter *wanted, const void *argument)
{
	struct score score = score_of(outcomes, wanted, argument, false), left = score_of(outcomes, wanted, argument, true);

	fprintf(file, "| %s | %zu | %.1f | %.1f | %.1f | %+.1f | %zu | %.0f | %.1f | %.1f | %+.1f | %.0f |", name, score.count,
		100 * score.mean, 100 * score.median, 100 * score.p90, 100 * score.bias, score.refused, 100 * score.covered, 100 * left.mean,
		100 * left.median, 100 * left.bias, 100 * left.covered);
	for (int rule = 0; rule < RULE_COUNT; rule++) {
		struct score thumb = score_of_rule(outcomes, wanted, argument, (enum rule)rule);

		if (thumb.count > 0)
			fprintf(file, " %.1f | %.1f |", 100 * thumb.mean, 100 * thumb.median);
		else
			fprintf(file, " | |");
	}
	fputc('\n', file);
}

/* One accelerator family and kind of training of the planner's table (E163). */
struct ground_group {
	const struct ground_row *row;
	enum ground_kind kind;
};

static bool on_ground(const struct outcome *outcome, const void *argument)
{
	const struct ground_group *group = argument;

	return slice_steps(outcome, NULL) && ground_of_accelerator(&outcome->item->candidate->accelerator) == group->row &&
		ground_kind_of(&outcome->item->input.request, &outcome->item->input.model) == group->kind;
}

static bool opens_group(const struct outcomes *outcomes, size_t index, const struct ground_group *group)
{
	for (size_t i = 0; i < index; i++)
		if (on_ground(&outcomes->items[i], group))
			return false;
	return on_ground(&outcomes->items[index], group);
}

static void write_groups(FILE *file, const struct outcomes *outcomes)
{
	fprintf(file,
		"\n## Coverage by group\n\nSteps by accelerator and kind of training, each *fitted* suite left out of the fit. *More spread*: the accelerator's part of the standard deviation of the logarithm (E163). "
		"On an accelerator with rows here, a kind without a row adds 0.2. To narrow an interval, run `fleetplan bench` on the machine itself "
		"(POST /v1/benchmarks with the plan's id), or send steps of real jobs (POST /v1/observations).\n\n"
		"| accelerator | kind | n | mean | bias | inside | more spread | from |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < outcomes->count; i++) {
		const struct validation_case *item = outcomes->items[i].item;
		struct ground_group group = {
			ground_of_accelerator(&item->candidate->accelerator), ground_kind_of(&item->input.request, &item->input.model)};
		struct score score;

		if (!opens_group(outcomes, i, &group))
			continue;
		score = score_of(outcomes, on_ground, &group, true);
		fprintf(file, "| %s | %s | %zu | %.1f | %+.1f | %.0f | %.2f | %s |\n", group.row->name ? group.row->name : "others",
			ground_kind_name(group.kind), score.count, 100 * score.mean, 100 * score.bias, 100 * score.covered, group.row->log_sigma,
			group.row->source);
	}
}

/* Writes the suites that are not fitted, each with the reason. */
static void write_roles(FILE *file)
{
	size_t count;
	const struct suite *suites = suites_all(&count);

	fprintf(file,
		"\nSuites that are not of role *fitted* (`tests/validation/suites.csv`): an *anchor* is in every fit and is never left out; a *shown* suite has no weight in the fit.\n\n"
		"| suite | role | reason |\n| --- | --- | --- |\n");
	for (size_t i = 0; i < count; i++)
		if (suites[i].role != SUITE_FITTED)
			fprintf(file, "| %s | %s | %s |\n", suites[i].name, suite_role_name(suites[i].role), suites[i].reason);
}

static void write_steps(FILE *file, const struct outcomes *outcomes)
{
	fprintf(file,
		"## Step times\n\nErrors in %%: |predicted / observed - 1|. The bias keeps the sign. *Left out*: the constants are refitted without the suite, so the fit never saw the suite's software\n"
		"and hardware; suites that are not of role *fitted* have the same figures twice. *Inside*: share of runs between p10 and p90. *6PT*: the rule of thumb, 6 x active parameters\n"
		"x tokens of the step, at 30 and 40 %% of the dense peak of the request's precision.\n\n"
		"| suite | n | mean | median | p90 | bias | refused | inside | left out: mean | median | bias | inside | 6PT at 30 %%: mean | median | at 40 %%: mean | median |\n"
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < outcomes->count; i++)
		if (outcome_opens_suite(outcomes, i))
			score_row(file, outcomes->items[i].item->suite, outcomes, suite_steps, outcomes->items[i].item->suite);
	for (size_t s = 0; s < COUNT_OF(slices); s++)
		score_row(file, slices[s].name, outcomes, slices[s].wanted, NULL);
	write_roles(file);
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
		fprintf(file, "| %s | %s%s%s | %.*f%s%s%s%s%s | %s |\n", limit->what, allowed, *limit->unit ? " " : "", limit->unit,
			*limit->unit || limit->reached < 2 ? 1 + !*limit->unit : 0, limit->reached, *limit->unit ? " " : "", limit->unit,
			limit->where ? " (" : "", limit->where ? limit->where : "", limit->where ? ")" : "", limit_held(limit) ? "met" : "**missed**");
	}
}

static void write_memory(FILE *file, const struct outcomes *outcomes)
{
	static const struct slice memories[] = {
		{"Korthikanti et al. 2022: layers_bytes", slice_memory_states}, {"all others", slice_memory_other}};

	fprintf(file, "\n## Memory\n\n| figures | n | mean | median | p90 | bias |\n| --- | --- | --- | --- | --- | --- |\n");
	for (size_t s = 0; s < COUNT_OF(memories); s++) {
		struct score score = score_of(outcomes, memories[s].wanted, NULL, false);

		fprintf(file, "| %s | %zu | %.1f | %.1f | %.1f | %+.1f |\n", memories[s].name, score.count, 100 * score.mean, 100 * score.median,
			100 * score.p90, 100 * score.bias);
	}
}

/* Writes a constant, and the ranges of the quantities on which it depends (E135). */
static void constant_row(
	FILE *file, const char *name, const char *scope_name, double value, double least, double most, const char *meaning, const char *source)
{
	const char *separator = "";

	fprintf(file, "| %s | %.3g | %.3g to %.3g | %s | %s | ", name, value, least, most, meaning, source);
	for (int quantity = 0; quantity < SCOPE_COUNT; quantity++) {
		const struct scope_row *row = scope_row_of((enum scope_quantity)quantity);

		if (!scope_rests_on(row, scope_name))
			continue;
		if (quantity == SCOPE_RELEASE)
			fprintf(file, "%s%s %.1f to %.1f", separator, row->name, row->from, row->to);
		else if (row->from < row->to)
			fprintf(file, "%s%s %.3g to %.3g", separator, row->name, row->from, row->to);
		else
			fprintf(file, "%s%s only %.3g", separator, row->name, row->from);
		separator = "; ";
	}
	fprintf(file, " |\n");
}

static void write_stack(FILE *file, const struct constant *constant, double value, enum stack stack)
{
	struct scope_releases releases = scope_releases_of(stack);

	fprintf(file, "| %s | %.3g | %.3g to %.3g | %s | %s | releases %.1f to %.1f |\n", constant->name, value, constant->low, constant->high,
		constant->meaning, constant->source, releases.from, releases.to);
}

static void write_constants(FILE *file)
{
	static struct constants constants;
	struct physics physics = physics_fitted;

	constants_list(&constants);
	fprintf(file,
		"\n## Constants\n\nThe constants of a step are fitted to step times. Those of compiled steps (TPUs), of adapters, of pairs of kernel library and accelerator, and of networks other than transformers are set by hand.\n"
		"Of the three constants of practice, one is fitted to whole runs, and two are published. *Fitted on*: the inputs on which the constant depends, with their ranges in the runs. Outside of a range the interval\n"
		"widens, and a warning says so (E135).\n\n"
		"| constant | value | range | meaning | bounded by | fitted on |\n| --- | --- | --- | --- | --- | --- |\n");
	for (size_t i = 0; i < constants.count; i++) {
		const struct constant *constant = &constants.items[i];
		double value = *constant_in(constant, &physics);

		if (constant->offset >= offsetof(struct physics, stack_speed))
			write_stack(file, constant, value, (enum stack)((constant->offset - offsetof(struct physics, stack_speed)) / sizeof(double)));
		else
			constant_row(file, constant->name, constant->name, value, constant->low, constant->high, constant->meaning, constant->source);
	}
#define COMPILED_ROW(member_, value_, least_, most_, meaning_, source_) \
	constant_row(file, #member_ " (compiled)", "compiled_" #member_, value_, least_, most_, meaning_, source_);
	COMPILED_CONSTANTS(COMPILED_ROW)
#undef COMPILED_ROW
#define HAND_ROW(member_, value_, least_, most_, meaning_, source_) \
	constant_row(file, #member_, #member_, value_, least_, most_, meaning_, source_);
	ADAPTER_CONSTANTS(HAND_ROW)
	GENERIC_CONSTANTS(HAND_ROW)
	PAIR_CONSTANTS(HAND_ROW)
#undef HAND_ROW
#define PRACTICE_ROW(member_, low_, high_, least_, most_, meaning_, source_, fitted_on_) \
	fprintf(file, "| " #member_ " (practice) | %.3g | %.3g to %.3g | " meaning_ " | " source_ " | " fitted_on_ " |\n", \
		practice_fitted.member_, least_, most_);
	PRACTICE_CONSTANTS(PRACTICE_ROW)
#undef PRACTICE_ROW
}

void document_write(FILE *file, const struct validation_cases *cases, const struct judgement *judgement)
{
	fprintf(file,
		"# Accuracy\n\n`make validate` writes this page. `make check-accuracy` (part of CI) fails if the planner or its constants change and this page does not.\n"
		"The first half is training: published runs of `tests/validation/training*.jsonl` and `runs*.jsonl` with their sources. Each run is decoded, resolved against the built-in\ncatalogue and planned as the service plans a request. The second half is [serving](#serving).\n\n"
		"![Predicted against observed step times, each suite left out](accuracy.svg)\n\n");
	write_limits(file, judgement);
	fprintf(file,
		"\nOf the runs that ran, the planner refuses %zu of %zu. %zu steps are not scored, because their configuration was not published in full (trust C). A refit from the shipped constants lowers the objective of the fit from %.4f to %.4f.\n\n",
		judgement->refused, judgement->ran, cases->doubted, judgement->objective, judgement->refitted);
	write_steps(file, &judgement->outcomes);
	write_groups(file, &judgement->outcomes);
	write_memory(file, &judgement->outcomes);
	document_runs_write(file, cases, &judgement->runs);
	document_promises_write(file, judgement);
	write_constants(file);
}
