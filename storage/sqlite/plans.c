#include "storage/plans.h"

#include <string.h>

#include "base/clock.h"
#include "storage/sqlite/checksum.h"
#include "storage/sqlite/store.h"

void plan_put_prepare(struct plan_put *put)
{
	put->job.checksum = plan_checksum(put->plan, put->plan->revision);
}

static bool has_labels(const struct plan_record *plan)
{
	return plan->labels.text && plan->labels.length > 2; /* NULL, or {} */
}

bool plan_put_is_one_statement(const struct plan_put *put)
{
	return !put->idempotency && !has_labels(put->plan);
}

static enum status labels_insert(struct storage *storage, const struct plan_stored *plan, struct arena *arena, struct failure *failure)
{
	if (!has_labels(&plan->record))
		return STATUS_OK;
	return store_run(&storage->writer, STATEMENT_PLAN_LABEL_INSERT, plan, arena, NULL, failure);
}

enum status operation_plan_put(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	const struct plan_put *put = (const struct plan_put *)job;
	struct plan_stored plan = {.record = *put->plan, .content_revision = put->plan->revision};
	enum status status;

	if (plan.record.updated_at_us <= 0)
		plan.record.updated_at_us = plan.record.created_at_us;
	plan.checksum = job->checksum;
	plan.head_checksum = plan_head_checksum(&plan.record);
	status = store_run(&storage->writer, STATEMENT_PLAN_INSERT, &plan, arena, NULL, failure);
	if (status == STATUS_OK)
		status = labels_insert(storage, &plan, arena, failure);
	if (status == STATUS_OK)
		status = idempotency_insert(storage, put->idempotency, clock_even_us(), arena, failure);
	return status;
}

static enum status plan_missing(const char *id, struct failure *failure)
{
	return failure_set(failure, STATUS_NOT_FOUND, "plan %s does not exist", id);
}

/* Reads the columns that a change needs, and compares the revision with the caller's. */
static enum status plan_head(struct storage *storage, const char *id, int64_t expected_revision, struct plan_stored *plan,
	struct arena *arena, struct failure *failure)
{
	struct arguments arguments = {.id = id};
	enum status status = store_one(&storage->writer, STATEMENT_PLAN_HEAD, &arguments, plan, arena, failure);

	if (status == STATUS_NOT_FOUND)
		return plan_missing(id, failure);
	if (status != STATUS_OK)
		return status;
	if (expected_revision > 0 && plan->record.revision != expected_revision)
		return failure_set(failure, STATUS_PRECONDITION_FAILED, "plan %s has revision %lld, not %lld; read it again", id,
			(long long)plan->record.revision, (long long)expected_revision);
	return plan_verify_head(plan, failure);
}

/* Sets the next revision, and a time of change that never goes back. */
static void plan_advance(struct plan_stored *plan)
{
	int64_t now_us = clock_wall_us();

	plan->record.revision++;
	if (plan->record.updated_at_us < now_us)
		plan->record.updated_at_us = now_us;
}

enum status operation_plan_patch(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct plan_patch *patch = (struct plan_patch *)job;
	struct arguments arguments = {.id = patch->id};
	struct plan_stored plan;
	enum status status = plan_head(storage, patch->id, patch->expected_revision, &plan, arena, failure);

	if (status != STATUS_OK)
		return status;
	plan_advance(&plan);
	plan.record.name = patch->plan->name;
	plan.record.notes = patch->plan->notes;
	plan.record.labels = patch->plan->labels;
	plan.head_checksum = plan_head_checksum(&plan.record);
	status = store_run(&storage->writer, STATEMENT_PLAN_PATCH, &plan, arena, NULL, failure);
	if (status == STATUS_OK)
		status = store_run(&storage->writer, STATEMENT_PLAN_LABEL_DELETE, &arguments, arena, NULL, failure);
	if (status == STATUS_OK)
		status = labels_insert(storage, &plan, arena, failure);
	patch->revision = plan.record.revision;
	return status;
}

enum status operation_plan_refresh(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct plan_refresh *refresh = (struct plan_refresh *)job;
	struct arguments arguments = {.id = refresh->id};
	struct plan_stored head, plan;
	enum status status = plan_head(storage, refresh->id, refresh->expected_revision, &head, arena, failure);

	if (status != STATUS_OK)
		return status;
	status = store_run(&storage->writer, STATEMENT_PLAN_KEEP_CONTENT, &arguments, arena, NULL, failure);
	if (status != STATUS_OK)
		return status;
	plan_advance(&head);
	plan = head;
	plan.record.model = refresh->plan->model;
	plan.record.accelerator = refresh->plan->accelerator;
	plan.record.catalogue_revision = refresh->plan->catalogue_revision;
	plan.record.calibration_revision = refresh->plan->calibration_revision;
	plan.record.planner_version = refresh->plan->planner_version;
	plan.record.computed_at_us = refresh->plan->computed_at_us;
	plan.record.request = refresh->plan->request;
	plan.record.result = refresh->plan->result;
	plan.record.summary = refresh->plan->summary;
	plan.checksum = plan_checksum(&plan.record, plan.record.revision);
	plan.head_checksum = plan_head_checksum(&plan.record);
	refresh->revision = plan.record.revision;
	return store_run(&storage->writer, STATEMENT_PLAN_REFRESH, &plan, arena, NULL, failure);
}

enum status operation_plan_delete(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	const struct plan_delete *operation = (const struct plan_delete *)job;
	struct arguments arguments = {.id = operation->id};
	struct plan_stored plan;
	enum status status = STATUS_OK;
	int64_t changed;

	/* Without a precondition the plan is not read first, so that a damaged plan can be deleted too. */
	if (operation->expected_revision > 0)
		status = plan_head(storage, operation->id, operation->expected_revision, &plan, arena, failure);
	if (status == STATUS_OK)
		status = store_run(&storage->writer, STATEMENT_PLAN_DELETE, &arguments, arena, &changed, failure);
	if (status == STATUS_OK && changed == 0)
		return plan_missing(operation->id, failure);
	return status;
}

/* Reads the content of an older revision. */
static enum status plan_get_at(
	struct connection *reader, const struct arguments *arguments, struct arena *arena, struct plan_stored *plan, struct failure *failure)
{
	enum status status = store_one(reader, STATEMENT_PLAN_HEAD, arguments, plan, arena, failure);

	if (status == STATUS_OK)
		status = plan_verify_head(plan, failure);
	if (status != STATUS_OK || arguments->at_revision > plan->record.revision)
		return status == STATUS_OK ? STATUS_NOT_FOUND : status;
	if (arguments->at_revision >= plan->content_revision)
		return store_one(reader, STATEMENT_PLAN_GET, arguments, plan, arena, failure);
	return store_one(reader, STATEMENT_PLAN_REVISION_GET, arguments, plan, arena, failure);
}

enum status storage_plan_get(
	struct storage *storage, const char *id, int64_t revision, struct arena *arena, struct plan_record *plan, struct failure *failure)
{
	struct arguments arguments = {.id = id, .at_revision = revision};
	struct connection *reader = reader_take(storage, failure);
	struct plan_stored stored = {0}; /* members that are not stored stay absent */
	enum status status;

	if (!reader)
		return failure->status;
	status = revision == ABSENT_COUNT ? store_one(reader, STATEMENT_PLAN_GET, &arguments, &stored, arena, failure)
									  : plan_get_at(reader, &arguments, arena, &stored, failure);
	reader_give(storage, reader);
	if (status == STATUS_NOT_FOUND)
		return revision == ABSENT_COUNT ? plan_missing(id, failure)
										: failure_set(failure, status, "plan %s does not have revision %lld", id, (long long)revision);
	if (status == STATUS_OK && revision == ABSENT_COUNT)
		status = plan_verify_head(&stored, failure); /* the checksum of an older revision is checked above */
	if (status == STATUS_OK)
		status = plan_verify_content(&stored, failure);
	if (status != STATUS_OK)
		return status;
	*plan = stored.record;
	if (revision != ABSENT_COUNT && revision < plan->revision)
		plan->revision = stored.content_revision;
	return STATUS_OK;
}

/* Checks a listed row whose head has a wrong checksum: a row of an older version, which lacks that checksum, is checked
 * as a whole. */
static enum status list_item_verify(struct storage *storage, struct plan_stored *item, struct arena *arena, struct failure *failure)
{
	struct arguments arguments = {.id = item->record.id};
	struct plan_stored whole;
	enum status status;

	if (plan_head_is_whole(item))
		return STATUS_OK;
	status = reader_one(storage, STATEMENT_PLAN_GET, &arguments, &whole, arena, failure);
	if (status == STATUS_NOT_FOUND)
		return plan_verify_head(item, failure); /* either the id was changed, or (very rare) a plan of an older version was deleted just now */
	if (status == STATUS_OK)
		status = plan_verify_head(&whole, failure);
	if (status == STATUS_OK)
		status = plan_verify_content(&whole, failure);
	if (status == STATUS_OK)
		*item = whole; /* return the row that was checked */
	item->record.asked = item->record.request = item->record.result = (struct json_text){0};
	return status;
}

static enum status list_verify(struct storage *storage, struct rows_read *rows, struct arena *arena, struct failure *failure)
{
	struct plan_stored *items = rows->items;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < rows->count && status == STATUS_OK; i++)
		status = list_item_verify(storage, &items[i], arena, failure);
	return status;
}

/* Converts the store's structs to the caller's, in place: the first begins with the second. */
static void plans_narrow(struct rows_read *rows, struct plan_list *list)
{
	const struct plan_stored *stored = rows->items;

	list->items = rows->items;
	list->count = rows->count;
	for (size_t i = 0; i < rows->count; i++)
		memmove(&list->items[i], &stored[i].record, sizeof list->items[i]);
}

/* The figures that lists can be sorted by, and their places in the summary. */
static const struct {
	const char *name, *path, *other_path;
} sorts[] = {{"gpu_count", "$.gpu_count", NULL}, {"wall_clock_hours", "$.wall_clock_hours.value", NULL},
	{"total_usd", "$.total_usd.value", "$.usd_per_month.value"}, {"total_kwh", "$.total_kwh.value", NULL},
	{"total_kgco2e", "$.total_kgco2e.value", NULL}};

/* Sets the sorted figure and the end of the previous page. */
static enum status sort_read(const struct plan_filter *filter, const struct page_request *page, struct plan_query *query,
	struct arena *arena, struct failure *failure)
{
	const char *name = filter->sort + (filter->sort[0] == '-');

	query->sign = name == filter->sort ? 1 : -1;
	for (size_t i = 0; i < COUNT_OF(sorts); i++)
		if (strcmp(sorts[i].name, name) == 0) {
			query->path = sorts[i].path;
			query->other_path = sorts[i].other_path ? sorts[i].other_path : sorts[i].path;
		}
	CHECK(query->path);
	return cursor_read_figure(page, filter->sort, arena, &query->cursor_key, &query->cursor_id, failure);
}

enum status storage_plan_list(struct storage *storage, const struct plan_filter *filter, const struct page_request *page,
	struct arena *arena, struct plan_list *list, struct failure *failure)
{
	struct plan_query query = {.filter = *filter, .limit = (int64_t)page_limit(page) + 1, .cursor_id = ""};
	struct rows_read rows;
	double last_key = 0;
	enum status status = filter->sort ? sort_read(filter, page, &query, arena, failure)
									  : cursor_read_moment(page, arena, &query.cursor_us, &query.cursor_id, failure);

	*list = (struct plan_list){0};
	if (status != STATUS_OK)
		return status;
	if (filter->created_after_us == ABSENT_COUNT)
		query.filter.created_after_us = INT64_MIN;
	if (filter->created_before_us == ABSENT_COUNT)
		query.filter.created_before_us = INT64_MAX;
	if (!filter->sort && !filter->label_key && filter->scope_key) { /* its rows have the order of the answer */
		query.filter.label_key = filter->scope_key;
		query.filter.label_value = filter->scope_value;
	}
	status = reader_list(storage,
		filter->sort                 ? STATEMENT_PLAN_LIST_SORTED
			: query.filter.label_key ? STATEMENT_PLAN_LIST_BY_LABEL
									 : STATEMENT_PLAN_LIST,
		&query, page_limit(page), arena, &rows, failure);
	if (status == STATUS_OK && rows.count > 0)
		last_key = ((const struct plan_stored *)rows.items)[rows.count - 1].sort_key;
	if (status == STATUS_OK)
		status = list_verify(storage, &rows, arena, failure);
	if (status != STATUS_OK)
		return status;
	plans_narrow(&rows, list);
	if (rows.more && filter->sort)
		list->next_cursor = cursor_write_figure(filter->sort, last_key, list->items[list->count - 1].id, arena);
	else if (rows.more)
		list->next_cursor = cursor_write_moment(list->items[list->count - 1].created_at_us, list->items[list->count - 1].id, arena);
	return STATUS_OK;
}

enum status storage_plan_revisions(
	struct storage *storage, const char *id, struct arena *arena, struct plan_list *list, struct failure *failure)
{
	struct arguments arguments = {.id = id};
	struct plan_stored head, *items;
	struct rows_read rows;
	enum status status = reader_list(storage, STATEMENT_PLAN_REVISIONS, &arguments, SIZE_MAX, arena, &rows, failure);

	*list = (struct plan_list){0};
	items = rows.items;
	for (size_t i = 0; status == STATUS_OK && i < rows.count; i++) {
		status = plan_verify_content(&items[i], failure);
		items[i].record.asked = items[i].record.request = items[i].record.result = (struct json_text){0};
	}
	if (status == STATUS_OK && rows.count > 0)
		status = reader_one(storage, STATEMENT_PLAN_HEAD, &arguments, &head, arena, failure);
	if (status == STATUS_OK && rows.count > 0)
		status = plan_verify_head(&head, failure);
	if (status != STATUS_OK)
		return status == STATUS_NOT_FOUND ? plan_missing(id, failure) : status;
	plans_narrow(&rows, list);
	return list->count ? STATUS_OK : plan_missing(id, failure);
}
