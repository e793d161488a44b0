/* The estimate behind POST /v1/diagnoses: timings, trace and log judged, and the plan that they are put beside. */
#include "service/diagnosis_estimate.h"

#include "api/tables/tables.h"
#include "planner/diagnosis/log_curve.h"

/* A stored plan that is planned again may come out a little differently; beyond this it is said. */
static const double stored_differs_share = 0.02;

/* A step this many times as long or as short as planned is more likely another batch, or one micro-batch of it, than a surprise. */
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
		failure_add(failure, "/training_log_rows", "conflict", "give the log as columns in training_log, or as rows here");
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

/* Columns that only some rows have say nothing about all of them. */
static void columns_of_all(struct training_log *log)
{
	if (log->learning_rate.count != log->step.count)
		log->learning_rate.count = 0;
	if (log->gradient_norm.count != log->step.count)
		log->gradient_norm.count = 0;
}

static enum status diagnose_the_log(struct diagnosis_request *request, struct diagnosis *diagnosis, struct arena *arena, struct failure *failure)
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
	request->training_log = given; /* answered as it was sent */
	return status;
}

/* --- the plan beside it --------------------------------------------------------------------------------------------- */

/* Faults of the nested request stand where it does. */
static void move_faults(struct failure *failure, size_t from)
{
	for (size_t i = from; i < failure->fault_count; i++) {
		char pointer[FAULT_POINTER_MAX];

		snprintf(pointer, sizeof pointer, "/training%.*s", (int)(sizeof pointer - sizeof "/training"), failure->faults[i].pointer);
		memcpy(failure->faults[i].pointer, pointer, sizeof pointer);
	}
}

/* Price and number of accelerators where the request leaves them out. */
static void context_of_option(const struct training_option *option, struct diagnosis_context *context)
{
	if (context->gpu_count <= 0)
		context->gpu_count = option->gpu_count;
	context->usd_per_gpu_hour = given_or(context->usd_per_gpu_hour, option->cost.usd_per_gpu_hour);
}

static bool names(const struct training_request *training, const char *accelerator)
{
	const struct accelerator_reference_list *list = &training->common.accelerators;

	for (size_t i = 0; i < list->count; i++)
		if (!list->items[i].id || strcmp(list->items[i].id, accelerator) == 0)
			return list->items[i].id != NULL;
	return list->count == 0;
}

/* The stored request on what was recommended, so that levers are pulled on that plan and not on another one that it had to choose from. */
static void settle_on(const struct training_option *option, struct training_request *training)
{
	training->common.gpu_count = option->gpu_count;
	if (training->common.alternatives == 0)
		training->common.alternatives = 1; /* 0 leaves the levers out */
	if (training->common.accelerator.id || training->common.accelerator.like || !option->accelerator.id || !names(training, option->accelerator.id))
		return;
	training->common.accelerators.count = 0;
	training->common.accelerator.id = option->accelerator.id;
}

/* Plans `training`, with the measured step where there is one. */
static enum status plan_beside(struct estimate *estimate, const struct catalogue *catalogue, struct diagnosis_request *request,
	const struct measured_step *measured, const struct training_plan **plan)
{
	struct estimate other = {.kind = &estimate_training, .arena = estimate->arena, .failure = estimate->failure, .request = &request->training,
		.measured = measured};
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

/* A stored plan stands as it is: that it can no longer be planned, or otherwise, is a warning. */
static enum status plan_stored(struct estimate *estimate, const struct catalogue *catalogue, struct diagnosis_request *request,
	const struct measured_step *measured, struct diagnosis *diagnosis, const struct training_plan **plan)
{
	const struct training_option *option = &request->stored->option;
	enum status status;
	double ratio;

	context_of_option(option, &request->context);
	settle_on(option, &request->training);
	status = plan_beside(estimate, catalogue, request, measured, plan);
	if (status == STATUS_NO_MEMORY)
		return status;
	if (status != STATUS_OK) {
		findings_warn(&diagnosis->findings, "the stored plan can't be planned again, so that levers are told by the timings alone: %s", estimate->failure->detail);
		failure_clear(estimate->failure);
		return STATUS_OK;
	}
	ratio = (*plan)->recommended.step.time_s / option->step.time_s;
	if (fabs(ratio - 1) > stored_differs_share)
		findings_warn(&diagnosis->findings, "planned again today, the stored plan's step takes %.4g ms instead of %.4g: levers start from that", 1000 * (*plan)->recommended.step.time_s,
			1000 * option->step.time_s);
	return STATUS_OK;
}

static enum status plan_for(struct estimate *estimate, const struct catalogue *catalogue, struct diagnosis *diagnosis, const struct training_plan **plan)
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
	return request->stored ? plan_stored(estimate, catalogue, request, measured, diagnosis, plan) : plan_beside(estimate, catalogue, request, measured, plan);
}

/* --- the step ----------------------------------------------------------------------------------------------------------- */

static void warn_of_trace(struct diagnosis *diagnosis)
{
	if (diagnosis->trace.cpu_only == TRUTH_TRUE)
		findings_warn(&diagnosis->findings, "%s", "the trace holds no kernels: computing is the time of operators on the CPU, and what an accelerator does is not seen; "
			"record ProfilerActivity.CUDA as well");
	if (diagnosis->trace.devices > 1)
		findings_warn(&diagnosis->findings, "kernels of %.0f accelerators are taken together: trace one process for each", diagnosis->trace.devices);
	if (diagnosis->trace.step_count == 0)
		findings_warn(&diagnosis->findings, "%s", "the trace marks no steps (profiler.step()): all of it is diagnosed as one");
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
	if (status == STATUS_OK && !request->traced && is_given(request->timings.host_to_device_ms) && is_given(request->timings.exposed_host_to_device_ms))
		findings_warn(&diagnosis->findings, "timings.host_to_device_ms is not used: exposed_host_to_device_ms says what of it the step waits for");
	return status;
}

/* What hours and dollars of the levers count beside the measured step. */
static void assume_practice(const struct practice *practice, struct findings *findings)
{
	if (practice->part_count > 0)
		findings_assume_figure(findings, &(struct figure){.field = "practice", .value = practice->value, .low = practice->low, .high = practice->high,
			.source = "E131: the measured step has software and layout in it; hours and USD of the levers are its own times what is left, evaluation and restarts",
			.status = PROVENANCE_DERIVED});
}

/* The step beside what was planned, and what to change. */
static void judge_the_step(const struct diagnosis_request *request, const struct training_plan *plan, struct diagnosis *diagnosis)
{
	if (plan)
		assume_practice(&plan->recommended.practice, &diagnosis->findings);
	if (request->stored || plan)
		diagnose_compare(request->stored ? &request->stored->option : &plan->recommended, diagnosis);
	if (diagnosis->has_prediction && !(diagnosis->prediction.ratio < other_batch && diagnosis->prediction.ratio > 1 / other_batch))
		findings_warn(&diagnosis->findings, "%s", "the measured step is far from the planned one: compare a whole optimizer step, all micro-batches of it, of the same global batch");
	diagnosis->prediction.revision = request->stored ? request->stored->revision : ABSENT_COUNT;
	diagnose_levers(&request->context, plan ? &plan->findings : NULL, diagnosis);
}

/* What was sent beside each other and cannot be. */
static enum status check_parts(const struct diagnosis_request *request, bool step, bool log, struct failure *failure)
{
	size_t before = failure->fault_total;

	if (!step && !log)
		failure_add(failure, "", "missing", "needs timings, a training_log, or a profiler's trace (an object with traceEvents)");
	if (request->traced && has_timings(&request->timings))
		failure_add(failure, "/timings", "conflict", "the trace has timings of its own: give one of the two");
	if (failure->fault_total > before)
		return failure->status;
	return STATUS_OK;
}

/* After faults the rest is looked through all the same, so that they are told at once. */
static bool goes_on(enum status status)
{
	return status == STATUS_OK || status == STATUS_INVALID;
}

static enum status told_all(struct failure *failure)
{
	failure->detail[0] = '\0'; /* it told how many there were before */
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
	if (goes_on(status))
		status = plan_for(estimate, catalogue, diagnosis, &plan);
	if (status == STATUS_OK && step && estimate->failure->fault_total == 0)
		judge_the_step(request, plan, diagnosis);
	if (goes_on(status) && log)
		status = diagnose_the_log(request, diagnosis, estimate->arena, estimate->failure);
	estimate->result = diagnosis;
	return goes_on(status) && estimate->failure->fault_total > 0 ? told_all(estimate->failure) : status;
}
