/* Lists of plans, their revisions and their comparison. */
#include "api/comparison.h"
#include "api/report.h"
#include "api/tables/tables.h"
#include "base/uuid.h"
#include "hwdb/catalogue/given_names.h"
#include "schema/field.h"
#include "server/handlers.h"
#include "server/page_answer.h"
#include "server/plan_answer.h"
#include "server/scope.h"
#include "server/server.h"
#include "storage/plans.h"

/* Replaces aliases by ids: plans are stored under ids. */
static void plan_filter_names(struct call *call, struct plan_filter *filter)
{
	const struct catalogue *catalogue = call_catalogue(call);
	const struct accelerator_row *accelerator;
	const struct model_row *model;
	const char *alias;

	accelerator = filter->accelerator ? given_accelerator(catalogue, filter->accelerator, &alias) : NULL;
	if (accelerator)
		filter->accelerator = accelerator->accelerator.id;
	model = filter->model ? given_model(catalogue, filter->model, &alias) : NULL;
	if (model)
		filter->model = model->id;
}

static enum status plan_list_read(
	struct call *call, const void *filter, const struct page_request *some, struct arena *arena, struct page_rows *rows)
{
	struct plan_list list;
	enum status status = storage_plan_list(call->server->storage, filter, some, arena, &list, &call->failure);

	*rows = (struct page_rows){.items = list.items, .count = list.count, .next_cursor = list.next_cursor};
	/* The index of labels has no checksum, but the plan's own labels have one. */
	for (size_t i = 0; status == STATUS_OK && i < list.count; i++) {
		status = scope_admit(call, &list.items[i].labels);
		if (status == STATUS_NOT_FOUND)
			status = failure_set(&call->failure, STATUS_UNAVAILABLE, "the index of labels is damaged; run `fleetplan check`");
	}
	return status;
}

/* Reports the words that are not members of a listed plan. */
static enum status plan_list_fields(struct call *call, const struct text_list *fields)
{
	for (size_t i = 0; i < fields->count; i++) {
		void *nowhere = NULL;

		if (!field_find(&table_plan_summary, fields->items[i], &nowhere))
			failure_add(&call->failure, "/fields", "bad_choice",
				"\"%.60s\" is not a member of a listed plan: give words of id, kind, name, labels, notes, model, accelerator, summary, created_at, "
				"updated_at, revision, catalogue_revision, calibration_revision, planner_version and computed_at",
				fields->items[i]);
	}
	return call->failure.fault_count > 0 ? STATUS_INVALID : STATUS_OK;
}

enum status handle_plan_list(struct call *call)
{
	struct plan_query query;
	struct plan_filter filter;
	struct page_request page;
	enum status status = record_decode_query(&table_plan_query, call->query, call->query_count, &call->arena, &query, &call->failure);

	if (status != STATUS_OK)
		return status;
	page = page_request_of(&query.page);
	filter = (struct plan_filter){.scope_key = call->principal.scope_key,
		.scope_value = call->principal.scope_value,
		.kind = query.kind,
		.model = query.model,
		.accelerator = query.accelerator,
		.text = query.q,
		.sort = query.sort,
		.created_after_us = query.created_after_us > 0 ? query.created_after_us : ABSENT_COUNT,
		.created_before_us = query.created_before_us > 0 ? query.created_before_us : ABSENT_COUNT};
	plan_filter_names(call, &filter);
	status = page_label_of(call, query.label, &filter.label_key, &filter.label_value);
	if (status == STATUS_OK)
		status = plan_list_fields(call, &query.fields);
	return status == STATUS_OK
		? page_answer_read_fields(call, &table_plan_summary, query.fields.count > 0 ? &query.fields : NULL, &page, plan_list_read, &filter)
		: status;
}

enum status handle_plan_revisions(struct call *call)
{
	struct plan_list list;
	const char *id = call->parameters[0];
	enum status status;

	if (!uuid_valid(id))
		return failure_set(&call->failure, STATUS_NOT_FOUND, "no plan \"%.80s\"", id);
	status = storage_plan_revisions(call->server->storage, id, &call->arena, &list, &call->failure);
	if (status == STATUS_OK && list.count > 0)
		status = scope_admit(call, &list.items[0].labels);
	if (status == STATUS_NOT_FOUND)
		return failure_set(&call->failure, STATUS_NOT_FOUND, "plan %s does not exist", id);
	return status == STATUS_OK ? page_answer(call, &table_plan_summary, list.items, list.count, NULL) : status;
}

/* ID or ID@REVISION. */
static bool compared_id(struct call *call, const char *text, const char **id, int64_t *revision)
{
	const char *at = strchr(text, '@');
	char *end;

	*id = at ? arena_strndup(&call->arena, text, (size_t)(at - text)) : text;
	*revision = at ? strtoll(at + 1, &end, 10) : ABSENT_COUNT;
	return *id && uuid_valid(*id) && (!at || (at[1] >= '1' && at[1] <= '9' && !*end));
}

/* Reads the requested plans; one failure names all missing ones. */
static enum status compared_read(struct call *call, const struct text_list *ids, struct plan_comparison *comparison)
{
	const char *missing = NULL;

	for (size_t i = 0; i < ids->count; i++) {
		struct plan_record *plan = &comparison->items.items[comparison->items.count++];
		char pointer[32];
		const char *id;
		int64_t revision;
		enum status status;

		if (!compared_id(call, ids->items[i], &id, &revision)) {
			snprintf(pointer, sizeof pointer, "/ids/%zu", i);
			failure_add(&call->failure, pointer, "bad_format", "\"%.80s\" is not a plan's id or ID@REVISION", ids->items[i]);
			continue;
		}
		status = scope_plan_get(call, id, revision, plan);
		if (status == STATUS_OK && revision != ABSENT_COUNT && plan->revision < revision)
			status = STATUS_NOT_FOUND; /* the newest revision is older */
		if (status != STATUS_OK && status != STATUS_NOT_FOUND)
			return status;
		if (status == STATUS_NOT_FOUND) {
			failure_clear(&call->failure);
			missing = arena_printf(&call->arena, "%s%s%s", missing ? missing : "", missing ? ", " : "", ids->items[i]);
		}
	}
	if (call->failure.fault_count > 0)
		return STATUS_INVALID;
	return missing ? failure_set(&call->failure, STATUS_NOT_FOUND, "no such plan (deleted, or never created): %.400s", missing) : STATUS_OK;
}

static void compared_media(struct call *call, const char *format)
{
	if (format)
		call->accept = call->answer_media = strcmp(format, "csv") == 0 ? MEDIA_CSV
			: strcmp(format, "markdown") == 0                          ? MEDIA_MARKDOWN
																	   : MEDIA_JSON;
}

/* Answers with the plans in the requested order, each complete, so that a reader can compare any figure. */
enum status handle_plan_compare(struct call *call)
{
	struct compare_query query;
	struct plan_comparison *comparison = ARENA_NEW(&call->arena, struct plan_comparison);
	enum status status = record_decode_query(&table_compare_query, call->query, call->query_count, &call->arena, &query, &call->failure);

	if (status != STATUS_OK || !comparison)
		return comparison ? status : STATUS_NO_MEMORY;
	if (query.ids.count < 2 || query.ids.count > COMPARED_PLANS_MAX) {
		failure_add(&call->failure, "/ids", "out_of_range", "give 2 to %d ids of plans, separated by commas; got %zu", COMPARED_PLANS_MAX,
			query.ids.count);
		return STATUS_INVALID;
	}
	compared_media(call, query.format);
	comparison->items.items = ARENA_ARRAY(&call->arena, struct plan_record, query.ids.count);
	if (!comparison->items.items)
		return STATUS_NO_MEMORY;
	status = compared_read(call, &query.ids, comparison);
	if (status == STATUS_OK)
		status = api_compare_plans(comparison, &call->arena, &call->failure);
	if (status != STATUS_OK)
		return status;
	if (call->accept == MEDIA_CSV)
		return report_comparison_csv(comparison, &call->answer, &call->failure);
	if (call->accept == MEDIA_MARKDOWN)
		return report_comparison_markdown(comparison, &call->answer, &call->failure);
	record_encode(&table_plan_comparison, comparison, &call->json);
	return STATUS_OK;
}
