/* Plans in numbers: list, revisions, comparison. */
#include "api/report.h"
#include "api/tables.h"
#include "base/uuid.h"
#include "server/handlers.h"
#include "server/page_answer.h"
#include "server/plan_answer.h"
#include "server/server.h"
#include "storage/plans.h"

enum { COMPARE_MAX = 16 };

/* An alias is as good as an id: plans are kept under ids. */
static void plan_filter_names(struct call *call, struct plan_filter *filter)
{
	const struct catalogue *catalogue = call_catalogue(call);
	const struct accelerator_row *accelerator;
	const struct model_row *model;
	const char *alias;

	accelerator = filter->accelerator ? catalogue_accelerator(catalogue, filter->accelerator, &alias) : NULL;
	if (accelerator)
		filter->accelerator = accelerator->accelerator.id;
	model = filter->model ? catalogue_model(catalogue, filter->model, &alias) : NULL;
	if (model)
		filter->model = model->id;
}

enum status handle_plan_list(struct call *call)
{
	struct plan_query query;
	struct plan_filter filter;
	struct page_request page;
	struct plan_list list;
	enum status status = api_decode_query(&table_plan_query, call->query, call->query_count, &call->arena, &query, &call->failure);

	if (status != STATUS_OK)
		return status;
	page = page_request_of(&query.page);
	filter = (struct plan_filter){.kind = query.kind, .model = query.model, .accelerator = query.accelerator, .text = query.q,
		.created_after_us = query.created_after_us > 0 ? query.created_after_us : ABSENT_COUNT,
		.created_before_us = query.created_before_us > 0 ? query.created_before_us : ABSENT_COUNT};
	plan_filter_names(call, &filter);
	status = page_label_of(call, query.label, &filter.label_key, &filter.label_value);
	if (status == STATUS_OK)
		status = storage_plan_list(call->server->storage, &filter, &page, &call->arena, &list, &call->failure);
	return status == STATUS_OK ? page_answer(call, &table_plan_summary, list.items, list.count, list.next_cursor) : status;
}

enum status handle_plan_revisions(struct call *call)
{
	struct plan_list list;
	const char *id = call->parameters[0];
	enum status status;

	if (!uuid_valid(id))
		return failure_set(&call->failure, STATUS_NOT_FOUND, "no plan \"%.80s\"", id);
	status = storage_plan_revisions(call->server->storage, id, &call->arena, &list, &call->failure);
	return status == STATUS_OK ? page_answer(call, &table_plan_summary, list.items, list.count, NULL) : status;
}

/* Side by side: the plans in the order asked for, each whole, so that a reader can take any figure from all of them. */
enum status handle_plan_compare(struct call *call)
{
	struct compare_query query;
	struct plan_comparison comparison = {0};
	enum status status = api_decode_query(&table_compare_query, call->query, call->query_count, &call->arena, &query, &call->failure);

	if (status != STATUS_OK)
		return status;
	if (query.ids.count < 2 || query.ids.count > COMPARE_MAX) {
		failure_add(&call->failure, "/ids", "out_of_range", "2 to %d ids of plans, separated by commas; got %zu", COMPARE_MAX, query.ids.count);
		return STATUS_INVALID;
	}
	comparison.items.items = ARENA_ARRAY(&call->arena, struct plan_record, query.ids.count);
	if (!comparison.items.items)
		return STATUS_NO_MEMORY;
	for (; comparison.items.count < query.ids.count; comparison.items.count++) {
		status = storage_plan_get(call->server->storage, query.ids.items[comparison.items.count], ABSENT_COUNT, &call->arena,
			&comparison.items.items[comparison.items.count], &call->failure);
		if (status != STATUS_OK)
			return status;
	}
	if (call->accept == MEDIA_CSV)
		return report_comparison_csv(comparison.items.items, comparison.items.count, &call->answer, &call->failure);
	api_encode(&table_plan_comparison, &comparison, &call->json);
	return STATUS_OK;
}
