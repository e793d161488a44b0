#include "planner/training/remarks.h"

#include <string.h>

#include "planner/footprint/supply.h"
#include "planner/measurement/observation.h"
#include "planner/step/software.h"
#include "planner/training/ground.h"
#include "planner/training/range.h"
#include "planner/training/scope.h"

static void assume_reliability(const struct stage_schedule *schedule, const struct figures *inputs, struct findings *findings)
{
	const struct training_request *request = &schedule->input->request;

	for (size_t i = 0; i < inputs->count; i++)
		if (strncmp(inputs->items[i].field, "reliability.", strlen("reliability.")) == 0)
			findings_assume_figure(findings, &inputs->items[i]);
	if (request->reliability.spare_nodes < 0)
		findings_assume_text(findings, "reliability.spare_nodes", "a replacement is available",
			"E48: goodput.spare_nodes is the number of spare nodes that this takes; give spare_nodes to pay for them and to count the waiting");
}

static void assume_software(const struct stage_schedule *schedule, const struct candidate *had, struct findings *findings)
{
	const struct training_request *request = &schedule->input->request;
	bool read = is_given(request->input_pipeline.storage_gbs) || CALIBRATED(&had->calibration, storage_bytes_per_s, 0) > 0;

	if (!request->stack_release)
		findings_assume_text(
			findings, "stack_release", stack_newest_release(request->stack), "E30: newest release with published measurements");
	if (!is_given(request->input_pipeline.sample_bytes) && !is_given(request->input_pipeline.cpu_ms_per_sample))
		findings_assume_text(
			findings, "input_pipeline", "does not limit the step", "E32: token data is a few bytes a token; give input_pipeline to check");
	else if (is_given(request->input_pipeline.sample_bytes) && !read)
		findings_assume_text(findings, "input_pipeline.storage_gbs", "does not limit the step",
			"E32: the storage rate is unknown: give input_pipeline.storage_gbs to check");
}

/* Notes the observed steps at the number that the search found. The resolver notes those at a given number. */
static void assume_observed(const struct stage_schedule *schedule, const struct candidate_plan *best, struct findings *findings)
{
	const struct calibration *calibration = &schedule->input->candidates[best->candidate].calibration;
	struct observed_stack stack = observation_stack_at(calibration, (double)best->gpu_count);

	if (!(CALIBRATED(calibration, stack_gpu_count, 0) > 0) || !(stack.likeness > 0))
		return;
	findings_assume_figure(findings,
		&(struct figure){.field = "calibration.stack_speed",
			.value = stack.speed,
			.low = stack.low,
			.high = stack.high,
			.source = calibration->stack_source,
			.status = PROVENANCE_MEASURED});
	findings_assume_number(findings, "calibration.stack_likeness", stack.likeness, OBSERVATION_LIKENESS_SOURCE);
}

/* Notes the parts of practice that another value replaces. */
static void assume_practice(const struct stage_schedule *schedule, const struct candidate_plan *best, struct findings *findings)
{
	const struct training_input *input = schedule->input;
	const struct training_request *request = &input->request;
	const char *step = is_given(request->mfu) ? "mfu of the request"
		: input->measured                     ? "measured steps"
		: observation_stack_at(&input->candidates[best->candidate].calibration, (double)best->gpu_count).likeness >= 1
		? "observed steps of this software"
		: NULL;

	if (request->common.practice == PRACTICE_RECIPE)
		return;
	if (step || request->stack_release)
		findings_assume_text(findings, "practice.software", step ? step : "stack_release of the request",
			"E131: a known value replaces this part of practice");
	if (step || practice_layout_is_known(&request->parallelism))
		findings_assume_text(
			findings, "practice.layout", step ? step : "parallelism of the request", "E131: a known value replaces this part of practice");
	else if (best->node_count == 1)
		findings_assume_text(findings, "practice.layout", "one machine",
			is_given(best->practice.own_runs)
				? "E131, E134: one machine has no network between machines: the part starts at 1, and runs of your own move it"
				: "E131: one machine has no network between machines: the part is 1");
}

static void assume_layout(const struct stage_schedule *schedule, struct findings *findings)
{
	const struct parallelism *pins = &schedule->input->request.parallelism;

	if (pins->tensor < 1 || pins->pipeline < 1 || pins->micro_batch < 1 || pins->recompute == RECOMPUTE_UNSET)
		findings_assume_text(findings, "parallelism", "searched", "E42: the fastest layout that fits in memory; pinned values stay");
}

/* The lowest goodput in a published run is about 0.6 (OPT-175B, metaseq logbook). */
static const double worrying_goodput = 0.6;

static void warn_of_request(const struct stage_schedule *schedule, const struct candidate_plan *best, struct findings *findings)
{
	const struct training_input *input = schedule->input;
	const struct training_request *request = &input->request;
	enum precision used = PRECISION_UNSET;

	if (!best->fits)
		findings_warn(findings,
			"memory: the layout needs %.1f GB of %.1f GB and would not run; the plan is returned because enforce_memory is false",
			best->found.memory.total_bytes / 1e9, best->found.memory.capacity_bytes / 1e9);
	else if (best->found.memory.total_bytes > LAYOUT_COMFORTABLE_FILL * best->found.memory.capacity_bytes)
		findings_warn(findings,
			"memory: the layout fills an estimated %.1f of %.1f GB; published runs used up to an eighth more than estimated: test the layout first",
			best->found.memory.total_bytes / 1e9, best->found.memory.capacity_bytes / 1e9);
	if (!best->priced && !findings->missing_price_told)
		findings_warn(findings, "no price is known for this accelerator, so cost is left out; give pricing.usd_per_gpu_hour");
	if (best->reliability.fraction < worrying_goodput)
		findings_warn(findings,
			"goodput: only %.3g %% of the hours train, failures come every %.3g hours and a checkpoint takes %.3g hours: %s, or use fewer accelerators",
			100 * best->reliability.fraction, best->reliability.mtbf_hours, best->reliability.checkpoint_hours,
			best->reliability.spot && is_given(request->common.pricing.spot_interruptions_per_gpu_hour)
				? "use offers with fewer interruptions (pricing.terms), checkpoint faster (reliability.checkpoint_gbs)"
				: "raise reliability.checkpoint_gbs or mtbf_gpu_hours");
	if (is_given(request->common.pricing.spot_interruptions_per_gpu_hour) && !best->reliability.spot)
		findings_warn(
			findings, "pricing.spot_interruptions_per_gpu_hour is not used: the offer is not a spot offer (pricing.terms: [\"spot\"])");
	if (best->price.has_offer && best->reliability.spot && !is_given(request->common.pricing.spot_interruptions_per_gpu_hour))
		findings_warn(findings,
			"spot: the interruption rate is unknown, so no interruption is counted: give pricing.spot_interruptions_per_gpu_hour");
	if (request->common.precision != PRECISION_UNSET)
		accelerator_peak_flops_per_s(&input->candidates[best->candidate].accelerator, request->common.precision, &used);
	if (used != PRECISION_UNSET && used != request->common.precision)
		findings_warn(findings, "the accelerator has no %s rate: its products run in %s", precision_name(request->common.precision),
			precision_name(used));
	if (!schedule->teacher && (request->distillation.teacher.id || request->distillation.teacher.config.text))
		findings_warn(findings, "distillation.teacher could not be resolved to a model and is not counted");
	if (is_given(request->input_pipeline.storage_gbs) && !is_given(request->input_pipeline.sample_bytes))
		findings_warn(findings, "input_pipeline.storage_gbs is not used without input_pipeline.sample_bytes");
	if (request->input_pipeline.workers >= 1 && !is_given(request->input_pipeline.cpu_ms_per_sample))
		findings_warn(findings, "input_pipeline.workers is not used without input_pipeline.cpu_ms_per_sample");
	if (request->fine_tuning.rank >= 1 &&
		(request->fine_tuning.method == FINE_TUNING_FULL || request->fine_tuning.method == FINE_TUNING_UNSET))
		findings_warn(findings, "fine_tuning.rank is not used: only lora and qlora have one");
}

/* The largest matrix products of a training accelerator reach at most 0.87 of its dense peak (A100, MAMF tables,
 * stas00/ml-engineering), except Gaudi's 0.97. No training reaches that. */
static const double unheard_of_mfu = 0.87;

/* The first of the warnings. The longest published run takes 163 days (xTrimoPGLM, tests/validation/runs.jsonl). */
static void warn_of_length(const struct candidate_plan *best, struct findings *findings)
{
	if (best->wall_clock_hours > SEARCH_HOURS_MOST)
		findings_warn_first(findings,
			"length: %.3g years on %lld accelerators; the longest published run took half a year: give a deadline or more accelerators, or train a smaller model",
			best->wall_clock_hours / SEARCH_HOURS_MOST, (long long)best->gpu_count);
}

/* With reserved terms alone the plan assumes an existing commitment (E110). A client without one must see its cost. */
static void warn_of_commitment(
	const struct request_common *common, const struct candidate *had, const struct candidate_plan *best, struct findings *findings)
{
	double years = had->offer.term == TERM_RESERVED_3Y ? 3 : 1,
		   term_hours = years * cost_paid_hours(TERM_RESERVED_1Y, 1, ABSENT_NUMBER, false);

	if (best->price.has_offer && cost_is_committed(&common->pricing) && best->wall_clock_hours < term_hours)
		findings_warn(findings,
			"commitment: the cost is this run's hours of a commitment that the plan assumes to exist; the whole commitment costs %.4g USD for %.0f year%s",
			best->price.usd_per_gpu_hour * (double)best->gpu_count * term_hours, years, years > 1 ? "s" : "");
}

/* Warns of members that change nothing, or that lie outside of all published values. */
static void warn_of_excess(
	const struct training_request *request, const struct model *model, const struct candidate_plan *best, struct findings *findings)
{
	const char *newest = stack_newest_release(request->stack);

	if (request->parallelism.sequence_parallel == TRUTH_TRUE && best->found.layout.tensor == 1)
		findings_warn(findings, "parallelism.sequence_parallel changes nothing without tensor parallelism");
	if (model->kind == MODEL_GENERIC &&
		(request->parallelism.recompute == RECOMPUTE_FULL || request->parallelism.recompute == RECOMPUTE_SELECTIVE))
		findings_warn(
			findings, "parallelism.recompute changes nothing here: a generic model does not say which activations can be recomputed");
	if (request->stack_release && strcmp(request->stack_release, newest) > 0)
		findings_warn(findings,
			"stack_release %s is newer than the newest with published measurements, %s: the trend of releases goes no further",
			request->stack_release, newest);
	if (request->mfu > unheard_of_mfu)
		findings_warn(
			findings, "mfu %.3g is more than the largest matrix products reach alone: no published training comes near it", request->mfu);
}

/* E = E_min (1 + B / B_crit): McCandlish et al. 2018, arXiv 1812.06162, eq. 2.7. */
static void warn_of_batch(const struct training_input *input, struct training_plan *plan)
{
	double over = plan->batch.global_batch_tokens / plan->batch.critical_batch_tokens;

	if (over > 1 && input->model.kind == MODEL_TRANSFORMER && input->request.fine_tuning.method == FINE_TUNING_UNSET)
		findings_warn(&plan->findings,
			"batch: %.3g tokens a step are %.2g times the critical batch of %.3g: a given loss then takes about %.2g times the tokens of small batches",
			plan->batch.global_batch_tokens, over, plan->batch.critical_batch_tokens, 1 + over);
}

/* Warns of optimizer states in host memory: the request does not say whether the host has that memory. */
static void warn_of_offload(const struct training_input *input, const struct candidate_plan *best, struct findings *findings)
{
	double node = (double)best->gpu_count / (double)best->node_count;
	double bytes = input->model.params_total * optimizer_bytes_per_param(input->request.optimizer, false) / (double)best->gpu_count * node;

	if (best->found.layout.offload == TRUTH_TRUE &&
		(input->request.fine_tuning.method == FINE_TUNING_UNSET || input->request.fine_tuning.method == FINE_TUNING_FULL))
		findings_warn(findings,
			"offload: each node needs %.0f GB of host memory for the optimizer's states, in addition to the system's own", bytes / 1e9);
}

/* Warns of layers' inputs in host memory, for the same reason. */
static void warn_of_inputs(const struct training_input *input, const struct candidate_plan *best, struct findings *findings)
{
	const struct parallelism *layout = &best->found.layout;
	double node = (double)best->gpu_count / (double)best->node_count,
		   layers = (double)layout_layers(&input->model) / (double)layout->pipeline;
	double spread = layout->sequence_parallel == TRUTH_TRUE ? (double)layout->tensor : 1;
	double rows = (double)layout->micro_batch * input->request.sequence_length / (double)layout->context;

	if (layout->offload_activations == TRUTH_TRUE && is_given(input->request.sequence_length))
		findings_warn(findings,
			"offload_activations: each node needs %.0f GB of host memory for the inputs of the layers, in addition to the system's own",
			node * layers * rows * 2 * input->model.hidden / spread / 1e9);
}

static void warn_of_zero(const struct training_request *request, const struct candidate_plan *best, struct findings *findings)
{
	struct software software = software_of(request->stack, request->stack_release, PRECISION_BF16, ABSENT_COUNT, &physics_fitted);
	int most = best->found.layout.pipeline > 1 ? software.zero_most_piped : software.zero_most;

	if (request->parallelism.zero_stage > most)
		findings_warn(findings, "parallelism.zero_stage: %s does not offer ZeRO-%lld%s; its documentation names at most %d",
			software.name[0] ? software.name : "the software", (long long)request->parallelism.zero_stage,
			best->found.layout.pipeline > 1 ? " beside a pipeline" : "", most);
}

static void warn_of_fabric(const struct candidate *candidate, struct findings *findings)
{
	if (candidate->torus_dimensions > 0)
		findings_warn(findings,
			"interconnect: collectives on the %lldD torus of %s follow from its links' rate; only MaxText's published runs on TPUs validate them, so the interval is wider",
			(long long)candidate->torus_dimensions, candidate->accelerator.id ? candidate->accelerator.id : "this accelerator");
}

void remarks_of_sizing(enum sizing sizing, struct findings *findings)
{
	static const struct {
		const char *text, *source;
	} rules[] = {
		[SIZING_DEADLINE] = {"the best by the objective among numbers that keep the deadline",
			"E133: the smallest number of each accelerator that keeps it with the confidence; of equal ones the first"},
		[SIZING_USUAL] = {"the usual number for such a run",
			"E132: neither number, deadline, budget nor objective is given: the usual length of such a run, weighed against the objective; E152: runs within a year"},
		[SIZING_KNEE] = {"the knee of cost against time within the budget",
			"E153: the last doubling that saves a larger part of the time than it adds to the cost, and no shorter than the shortest published runs of its size; give objective time for the fastest, cost for the cheapest"},
		[SIZING_OBJECTIVE] = {"the best by the objective",
			"E152: of runs within a year the best by the objective; of those within 1 % of it the fastest (for objective time: the cheapest)"},
	};

	if (sizing != SIZING_GIVEN)
		findings_assume_text(findings, "gpu_count", rules[sizing].text, rules[sizing].source);
}

void remarks_of_left(const struct stage_schedule *schedule, const size_t candidates[], size_t count, struct findings *findings)
{
	enum { NAMES_MAX = 110 };
	char names[NAMES_MAX] = "";

	for (size_t i = 0; i < count; i++) {
		const char *id = schedule->input->candidates[candidates[i]].accelerator.id;
		size_t used = strlen(names);
		bool room = used + strlen(id) + sizeof ", , ..." < sizeof names;

		snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", room ? id : "...");
		if (!room)
			break;
	}
	if (count > 0)
		findings_advise(findings, "name_accelerators", "info",
			"%zu accelerators cost more than %.0f times the best and were not searched further: list in accelerators those to include (%s)",
			count, SEARCH_HOPELESS, names);
}

void remarks_fill(const struct stage_schedule *schedule, const struct candidate_plan *best, struct training_plan *plan)
{
	const struct candidate had = candidate_plan_as_priced(schedule, best);

	assume_reliability(schedule, &plan->recommended.inputs, &plan->findings);
	assume_software(schedule, &had, &plan->findings);
	assume_layout(schedule, &plan->findings);
	assume_practice(schedule, best, &plan->findings);
	assume_observed(schedule, best, &plan->findings);
	warn_of_request(schedule, best, &plan->findings);
	warn_of_offload(schedule->input, best, &plan->findings);
	if (!is_given(schedule->input->request.mfu) && !range_is_calibrated(&schedule->input->candidates[best->candidate]))
		ground_warn(
			&schedule->input->request, &schedule->input->model, &schedule->input->candidates[best->candidate].accelerator, &plan->findings);
	warn_of_inputs(schedule->input, best, &plan->findings);
	warn_of_batch(schedule->input, plan);
	warn_of_zero(&schedule->input->request, best, &plan->findings);
	warn_of_excess(&schedule->input->request, &schedule->input->model, best, &plan->findings);
	warn_of_fabric(&had, &plan->findings);
	warn_of_commitment(&schedule->input->request.common, &had, best, &plan->findings);
	warn_of_length(best, &plan->findings);
	scope_warn(schedule, best, &plan->findings);
	footprint_warn_of_hours(&had.site, &best->footprint.carbon, &plan->findings);
	supply_remark(&had, best->gpu_count, best->gpu_count, &plan->findings);
	sensitivity_fill(schedule, best, plan);
	advice_fill(schedule, best, plan);
}
