#include "planner/footprint/front.h"
#include "planner/plan/training.h"

#include <string.h>

#include "base/units.h"
#include "planner/step/batch.h"
#include "planner/step/software.h"
#include "planner/training/nearest.h"
#include "planner/training/option.h"
#include "planner/training/place.h"
#include "planner/training/range.h"
#include "planner/training/remarks.h"
#include "planner/training/rule_of_thumb.h"
#include "planner/training/scaling.h"
#include "planner/training/search.h"
#include "planner/training/stage_schedule.h"

static const double usual_sequence = 4096;

static void fault_positive(struct failure *failure, const char *pointer, double value, const char *what)
{
	if (is_given(value) && !(value > 0 && isfinite(value)))
		failure_add(failure, pointer, "out_of_range", "%s must be a positive number", what);
}

/* Llama 2's length, or all positions of the model if it has fewer. */
static double default_sequence(const struct model *model)
{
	return model->max_positions > 0 ? fmin(usual_sequence, model->max_positions) : usual_sequence;
}

/* Faults a step that is shorter than one sequence. */
static void batch_check(struct failure *failure, const char *pointer, double batch_tokens, double sequence)
{
	if (is_given(batch_tokens) && batch_tokens < sequence)
		failure_add(failure, pointer, "out_of_range",
			"a step of %.6g tokens is shorter than one sequence of %.6g tokens: raise the batch or shorten the sequences", batch_tokens,
			sequence);
}

static void batches_check(const struct training_input *input, struct failure *failure)
{
	const struct training_request *request = &input->request;
	double usual = input->model.kind == MODEL_GENERIC ? 1 : given_or(request->sequence_length, default_sequence(&input->model));

	if (request->stages.count == 0)
		batch_check(failure, "/global_batch_tokens", request->global_batch_tokens, usual);
	for (size_t i = 0; i < request->stages.count; i++) {
		const struct training_stage *stage = &request->stages.items[i];
		char pointer[FAULT_POINTER_MAX];

		snprintf(pointer, sizeof pointer, "/stages/%zu/global_batch_tokens", i);
		batch_check(failure, pointer, stage->global_batch_tokens, given_or(stage->sequence_length, usual));
	}
}

/* Faults that the decoder's ranges cannot find: members that contradict each other. */
static void request_check(const struct training_input *input, struct failure *failure)
{
	const struct training_request *request = &input->request;

	if (request->stages.count == 0 && !is_given(request->tokens))
		failure_add(failure, "/tokens", "required", "give tokens (samples for a generic model), or stages");
	if (request->stages.count > SCHEDULE_STAGES_MAX)
		failure_add(failure, "/stages", "too_many", "at most %d stages", SCHEDULE_STAGES_MAX);
	for (size_t i = 0; i < request->stages.count; i++)
		if (!(request->stages.items[i].tokens > 0))
			failure_add(failure, "/stages", "out_of_range", "stage %zu: tokens must be a positive number", i);
	fault_positive(failure, "/tokens", request->tokens, "tokens");
	fault_positive(failure, "/epochs", request->epochs, "epochs");
	fault_positive(failure, "/sequence_length", request->sequence_length, "sequence_length");
	fault_positive(failure, "/deadline_hours", request->deadline_hours, "deadline_hours");
	fault_positive(failure, "/cadence_hours", request->cadence_hours, "cadence_hours");
	if (is_given(request->mfu) && !(request->mfu > 0 && request->mfu <= 1))
		failure_add(failure, "/mfu", "out_of_range", "mfu is a fraction above 0 and at most 1");
	if (is_given(request->deadline_hours) && given_or(request->reserved_hours, 0) >= request->deadline_hours)
		failure_add(
			failure, "/reserved_hours", "out_of_range", "must leave hours for training: the deadline is %g hours", request->deadline_hours);
	else if (!is_given(request->deadline_hours) && is_given(request->cadence_hours) &&
		given_or(request->reserved_hours, 0) >= request->cadence_hours)
		failure_add(
			failure, "/reserved_hours", "out_of_range", "must leave hours for training: the cadence is %g hours", request->cadence_hours);
	batches_check(input, failure);
}

/* Sets sequences and batch of each stage; values that the request leaves out are chosen (E44). */
static void schedule_stages(struct stage_schedule *schedule, struct findings *findings)
{
	const struct training_input *input = schedule->input;
	const struct training_request *request = &input->request;
	bool generic = input->model.kind == MODEL_GENERIC;
	double usual = generic ? 1 : given_or(request->sequence_length, default_sequence(&input->model)), epochs = given_or(request->epochs, 1),
		   loss;
	const char *source;
	bool length_left_out = false;

	schedule->stage_count = request->stages.count > 0 ? request->stages.count : 1;
	schedule->tokens_total = 0;
	for (size_t i = 0; i < schedule->stage_count; i++) {
		const struct training_stage *stage = request->stages.count > 0 ? &request->stages.items[i] : NULL;
		double tokens = (stage ? stage->tokens : request->tokens) * epochs, batch = ABSENT_NUMBER;
		double sequence = stage && !generic ? given_or(stage->sequence_length, usual) : usual;

		length_left_out |= !is_given(request->sequence_length) && !(stage && is_given(stage->sequence_length));
		if (stage && is_given(stage->global_batch_tokens))
			batch = stage->global_batch_tokens / sequence;
		else if (is_given(request->global_batch_size))
			batch = request->global_batch_size;
		else if (is_given(request->global_batch_tokens))
			batch = request->global_batch_tokens / sequence;
		source = NULL;
		if (!is_given(batch)) {
			loss = scaling_judge(scaling_law_named(NULL), input->model.params_active, tokens / epochs, epochs).loss;
			batch = batch_choose_samples(input, tokens, sequence, loss, &source);
		}
		schedule->stages[i].tokens = tokens;
		schedule->stages[i].sequence = sequence;
		schedule->stages[i].batch = fmax(1, batch);
		schedule->stages[i].batch_source = source;
		schedule->tokens_total += tokens;
	}
	if (!generic && length_left_out)
		findings_assume_number(findings, "sequence_length", usual,
			usual < usual_sequence ? "E44: the model's config has no more positions"
								   : "E44: pre-training length of Llama 2, Touvron et al. 2023, arXiv 2307.09288");
}

static double deadline_hours(const struct training_request *request)
{
	double whole = given_or(request->deadline_hours, request->cadence_hours);

	return whole - given_or(request->reserved_hours, 0);
}

static void fill_workload(const struct stage_schedule *schedule, struct training_plan *plan)
{
	const struct model *model = &schedule->input->model;
	double flops = 0;

	for (size_t i = 0; i < schedule->stage_count; i++)
		flops += schedule->stages[i].tokens * training_flops_per_token(schedule->input, schedule->stages[i].sequence);
	plan->workload.params_total = model->params_total;
	plan->workload.params_active = model->params_active;
	plan->workload.tokens_total = schedule->tokens_total;
	plan->workload.flops_total = flops;
	plan->workload.flops_per_token = flops / schedule->tokens_total;
	plan->workload.petaflop_s_days = flops / FLOPS_PER_PETAFLOP_S_DAY;
}

/* Returns the reason why the scaling laws do not apply to this training; NULL: they apply. The laws were fitted to
 * language models trained from random weights. */
static const char *scaling_unknown(const struct training_input *input)
{
	if (input->model.kind == MODEL_GENERIC)
		return "scaling laws of language models (E12) do not hold for models that are not transformers";
	if (!model_is_causal(&input->model))
		return "scaling laws (E12) hold for models that predict the next token, not for an encoder's loss";
	if (input->request.fine_tuning.method != FINE_TUNING_UNSET)
		return "scaling laws (E12) hold for training from random weights, not for fine-tuning of a trained model";
	return NULL;
}

static void fill_compute_optimal(const struct stage_schedule *schedule, struct training_plan *plan)
{
	const char *unknown = scaling_unknown(schedule->input);
	const struct scaling_law *law = scaling_law_named(NULL);
	double params = schedule->input->model.params_active, epochs = given_or(schedule->input->request.epochs, 1);
	struct scaling_judgement judged = scaling_judge(law, params, schedule->tokens_total / epochs, epochs);
	int length;

	if (unknown) {
		plan->compute_optimal.tokens_optimal = plan->compute_optimal.params_optimal = plan->compute_optimal.predicted_loss = ABSENT_NUMBER;
		plan->compute_optimal.flops_per_percent_loss = plan->compute_optimal.tokens_effective = plan->compute_optimal.compute_factor =
			ABSENT_NUMBER;
		plan->compute_optimal.verdict = VERDICT_UNSET;
		snprintf(plan->compute_optimal.detail, sizeof plan->compute_optimal.detail, "%s", unknown);
		return;
	}
	plan->compute_optimal.tokens_optimal = judged.best.tokens;
	plan->compute_optimal.params_optimal = judged.best.params;
	plan->compute_optimal.predicted_loss = judged.loss;
	plan->compute_optimal.flops_per_percent_loss = scaling_flops_per_percent_loss(law, judged.compute_flops);
	plan->compute_optimal.tokens_effective = judged.tokens_effective;
	plan->compute_optimal.compute_factor = judged.compute_factor;
	plan->compute_optimal.verdict = judged.verdict;
	length = snprintf(plan->compute_optimal.detail, sizeof plan->compute_optimal.detail,
		"%.3g tokens per parameter; the same compute is best spent on %.3g parameters and %.3g tokens (%.3g each), E13 with the Epoch fit%s",
		judged.tokens_total / params, judged.best.params, judged.best.tokens, judged.best.tokens / judged.best.params,
		judged.verdict == VERDICT_COMPUTE_INEFFICIENT    ? "; the model is large for its data"
			: judged.verdict == VERDICT_DATA_INEFFICIENT ? "; the model is small for its data, which makes it cheaper to serve"
														 : "");
	if (judged.tokens_effective < 0.98 * judged.tokens_total)
		snprintf(plan->compute_optimal.detail + length, sizeof plan->compute_optimal.detail - (size_t)length,
			"; repeated tokens teach less: these are worth %.3g new ones (E19)", judged.tokens_effective);
}

/* Explains the effect of a batch on the learning rate, and where it ends. */
static void batch_explain(enum optimizer optimizer, struct training_plan *plan)
{
	double over = plan->batch.global_batch_tokens / plan->batch.critical_batch_tokens;

	snprintf(plan->batch.detail, sizeof plan->batch.detail, "%s, from the batch that would be chosen; %s",
		optimizer == OPTIMIZER_SGD
			? "SGD: the rate is proportional to the batch, after a warm-up (Goyal et al. 2017), while steps are noise-dominated"
			: "Adam and variants: the rate is proportional to the root of the batch, 1 - beta to the batch (Malladi et al. 2022), while steps are noise-dominated",
		!is_given(over) ? "up to a critical batch, which no law gives here: measure the noise of the gradients (McCandlish et al. 2018)"
			: over > 1  ? "this batch is above the critical one, where tokens teach less: learning_rate_scale is the critical batch's"
						: "this batch is below the critical one, up to which that holds");
}

static void fill_batch(const struct stage_schedule *schedule, const struct candidate_plan *candidate_plan, struct training_plan *plan)
{
	const struct training_input *input = schedule->input;
	double batch = candidate_plan->found.step.samples, sequence = schedule->stages[candidate_plan->main_stage].sequence;
	const struct parallelism *layout = &candidate_plan->found.layout;
	const char *source;
	double usual = batch_choose_samples(
		input, schedule->stages[candidate_plan->main_stage].tokens, sequence, plan->compute_optimal.predicted_loss, &source);

	if (schedule->stages[candidate_plan->main_stage].batch_source) {
		findings_assume_number(&plan->findings, "global_batch_size", batch, schedule->stages[candidate_plan->main_stage].batch_source);
		usual = batch; /* chosen batches are rounded to whole micro-batches */
	}
	plan->batch.global_batch_tokens = batch * sequence;
	plan->batch.micro_batch = layout->micro_batch;
	plan->batch.gradient_accumulation_steps = (int64_t)fmax(1, ceil(batch / (double)(layout->data * layout->micro_batch) - 1e-9));
	plan->batch.critical_batch_tokens = batch_critical_tokens(plan->compute_optimal.predicted_loss);
	plan->batch.learning_rate_scale = batch_learning_rate_scale(
		input->request.optimizer, batch, usual, plan->batch.critical_batch_tokens / sequence);
	findings_assume_number(&plan->findings, "batch.learning_rate_scale", plan->batch.learning_rate_scale,
		"E44: relative to the batch that would be chosen, up to the critical batch; square root for Adam and its variants (Malladi et al. 2022), linear for SGD (Goyal et al. 2017)");
	batch_explain(input->request.optimizer, plan);
}

/* Plans each stage alone, as fleet_candidate_plan() does in the sum. */
static void fill_stages(const struct stage_schedule *schedule, const struct candidate_plan *best, struct training_plan *plan)
{
	struct search_counts counts = {0};
	struct stage_schedule one = *schedule;
	struct candidate_plan candidate_plan;

	plan->stage_count = 0;
	one.stage_count = 1;
	for (size_t i = 0; i < schedule->stage_count && schedule->input->request.stages.count > 0; i++) {
		one.stages[0] = schedule->stages[i];
		fleet_candidate_plan(&one, best->candidate, best->gpu_count, &schedule->input->request.parallelism, &candidate_plan, &counts);
		if (!candidate_plan.any)
			continue;
		plan->stages[plan->stage_count++] = (struct stage_plan){.tokens = one.stages[0].tokens,
			.sequence_length = one.stages[0].sequence,
			.global_batch_tokens = candidate_plan.found.step.samples * one.stages[0].sequence,
			.step_time_s = candidate_plan.found.step.time.time_s,
			.wall_clock_hours = candidate_plan.wall_clock_hours,
			.parallelism = candidate_plan.found.layout};
	}
}

static void fill_input(const struct stage_schedule *schedule, const struct candidate_plan *best, struct training_plan *plan)
{
	const struct training_request *request = &schedule->input->request;
	struct input_time time = step_input_time(request, best->found.step.samples, (double)best->gpu_count);
	double step_s = best->found.step.time.time_s - best->found.step.time.input_wait_s;

	plan->input.read_s = is_given(request->input_pipeline.sample_bytes) && is_given(request->input_pipeline.storage_gbs) ? time.read_s
																														 : ABSENT_NUMBER;
	plan->input.decode_s = is_given(request->input_pipeline.cpu_ms_per_sample) ? time.decode_s : ABSENT_NUMBER;
	plan->input.storage_gbs_needed = request->input_pipeline.sample_bytes * best->found.step.samples / step_s / 1e9;
	plan->input.workers_needed = ceil(
		request->input_pipeline.cpu_ms_per_sample * 1e-3 * best->found.step.samples / (step_s * (double)best->gpu_count));
}

static bool is_similar(const struct candidate_plan *other, const struct candidate_plan *best)
{
	double ratio = (double)other->gpu_count / (double)best->gpu_count;

	return other->candidate == best->candidate && ratio < OTHER_NUMBER && ratio > 1 / OTHER_NUMBER;
}

/* Returns the place for one more alternative: the end of the list; of a full list the last that differs little from the
 * best, or the last with the best's accelerator, or the last. */
static size_t replaceable(const struct candidate_plan *const alternatives[], size_t count, size_t limit, const struct candidate_plan *best)
{
	if (count < limit)
		return count;
	for (size_t i = count; i > 0; i--)
		if (is_similar(alternatives[i - 1], best))
			return i - 1;
	for (size_t i = count; i > 0; i--)
		if (alternatives[i - 1]->candidate == best->candidate)
			return i - 1;
	return count - 1;
}

/* Finds the best other provider or region for the recommended accelerators that costs less or emits less. False: none. */
static bool find_elsewhere(const struct stage_schedule *schedule, const struct candidate_plan *best, struct candidate_plan *elsewhere)
{
	enum objective objective = schedule->input->request.common.objective == OBJECTIVE_UNSET ? OBJECTIVE_COST
																							: schedule->input->request.common.objective;
	const struct candidate here = candidate_plan_as_priced(schedule, best);
	struct candidate_plan there = *best;
	bool found = false;

	for (size_t i = 0; i < place_count(schedule, best) && best->priced; i++) {
		struct candidate had;

		if (!place_take(schedule, i, &there) || !there.priced || !place_is_acceptable(schedule, &there))
			continue;
		had = candidate_plan_as_priced(schedule, &there);
		if (offer_same_place(&had.offer, &here.offer) ||
			!(there.total_usd < best->total_usd || there.footprint.carbon.total_kgco2e < best->footprint.carbon.total_kgco2e))
			continue;
		if (!found || fleet_objective(&there, objective) < fleet_objective(elsewhere, objective) ||
			(!(fleet_objective(&there, objective) > fleet_objective(elsewhere, objective)) && there.total_usd < elsewhere->total_usd))
			*elsewhere = there;
		found = true;
	}
	return found;
}

static enum status plan_programme(const struct stage_schedule *schedule, struct training_plan *plan, struct failure *failure)
{
	UNCLEARED struct selection selection; /* not cleared: most of it is a front with a count */
	enum status status = nearest_check_pins(schedule, failure);
	int64_t wanted = schedule->input->request.common.alternatives;
	struct candidate_plan *best = &selection.recommended;
	const struct candidate_plan *alternatives[TRAINING_OPTIONS_MAX];
	UNCLEARED struct candidate_plan elsewhere;
	size_t limit = wanted < 0 ? 5 : wanted < TRAINING_OPTIONS_MAX ? (size_t)wanted : TRAINING_OPTIONS_MAX;

	selection.points = plan->front;
	if (status == STATUS_OK)
		status = search_select(schedule, &selection, failure);
	if (status != STATUS_OK)
		return status;
	plan->front_count = front_of_points(plan->front, selection.point_count, FRONT_POINTS_MAX);
	progress_note(schedule->input->progress, SEARCH_SHARE, "advice");
	plan->search.evaluated = selection.counts.evaluated;
	plan->search.feasible = selection.counts.feasible;
	plan->search.elapsed_ms = 0;
	fleet_footprint(schedule, best, &plan->findings);
	training_option_fill(schedule, best, &plan->recommended);
	plan->alternative_count = search_alternatives(schedule, &selection, limit, alternatives);
	if (limit > 2 && find_elsewhere(schedule, best, &elsewhere)) {
		size_t at = replaceable(alternatives, plan->alternative_count, limit, best);

		alternatives[at] = &elsewhere;
		plan->alternative_count += at == plan->alternative_count;
	}
	for (size_t i = 0; i < plan->alternative_count; i++)
		training_option_fill(schedule, alternatives[i], &plan->alternatives[i]);
	plan->confidence_count = selection.curve_count;
	memcpy(plan->confidence_curve, selection.curve, selection.curve_count * sizeof selection.curve[0]);
	plan->uncertainty_count = range_uncertainties(schedule, best, plan->uncertainties);
	fill_compute_optimal(schedule, plan);
	fill_batch(schedule, best, plan);
	fill_input(schedule, best, plan);
	fill_stages(schedule, best, plan);
	training_rule_fill(schedule->input, schedule->tokens_total, schedule->deadline_hours, best->gpu_hours, plan->recommended.mfu,
		plan->recommended.practice.value, &schedule->input->candidates[best->candidate].accelerator, plan);
	remarks_of_sizing(selection.sizing, &plan->findings);
	remarks_of_left(schedule, selection.left, selection.left_count, &plan->findings);
	remarks_fill(schedule, best, plan);
	advice_of_larger(selection.front, selection.front_count, best, plan);
	if (progress_stopped(schedule->input->progress))
		return failure_set(failure, STATUS_CANCELLED, "cancelled before the answer was complete");
	return STATUS_OK;
}

void training_request_complete(const struct training_input *input, const struct training_plan *plan, struct training_request *request)
{
	bool generic = input->model.kind == MODEL_GENERIC, staged = request->stages.count > 0;

	if (input->objective_is_default)
		request->common.objective = OBJECTIVE_UNSET; /* a named objective would choose another number of accelerators (E132, E152) */
	if (!staged && !generic && !is_given(request->sequence_length))
		request->sequence_length = default_sequence(&input->model);
	if (!staged && !is_given(request->global_batch_tokens) && !is_given(request->global_batch_size))
		request->global_batch_size = rint(plan->batch.global_batch_tokens / (generic ? 1 : request->sequence_length));
	if (input->candidate_count != 1)
		return;
	if (request->common.gpus_per_node < 1)
		request->common.gpus_per_node = input->candidates[0].gpus_per_node;
	if (!is_given(request->common.internode_gbs) && input->candidates[0].internode_gbs > 0)
		request->common.internode_gbs = input->candidates[0].internode_gbs;
}

void planner_training_check(const struct training_input *input, struct failure *failure)
{
	struct training_input alone = *input;
	struct stage_schedule schedule = {
		.input = &alone, .physics = &physics_fitted, .practice = &practice_fitted, .confidence = CONFIDENCE_USUAL};
	UNCLEARED struct findings aside;

	alone.candidate_count = 0;
	batches_check(input, failure);
	if (!is_given(input->request.tokens) && input->request.stages.count == 0)
		return;
	findings_clear(&aside);
	schedule_stages(&schedule, &aside);
	(void)nearest_check_pins(&schedule, failure);
}

void stage_schedule_of_input(
	const struct training_input *input, struct model *teacher, struct stage_schedule *schedule, struct findings *findings)
{
	*schedule = (struct stage_schedule){.input = input,
		.physics = &physics_fitted,
		.teacher = input->teacher,
		.practice = input->practice ? input->practice : &practice_fitted,
		.confidence = given_or(input->request.common.confidence, CONFIDENCE_USUAL)};
	if (!schedule->teacher && is_given(input->request.distillation.teacher.params)) {
		model_from_size(teacher, input->request.distillation.teacher.params, input->request.distillation.teacher.params_active);
		schedule->teacher = teacher;
	}
	schedule->deadline_hours = deadline_hours(&input->request);
	schedule_stages(schedule, findings);
}

enum status planner_training(const struct training_input *input, struct training_plan *plan, struct failure *failure)
{
	struct stage_schedule schedule;
	struct model teacher;

	plan->alternative_count = plan->front_count = plan->reservation_count = 0;
	request_check(input, failure);
	if (failure->fault_total > 0)
		return failure->status;
	stage_schedule_of_input(input, &teacher, &schedule, &plan->findings);
	fill_workload(&schedule, plan);
	return plan_programme(&schedule, plan, failure);
}
