/* The client's own runs among the calibrations, for the planner: which count, their likeness, and the notes about
 * them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "hwdb/resolve/calibrations.h"
#include "hwdb/resolve/resolve_parts.h"
#include "planner/training/practice.h"

enum { NAMED_MAX = 3 };

static bool is_run(const struct calibration_row *row)
{
	return quantity_of_name(row->quantity) == QUANTITY_RUN_PRACTICE;
}

static bool counts(const struct calibration_row *row, int64_t now_us)
{
	const double days = (double)(now_us - row->meta.valid_from_us) / 86400e6;

	return is_run(row) && !row->held_because && row->value > 0 && row->expected > 0 && row->expected_sigma > 0 && row->gpu_count >= 1 &&
		days <= EVIDENCE_RUN_DAYS;
}

static int newest_first(const void *a, const void *b)
{
	const struct calibration_row *const *left = a, *const *right = b;
	int64_t difference = (*right)->meta.valid_from_us - (*left)->meta.valid_from_us;

	return difference != 0 ? (difference > 0) - (difference < 0) : strcmp((*right)->id, (*left)->id);
}

/* Returns the run's id without its prefix. */
static const char *observation_id(const struct calibration_row *row)
{
	const char *dot = strchr(row->id, '.');

	return dot ? dot + 1 : row->id;
}

static bool same_text(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

static double likeness(
	const struct resolver *resolver, const struct calibration_row *run, const struct accelerator *accelerator, bool first_run)
{
	const char *alias;
	const struct accelerator_row *of_run = catalogue_accelerator(resolver->catalogue, run->accelerator_id, &alias);
	struct own_run_kind kind = {.same_accelerator = same_text(run->accelerator_id, accelerator_kin(accelerator)),
		.same_software = same_text(run->class, resolver->stack),
		.params_ratio = run->params / resolver->params};

	kind.same_vendor = kind.same_accelerator || (of_run && same_text(of_run->accelerator.vendor, accelerator->vendor));
	return first_run && !kind.same_accelerator ? 0 : own_run_likeness(&kind);
}

/* Returns "x1.9 to x2.2", or "x1.9" where both are the same. */
static const char *range_text(char text[32], double low, double high)
{
	int length = snprintf(text, 32, "x%.2f", low);

	if (high > low)
		snprintf(text + length, 32 - (size_t)length, " to x%.2f", high);
	return text;
}

/* Returns the source of own runs: "E134: 5 runs of your own (2026-11-20 to 2026-11-22: a, b, c and 2 more) took x1.9 to
 * x2.2 of ..." */
static const char *describe(const struct resolver *resolver, const struct calibration_row *const *runs, size_t count)
{
	char first[CLOCK_TEXT_MAX], last[CLOCK_TEXT_MAX], names[128] = "", more[32] = "", took[32], published[32];
	double low = runs[0]->value, high = low, expected_low = runs[0]->expected, expected_high = expected_low;
	size_t length = 0;

	clock_format(first, runs[count - 1]->meta.valid_from_us);
	clock_format(last, runs[0]->meta.valid_from_us);
	for (size_t i = 0; i < count; i++) {
		low = fmin(low, runs[i]->value);
		high = fmax(high, runs[i]->value);
		expected_low = fmin(expected_low, runs[i]->expected);
		expected_high = fmax(expected_high, runs[i]->expected);
		if (i < NAMED_MAX)
			length += (size_t)snprintf(names + length, sizeof names - length, "%s%.36s", i ? ", " : "", observation_id(runs[i]));
	}
	if (count > NAMED_MAX)
		snprintf(more, sizeof more, " and %zu more", count - NAMED_MAX);
	return resolver_text(resolver,
		"E134: %zu run%s of your own (%.10s to %.10s: %s%s) took %s of the hours of their plans' steps and failures; published runs "
		"suggest %s (E131); practice.own_weight is their weight",
		count, count == 1 ? "" : "s", first, last, names, more, range_text(took, low, high),
		range_text(published, expected_low, expected_high));
}

/* Keeps the newest report of each plan: several reports of one plan are of one run. Given: the newest first. */
static size_t newest_of_each_plan(const struct calibration_row **runs, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		bool older = false;

		for (size_t k = 0; k < kept && !older; k++)
			older = same_text(runs[k]->plan_id, runs[i]->plan_id);
		if (!older)
			runs[kept++] = runs[i];
	}
	return kept;
}

const struct own_runs *resolve_own_runs(const struct resolver *resolver, const struct accelerator *accelerator, bool first_run)
{
	const struct catalogue_rows *rows = &resolver->catalogue->rows;
	const struct calibration_row **newest;
	struct own_runs *runs;
	struct own_run *items;
	size_t found = 0, count;

	if (!resolver->stack)
		return NULL;
	for (size_t i = 0; i < rows->calibration_count; i++)
		found += counts(&rows->calibrations[i], resolver->now_us);
	if (found == 0)
		return NULL;
	newest = arena_alloc(resolver->arena, found, sizeof(const struct calibration_row *));
	runs = ARENA_NEW(resolver->arena, struct own_runs);
	items = ARENA_ARRAY(resolver->arena, struct own_run, OWN_RUNS_MAX);
	if (!newest || !runs || !items)
		return NULL;
	found = 0;
	for (size_t i = 0; i < rows->calibration_count; i++)
		if (counts(&rows->calibrations[i], resolver->now_us) && likeness(resolver, &rows->calibrations[i], accelerator, first_run) > 0)
			newest[found++] = &rows->calibrations[i];
	if (found == 0)
		return NULL;
	qsort(newest, found, sizeof(const struct calibration_row *), newest_first);
	found = newest_of_each_plan(newest, found);
	count = found < OWN_RUNS_MAX ? found : OWN_RUNS_MAX;
	for (size_t i = 0; i < count; i++)
		items[i] = own_run_of(newest[i]->value, newest[i]->expected, newest[i]->expected_sigma, newest[i]->step_ratio,
			(double)newest[i]->gpu_count, likeness(resolver, newest[i], accelerator, first_run));
	*runs = (struct own_runs){.items = items, .count = count, .source = describe(resolver, newest, count)};
	return runs;
}

static bool is_newest_of_plan(const struct catalogue_rows *rows, const struct calibration_row *run)
{
	for (size_t i = 0; i < rows->calibration_count; i++)
		if (&rows->calibrations[i] != run && is_run(&rows->calibrations[i]) && same_text(rows->calibrations[i].plan_id, run->plan_id) &&
			newest_first(&(const struct calibration_row *){&rows->calibrations[i]}, &(const struct calibration_row *){run}) < 0)
			return false;
	return true;
}

/* Returns the effect of the own runs on the request for a candidate; where the request gives no number, on that of the
 * newest run. */
static struct own_runs_posterior posterior_of(const struct training_input *input, const struct candidate *candidate)
{
	const struct training_request *request = &input->request;
	const struct practice_constants *constants = input->practice ? input->practice : &practice_fitted;
	const struct practice_known known = {.step = is_given(request->mfu),
		.release = request->stack_release != NULL,
		.layout = practice_layout_is_known(&request->parallelism),
		.node_count = 2};
	const struct practice whole = practice_expected(&known, constants),
						  rest = practice_expected(&(struct practice_known){.step = 1, .node_count = 1}, constants);
	const struct own_runs_prior prior = {.sigma = practice_log_sigma(&whole),
		.rest_factor = rest.value,
		.rest_sigma = practice_log_sigma(&rest),
		.gpu_count = request->common.gpu_count >= 1 ? (double)request->common.gpu_count : pow(10, candidate->own_runs->items[0].log10_gpus)};

	return own_runs_posterior(candidate->own_runs, &prior);
}

static const char *why_left_out(const struct request_common *common)
{
	if (common->practice == PRACTICE_RECIPE)
		return "practice is recipe: the plan uses the best published steps";
	if (common->calibration == CALIBRATION_DATASHEET)
		return "calibration is datasheet: no measurement counts";
	return common->practice == PRACTICE_FIRST_RUN ? "a first run counts only those on its own accelerator" : "they are too old";
}

void resolve_own_runs_note(const struct resolver *resolver, const struct training_input *input)
{
	const struct catalogue_rows *rows = &resolver->catalogue->rows;
	const struct candidate *likest = NULL;
	struct own_runs_posterior said = {.runs = 0};
	double low = INFINITY, high = 0;
	size_t found = 0;

	for (size_t i = 0; i < rows->calibration_count; i++)
		found += is_run(&rows->calibrations[i]) && is_newest_of_plan(rows, &rows->calibrations[i]);
	if (found == 0)
		return;
	for (size_t i = 0; i < input->candidate_count; i++) {
		const struct candidate *candidate = &input->candidates[i];
		struct own_runs_posterior posterior;

		if (!candidate->own_runs)
			continue;
		posterior = posterior_of(input, candidate);
		if (!(posterior.runs > said.runs))
			continue;
		said = posterior;
		likest = candidate;
	}
	if (!likest) {
		findings_assume_number(resolver->findings, "practice.own_runs", 0,
			resolver_text(resolver, "E134: %zu run%s of your own on record do%s not count: %s", found, found == 1 ? "" : "s",
				found == 1 ? "es" : "", why_left_out(&input->request.common)));
		return;
	}
	findings_assume_figure(resolver->findings,
		&(struct figure){.field = "practice.own_runs",
			.value = (double)likest->own_runs->count,
			.low = (double)likest->own_runs->count,
			.high = (double)likest->own_runs->count,
			.source = likest->own_runs->source,
			.status = PROVENANCE_MEASURED});
	for (size_t i = 0; i < likest->own_runs->count; i++) {
		low = fmin(low, likest->own_runs->items[i].practice);
		high = fmax(high, likest->own_runs->items[i].practice);
	}
	if (said.disagree)
		findings_warn(resolver->findings,
			"runs of your own contradict each other: %zu took x%.2f to x%.2f of their plans' steps and failures, farther apart than published "
			"runs; the range of the hours is wider, and their weight is %.0f %% (GET /v1/calibrations?quantity=run_practice lists them, DELETE removes one)",
			likest->own_runs->count, low, high, 100 * said.weight);
}
