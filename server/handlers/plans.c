/* Plans: stored estimates with their revisions. */
#include "api/tables/tables.h"
#include "base/clock.h"
#include "base/uuid.h"
#include "server/commit.h"
#include "server/handlers.h"
#include "server/handlers/observations.h"
#include "server/handlers/plan_read.h"
#include "server/inference_body.h"
#include "server/plan_answer.h"
#include "server/scope.h"
#include "server/server.h"
#include "service/answer_parts.h"
#include "storage/observations.h"
#include "storage/plans.h"

enum { PLAN_MERGES_MAX = 32 }; /* attempts of one PATCH while other requests write the same plan */

const struct field_table *plan_envelope(const struct plan_record *record)
{
	return strcmp(record->kind, "training") == 0 ? &table_training_plan : &table_inference_plan;
}

/* Answers with the parts that the client wants; the stored plan has all. */
static enum status plan_answer_parts(struct call *call, const struct plan_record *record, unsigned omitted, bool expanded)
{
	const struct field_table *result = strcmp(record->kind, "training") == 0 ? &table_training_result : &table_inference_result;
	struct plan_record narrowed = *record;
	enum status status = STATUS_OK;

	if (omitted && call->accept == MEDIA_JSON)
		status = record_narrow(result, omitted, &call->arena, &narrowed.result, &call->failure);
	return status == STATUS_OK ? plan_answer(call, plan_envelope(record), &narrowed, expanded) : status;
}

/* Decodes the body, and returns its text in *asked for later refreshes. */
static enum status plan_decode(struct call *call, struct estimate *estimate, struct json_text *asked)
{
	const struct inference_body *body = call->streamed;
	enum status status;

	*asked = (struct json_text){.text = call->body, .length = call->body_length};
	if (!body)
		return estimate_decode(estimate, call->body, call->body_length);
	status = inference_body_decode(body, estimate);
	return status == STATUS_OK ? arrival_reader_text(body->reader, asked, &call->failure) : status;
}

static enum status plan_create(
	struct call *call, const struct estimate_kind *kind, const struct idempotency *idempotency, struct storage_job **job)
{
	struct estimate estimate = {.kind = kind, .arena = &call->arena, .failure = &call->failure};
	struct plan_record *record = ARENA_NEW(&call->arena, struct plan_record);
	struct plan_put *put = ARENA_NEW(&call->arena, struct plan_put);
	char *id = arena_alloc(&call->arena, 1, UUID_TEXT_SIZE);
	struct json_text asked;
	enum status status = record && put && id ? STATUS_OK : STATUS_NO_MEMORY;

	if (status == STATUS_OK)
		status = plan_expand(call, &estimate.expand);
	if (status == STATUS_OK)
		status = plan_decode(call, &estimate, &asked);
	if (status == STATUS_INVALID)
		estimate_fault_names(&estimate, call_catalogue(call));
	if (status == STATUS_OK)
		status = plan_compute(call, &estimate, record);
	if (status == STATUS_OK)
		status = scope_label(call, &record->labels);
	if (status != STATUS_OK)
		return status;
	uuid_make(id);
	record->id = id;
	record->created_at_us = record->updated_at_us = record->computed_at_us;
	record->revision = 1;
	record->asked = asked;
	*put = (struct plan_put){.job = {.kind = STORAGE_PLAN_PUT}, .plan = record, .idempotency = idempotency};
	*job = &put->job;
	call_created(call, "/v1/plans/%s", id);
	call_etag(call, record->revision);
	return plan_answer_parts(call, record, estimate.omitted, estimate_is_wide(&estimate));
}

static enum status prepare_training_plan(struct call *call, const struct idempotency *idempotency, struct storage_job **job)
{
	return plan_create(call, &estimate_training, idempotency, job);
}

static enum status prepare_inference_plan(struct call *call, const struct idempotency *idempotency, struct storage_job **job)
{
	return plan_create(call, &estimate_inference, idempotency, job);
}

enum status handle_training_plan_create(struct call *call)
{
	return commit_once(call, prepare_training_plan);
}

enum status handle_inference_plan_create(struct call *call)
{
	return commit_once(call, prepare_inference_plan);
}

enum status plan_read(struct call *call, int64_t revision, struct plan_record *record)
{
	const char *id = call->parameters[0];

	if (!uuid_valid(id)) {
		failure_set(&call->failure, STATUS_NOT_FOUND, "no plan \"%.80s\": an id looks like 0190f5a2-3c4d-7e5f-8a9b-0c1d2e3f4a5b", id);
		return STATUS_NOT_FOUND;
	}
	return scope_plan_get(call, id, revision, record);
}

/* Reads the plan's measurements and the reported observations. */
static enum status plan_evidence(struct call *call, struct plan_record *record)
{
	struct benchmark_record benchmark;
	struct observation_record *observations;
	size_t count;
	enum status status = storage_benchmark_of_plan(call->server->storage, record->id, &call->arena, &benchmark, &call->failure);

	if (status == STATUS_OK)
		record->verification = benchmark.result;
	if (status != STATUS_OK && status != STATUS_NOT_FOUND)
		return status;
	status = observations_of_plan(call, record->id, &observations, &count);
	return status == STATUS_OK && count > 0 ? observations_text(call, observations, count, &record->observations) : status;
}

enum status handle_plan_get(struct call *call)
{
	struct plan_id_query query = {.revision = ABSENT_COUNT};
	struct plan_record record = {0};
	unsigned omitted = 0;
	enum status status = STATUS_OK;

	if (call->query_count)
		status = record_decode_query(&table_plan_id_query, call->query, call->query_count, &call->arena, &query, &call->failure);
	if (status == STATUS_OK)
		status = answer_parts_read(query.expand, 0, &omitted, &call->failure);
	if (status == STATUS_OK)
		status = plan_read(call, query.revision, &record);
	if (status == STATUS_OK)
		status = plan_evidence(call, &record);
	if (status != STATUS_OK)
		return status;
	/* measurements and reports can change without a new revision of the plan */
	if (!record.verification.text && !record.observations.text && call_not_modified(call, record.revision))
		return status;
	call_etag(call, record.revision);
	return plan_answer_parts(call, &record, omitted, query.expand && !(omitted & (PART_ALTERNATIVES | PART_DETAILS)));
}

/* Merges the body into the present plan. The revision that was read is expected even without If-Match: a merge into
 * another one would lose an update; *raced: there was another one. */
static enum status plan_merge(struct call *call, bool *raced)
{
	struct plan_record record;
	struct plan_patch patch;
	enum status status = plan_read(call, ABSENT_COUNT, &record);

	*raced = false;
	if (status == STATUS_OK)
		status = call_match(call, record.revision);
	if (status == STATUS_OK)
		status = record_merge_patch(&table_plan_patch, call->body, call->body_length, &call->arena, &record, &call->failure);
	if (status == STATUS_OK)
		status = scope_keep(call, &record.labels);
	if (status != STATUS_OK)
		return status;
	patch = (struct plan_patch){.job = {.kind = STORAGE_PLAN_PATCH}, .id = record.id, .expected_revision = record.revision, .plan = &record};
	status = commit_run(call, &patch.job);
	*raced = status == STATUS_PRECONDITION_FAILED && !call->if_match;
	return status;
}

enum status handle_plan_patch(struct call *call)
{
	struct plan_record record;
	bool raced;
	enum status status = plan_merge(call, &raced);

	for (int i = 1; raced && i < PLAN_MERGES_MAX; i++) {
		failure_clear(&call->failure);
		status = plan_merge(call, &raced);
	}
	if (raced)
		return failure_set(&call->failure, STATUS_CONFLICT, "other requests changed the plan at the same time, at every attempt; try again");
	if (status == STATUS_OK)
		status = plan_read(call, ABSENT_COUNT, &record);
	if (status != STATUS_OK)
		return status;
	call_etag(call, record.revision);
	return plan_answer(call, plan_envelope(&record), &record, false);
}

enum status handle_plan_delete(struct call *call)
{
	struct plan_delete delete = {.job = {.kind = STORAGE_PLAN_DELETE}, .id = call->parameters[0], .expected_revision = ABSENT_COUNT};
	struct plan_record record;
	/* Without a precondition nothing is read, so that a damaged plan can be deleted. A check of the scope needs the
	 * plan at a revision. */
	bool reads = call->if_match || call->principal.scope_key;
	enum status status = reads ? plan_read(call, ABSENT_COUNT, &record) : STATUS_OK;

	if (status == STATUS_OK && reads) {
		delete.expected_revision = record.revision;
		status = call_match(call, record.revision);
	}
	if (status == STATUS_OK)
		status = commit_run(call, &delete.job);
	if (status == STATUS_OK)
		call_no_content(call);
	return status;
}
