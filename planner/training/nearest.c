#include "planner/training/nearest.h"

#include <string.h>

#include "planner/training/range.h"

static const double roomy_bytes = 1e18; /* more than any model needs */

static const struct candidate *candidate_of(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan)
{
	return &schedule->input->candidates[candidate_plan->candidate];
}

static const char *accelerator_name(const struct candidate *candidate)
{
	return candidate->accelerator.id ? candidate->accelerator.id : "the accelerator";
}

/* Doubles the accelerators until a layout fits in memory; `any` is false when none does. */
static struct candidate_plan least_that_fits(
	const struct stage_schedule *schedule, size_t candidate, int64_t from, const struct parallelism *pins)
{
	struct search_counts counts = {0};
	struct candidate_plan candidate_plan = {.any = false};

	for (int64_t count = from; count <= SEARCH_GPUS_MAX; count *= 2) {
		fleet_candidate_plan(schedule, candidate, count, pins, &candidate_plan, &counts);
		if (candidate_plan.any && candidate_plan.fits)
			return candidate_plan;
	}
	candidate_plan.any = false;
	return candidate_plan;
}

/* Plans the same accelerators with other pins. */
static struct candidate_plan with_pins(
	const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, const struct parallelism *pins)
{
	struct search_counts counts = {0};
	struct candidate_plan again;

	fleet_candidate_plan(schedule, candidate_plan->candidate, candidate_plan->gpu_count, pins, &again, &counts);
	again.any = again.any && again.fits;
	return again;
}

/* Returns the hours of the same accelerators with unlimited memory: the reference for each way around a lack of
 * memory. */
static double roomy_hours(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, const struct parallelism *pins)
{
	struct candidate roomy = *candidate_of(schedule, candidate_plan);
	struct training_input input = *schedule->input;
	struct stage_schedule same = *schedule;
	struct candidate_plan again = {.candidate = 0, .gpu_count = candidate_plan->gpu_count};

	roomy.accelerator.memory_usable_bytes = roomy_bytes;
	input.candidates = &roomy;
	input.candidate_count = 1;
	same.input = &input;
	again = with_pins(&same, &again, pins);
	return again.any ? again.wall_clock_hours : ABSENT_NUMBER;
}

static const struct parallelism no_pins = {.tensor = ABSENT_COUNT,
	.pipeline = ABSENT_COUNT,
	.data = ABSENT_COUNT,
	.context = ABSENT_COUNT,
	.expert = ABSENT_COUNT,
	.interleave = ABSENT_COUNT,
	.micro_batch = ABSENT_COUNT,
	.zero_stage = ABSENT_COUNT,
	.zero_group = ABSENT_COUNT,
	.kept_layers = ABSENT_COUNT};

/* Plans the same pins with the layers' inputs in host memory. */
static struct candidate_plan with_inputs_on_host(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan)
{
	struct parallelism pins = schedule->input->request.parallelism;

	pins.recompute = RECOMPUTE_FULL;
	pins.kept_layers = ABSENT_COUNT;
	pins.offload_activations = TRUTH_TRUE;
	return with_pins(schedule, candidate_plan, &pins);
}

/* "in 120 hours, 8 % more than with enough memory". Above twice as long: "in 900 hours, 7.5 times as long as with enough memory". */
static int say_hours(
	const struct stage_schedule *schedule, const struct candidate_plan *way, const struct parallelism *pins, char *text, size_t size)
{
	double roomy = roomy_hours(schedule, way, pins);
	double more = 100 * (way->wall_clock_hours / roomy - 1);

	if (!is_given(more))
		return snprintf(text, size, "in %.4g hours", way->wall_clock_hours);
	if (more >= 100)
		return snprintf(text, size, "in %.4g hours, %.3g times as long as with enough memory", way->wall_clock_hours, 1 + more / 100);
	return snprintf(
		text, size, "in %.4g hours, %.3g %% %s than with enough memory", way->wall_clock_hours, fabs(more), more < 0 ? "less" : "more");
}

/* Describes what makes the plan fit where the pinned degrees are not the cause: the optimizer's states in host memory,
 * or more accelerators. */
static void say_relaxed(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, char *text, size_t size)
{
	const char *name = accelerator_name(candidate_of(schedule, candidate_plan));
	struct parallelism pins = no_pins;
	struct candidate_plan offloaded, more;
	int length = 0;

	pins.offload = TRUTH_TRUE;
	offloaded = with_pins(schedule, candidate_plan, &pins);
	more = least_that_fits(schedule, candidate_plan->candidate, candidate_plan->gpu_count, &no_pins);
	if (offloaded.any) {
		length = snprintf(text, size, "it fits with the optimizer offloaded to the host (parallelism.offload: true) ");
		length += say_hours(schedule, &offloaded, &no_pins, text + length, size - (size_t)length);
	}
	if (length > 0 && more.any)
		snprintf(text + length, size - (size_t)length, ", or on %lld accelerators in %.4g hours", (long long)more.gpu_count,
			more.wall_clock_hours);
	else if (length == 0 && more.any)
		snprintf(text, size, "it needs at least %lld of %s, which take %.4g hours, or an accelerator with more memory",
			(long long)more.gpu_count, name, more.wall_clock_hours);
	else if (length == 0)
		snprintf(text, size, "it fits on no number of %s up to %d: use an accelerator with more memory", name, SEARCH_GPUS_MAX);
}

/* Reports a lack of memory and the first remedy that works, with its hours: full recomputation, other degrees, offload,
 * or more accelerators. */
static enum status explain_memory(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct failure *failure)
{
	const struct memory_use *memory = &candidate_plan->found.memory;
	struct parallelism pins = schedule->input->request.parallelism;
	struct candidate_plan fuller = {.any = false}, hosted = {.any = false}, freed;
	char remedy[240];
	int length;

	pins.recompute = RECOMPUTE_FULL;
	pins.kept_layers = ABSENT_COUNT;
	if (schedule->input->request.parallelism.recompute != RECOMPUTE_UNSET)
		fuller = with_pins(schedule, candidate_plan, &pins);
	if (!fuller.any && schedule->input->model.kind != MODEL_GENERIC && pins.offload_activations == TRUTH_UNSET)
		hosted = with_inputs_on_host(schedule, candidate_plan);
	freed = with_pins(schedule, candidate_plan, &no_pins);
	if (fuller.any) {
		length = snprintf(remedy, sizeof remedy, "it fits with full recomputation (parallelism.recompute: full) ");
		say_hours(schedule, &fuller, &schedule->input->request.parallelism, remedy + length, sizeof remedy - (size_t)length);
	} else if (hosted.any) {
		length = snprintf(remedy, sizeof remedy, "it fits with the layers' inputs in host memory (parallelism.offload_activations: true) ");
		say_hours(schedule, &hosted, &schedule->input->request.parallelism, remedy + length, sizeof remedy - (size_t)length);
	} else if (freed.any) {
		snprintf(remedy, sizeof remedy, "it fits when the pinned parallelism is left to the search, in %.4g hours", freed.wall_clock_hours);
	} else {
		say_relaxed(schedule, candidate_plan, remedy, sizeof remedy);
	}
	return failure_set(failure, STATUS_INFEASIBLE, "memory: the layout of least memory on %lld of %s needs %.1f GB of %.1f GB each; %s",
		(long long)candidate_plan->gpu_count, accelerator_name(candidate_of(schedule, candidate_plan)), memory->total_bytes / 1e9,
		memory->capacity_bytes / 1e9, remedy);
}

/* A limit of the request, and the best plan of the search by it. A fault is added where even that plan does not keep
 * it. */
struct limit {
	const char *pointer, *unit, *best, *remedy;
	double most;
	const struct interval *range; /* of the candidate_plan's limited figure */
	const struct candidate_plan *candidate_plan;
	const struct candidate_plan *likeliest; /* the plan most likely to keep a deadline; NULL: not reported */
};

static const double least_told = 0.0005; /* least probability that shows in three digits */

/* "0.435"; "less than 0.001" where three digits would show 0. */
static const char *say_probability(double probability, char text[20])
{
	snprintf(text, 20, probability < least_told ? "less than 0.001" : "%.3f", probability);
	return text;
}

/* "12 % more", "7.7 times the limit". */
static const char *say_excess(double ratio, char text[40])
{
	if (ratio < 2)
		snprintf(text, 40, "%.3g %% more", 100 * (ratio - 1));
	else
		snprintf(text, 40, ratio < 1000 ? "%.3g times the limit" : "%.0f times the limit", ratio);
	return text;
}

static void explain_limit(const struct stage_schedule *schedule, const struct limit *limit, struct failure *failure)
{
	double needed, probability;
	char highest[160] = "", kept[20], excess[40];

	if (!is_given(limit->most))
		return;
	needed = interval_quantile(limit->range, schedule->confidence);
	probability = interval_probability(limit->range, limit->most);
	if (limit->likeliest &&
		(limit->likeliest->candidate != limit->candidate_plan->candidate || limit->likeliest->gpu_count != limit->candidate_plan->gpu_count)) {
		double likeliest = interval_probability(&limit->likeliest->range.wall_clock_hours, limit->most);

		if (likeliest >= least_told)
			snprintf(highest, sizeof highest, "; the highest probability is %.3f, with %lld of %s", likeliest,
				(long long)limit->likeliest->gpu_count, accelerator_name(candidate_of(schedule, limit->likeliest)));
	}
	if (probability < schedule->confidence)
		failure_add(failure, limit->pointer, "infeasible",
			"no plan keeps the limit of %.6g %s with a confidence of %.3g; the %s found, %lld of %s, needs %.6g %s (%s) and keeps the limit with a probability of %s%s%s",
			limit->most, limit->unit, schedule->confidence, limit->best, (long long)limit->candidate_plan->gpu_count,
			accelerator_name(candidate_of(schedule, limit->candidate_plan)), needed, limit->unit, say_excess(needed / limit->most, excess),
			say_probability(probability, kept), highest, limit->remedy);
}

static void say_figure(
	const struct stage_schedule *schedule, double limit, const struct interval *range, const char *unit, char *text, size_t size)
{
	size_t length = strlen(text);

	if (is_given(limit))
		snprintf(text + length, size - length, "%s %.6g %s", length > 0 ? "," : "", interval_quantile(range, schedule->confidence), unit);
}

/* "256 of h100-sxm5-80gb, needs 226.508 hours, 190753 USD": the limited figures at the request's confidence. */
static void say_needs(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, char *text, size_t size)
{
	const struct training_request *request = &schedule->input->request;
	const struct candidate_plan_range *range = &candidate_plan->range;
	char figures[100] = "";

	say_figure(schedule, schedule->deadline_hours, &range->wall_clock_hours, "hours", figures, sizeof figures);
	say_figure(schedule, candidate_plan->priced ? request->budget_usd : ABSENT_NUMBER, &range->total_usd, "USD", figures, sizeof figures);
	say_figure(schedule, request->common.carbon_cap_kgco2e, &range->total_kgco2e, "kg", figures, sizeof figures);
	say_figure(schedule, request->common.energy_cap_kwh, &range->total_kwh, "kWh", figures, sizeof figures);
	snprintf(text, size, "%lld of %s, needs%s", (long long)candidate_plan->gpu_count,
		accelerator_name(candidate_of(schedule, candidate_plan)), figures);
}

/* Reports limits that can each be kept, but not all together: the fastest plan, and the best by another limit. */
static enum status explain_all_at_once(const struct stage_schedule *schedule, const struct selection *selection, struct failure *failure)
{
	const struct training_request *request = &schedule->input->request;
	bool by_budget = is_given(request->budget_usd) && selection->cheapest.any,
		 by_carbon = !by_budget && is_given(request->common.carbon_cap_kgco2e);
	const struct candidate_plan *other = by_budget ? &selection->cheapest : by_carbon ? &selection->cleanest : &selection->thriftiest;
	char fastest[140], others[140];

	say_needs(schedule, &selection->fastest, fastest, sizeof fastest);
	say_needs(schedule, other, others, sizeof others);
	return failure_set(failure, STATUS_INFEASIBLE,
		"each limit can be kept with a confidence of %.3g, but not all at once: the fastest found, %s; the %s, %s; raise a limit or lower the confidence",
		schedule->confidence, fastest,
		by_budget       ? "cheapest"
			: by_carbon ? "cleanest"
						: "thriftiest",
		others);
}

/* For a given number of accelerators that is too slow, finds the first of its doublings that keeps the deadline. */
static void say_count_in_time(const struct stage_schedule *schedule, const struct candidate_plan *fast, char *text, size_t size)
{
	const struct training_request *request = &schedule->input->request;
	struct search_counts counts = {0};
	struct candidate_plan candidate_plan;

	snprintf(text, size, "; raise the deadline or the global batch, or lower the confidence");
	if (request->common.gpu_count < 1 || range_keeps(schedule, &fast->range.wall_clock_hours, schedule->deadline_hours))
		return;
	for (int64_t count = 2 * request->common.gpu_count; count <= SEARCH_GPUS_MAX; count *= 2) {
		fleet_candidate_plan(schedule, fast->candidate, count, &request->parallelism, &candidate_plan, &counts);
		if (!candidate_plan.any || !candidate_plan.fits ||
			!range_keeps(schedule, &candidate_plan.range.wall_clock_hours, schedule->deadline_hours))
			continue;
		snprintf(text, size, "; %lld of them keep the deadline; fewer may be enough", (long long)count);
		return;
	}
}

static enum status explain_limits(const struct stage_schedule *schedule, const struct selection *selection, struct failure *failure)
{
	const struct training_request *request = &schedule->input->request;
	const struct candidate_plan *fast = &selection->fastest, *cheap = &selection->cheapest;
	const struct candidate_plan *clean = &selection->cleanest, *thrifty = &selection->thriftiest;
	const char *name = accelerator_name(candidate_of(schedule, fast));
	char in_time[96];
	const struct limit limits[] = {
		{"/deadline_hours", "hours", "fastest", in_time, schedule->deadline_hours, &fast->range.wall_clock_hours, fast, &selection->likeliest},
		{"/budget_usd", "USD", "cheapest", "; use fewer tokens or a cheaper offer (pricing), or lower the confidence",
			cheap->any ? request->budget_usd : ABSENT_NUMBER, &cheap->range.total_usd, cheap, NULL},
		{"/carbon_cap_kgco2e", "kg", "cleanest", "; use a cleaner region or fewer tokens, or lower the confidence",
			request->common.carbon_cap_kgco2e, &clean->range.total_kgco2e, clean, NULL},
		{"/energy_cap_kwh", "kWh", "thriftiest", "; use fewer tokens or a newer accelerator, or lower the confidence",
			request->common.energy_cap_kwh, &thrifty->range.total_kwh, thrifty, NULL},
	};

	say_count_in_time(schedule, fast, in_time, sizeof in_time);
	if (is_given(request->budget_usd) && !cheap->any)
		failure_add(failure, "/budget_usd", "infeasible", "no price is known for %s; give pricing.usd_per_gpu_hour", name);
	for (size_t i = 0; i < COUNT_OF(limits); i++)
		explain_limit(schedule, &limits[i], failure);
	if (failure->fault_total == 0)
		return explain_all_at_once(schedule, selection, failure);
	return failure_set(failure, STATUS_INFEASIBLE, "%s: %s%s", failure->faults[0].pointer + 1, failure->faults[0].detail,
		failure->fault_total > 1 ? "; other limits fail too, see errors" : "");
}

/* Reports the faults of the pins and the nearest layout without the faulty pins. */
static void explain_pins(const struct stage_schedule *schedule, int64_t gpu_count, const struct parallelism *right, struct failure *failure)
{
	size_t total = failure->fault_total;
	struct search_counts counts = {0};
	const struct parallelism *layout;
	struct candidate_plan candidate_plan = {.any = false};

	if (gpu_count >= 1 && gpu_count <= SEARCH_GPUS_MAX)
		fleet_candidate_plan(schedule, 0, gpu_count, right, &candidate_plan, &counts);
	if (gpu_count >= 1 && gpu_count <= SEARCH_GPUS_MAX &&
		!(candidate_plan.any && candidate_plan.fits)) /* pins that are valid one by one may contradict each other */
		fleet_candidate_plan(schedule, 0, gpu_count, &no_pins, &candidate_plan, &counts);
	if (!candidate_plan.any || !candidate_plan.fits) {
		(void)failure_set(failure, STATUS_INVALID, "the pinned parallelism is not possible, for %zu reason%s: %s", total,
			total > 1 ? "s" : "", failure->faults[0].detail);
		return;
	}
	layout = &candidate_plan.found.layout;
	(void)failure_set(failure, STATUS_INVALID,
		"the pinned parallelism is not possible, for %zu reason%s; the nearest possible layout: tensor %lld, pipeline %lld, data %lld, context %lld, expert %lld, interleave %lld, micro_batch %lld on %lld of %s, %.4g hours",
		total, total > 1 ? "s" : "", (long long)layout->tensor, (long long)layout->pipeline, (long long)layout->data,
		(long long)layout->context, (long long)layout->expert, (long long)layout->interleave, (long long)layout->micro_batch,
		(long long)gpu_count, accelerator_name(candidate_of(schedule, &candidate_plan)), candidate_plan.wall_clock_hours);
}

enum status nearest_check_pins(const struct stage_schedule *schedule, struct failure *failure)
{
	const struct training_request *request = &schedule->input->request;
	int64_t gpu_count = request->common.gpu_count >= 1 ? request->common.gpu_count : layout_pinned_gpu_count(&request->parallelism);
	struct parallelism right;

	for (size_t i = 0; i < schedule->stage_count; i++) {
		struct setting setting = {
			.model = &schedule->input->model, .sequence = schedule->stages[i].sequence, .batch = schedule->stages[i].batch};

		if (layout_pins_check(&setting, gpu_count, &request->parallelism, &right, failure))
			continue;
		if (schedule->input->candidate_count > 0)
			explain_pins(schedule, gpu_count, &right, failure);
		return STATUS_INVALID;
	}
	return STATUS_OK;
}

/* Reports a number of accelerators over which a step cannot be split, and the largest of its halves over which it
 * can. */
static enum status explain_count(const struct stage_schedule *schedule, double batch, struct failure *failure)
{
	int64_t asked = schedule->input->request.common.gpu_count;
	struct search_counts counts = {0};
	struct candidate_plan candidate_plan = {.any = false};

	for (int64_t count = asked / 2; count >= 1 && !candidate_plan.any; count /= 2)
		fleet_candidate_plan(schedule, 0, count, &schedule->input->request.parallelism, &candidate_plan, &counts);
	return failure_set(failure, STATUS_INFEASIBLE,
		"no layout of %lld accelerators exists: a step of %.0f samples is too small for them; raise the global batch, or use %lld accelerators",
		(long long)asked, batch, (long long)(candidate_plan.any ? candidate_plan.gpu_count : 1));
}

enum status nearest_explain(const struct stage_schedule *schedule, const struct selection *selection, struct failure *failure)
{
	const struct training_input *input = schedule->input;
	const struct training_request *request = &input->request;
	struct setting setting;

	if (selection->fastest.any)
		return explain_limits(schedule, selection, failure);
	if (selection->smallest.any)
		return explain_memory(schedule, &selection->smallest, failure);
	if (input->candidate_count == 0)
		return failure_set(failure, STATUS_INFEASIBLE, "no accelerator is named and none has a price: name an accelerator, or give a price");
	if (!setting_of_candidate(input, &input->candidates[0], schedule->physics, schedule->teacher, schedule->stages[0].sequence, &setting))
		return failure_set(failure, STATUS_INFEASIBLE,
			"%s has no dense rate in a format for this precision, or no known memory: name another precision or accelerator",
			accelerator_name(&input->candidates[0]));
	setting.batch = schedule->stages[0].batch;
	if (request->common.gpu_count >= 1)
		return explain_count(schedule, setting.batch, failure);
	return failure_set(failure, STATUS_INFEASIBLE, "no layout exists for any number of accelerators up to %d under the pinned parallelism",
		SEARCH_GPUS_MAX);
}
