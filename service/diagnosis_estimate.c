#include "service/diagnosis_estimate.h"

#include "api/tables/tables.h"
#include "planner/diagnosis/log_curve.h"

/* Warn if the step of a stored plan, planned again, differs by more than this share. */
static const double stored_differs_share = 0.02;

/* A measured step longer or shorter than planned by this factor is more likely a step of another batch size, or one
 * micro-batch. */
static const double other_batch = 4;

static bool has_timings(const struct step_timings *timings)
{
	return is_given(timings->step_time_ms) || is_given(timings->compute_ms) || is_given(timings->optimizer_ms) ||
		is_given(timings->communication_ms) || is_given(timings->exposed_communication_ms) || is_given(timings->host_to_device_ms) ||
		is_given(timings->exposed_host_to_device_ms) || is_given(timings->other_copies_ms) || is_given(timings->data_wait_ms) ||
		is_given(timings->launch_gap_ms) || is_given(timings->pipeline_bubble_ms) || is_given(timings->memory_bandwidth_ms) ||
		is_given(timings->recompute_ms);
}

bool diagnosis_has_training(const struct diagnosis_request *request)
{
	const struct training_request *training = &request->training;

	return training->common.model.id || training->common.model.config.text || is_given(training->common.model.params);
}

/* --- rows into columns -------------------------------------------------------------------------------------------- */

static bool column_make(struct arena *arena, size_t rows, struct number_list *column)
{
	column->items = ARENA_ARRAY(arena, double, rows);
	column->count = 0;
	return column->items != NULL;
}

static void column_add(struct number_list *column, double value)
{
	if (is_given(value))
		column->items[column->count++] = value;
}

static enum status columns_of(struct diagnosis_request *request, struct arena *arena, struct failure *failure)
{
	struct training_log *log = &request->training_log;
	const struct log_rows *rows = &request->training_log_rows;

	if (log->step.count > 0 || log->loss.count > 0) {
		failure_add(failure, "/training_log_rows", "conflict", "give the log in one form: columns in training_log, or rows here");
		return failure->status;
	}
	if (!column_make(arena, rows->count, &log->step) || !column_make(arena, rows->count, &log->loss) ||
		!column_make(arena, rows->count, &log->validation_step) || !column_make(arena, rows->count, &log->validation_loss) ||
		!column_make(arena, rows->count, &log->learning_rate) || !column_make(arena, rows->count, &log->gradient_norm))
		return STATUS_NO_MEMORY;
	for (size_t i = 0; i < rows->count; i++) {
		const struct log_row *row = &rows->items[i];

		column_add(&log->step, row->step);
		column_add(&log->loss, row->loss);
		column_add(&log->learning_rate, row->learning_rate);
		column_add(&log->gradient_norm, row->gradient_norm);
		if (is_given(row->validation_loss)) {
			column_add(&log->validation_step, row->step);
			column_add(&log->validation_loss, row->validation_loss);
		}
	}
	return STATUS_OK;
}

/* Drops columns that only some rows have. */
static void columns_of_all(struct training_log *log)
{
	if (log->learning_rate.count != log->step.count)
		log->learning_rate.count = 0;
	if (log->gradient_norm.count != log->step.count)
		log->gradient_norm.count = 0;
}

static enum status diagnose_the_log(
	struct diagnosis_request *request, struct diagnosis *diagnosis, struct arena *arena, struct failure *failure)
{
	const struct training_log given = request->training_log;
	const struct diagnosis_context *context = &request->context;
	struct log_room *room = arena_alloc_uncleared(arena, sizeof *room);
	enum status status = room ? STATUS_OK : STATUS_NO_MEMORY;

	if (status == STATUS_OK && request->training_log_rows.count > 0) {
		status = columns_of(request, arena, failure);
		columns_of_all(&request->training_log);
	}
	if (!is_given(request->usd_per_step) && diagnosis->has_step && context->gpu_count > 0)
		request->usd_per_step = (double)context->gpu_count * context->usd_per_gpu_hour * diagnosis->timings.step_time_ms / 3.6e6;
	if (status == STATUS_OK)
		status = diagnose_log(request, room, diagnosis, failure);
	request->training_log = given; /* the answer repeats the request unchanged */
	return status;
}

/* --- the plan to compare ------------------------------------------------------------------------------------------- */

/* Puts "/training" before the pointers of the nested request's faults. */
static void move_faults(struct failure *failure, size_t from)
{
	for (size_t i = from; i < failure->fault_count; i++) {
		char pointer[FAULT_POINTER_MAX];

		snprintf(pointer, sizeof pointer, "/training%.*s", (int)(sizeof pointer - sizeof "/training"), failure->faults[i].pointer);
		memcpy(failure->faults[i].pointer, pointer, sizeof pointer);
	}
}

/* Takes the number of accelerators and their price from the plan if the request leaves them out. */
static void context_of_option(const struct training_option *option, struct diagnosis_context *context)
{
	if (context->gpu_count <= 0)
		context->gpu_count = option->gpu_count;
	context->usd_per_gpu_hour = given_or(context->usd_per_gpu_hour, option->cost.usd_per_gpu_hour);
}

static bool allows_accelerator(const struct training_request *training, const char *accelerator)
{
	const struct accelerator_reference_list *list = &training->common.accelerators;

	for (size_t i = 0; i < list->count; i++)
		if (!list->items[i].id || strcmp(list->items[i].id, accelerator) == 0)
			return list->items[i].id != NULL;
	return list->count == 0;
}

/* Restricts the stored request to the recommended accelerators, so that the levers apply to that plan and not to an
 * alternative. */
static void restrict_to_option(const struct training_option *option, struct training_request *training)
{
	training->common.gpu_count = option->gpu_count;
	if (training->common.alternatives == 0)
		training->common.alternatives = 1; /* 0: no levers */
	if (training->common.accelerator.id || training->common.accelerator.like || !option->accelerator.id ||
		!allows_accelerator(training, option->accelerator.id))
		return;
	training->common.accelerators.count = 0;
	training->common.accelerator.id = option->accelerator.id;
}

/* Plans `training`, with the measured step if there is one. */
static enum status plan_beside(struct estimate *estimate, const struct catalogue *catalogue, struct diagnosis_request *request,
	const struct measured_step *measured, const struct training_plan **plan)
{
	struct estimate other = {
		.kind = &estimate_training, .arena = estimate->arena, .failure = estimate->failure, .request = &request->training, .measured = measured};
	size_t before = estimate->failure->fault_count;
	enum status status = estimate_compute(&other, catalogue, estimate->computed_at_us);

	if (status != STATUS_OK) {
		move_faults(estimate->failure, before);
		return status;
	}
	*plan = other.result;
	request->training = *(const struct training_request *)other.request;
	context_of_option(&(*plan)->recommended, &request->context);
	return STATUS_OK;
}

/* Plans a stored plan again. Warns if it cannot be planned any more or differs: the stored figures stay. */
static enum status plan_stored(struct estimate *estimate, const struct catalogue *catalogue, struct diagnosis_request *request,
	const struct measured_step *measured, struct diagnosis *diagnosis, const struct training_plan **plan)
{
	const struct training_option *option = &request->stored->option;
	enum status status;
	double ratio;

	context_of_option(option, &request->context);
	restrict_to_option(option, &request->training);
	status = plan_beside(estimate, catalogue, request, measured, plan);
	if (status == STATUS_NO_MEMORY)
		return status;
	if (status != STATUS_OK) {
		findings_warn(
			&diagnosis->findings, "the stored plan can't be planned again; the levers use only the timings: %s", estimate->failure->detail);
		failure_clear(estimate->failure);
		return STATUS_OK;
	}
	ratio = (*plan)->recommended.step.time_s / option->step.time_s;
	if (fabs(ratio - 1) > stored_differs_share)
		findings_warn(&diagnosis->findings,
			"planned again today, the stored plan's step takes %.4g ms instead of %.4g ms; the levers start from %.4g ms",
			1000 * (*plan)->recommended.step.time_s, 1000 * option->step.time_s, 1000 * (*plan)->recommended.step.time_s);
	return STATUS_OK;
}

static enum status plan_for(
	struct estimate *estimate, const struct catalogue *catalogue, struct diagnosis *diagnosis, const struct training_plan **plan)
{
	struct diagnosis_request *request = estimate->request;
	struct measured_step *measured = NULL;

	if (request->stored ? estimate->failure->fault_total > 0 : !diagnosis_has_training(request))
		return STATUS_OK;
	if (diagnosis->has_step) {
		measured = ARENA_NEW(estimate->arena, struct measured_step);
		if (!measured)
			return STATUS_NO_MEMORY;
		*measured = diagnose_measured(diagnosis);
	}
	return request->stored ? plan_stored(estimate, catalogue, request, measured, diagnosis, plan)
						   : plan_beside(estimate, catalogue, request, measured, plan);
}

/* --- the step ----------------------------------------------------------------------------------------------------------- */

static void warn_of_trace(struct diagnosis *diagnosis)
{
	if (diagnosis->trace.cpu_only == TRUTH_TRUE)
		findings_warn(&diagnosis->findings, "%s",
			"the trace has no kernels: compute time is the time of CPU operators, without the accelerator's work; "
			"record ProfilerActivity.CUDA as well");
	if (diagnosis->trace.devices > 1)
		findings_warn(&diagnosis->findings, "kernels of %.0f accelerators are added up; trace one process for each accelerator",
			diagnosis->trace.devices);
	if (diagnosis->trace.step_count == 0)
		findings_warn(&diagnosis->findings, "%s",
			"the trace marks no steps; the whole trace is diagnosed as one step. Call profiler.step() after each step");
}

static enum status diagnose_the_step(struct diagnosis_request *request, struct diagnosis *diagnosis, struct failure *failure)
{
	enum status status;

	if (request->traced) {
		diagnosis->trace = request->traced->summary;
		diagnosis->has_trace = true;
	}
	status = diagnose_timings(request->traced ? &request->traced->mean : &request->timings, diagnosis, failure);
	if (status == STATUS_OK && diagnosis->has_trace)
		warn_of_trace(diagnosis);
	if (status == STATUS_OK && !request->traced && is_given(request->timings.host_to_device_ms) &&
		is_given(request->timings.exposed_host_to_device_ms))
		findings_warn(
			&diagnosis->findings, "timings.host_to_device_ms is not used: exposed_host_to_device_ms is the part that the step waits for");
	return status;
}

/* Adds the assumption that the hours and USD of the levers contain, beside the measured step. */
static void assume_practice(const struct practice *practice, struct findings *findings)
{
	if (practice->part_count > 0)
		findings_assume_figure(findings,
			&(struct figure){.field = "practice",
				.value = practice->value,
				.low = practice->low,
				.high = practice->high,
				.source = "E131: the measured step includes losses of software and layout; hours and USD of the levers are its own times the remaining losses, evaluation and restarts",
				.status = PROVENANCE_DERIVED});
}

/* Compares the step with the plan, and computes the levers. */
static void judge_the_step(const struct diagnosis_request *request, const struct training_plan *plan, struct diagnosis *diagnosis)
{
	if (plan)
		assume_practice(&plan->recommended.practice, &diagnosis->findings);
	if (request->stored || plan)
		diagnose_compare(request->stored ? &request->stored->option : &plan->recommended, diagnosis);
	if (diagnosis->has_prediction && !(diagnosis->prediction.ratio < other_batch && diagnosis->prediction.ratio > 1 / other_batch))
		findings_warn(&diagnosis->findings, "%s",
			"the measured step differs from the planned one by more than a factor of 4; give the time of a whole optimizer step, with all its micro-batches, of the same global batch");
	diagnosis->prediction.revision = request->stored ? request->stored->revision : ABSENT_COUNT;
	diagnose_levers(&request->context, plan ? &plan->findings : NULL, diagnosis);
}

/* Rejects a request without data, and parts that exclude each other. */
static enum status check_parts(const struct diagnosis_request *request, bool step, bool log, struct failure *failure)
{
	size_t before = failure->fault_total;

	if (!step && !log)
		failure_add(failure, "", "required", "needs timings, a training_log or a profiler's trace (an object with traceEvents)");
	if (request->traced && has_timings(&request->timings))
		failure_add(failure, "/timings", "conflict", "the trace already has the timings; give either timings or a trace");
	if (failure->fault_total > before)
		return failure->status;
	return STATUS_OK;
}

/* True after success or faults: the other parts are checked too, so that one answer reports all faults. */
static bool can_continue(enum status status)
{
	return status == STATUS_OK || status == STATUS_INVALID;
}

static enum status summarize_all(struct failure *failure)
{
	failure->detail[0] = '\0'; /* it has the number of earlier faults */
	failure_summarize(failure);
	return STATUS_INVALID;
}

enum status diagnosis_compute(struct estimate *estimate, const struct catalogue *catalogue)
{
	struct diagnosis_request *request = estimate->request;
	struct diagnosis *diagnosis = ARENA_NEW(estimate->arena, struct diagnosis);
	const struct training_plan *plan = NULL;
	bool step = request->traced || has_timings(&request->timings);
	bool log = request->training_log.step.count > 0 || request->training_log.loss.count > 0 || request->training_log_rows.count > 0;
	enum status status = diagnosis ? check_parts(request, step, log, estimate->failure) : STATUS_NO_MEMORY;

	if (status != STATUS_OK)
		return status;
	diagnosis->source = request->traced ? "trace" : step ? "timings" : "training_log";
	diagnosis->efficiency = ABSENT_NUMBER;
	if (step)
		status = diagnose_the_step(request, diagnosis, estimate->failure);
	if (can_continue(status))
		status = plan_for(estimate, catalogue, diagnosis, &plan);
	if (status == STATUS_OK && step && estimate->failure->fault_total == 0)
		judge_the_step(request, plan, diagnosis);
	if (can_continue(status) && log)
		status = diagnose_the_log(request, diagnosis, estimate->arena, estimate->failure);
	estimate->result = diagnosis;
	return can_continue(status) && estimate->failure->fault_total > 0 ? summarize_all(estimate->failure) : status;
}
