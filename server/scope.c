#include "server/scope.h"

#include "api/labels.h"
#include "server/server.h"
#include "storage/benchmarks.h"
#include "storage/plans.h"

enum status scope_admit(const struct call *call, const struct json_text *labels)
{
	const struct principal *who = &call->principal;
	struct label_found found = {.is_equal = true};
	enum status status = who->scope_key ? api_label_find(labels, who->scope_key, who->scope_value, &found) : STATUS_OK;

	return status == STATUS_OK && !found.is_equal ? STATUS_NOT_FOUND : status;
}

enum status scope_plan_get(struct call *call, const char *id, int64_t revision, struct plan_record *plan)
{
	enum status status = storage_plan_get(call->server->storage, id, revision, &call->arena, plan, &call->failure);

	if (status != STATUS_OK)
		return status;
	status = scope_admit(call, &plan->labels);
	if (status != STATUS_NOT_FOUND)
		return status;
	/* Use the storage's texts, so that a client cannot tell a hidden plan from a missing one. */
	return revision == ABSENT_COUNT
		? failure_set(&call->failure, STATUS_NOT_FOUND, "plan %s does not exist", id)
		: failure_set(&call->failure, STATUS_NOT_FOUND, "plan %s does not have revision %lld", id, (long long)revision);
}

enum status scope_benchmark(struct call *call, const struct benchmark_record *benchmark)
{
	struct plan_record plan;
	enum status status = STATUS_OK;

	if (!call->principal.scope_key)
		return STATUS_OK;
	if (benchmark->plan_id) {
		status = scope_plan_get(call, benchmark->plan_id, ABSENT_COUNT, &plan);
		failure_clear(&call->failure);
	} else {
		status = scope_admit(call, &benchmark->labels);
	}
	return status == STATUS_NOT_FOUND ? failure_set(&call->failure, status, "benchmark %s does not exist", benchmark->id) : status;
}

enum status scope_keep(struct call *call, const struct json_text *labels)
{
	enum status status = scope_admit(call, labels);

	if (status != STATUS_NOT_FOUND)
		return status;
	return failure_set(&call->failure, STATUS_FORBIDDEN, "this key may only write objects with the label %s=%s", call->principal.scope_key,
		call->principal.scope_value);
}

enum status scope_label(struct call *call, struct json_text *labels)
{
	const struct principal *who = &call->principal;
	struct label_found found;
	enum status status;

	if (!who->scope_key)
		return STATUS_OK;
	status = api_label_find(labels, who->scope_key, who->scope_value, &found);
	if (status != STATUS_OK)
		return status;
	return found.is_there ? scope_keep(call, labels) : api_label_add(labels, who->scope_key, who->scope_value, &call->arena);
}
