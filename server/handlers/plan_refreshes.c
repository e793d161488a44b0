/* Recomputes plans: on the current catalogue, stored as a revision; and on the catalogue of the plan, to show that the
 * planner still reproduces it. */
#include "api/difference.h"
#include "api/tables/tables.h"
#include "base/uuid.h"
#include "server/commit.h"
#include "server/handlers.h"
#include "server/handlers/plan_read.h"
#include "server/plan_answer.h"
#include "server/plan_recompute.h"
#include "server/server.h"
#include "service/plan_changes.h"

static enum status compute_on(void *context, const struct catalogue *catalogue, int64_t now_us, struct plan_record *record)
{
	struct recomputation *it = context;

	arena_reset(it->arena);
	it->catalogue = catalogue;
	it->now_us = now_us;
	return plan_recompute(it, record);
}

/* Explains what changed since the plan was computed. */
static enum status explain_changes(struct call *call, const struct plan_record *old, const struct plan_record *fresh, struct json_text *text)
{
	struct arena scratch;
	struct recomputation recomputation = {.call = call, .old = old, .arena = &scratch};
	const struct plan_computer computer = {&recomputation, compute_on};
	struct plan_changes *changes = ARENA_NEW(&call->arena, struct plan_changes);
	struct catalogue *before;
	enum status status;

	if (!changes)
		return STATUS_NO_MEMORY;
	status = plan_catalogue_of_then(call, old, &before);
	if (status != STATUS_OK)
		return status;
	arena_init(&scratch, CALL_ARENA_MAX_BYTES);
	status = plan_changes_explain(&computer, before, call_catalogue(call), old, fresh, &call->arena, changes, &call->failure);
	if (status == STATUS_OK)
		status = plan_changes_text(changes, &call->arena, text);
	arena_release(&scratch);
	catalogue_release(before);
	return status;
}

enum status handle_plan_refresh(struct call *call)
{
	struct plan_record old, fresh;
	struct plan_refresh refresh;
	struct json_text changes;
	enum status status = plan_read(call, ABSENT_COUNT, &old);

	if (status == STATUS_OK)
		status = call_match(call, old.revision);
	if (status == STATUS_OK)
		status = plan_recompute(&(struct recomputation){.call = call, .old = &old, .arena = &call->arena}, &fresh);
	if (status == STATUS_OK)
		status = explain_changes(call, &old, &fresh, &changes);
	if (status != STATUS_OK)
		return status;
	refresh = (struct plan_refresh){.job = {.kind = STORAGE_PLAN_REFRESH}, .id = old.id, .expected_revision = old.revision, .plan = &fresh};
	status = commit_run(call, &refresh.job);
	if (status == STATUS_OK)
		status = plan_read(call, ABSENT_COUNT, &fresh);
	if (status != STATUS_OK)
		return status;
	fresh.changes = changes;
	call_etag(call, fresh.revision);
	return plan_answer(call, plan_envelope(&fresh), &fresh, false);
}

/* Adds the differences of one of a plan's two texts; pointers begin with the text's name: "/result/recommended/...". */
static enum status replay_compare(
	struct call *call, const char *name, const struct json_text *then, const struct json_text *now, struct plan_replay *replay)
{
	struct json_difference *first = &replay->differences[replay->difference_count];
	size_t room = DIFFERENCES_MAX - replay->difference_count, count;
	enum status status = api_json_differences(then, now, &call->arena, first, room, &count, &call->failure);

	if (status != STATUS_OK)
		return status;
	for (size_t i = 0; i < count && i < room; i++) {
		first[i].pointer = arena_printf(&call->arena, "/%s%s", name, first[i].pointer);
		if (!first[i].pointer)
			return STATUS_NO_MEMORY;
	}
	replay->differing += (int64_t)count;
	replay->difference_count += count < room ? count : room;
	return STATUS_OK;
}

static enum status replay_run(struct call *call, const struct plan_record *plan, struct plan_replay *replay)
{
	struct catalogue *then;
	struct plan_record fresh;
	enum status status = plan_catalogue_of_then(call, plan, &then);

	if (status != STATUS_OK)
		return status;
	status = plan_recompute(
		&(struct recomputation){.call = call, .old = plan, .arena = &call->arena, .catalogue = then, .now_us = plan->computed_at_us}, &fresh);
	if (status == STATUS_OK)
		status = replay_compare(call, "request", &plan->request, &fresh.request, replay);
	if (status == STATUS_OK)
		status = replay_compare(call, "result", &plan->result, &fresh.result, replay);
	catalogue_release(then);
	return status;
}

enum status handle_plan_replay(struct call *call)
{
	struct plan_id_query query = {.revision = ABSENT_COUNT};
	struct plan_replay *replay = ARENA_NEW(&call->arena, struct plan_replay);
	struct plan_record plan = {0};
	enum status status = replay ? STATUS_OK : STATUS_NO_MEMORY;

	if (status == STATUS_OK && call->query_count)
		status = record_decode_query(&table_plan_id_query, call->query, call->query_count, &call->arena, &query, &call->failure);
	if (status == STATUS_OK)
		status = plan_read(call, query.revision, &plan);
	if (status != STATUS_OK)
		return status;
	*replay = (struct plan_replay){.id = plan.id,
		.kind = plan.kind,
		.revision = plan.revision,
		.catalogue_revision = plan.catalogue_revision,
		.calibration_revision = plan.calibration_revision,
		.planner_version = plan.planner_version,
		.planner_version_now = FLEETPLAN_VERSION,
		.computed_at_us = plan.computed_at_us};
	status = replay_run(call, &plan, replay);
	if (status != STATUS_OK)
		return status;
	replay->reproduced = replay->differing == 0;
	record_encode(&table_plan_replay, replay, &call->json);
	return STATUS_OK;
}
