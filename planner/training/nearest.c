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
			snprintf(remedy, sizeof remedy, "it fits with the optimizer offloaded to the host (parallelism.offload: true)%s", needed ? ", or on more accelerators" : "");
		else if (needed)
			snprintf(remedy, sizeof remedy, "it needs at least %lld of %s, or one with more memory", (long long)needed, name);
		else
			snprintf(remedy, sizeof remedy, "no number of %s up to %d holds it: take one with more memory", name, SEARCH_GPUS_MAX);
	}
	return failure_set(failure, STATUS_INFEASIBLE, "memory: the leanest layout on %lld of %s needs %.1f GB of %.1f GB each; %s",
		(long long)outline->gpu_count, name, memory->total_bytes / 1e9, memory->capacity_bytes / 1e9, remedy);
}

static enum status explain_limits(const struct programme *programme, const struct selection *selection, struct failure *failure)
{
	const struct training_request *request = &programme->input->request;
	const struct outline *fast = &selection->fastest, *cheap = &selection->cheapest;
	const struct outline *clean = &selection->cleanest, *thrifty = &selection->thriftiest;
	const char *name = accelerator_name(candidate_of(programme, fast));

	if (is_given(programme->deadline_hours) && fast->wall_clock_hours > programme->deadline_hours)
		return failure_set(failure, STATUS_INFEASIBLE, "deadline_hours: %.4g hours are not enough; the fastest found, %lld of %s, needs %.4g hours, %.0f %% more time",
			programme->deadline_hours, (long long)fast->gpu_count, name, fast->wall_clock_hours, 100 * (fast->wall_clock_hours / programme->deadline_hours - 1));
	if (is_given(request->budget_usd) && !cheap->any)
		return failure_set(failure, STATUS_INFEASIBLE, "budget_usd: no price is known for %s; give pricing.usd_per_gpu_hour", name);
	if (is_given(request->budget_usd) && cheap->total_usd > request->budget_usd)
		return failure_set(failure, STATUS_INFEASIBLE, "budget_usd: %.6g USD are not enough; the cheapest found, %lld of %s, costs %.6g USD, %.0f %% more",
			request->budget_usd, (long long)cheap->gpu_count, accelerator_name(candidate_of(programme, cheap)), cheap->total_usd,
			100 * (cheap->total_usd / request->budget_usd - 1));
	if (is_given(request->common.carbon_cap_kgco2e) && clean->footprint.carbon.total_kgco2e > request->common.carbon_cap_kgco2e)
		return failure_set(failure, STATUS_INFEASIBLE, "carbon_cap_kgco2e: %.6g kg are not enough; the cleanest found, %lld of %s, emits %.6g kg, %.0f %% more; a cleaner region or fewer tokens would help",
			request->common.carbon_cap_kgco2e, (long long)clean->gpu_count, accelerator_name(candidate_of(programme, clean)), clean->footprint.carbon.total_kgco2e,
			100 * (clean->footprint.carbon.total_kgco2e / request->common.carbon_cap_kgco2e - 1));
	if (is_given(request->common.energy_cap_kwh) && thrifty->footprint.energy.total_kwh > request->common.energy_cap_kwh)
		return failure_set(failure, STATUS_INFEASIBLE, "energy_cap_kwh: %.6g kWh are not enough; the thriftiest found, %lld of %s, needs %.6g kWh, %.0f %% more",
			request->common.energy_cap_kwh, (long long)thrifty->gpu_count, accelerator_name(candidate_of(programme, thrifty)), thrifty->footprint.energy.total_kwh,
			100 * (thrifty->footprint.energy.total_kwh / request->common.energy_cap_kwh - 1));
	return failure_set(failure, STATUS_INFEASIBLE, "no plan meets every constraint at once; the fastest found, %lld of %s, takes %.4g hours and costs %.6g USD",
		(long long)fast->gpu_count, name, fast->wall_clock_hours, fast->total_usd);
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
	if (!layout_pins_possible(&setting, request->common.gpu_count, &request->parallelism, failure))
		return failure->status;
	if (request->common.gpu_count >= 1)
		return failure_set(failure, STATUS_INFEASIBLE, "no layout of %lld accelerators exists: a step of %.0f samples cannot feed them; raise the global batch or take at most %.0f",
			(long long)request->common.gpu_count, setting.batch, setting.batch * fmax(1, setting.model->layer_count));
	return failure_set(failure, STATUS_INFEASIBLE, "no layout exists for any number of accelerators up to %d under the pinned parallelism", SEARCH_GPUS_MAX);
}
