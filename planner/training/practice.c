#include "planner/training/practice.h"

#include <string.h>

#include "planner/measurement/observation.h"

const struct practice_constants practice_fitted = {.software = 1.13, .layout = 1.35, .evaluation_and_restarts = 1.12};

static const double usual_days_per_root_gpu_hour = 0.05, usual_days_most = 57;

/* First runs of a team on an accelerator that was new to it take 2.35 times their steps at the median (12 published
 * runs, 1.8 to 2.9): the p80 of typical runs. */
static const double first_run_probability = 0.8;

static void part_add(struct practice *practice, const char *name, double factor, struct interval range, const char *source, bool slows_steps)
{
	CHECK(practice->part_count < PRACTICE_PARTS_MAX);
	practice->parts[practice->part_count++] = (struct practice_part){name, factor, range.p10, range.p90, source};
	practice->value *= factor;
	if (slows_steps)
		practice->step_factor *= factor;
}

/* Returns a range as wide as the table's, around another median. */
static struct interval range_around(double factor, double median, double low, double high)
{
	return (struct interval){.p10 = low * factor / median, .p50 = factor, .p90 = high * factor / median};
}

bool practice_layout_is_known(const struct parallelism *pins)
{
	return pins->tensor >= 1 && pins->pipeline >= 1 && pins->micro_batch >= 1;
}

#define PRACTICE_RANGE(member_, low_, high_, least_, most_, meaning_, source_, fitted_on_) \
	static const struct interval range_of_##member_ = {low_, 0, high_}; \
	static const char source_of_##member_[] = "E131: " meaning_ "; " source_;
PRACTICE_CONSTANTS(PRACTICE_RANGE)
#undef PRACTICE_RANGE

/* Returns what observed steps of a likeness leave open of a part of the steps: all of it at 0, nothing at 1. */
static struct interval left_open(double factor, struct interval range, double likeness)
{
	double open = sqrt(fmax(0, 1 - likeness * likeness)), rest = pow(factor, 1 - likeness);

	return (struct interval){.p10 = rest * pow(range.p10 / factor, open), .p50 = rest, .p90 = rest * pow(range.p90 / factor, open)};
}

static void step_part_add(
	struct practice *practice, const char *name, double factor, struct interval range, const char *source, double likeness)
{
	struct interval open = likeness > 0 ? left_open(factor, range, likeness) : range;

	part_add(practice, name, likeness > 0 ? open.p50 : factor, open, source, true);
}

struct practice practice_expected(const struct practice_known *known, const struct practice_constants *constants)
{
	struct practice practice = {.value = 1, .step_factor = 1, .own_runs = ABSENT_NUMBER, .own_weight = ABSENT_NUMBER};
	double layout = known->node_count > 1 ? constants->layout : 1;

	if (known->step < 1 && !known->release)
		step_part_add(&practice, "software", constants->software, range_of_software, source_of_software, known->step);
	if (known->step < 1 && !known->layout)
		step_part_add(&practice, "layout", layout, range_around(layout, constants->layout, range_of_layout.p10, range_of_layout.p90),
			source_of_layout, known->step);
	part_add(&practice, "evaluation_and_restarts", constants->evaluation_and_restarts, range_of_evaluation_and_restarts,
		source_of_evaluation_and_restarts, false);
	return practice;
}

struct spread practice_spread(const struct practice *practice)
{
	struct spread spread = {0, 0};

	for (size_t i = 0; i < practice->part_count; i++) {
		const struct practice_part *part = &practice->parts[i];

		spread = spread_joint(spread, spread_of_range(part->low, part->factor, part->high));
	}
	return spread;
}

static double even_sigma(struct spread spread)
{
	return sqrt((spread.low * spread.low + spread.high * spread.high) / 2);
}

double practice_log_sigma(const struct practice *practice)
{
	return even_sigma(practice_spread(practice));
}

/* E134. Divides the effect of the client's own runs on the whole among the parts by their variances. */
static void own_runs_apply(
	const struct own_runs *runs, double gpu_count, const struct practice_constants *constants, struct practice *practice)
{
	const struct practice rest = practice_expected(&(struct practice_known){.step = 1, .node_count = 1}, constants);
	const struct own_runs_prior prior = {practice_log_sigma(practice), rest.value, practice_log_sigma(&rest), gpu_count};
	struct own_runs_posterior own = own_runs_posterior(runs, &prior);
	struct practice moved_practice = {.value = 1, .step_factor = 1, .own_runs = own.runs, .own_weight = own.weight};

	if (!(own.runs > 0))
		return;
	for (size_t i = 0; i < practice->part_count; i++) {
		const struct practice_part *part = &practice->parts[i];
		struct spread spread = spread_of_range(part->low, part->factor, part->high);
		double share = even_sigma(spread) / prior.sigma;
		struct interval range = interval_of_spread(
			part->factor * pow(own.factor, share * share), (struct spread){own.scale * spread.low, own.scale * spread.high});

		bool beside = strcmp(part->name, "evaluation_and_restarts") == 0;

		if (beside) /* a run is never shorter than its steps */
			range = (struct interval){fmax(1, range.p10), fmax(1, range.p50), fmax(1, range.p90)};
		part_add(&moved_practice, part->name, range.p50, range, runs->source, !beside);
	}
	*practice = moved_practice;
}

/* Returns how well the step time is known: 1 given or measured; the likeness of observed jobs; 0 unknown. */
static double known_step(const struct training_input *input, const struct candidate *candidate, double gpu_count)
{
	if (is_given(input->request.mfu) || input->measured)
		return 1;
	return observation_stack_at(&candidate->calibration, gpu_count).likeness;
}

static struct practice typical_practice(const struct training_input *input, const struct candidate *candidate, double gpu_count,
	double node_count, const struct practice_constants *constants)
{
	const struct training_request *request = &input->request;
	const struct practice_known known = {.step = known_step(input, candidate, gpu_count),
		.release = request->stack_release != NULL,
		.layout = practice_layout_is_known(&request->parallelism),
		.node_count = node_count};
	struct practice practice = practice_expected(&known, constants);

	if (candidate->own_runs)
		own_runs_apply(candidate->own_runs, gpu_count, constants, &practice);
	return practice;
}

struct practice practice_of_run(const struct training_input *input, const struct candidate *candidate, double gpu_count, double node_count,
	const struct practice_constants *constants)
{
	enum practice_kind kind = input->request.common.practice;
	struct practice practice = {.value = 1, .step_factor = 1, .own_runs = ABSENT_NUMBER, .own_weight = ABSENT_NUMBER};
	struct interval range;

	if (kind != PRACTICE_RECIPE)
		practice = typical_practice(input, candidate, gpu_count, node_count, constants);
	range = interval_of_spread(practice.value, practice_spread(&practice));
	if (kind == PRACTICE_FIRST_RUN) {
		double factor = interval_quantile(&range, first_run_probability) / practice.value;

		part_add(&practice, "new_hardware", factor, (struct interval){factor, factor, factor},
			"E131: a team's first run on new hardware takes the p80 of a typical run (12 published runs, median 2.35 times their steps)",
			known_step(input, candidate, gpu_count) < 1);
		range = interval_of_spread(practice.value, practice_spread(&practice));
	}
	practice.low = range.p10;
	practice.high = range.p90;
	return practice;
}

double practice_usual_hours(double gpu_hours)
{
	return 24 * fmin(usual_days_most, usual_days_per_root_gpu_hour * sqrt(gpu_hours));
}
