#include "server/plan_recompute.h"

#include "server/inference_body.h"
#include "server/plan_answer.h"
#include "server/server.h"
#include "service/site_hours.h"

/* Takes the site's hours from the stored request, with which the content was computed: feeds have stored other hours
 * since. */
static enum status take_stored_hours(const struct recomputation *it, struct estimate *estimate)
{
	struct failure unread;
	struct estimate stored = {.kind = estimate->kind, .arena = it->arena, .failure = &unread};
	struct site_request *site = estimate_site(estimate), *then;

	if (!site || site->start_us <= 0 || site->series.gco2e_per_kwh.count > 0)
		return STATUS_OK;
	failure_clear(&unread);
	if (estimate_decode(&stored, it->old->request.text, it->old->request.length) == STATUS_NO_MEMORY)
		return failure_set(&it->call->failure, STATUS_NO_MEMORY, "no memory to read a stored request");
	then = unread.status == STATUS_OK ? estimate_site(&stored) : NULL;
	if (!then)
		return STATUS_OK; /* a stored trace is only a digest */
	site->series = then->series;
	estimate->hours_settled = true;
	return STATUS_OK;
}

static enum status recompute_decoded(const struct recomputation *it, struct estimate *estimate, struct plan_record *record)
{
	int64_t as_of_us;
	enum status status = estimate_as_of(estimate, &as_of_us);

	if (status == STATUS_OK && it->catalogue)
		status = take_stored_hours(it, estimate);
	if (status != STATUS_OK)
		return status;
	if (!it->catalogue || as_of_us)
		return plan_compute(it->call, estimate, record);
	estimate->progress = call_progress(it->call);
	if (estimate_site(estimate) && !estimate->hours_settled)
		status = site_hours_fill(it->call->server->storage, it->catalogue, it->arena, estimate_site(estimate), &it->call->failure);
	if (status == STATUS_OK)
		status = estimate_compute(estimate, it->catalogue, it->now_us);
	return status == STATUS_OK ? estimate_record(estimate, record) : status;
}

/* Reads a stored request with the reader of its first time: its trace becomes rows that outlive the text. */
static enum status recompute_inference(
	const struct recomputation *it, struct estimate *estimate, const struct json_text *asked, struct plan_record *record)
{
	struct call *call = it->call;
	struct body_sink sink;
	enum status status = inference_body_open(&sink, &call->failure);

	if (status != STATUS_OK)
		return status;
	status = sink.receive(sink.state, asked->text, asked->length, &call->failure);
	if (status == STATUS_OK)
		status = sink.end(sink.state, &call->failure);
	if (status == STATUS_OK)
		status = inference_body_decode(sink.state, estimate);
	if (status == STATUS_OK)
		status = recompute_decoded(it, estimate, record);
	sink.release(sink.state);
	return status;
}

enum status plan_recompute(const struct recomputation *it, struct plan_record *record)
{
	const struct plan_record *old = it->old;
	struct estimate estimate = {
		.kind = estimate_kind_of_plan(old->kind), .arena = it->arena, .failure = &it->call->failure, .plan_id = old->id};
	const struct json_text *asked = old->asked.text ? &old->asked : &old->request;
	enum status status;

	if (!estimate.kind)
		return STATUS_INTERNAL;
	if (estimate.kind == &estimate_inference)
		return recompute_inference(it, &estimate, asked, record);
	status = estimate_decode(&estimate, asked->text, asked->length);
	return status == STATUS_OK ? recompute_decoded(it, &estimate, record) : status;
}

enum status plan_catalogue_of_then(struct call *call, const struct plan_record *plan, struct catalogue **catalogue)
{
	int64_t calibrations = plan->calibration_revision > 0 ? plan->calibration_revision : 0;

	return server_catalogue_of_revisions(call->server, plan->catalogue_revision, calibrations, catalogue, &call->failure);
}
