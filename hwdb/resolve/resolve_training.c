#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "hwdb/resolve/resolve_parts.h"
#include "planner/footprint/cost.h"
#include "planner/step/software.h"

static void fault(const struct resolver *resolver, const char *pointer, const char *code, const char *detail)
{
	failure_add(resolver->failure, pointer, code, "%s", detail);
}

/* Applies the electricity tariff of the site to the client's own hardware. */
static void own_tariff(const struct resolver *resolver, struct request_common *common)
{
	struct on_premises *own = &common->pricing.on_premises;

	if (!cost_is_owned(&common->pricing) || is_given(own->electricity_usd_per_kwh) || !is_given(common->site.electricity_usd_per_kwh))
		return;
	own->electricity_usd_per_kwh = common->site.electricity_usd_per_kwh;
	findings_assume_number(resolver->findings, "pricing.on_premises.electricity_usd_per_kwh", own->electricity_usd_per_kwh,
		"site.electricity_usd_per_kwh of the request: the tariff of the site");
}

void resolve_common(const struct resolver *resolver, struct request_common *common)
{
	struct findings *findings = resolver->findings;

	if (common->objective == OBJECTIVE_UNSET) {
		common->objective = OBJECTIVE_COST;
		findings_assume_text(findings, "objective", "cost", "/openapi.json: options are ordered by cost if the request names no objective");
	}
	if (common->alternatives < 0) {
		common->alternatives = 5;
		findings_assume_number(findings, "alternatives", 5, "/openapi.json: five further options if the request gives no number");
	}
	if (common->calibration == CALIBRATION_UNSET)
		common->calibration = CALIBRATION_MEASURED; /* resolve_candidates() notes the measurements that it finds */
	if (common->enforce_memory == TRUTH_UNSET) {
		common->enforce_memory = TRUTH_TRUE;
		findings_assume_text(findings, "enforce_memory", "true", "/openapi.json: a plan that does not fit is infeasible");
	}
	own_tariff(resolver, common);
	if (common->gpu_count == 0)
		fault(resolver, "/gpu_count", "out_of_range", "must be 1 or more");
	if (common->gpus_per_node == 0)
		fault(resolver, "/gpus_per_node", "out_of_range", "must be 1 or more");
}

/* Sets the precision in which all candidates train, if they agree; otherwise each keeps its own. */
static void default_precision(const struct resolver *resolver, struct training_input *input)
{
	enum precision common = PRECISION_UNSET;

	if (input->request.common.precision != PRECISION_UNSET || input->candidate_count == 0)
		return;
	for (size_t i = 0; i < input->candidate_count; i++) {
		enum precision own = accelerator_training_precision(&input->candidates[i].accelerator);

		if (i > 0 && own != common) {
			findings_assume_text(resolver->findings, "precision", "bf16, fp16 or fp32: the best of each accelerator",
				"Micikevicius et al. 2018, arXiv 1710.03740 (mixed precision); Kalamkar et al. 2019, arXiv 1905.12322 "
				"(bf16)");
			return;
		}
		common = own;
	}
	input->request.common.precision = common;
	findings_assume_text(resolver->findings, "precision", precision_name(common),
		common == PRECISION_BF16 ? "Kalamkar et al. 2019, arXiv 1905.12322: bf16 trains as fp32 does"
								 : "the accelerator has no bf16 rate: Micikevicius et al. 2018, arXiv 1710.03740");
}

static bool is_release(const char *text)
{
	int64_t unused;
	char date[16];

	if (strlen(text) != 7)
		return false;
	snprintf(date, sizeof date, "%s-01", text);
	return clock_parse(date, &unused);
}

static void work_faults(const struct resolver *resolver, const struct training_request *request)
{
	if (request->stages.count > 0 && is_given(request->tokens))
		fault(resolver, "/tokens", "conflict", "give tokens or stages, not both: the stages have their own tokens");
	if (request->stages.count == 0 && !is_given(request->tokens))
		fault(resolver, "/tokens", "required", "give the training tokens per epoch (samples for a generic model), as \"15T\"");
	if (is_given(request->tokens) && !(request->tokens > 0))
		fault(resolver, "/tokens", "out_of_range", "must be above 0");
	if (is_given(request->epochs) && !(request->epochs > 0))
		fault(resolver, "/epochs", "out_of_range", "must be above 0");
	for (size_t i = 0; i < request->stages.count; i++) {
		char at[64];

		snprintf(at, sizeof at, "/stages/%zu/tokens", i);
		if (!(request->stages.items[i].tokens > 0))
			fault(resolver, at, "required", "each stage needs its tokens");
	}
	if (is_given(request->global_batch_tokens) && is_given(request->global_batch_size))
		fault(resolver, "/global_batch_size", "conflict", "give global_batch_tokens or global_batch_size, not both");
	if (request->stack_release && !is_release(request->stack_release))
		fault(resolver, "/stack_release", "malformed", "must be year and month, such as 2025-05");
}

static void time_faults(const struct resolver *resolver, const struct training_request *request)
{
	double whole_hours = given_or(request->deadline_hours, request->cadence_hours);

	if (is_given(request->deadline_hours) && is_given(request->cadence_hours) && request->deadline_hours > request->cadence_hours)
		failure_add(resolver->failure, "/deadline_hours", "conflict", "must be at most cadence_hours, %g, when the next training begins",
			request->cadence_hours);
	if (!is_given(request->reserved_hours))
		return;
	if (!is_given(whole_hours))
		fault(resolver, "/reserved_hours", "conflict", "reduces a deadline: also give deadline_hours or cadence_hours");
	else if (request->reserved_hours >= whole_hours)
		failure_add(resolver->failure, "/reserved_hours", "out_of_range", "must be below %g hours, the whole time", whole_hours);
}

static void training_defaults(const struct resolver *resolver, struct training_request *request)
{
	struct findings *findings = resolver->findings;

	if (!is_given(request->epochs)) {
		request->epochs = 1;
		findings_assume_number(findings, "epochs", 1, "Hoffmann et al. 2022, arXiv 2203.15556: tokens are seen once");
	}
	if (request->optimizer == OPTIMIZER_UNSET) {
		request->optimizer = OPTIMIZER_ADAMW;
		findings_assume_text(findings, "optimizer", "adamw", "Loshchilov and Hutter 2019, arXiv 1711.05101; as Llama 3, arXiv 2407.21783");
	}
	if (request->stack == STACK_UNSET) {
		request->stack = STACK_GENERIC;
		findings_assume_text(findings, "stack", "generic", "E30: no software named; the published runs' common efficiency");
	}
	if (request->common.practice == PRACTICE_UNSET) {
		request->common.practice = PRACTICE_TYPICAL;
		findings_assume_text(findings, "practice", "typical",
			"E131: typical of teams, from published totals of whole runs; recipe plans the best published steps");
	}
	if (!is_given(request->common.confidence)) {
		request->common.confidence = CONFIDENCE_USUAL;
		findings_assume_number(findings, "confidence", CONFIDENCE_USUAL, "E133: a limit of the request is kept with a probability of 0.8");
	}
	if (!is_given(request->reserved_hours) && (is_given(request->deadline_hours) || is_given(request->cadence_hours))) {
		request->reserved_hours = 0;
		findings_assume_number(findings, "reserved_hours", 0, "/openapi.json: without reserved hours the whole deadline is for training");
	}
}

/* Sets the bytes that the input pipeline reads to those of a generic model's sample. */
static void sample_bytes(const struct resolver *resolver, struct training_input *input)
{
	double bytes = input->request.common.model.sample_bytes;

	if (input->model.kind != MODEL_GENERIC || !(bytes > 0) || is_given(input->request.input_pipeline.sample_bytes))
		return;
	input->request.input_pipeline.sample_bytes = bytes;
	findings_assume_number(
		resolver->findings, "input_pipeline.sample_bytes", bytes, "model.sample_bytes of the request: one sample as it is read");
}

static void warn_of_length(const struct resolver *resolver, const struct training_input *input)
{
	double length = input->request.sequence_length;

	for (size_t i = 0; i < input->request.stages.count; i++)
		length = fmax(length, input->request.stages.items[i].sequence_length);
	if (input->model.max_positions > 0 && length > input->model.max_positions)
		findings_warn(resolver->findings, "sequence_length %g is beyond the %d positions of the model's config: context extension is needed",
			length, input->model.max_positions);
}

/* Resolves the teacher of a distillation, if one is described. */
static enum status resolve_teacher(const struct resolver *resolver, struct training_input *input)
{
	const struct model_reference *reference = &input->request.distillation.teacher;
	struct model *teacher;

	if (!reference->id && !reference->config.text && !is_given(reference->params))
		return STATUS_OK;
	teacher = ARENA_NEW(resolver->arena, struct model);
	if (!teacher)
		return failure_set(resolver->failure, STATUS_NO_MEMORY, "no room for the teacher's model");
	input->teacher = teacher;
	return resolve_model(resolver, reference, "/distillation/teacher", teacher);
}

/* Returns the rate in the format that the accelerator trains in: BF16 if it has that, else FP16 or FP32. */
static double training_flops_per_s(const struct accelerator *accelerator)
{
	return accelerator_peak_flops_per_s(accelerator, accelerator_training_precision(accelerator), NULL);
}

/* Returns a newer and faster accelerator of the same vendor with an offer; of several the cheapest for its rate. */
static const struct accelerator_row *newer_row(
	const struct resolver *resolver, const struct training_request *request, const struct accelerator *than)
{
	struct pricing pricing = request->common.pricing;
	const struct offer_filter filter = {.pricing = &pricing, .now_us = resolver->now_us};
	const struct catalogue_rows *rows = &resolver->catalogue->rows;
	const struct accelerator_row *best = NULL;
	double best_usd = INFINITY;

	pricing.usd_per_gpu_hour = pricing.on_premises.capex_usd_per_gpu = ABSENT_NUMBER;
	for (size_t i = 0; i < rows->accelerator_count; i++) {
		const struct accelerator *accelerator = &rows->accelerators[i].accelerator;
		const struct region_row *region;
		struct offer offer;
		double usd, flops_per_s;

		if (!accelerator->vendor || !than->vendor || strcmp(accelerator->vendor, than->vendor) != 0 ||
			accelerator->release_year <= than->release_year)
			continue;
		/* Accelerators that train together need a link of their own that is at least as fast. */
		if (request->common.gpu_count != 1 &&
			!(accelerator->interconnect_gbs > 0 && !(accelerator->interconnect_gbs < than->interconnect_gbs)))
			continue;
		flops_per_s = training_flops_per_s(accelerator);
		if (!(flops_per_s > training_flops_per_s(than)) ||
			!offers_cheapest(resolver->catalogue, &rows->accelerators[i], &filter, &offer, &region, NULL))
			continue;
		usd = offer.usd_per_gpu_hour / flops_per_s;
		if (usd >= best_usd)
			continue;
		best = &rows->accelerators[i];
		best_usd = usd;
	}
	return best;
}

/* Adds the newer accelerator for advice, without the request's node and price, which belong to the named
 * accelerator. */
static void resolve_newer(const struct resolver *resolver, struct training_input *input)
{
	struct request_common common = input->request.common;
	struct resolver aside = *resolver;
	const struct accelerator_row *row;
	size_t count;

	if (input->candidate_count != 1 || common.alternatives == 0 || common.accelerator.like || cost_is_owned(&common.pricing))
		return;
	common.pricing.usd_per_gpu_hour = ABSENT_NUMBER;
	row = newer_row(resolver, &input->request, &input->candidates[0].accelerator);
	aside.findings = arena_alloc_uncleared(resolver->arena, sizeof *aside.findings);
	aside.failure = ARENA_NEW(resolver->arena, struct failure);
	if (!row || !aside.findings || !aside.failure)
		return;
	findings_clear(aside.findings);
	common.accelerator.id = row->accelerator.id; /* the other members of the reference are absent, because it is not `like` */
	common.accelerators.count = 0;
	common.gpus_per_node = ABSENT_COUNT;
	common.internode_gbs = ABSENT_NUMBER;
	if (resolve_candidates(&aside, &common, common.gpu_count, &input->newer, &count) != STATUS_OK || count != 1 || !input->newer->has_offer)
		input->newer = NULL;
}

enum status resolve_training(const struct resolver *resolver, const struct training_request *request, struct training_input *input)
{
	struct resolver with_stack = *resolver;
	enum status model_status, status;

	with_stack.stack = stack_name(request->stack == STACK_UNSET ? STACK_GENERIC : request->stack);
	input->request = *request;
	input->objective_is_default = request->common.objective == OBJECTIVE_UNSET;
	input->teacher = NULL;
	input->newer = NULL;
	model_status = resolve_model(resolver, &request->common.model, "/model", &input->model);
	with_stack.params = input->model.params_active;
	with_stack.gpu_count = request->common.gpu_count;
	work_faults(resolver, request);
	time_faults(resolver, request);
	resolve_common(resolver, &input->request.common);
	resolve_instance(resolver, &input->request.common);
	training_defaults(resolver, &input->request);
	if (resolve_teacher(resolver, input) == STATUS_NO_MEMORY)
		return STATUS_NO_MEMORY;
	status = resolve_placed_candidates(
		&with_stack, &input->request.common, request->common.pricing.terms.count > 1, &input->candidates, &input->candidate_count);
	if (model_status != STATUS_OK || status != STATUS_OK)
		return resolver_status(resolver);
	if (is_given(request->budget_usd) && input->candidate_count == 1 && !input->candidates[0].has_offer &&
		!is_given(request->common.pricing.usd_per_gpu_hour) && !cost_is_owned(&request->common.pricing))
		fault(resolver, "/budget_usd", "no_offer", "a budget needs a price: give pricing.usd_per_gpu_hour, or name providers");
	default_precision(resolver, input);
	warn_of_length(resolver, input);
	sample_bytes(resolver, input);
	resolve_newer(&with_stack, input);
	resolve_own_runs_note(&with_stack, input);
	resolve_names(resolver, &input->request.common);
	resolve_model_name(resolver, &input->request.distillation.teacher);
	return resolver_status(resolver);
}
