#include "server/plan_answer.h"

#include "api/report.h"
#include "api/tables/tables.h"
#include "base/clock.h"
#include "server/server.h"
#include "service/site_hours.h"

enum status plan_compute(struct call *call, struct estimate *estimate, struct plan_record *record)
{
	struct catalogue *past = NULL;
	int64_t as_of_us = 0, now_us = clock_wall_us();
	enum status status = estimate_as_of(estimate, &as_of_us);

	if (status == STATUS_OK && as_of_us)
		status = server_catalogue_as_of(call->server, as_of_us, &past, &call->failure);
	if (status != STATUS_OK)
		return status;
	estimate->progress = call_progress(call);
	if (estimate_site(estimate) && !estimate->hours_settled)
		status = site_hours_fill(
			call->server->storage, past ? past : call_catalogue(call), &call->arena, estimate_site(estimate), &call->failure);
	if (status == STATUS_OK)
		status = estimate_compute(estimate, past ? past : call_catalogue(call), past ? as_of_us : now_us);
	if (status == STATUS_OK) {
		status = estimate_record(estimate, record);
		record->computed_at_us = now_us;
		/* Copy the ids: they belong to the snapshot, and only the current snapshot lives as long as the call. */
		record->model = arena_strdup(&call->arena, record->model);
		record->accelerator = arena_strdup(&call->arena, record->accelerator);
	}
	if (past)
		catalogue_release(past);
	return status;
}

enum status plan_expand(struct call *call, const char **expand)
{
	struct expand_query query = {0};
	enum status status = STATUS_OK;

	if (call->query_count)
		status = record_decode_query(&table_expand_query, call->query, call->query_count, &call->arena, &query, &call->failure);
	*expand = query.expand;
	return status;
}

enum status plan_answer(struct call *call, const struct field_table *envelope, const struct plan_record *record, bool expanded)
{
	if (call->accept == MEDIA_MARKDOWN)
		return report_plan_markdown(record, &call->answer, &call->failure);
	if (call->accept == MEDIA_CSV)
		return report_plan_csv(record, expanded, &call->answer, &call->failure);
	record_encode(envelope, record, &call->json);
	return STATUS_OK;
}
