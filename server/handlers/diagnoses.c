/* POST /v1/diagnoses: diagnoses the trace and the request that the body's reader has read. */
#include "api/stored_plan.h"
#include "api/tables/tables.h"
#include "server/diagnosis_body.h"
#include "server/handlers.h"
#include "server/plan_answer.h"
#include "server/scope.h"
#include "server/server.h"
#include "service/diagnosis_estimate.h"
#include "storage/plans.h"

/* Replaces the trace in the answer by its number of rows and its digest, which identify it. */
static enum status echo_trace(struct call *call, const struct diagnosis_body *body, double rows, struct json_text *trace)
{
	char digest[2 * sizeof body->digest + 1];

	sodium_bin2hex(digest, sizeof digest, body->digest, sizeof body->digest);
	trace->text = arena_printf(&call->arena, "{\"rows\":%.0f,\"sha256\":\"%s\"}", rows, digest);
	trace->length = trace->text ? strlen(trace->text) : 0;
	return trace->text ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status summarize_trace(struct call *call, struct diagnosis_body *body, struct diagnosis_request *request)
{
	struct traced_run *traced = ARENA_NEW(&call->arena, struct traced_run);
	enum status status;

	if (!traced)
		return STATUS_NO_MEMORY;
	status = trace_reader_summarize(body->reader, &traced->summary, &traced->mean, &call->failure);
	if (status == STATUS_OK)
		status = echo_trace(call, body, traced->summary.events, &request->trace);
	request->traced = traced;
	return status;
}

/* A field of the query applies if the body leaves it out. */
static enum status take_query(struct call *call, struct diagnosis_context *context)
{
	struct diagnosis_context query;
	enum status status = record_decode_query(&table_diagnosis_query, call->query, call->query_count, &call->arena, &query, &call->failure);

	if (status != STATUS_OK)
		return status;
	context->gpu_count = context->gpu_count > 0 ? context->gpu_count : query.gpu_count;
	context->usd_per_gpu_hour = given_or(context->usd_per_gpu_hour, query.usd_per_gpu_hour);
	context->steps_remaining = given_or(context->steps_remaining, query.steps_remaining);
	return STATUS_OK;
}

/* Makes a stored plan the prediction: its request as `training`, its recommended option as stored. */
static enum status take_plan(struct call *call, struct diagnosis_request *request)
{
	struct estimate planned = {.kind = &estimate_training, .arena = &call->arena, .failure = &call->failure};
	struct stored_plan *stored = ARENA_NEW(&call->arena, struct stored_plan);
	struct plan_record record;
	enum status status;

	if (!stored)
		return STATUS_NO_MEMORY;
	if (diagnosis_has_training(request)) {
		failure_add(&call->failure, "/plan_id", "conflict", "give plan_id or a training to plan, not both");
		return call->failure.status;
	}
	status = scope_plan_get(call, request->plan_id, ABSENT_COUNT, &record);
	if (status == STATUS_NOT_FOUND) {
		failure_clear(&call->failure);
		failure_add(&call->failure, "/plan_id", "unknown", "no plan %s; GET /v1/plans lists the plans", request->plan_id);
	} else if (status == STATUS_OK && strcmp(record.kind, "training") != 0) {
		failure_add(&call->failure, "/plan_id", "unsuitable", "this plan is for inference; give a training plan");
	}
	if (call->failure.fault_total > 0)
		return call->failure.status;
	if (status == STATUS_OK)
		status = estimate_decode(&planned, record.request.text, record.request.length);
	if (status == STATUS_OK)
		status = api_stored_option(&record.result, &call->arena, &stored->option, &call->failure);
	if (status != STATUS_OK)
		return status;
	request->training = *(const struct training_request *)planned.request;
	stored->revision = record.revision;
	request->stored = stored;
	return STATUS_OK;
}

enum status handle_diagnosis(struct call *call)
{
	struct estimate estimate = {.kind = &estimate_diagnosis, .arena = &call->arena, .failure = &call->failure};
	struct plan_record *record = ARENA_NEW(&call->arena, struct plan_record);
	struct diagnosis_body *body = call->streamed;
	const struct buffer *text = trace_reader_request(body->reader);
	struct diagnosis_request *request;
	enum status status = record ? STATUS_OK : STATUS_NO_MEMORY;

	if (status == STATUS_OK)
		status = estimate_decode(&estimate, text ? text->bytes : "{}", text ? text->length : 2);
	request = estimate.request;
	if (status == STATUS_OK)
		status = take_query(call, &request->context);
	if (status == STATUS_OK && trace_reader_has_events(body->reader))
		status = summarize_trace(call, body, request);
	if (status == STATUS_OK && request->plan_id) {
		status = take_plan(call, request);
		if (status == STATUS_INVALID) /* the measurements are still checked, so that one answer reports all faults */
			status = STATUS_OK;
	}
	if (status == STATUS_OK)
		status = plan_compute(call, &estimate, record);
	return status == STATUS_OK ? plan_answer(call, estimate_envelope(estimate.kind), record, false) : status;
}
