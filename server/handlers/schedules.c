/* POST /v1/schedules: finds the time and place with the lowest objective for a job. */
#include "api/stored_plan.h"
#include "api/tables/tables.h"
#include "base/clock.h"
#include "server/handlers.h"
#include "server/plan_answer.h"
#include "server/scope.h"
#include "server/server.h"
#include "service/grid_series.h"
#include "service/schedule_estimate.h"
#include "storage/plans.h"

/* Reads the plan at a time (0: now): its newest content that was computed by then. */
static enum status plan_of_then(struct call *call, const char *id, int64_t as_of_us, struct plan_record *record)
{
	struct plan_list list = {.count = 0};
	int64_t revision = ABSENT_COUNT;
	enum status status = as_of_us ? storage_plan_revisions(call->server->storage, id, &call->arena, &list, &call->failure) : STATUS_OK;

	for (size_t i = list.count; i > 0 && status == STATUS_OK; i--) /* the list begins with the newest */
		if (list.items[i - 1].computed_at_us <= as_of_us)
			revision = list.items[i - 1].revision;
	if (status == STATUS_OK && as_of_us && revision == ABSENT_COUNT)
		return STATUS_NOT_FOUND;
	return status == STATUS_OK ? scope_plan_get(call, id, revision, record) : status;
}

/* Takes hours and power from a stored plan if the request leaves them out. */
static enum status take_plan(struct call *call, struct schedule_request *request, int64_t as_of_us)
{
	struct training_option *option = ARENA_NEW(&call->arena, struct training_option);
	struct plan_record record;
	enum status status;

	if (!option)
		return STATUS_NO_MEMORY;
	status = plan_of_then(call, request->plan_id, as_of_us, &record);
	if (status == STATUS_NOT_FOUND) {
		failure_clear(&call->failure);
		failure_add(&call->failure, "/plan_id", "unknown", "no plan %s%s; GET /v1/plans lists the plans", request->plan_id,
			as_of_us ? " at that time" : "");
		return STATUS_INVALID;
	}
	if (status == STATUS_OK && strcmp(record.kind, "training") != 0) {
		failure_add(&call->failure, "/plan_id", "unsuitable", "this plan is for inference, which cannot be postponed; give a training plan");
		return STATUS_INVALID;
	}
	if (status == STATUS_OK)
		status = api_stored_option(&record.result, &call->arena, option, &call->failure);
	if (status != STATUS_OK)
		return status;
	request->hours = given_or(request->hours, option->wall_clock_hours);
	request->mean_kw = given_or(request->mean_kw, option->energy.total_kwh / option->wall_clock_hours);
	return STATUS_OK;
}

enum status handle_schedule(struct call *call)
{
	struct estimate estimate = {.kind = &estimate_schedule, .arena = &call->arena, .failure = &call->failure};
	struct plan_record *record = ARENA_NEW(&call->arena, struct plan_record);
	struct schedule_request *request;
	struct catalogue *past = NULL;
	int64_t as_of_us = 0;
	enum status status = record ? STATUS_OK : STATUS_NO_MEMORY;

	if (status == STATUS_OK)
		status = estimate_decode(&estimate, call->body, call->body_length);
	request = estimate.request;
	if (status == STATUS_OK)
		status = estimate_as_of(&estimate, &as_of_us);
	if (status == STATUS_OK && as_of_us)
		status = server_catalogue_as_of(call->server, as_of_us, &past, &call->failure);
	if (status == STATUS_OK && request->plan_id)
		status = take_plan(call, request, as_of_us);
	if (status == STATUS_OK)
		status = grid_series_fill(call->server->storage, past ? past : call_catalogue(call), as_of_us ? as_of_us : clock_wall_us(),
			&call->arena, request, &call->failure);
	if (past)
		catalogue_release(past);
	if (status == STATUS_OK)
		status = plan_compute(call, &estimate, record);
	return status == STATUS_OK ? plan_answer(call, estimate_envelope(estimate.kind), record, false) : status;
}
