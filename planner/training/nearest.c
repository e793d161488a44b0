#include "planner/training/nearest.h"

static const struct candidate *candidate_of(const struct programme *programme, const struct outline *outline)
{
	return &programme->input->candidates[outline->candidate];
}

static const char *accelerator_name(const struct candidate *candidate)
{
	return candidate->accelerator.id ? candidate->accelerator.id : "the accelerator";
}

/* The smallest doubling of accelerators on which something fits; 0 when none does. */
static int64_t least_count(const struct programme *programme, size_t candidate, int64_t from, const struct parallelism *pins)
{
	struct search_counts counts = {0};
	struct outline outline;

	for (int64_t count = from; count <= SEARCH_GPUS_MAX; count *= 2) {
		fleet_outline(programme, candidate, count, pins, &outline, &counts);
		if (outline.any && outline.fits)
			return count;
	}
	return 0;
}

static bool fits_with(const struct programme *programme, const struct outline *outline, const struct parallelism *pins)
{
	struct search_counts counts = {0};
	struct outline again;

	fleet_outline(programme, outline->candidate, outline->gpu_count, pins, &again, &counts);
	return again.any && again.fits;
}

static const struct parallelism no_pins = {.tensor = ABSENT_COUNT, .pipeline = ABSENT_COUNT, .data = ABSENT_COUNT, .context = ABSENT_COUNT,
	.expert = ABSENT_COUNT, .interleave = ABSENT_COUNT, .micro_batch = ABSENT_COUNT, .zero_stage = ABSENT_COUNT, .zero_group = ABSENT_COUNT};

/* Memory: full recomputation, other degrees, offload, or more accelerators; the first that helps. */
static enum status explain_memory(const struct programme *programme, const struct outline *outline, struct failure *failure)
{
	const struct memory_use *memory = &outline->found.memory;
	struct parallelism pins = programme->input->request.parallelism;
	const char *name = accelerator_name(candidate_of(programme, outline));
	int64_t needed;
	int length = 0;
	char remedy[160];

	pins.recompute = RECOMPUTE_FULL;
	if (programme->input->request.parallelism.recompute != RECOMPUTE_UNSET && fits_with(programme, outline, &pins)) {
		snprintf(remedy, sizeof remedy, "it fits with full recomputation (parallelism.recompute: full)");
	} else if (fits_with(programme, outline, &no_pins)) {
		snprintf(remedy, sizeof remedy, "it fits when the pinned parallelism is left to the search");
	} else {
		pins = no_pins;
		pins.offload = TRUTH_TRUE;
		needed = least_count(programme, outline->candidate, outline->gpu_count, &no_pins);
		if (fits_with(programme, outline, &pins))
			length = snprintf(remedy, sizeof remedy, "it fits with the optimizer offloaded to the host (parallelism.offload: true)");
		if (length > 0 && needed)
			snprintf(remedy + length, sizeof remedy - (size_t)length, ", or on %lld accelerators", (long long)needed);
		else if (length == 0 && needed)
			snprintf(remedy, sizeof remedy, "it needs at least %lld of %s, or one with more memory", (long long)needed, name);
		else if (length == 0)
			snprintf(remedy, sizeof remedy, "no number of %s up to %d holds it: take one with more memory", name, SEARCH_GPUS_MAX);
	}
	return failure_set(failure, STATUS_INFEASIBLE, "memory: the leanest layout on %lld of %s needs %.1f GB of %.1f GB each; %s",
		(long long)outline->gpu_count, name, memory->total_bytes / 1e9, memory->capacity_bytes / 1e9, remedy);
}

/* A constraint, and the best of the search by it: a fault where even that one does not keep it. */
struct limit {
	const char *pointer, *unit, *best, *remedy;
	double most, least;
	const struct outline *outline;
};

static void explain_limit(const struct programme *programme, const struct limit *limit, struct failure *failure)
{
	if (is_given(limit->most) && limit->least > limit->most)
		failure_add(failure, limit->pointer, "infeasible", "%.6g %s are not enough; the %s found, %lld of %s, needs %.6g %s, %.0f %% more%s",
			limit->most, limit->unit, limit->best, (long long)limit->outline->gpu_count, accelerator_name(candidate_of(programme, limit->outline)),
			limit->least, limit->unit, 100 * (limit->least / limit->most - 1), limit->remedy);
}

static enum status explain_limits(const struct programme *programme, const struct selection *selection, struct failure *failure)
{
	const struct training_request *request = &programme->input->request;
	const struct outline *fast = &selection->fastest, *cheap = &selection->cheapest;
	const struct outline *clean = &selection->cleanest, *thrifty = &selection->thriftiest;
	const char *name = accelerator_name(candidate_of(programme, fast));
	const struct limit limits[] = {
		{"/deadline_hours", "hours", "fastest", " time", programme->deadline_hours, fast->wall_clock_hours, fast},
		{"/budget_usd", "USD", "cheapest", "", cheap->any ? request->budget_usd : ABSENT_NUMBER, cheap->total_usd, cheap},
		{"/carbon_cap_kgco2e", "kg", "cleanest", "; a cleaner region or fewer tokens would help", request->common.carbon_cap_kgco2e,
			clean->footprint.carbon.total_kgco2e, clean},
		{"/energy_cap_kwh", "kWh", "thriftiest", "", request->common.energy_cap_kwh, thrifty->footprint.energy.total_kwh, thrifty},
	};

	if (is_given(request->budget_usd) && !cheap->any)
		failure_add(failure, "/budget_usd", "infeasible", "no price is known for %s; give pricing.usd_per_gpu_hour", name);
	for (size_t i = 0; i < COUNT_OF(limits); i++)
		explain_limit(programme, &limits[i], failure);
	if (failure->fault_total == 0)
		return failure_set(failure, STATUS_INFEASIBLE,
			"each constraint can be met, but not all at once; the fastest found, %lld of %s, takes %.4g hours, costs %.6g USD and emits %.4g kg; the cheapest, %lld, %.4g hours and %.6g USD",
			(long long)fast->gpu_count, name, fast->wall_clock_hours, fast->total_usd, fast->footprint.carbon.total_kgco2e,
			(long long)cheap->gpu_count, cheap->wall_clock_hours, cheap->total_usd);
	return failure_set(failure, STATUS_INFEASIBLE, "%s: %s%s", failure->faults[0].pointer + 1, failure->faults[0].detail,
		failure->fault_total > 1 ? "; other constraints do not hold either, see errors" : "");
}

/* The plan without the faulty pins, in a sentence. */
static void explain_pins(const struct programme *programme, int64_t gpu_count, const struct parallelism *right, struct failure *failure)
{
	size_t total = failure->fault_total;
	struct search_counts counts = {0};
	const struct parallelism *layout;
	struct outline outline = {.any = false};

	if (gpu_count >= 1 && gpu_count <= SEARCH_GPUS_MAX)
		fleet_outline(programme, 0, gpu_count, right, &outline, &counts);
	if (!outline.any || !outline.fits) {
		(void)failure_set(failure, STATUS_INVALID, "the pinned parallelism is not possible, for %zu reason%s: %s", total, total > 1 ? "s" : "", failure->faults[0].detail);
		return;
	}
	layout = &outline.found.layout;
	(void)failure_set(failure, STATUS_INVALID,
		"the pinned parallelism is not possible, for %zu reason%s; the nearest that is: tensor %lld, pipeline %lld, data %lld, context %lld, expert %lld, interleave %lld, micro_batch %lld on %lld of %s, %.4g hours",
		total, total > 1 ? "s" : "", (long long)layout->tensor, (long long)layout->pipeline, (long long)layout->data, (long long)layout->context,
		(long long)layout->expert, (long long)layout->interleave, (long long)layout->micro_batch, (long long)gpu_count,
		accelerator_name(candidate_of(programme, &outline)), outline.wall_clock_hours);
}

enum status nearest_check_pins(const struct programme *programme, struct failure *failure)
{
	const struct training_request *request = &programme->input->request;
	int64_t gpu_count = request->common.gpu_count >= 1 ? request->common.gpu_count : layout_pinned_gpu_count(&request->parallelism);
	struct parallelism right;
	struct setting setting;

	for (size_t i = 0; i < programme->stage_count && programme->input->candidate_count > 0; i++) {
		if (!setting_of_candidate(programme->input, &programme->input->candidates[0], programme->physics, programme->teacher,
				programme->stages[i].sequence, &setting))
			return STATUS_OK; /* the search says so of every candidate */
		setting.batch = programme->stages[i].batch;
		if (!layout_pins_check(&setting, gpu_count, &request->parallelism, &right, failure)) {
			explain_pins(programme, gpu_count, &right, failure);
			return STATUS_INVALID;
		}
	}
	return STATUS_OK;
}

/* More accelerators than a step can be split over: the most of its halves that it can. */
static enum status explain_count(const struct programme *programme, double batch, struct failure *failure)
{
	int64_t asked = programme->input->request.common.gpu_count;
	struct search_counts counts = {0};
	struct outline outline = {.any = false};

	for (int64_t count = asked / 2; count >= 1 && !outline.any; count /= 2)
		fleet_outline(programme, 0, count, &programme->input->request.parallelism, &outline, &counts);
	return failure_set(failure, STATUS_INFEASIBLE,
		"no layout of %lld accelerators exists: a step of %.0f samples cannot feed them; raise the global batch, or take %lld, which it can feed",
		(long long)asked, batch, (long long)(outline.any ? outline.gpu_count : 1));
}

enum status nearest_explain(const struct programme *programme, const struct selection *selection, struct failure *failure)
{
	const struct training_input *input = programme->input;
	const struct training_request *request = &input->request;
	struct setting setting;

	if (selection->fastest.any)
		return explain_limits(programme, selection, failure);
	if (selection->smallest.any)
		return explain_memory(programme, &selection->smallest, failure);
	if (input->candidate_count == 0)
		return failure_set(failure, STATUS_INFEASIBLE, "no accelerator to plan with: name one, or give a price");
	if (!setting_of_candidate(input, &input->candidates[0], programme->physics, programme->teacher, programme->stages[0].sequence, &setting))
		return failure_set(failure, STATUS_INFEASIBLE, "%s has no dense rate in any format of 16 or 32 bits, or no known memory",
			accelerator_name(&input->candidates[0]));
	setting.batch = programme->stages[0].batch;
	if (request->common.gpu_count >= 1)
		return explain_count(programme, setting.batch, failure);
	return failure_set(failure, STATUS_INFEASIBLE, "no layout exists for any number of accelerators up to %d under the pinned parallelism", SEARCH_GPUS_MAX);
}
