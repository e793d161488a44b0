#include "planner/training/remarks.h"

/* A lever is offered when what it acts on takes at least this share of the step. */
static const double worth_a_lever = 0.10;

/* A larger number is said to be cheaper when it is by half a hundredth. */
static const double worth_mentioning = 0.995;

/* Plans the same number of the same accelerator again with changed input; 0 when it cannot be, else the change of wall clock. */
static double replanned(const struct programme *programme, const struct outline *best, const struct training_input *changed, const struct parallelism *pins)
{
	struct programme other = *programme;
	struct search_counts counts = {0};
	struct outline outline;

	other.input = changed;
	fleet_outline(&other, best->candidate, best->gpu_count, pins, &outline, &counts);
	return outline.any && outline.fits ? outline.wall_clock_hours / best->wall_clock_hours - 1 : 0;
}

static void advise_effect(struct advice *advice, const struct outline *best, double change)
{
	if (best->priced)
		snprintf(advice->effect, sizeof advice->effect, "%.4g hours and %.4g USD less (%.0f %%)", -change * best->wall_clock_hours,
			-change * best->total_usd, -100 * change);
	else
		snprintf(advice->effect, sizeof advice->effect, "%.4g hours less (%.0f %%)", -change * best->wall_clock_hours, -100 * change);
}

static void advise_precision(const struct programme *programme, const struct outline *best, struct training_plan *plan)
{
	const struct training_request *request = &programme->input->request;
	const struct accelerator *accelerator = &programme->input->candidates[best->candidate].accelerator;
	struct training_input changed;
	double change;

	if (!(accelerator->tflops_fp8 > 0) || (request->common.precision != PRECISION_BF16 && request->common.precision != PRECISION_FP16))
		return;
	changed = *programme->input;
	changed.request.common.precision = PRECISION_FP8;
	change = replanned(programme, best, &changed, &best->found.layout);
	if (change < -0.02)
		advise_effect(findings_advise(&plan->findings, "precision_fp8", "suggestion",
			"linear layers in FP8, which this accelerator has (check the loss against a BF16 run first)"), best, change);
}

static void advise_layout(const struct programme *programme, const struct outline *best, struct training_plan *plan)
{
	const struct parallelism *pins = &programme->input->request.parallelism;
	struct parallelism free_pins = {.tensor = ABSENT_COUNT, .pipeline = ABSENT_COUNT, .data = ABSENT_COUNT, .context = ABSENT_COUNT,
		.expert = ABSENT_COUNT, .interleave = ABSENT_COUNT, .micro_batch = ABSENT_COUNT, .zero_stage = ABSENT_COUNT, .zero_group = ABSENT_COUNT};
	double change;

	if (pins->tensor < 1 || programme->input->request.common.alternatives == 0 || is_given(programme->input->request.mfu))
		return; /* nothing pinned; or the caller asks for the pinned figure alone */
	change = replanned(programme, best, programme->input, &free_pins);
	if (change < -0.02)
		advise_effect(findings_advise(&plan->findings, "layout", "suggestion", "leave the parallelism to the search: it finds a faster layout"), best, change);
}

static void advise_shares(const struct outline *best, struct training_plan *plan)
{
	const struct bottleneck_use *use = &plan->recommended.bottleneck;
	const struct parallelism *layout = &best->found.layout;
	struct advice *advice;

	if (use->shares[BOTTLENECK_PIPELINE_BUBBLE] > worth_a_lever) {
		advice = findings_advise(&plan->findings, "pipeline_bubble", "suggestion", "%.0f %% of the step is pipeline bubble: more micro-batches a step (a larger global batch) or a shorter pipeline than %lld",
			100 * use->shares[BOTTLENECK_PIPELINE_BUBBLE], (long long)layout->pipeline);
		snprintf(advice->effect, sizeof advice->effect, "twice the micro-batches would leave %.0f %%", 50 * use->shares[BOTTLENECK_PIPELINE_BUBBLE] /
			(1 - use->shares[BOTTLENECK_PIPELINE_BUBBLE] / 2));
	}
	if (use->shares[BOTTLENECK_MEMORY] > worth_a_lever) {
		advice = findings_advise(&plan->findings, "more_memory", "suggestion", "recomputation or offload, forced by memory, takes %.0f %% of the step: an accelerator with more memory, an 8-bit optimizer, or more sharding",
			100 * use->shares[BOTTLENECK_MEMORY]);
		snprintf(advice->effect, sizeof advice->effect, "up to %.4g hours less", use->shares[BOTTLENECK_MEMORY] * best->wall_clock_hours);
	}
	if (use->shares[BOTTLENECK_LAUNCH_OVERHEAD] > worth_a_lever) {
		advice = findings_advise(&plan->findings, "launch_overhead", "suggestion", "issuing kernels takes %.0f %% of the step: larger micro-batches, fewer accelerators, fused kernels or graphs",
			100 * use->shares[BOTTLENECK_LAUNCH_OVERHEAD]);
		snprintf(advice->effect, sizeof advice->effect, "up to %.4g hours less", use->shares[BOTTLENECK_LAUNCH_OVERHEAD] * best->wall_clock_hours);
	}
	if (use->shares[BOTTLENECK_INPUT] > worth_a_lever)
		findings_advise(&plan->findings, "input_pipeline", "important", "%.0f %% of the step waits for samples: more workers, faster storage, or samples decoded beforehand",
			100 * use->shares[BOTTLENECK_INPUT]);
	if (use->shares[BOTTLENECK_INTERCONNECT] > 2 * worth_a_lever)
		findings_advise(&plan->findings, "interconnect", "suggestion", "%.0f %% of the step is exposed communication: a larger batch, fewer accelerators, or a faster network between nodes",
			100 * use->shares[BOTTLENECK_INTERCONNECT]);
}

/* The smallest count meets the deadline at the median; whoever must not miss it wants the 90th percentile inside. */
static void advise_deadline(const struct programme *programme, const struct outline *best, struct training_plan *plan)
{
	double deadline_hours = programme->deadline_hours, late_hours = plan->recommended.interval.wall_clock_hours.p90;
	struct advice *advice;

	if (!is_given(deadline_hours) || late_hours <= deadline_hours || programme->input->request.common.gpu_count > 0)
		return;
	advice = findings_advise(&plan->findings, "deadline_at_risk", "important",
		"one time in ten it takes %.4g hours or more, past the %.4g that there are: plan for more accelerators if the deadline is hard",
		late_hours, deadline_hours);
	snprintf(advice->effect, sizeof advice->effect, "about %.0f accelerators keep it nine times in ten",
		ceil((double)best->gpu_count * late_hours / deadline_hours));
}

void advice_of_larger(const struct outline *front, size_t count, const struct outline *best, struct training_plan *plan)
{
	const struct outline *larger = NULL;
	struct advice *advice;

	for (size_t i = 0; i < count; i++)
		if (front[i].candidate == best->candidate && front[i].gpu_count > best->gpu_count && front[i].priced &&
			front[i].wall_clock_hours < best->wall_clock_hours && front[i].total_usd < (larger ? larger->total_usd : worth_mentioning * best->total_usd))
			larger = &front[i];
	if (!larger)
		return;
	advice = findings_advise(&plan->findings, "more_accelerators", "suggestion",
		"%lld are the fewest that meet the deadline; %lld split the work more evenly, and are faster and cheaper",
		(long long)best->gpu_count, (long long)larger->gpu_count);
	snprintf(advice->effect, sizeof advice->effect, "%.4g hours and %.4g USD less", best->wall_clock_hours - larger->wall_clock_hours,
		best->total_usd - larger->total_usd);
}

void advice_fill(const struct programme *programme, const struct outline *best, struct training_plan *plan)
{
	advise_deadline(programme, best, plan);
	advise_shares(best, plan);
	advise_layout(programme, best, plan);
	if (!is_given(programme->input->request.mfu))
		advise_precision(programme, best, plan);
}
