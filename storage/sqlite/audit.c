#include "storage/audit.h"

#include "base/clock.h"
#include "hwdb/catalogue/records.h"
#include "storage/catalogue_rows.h"
#include "storage/sqlite/import_steps.h"
#include "storage/sqlite/store.h"

/* Returns the revision after the job, which is known only then. */
static int64_t job_revision(const struct storage_job *job, int64_t told)
{
	switch ((int)job->kind) {
	case STORAGE_PLAN_PATCH:
		return ((const struct plan_patch *)job)->revision;
	case STORAGE_PLAN_REFRESH:
		return ((const struct plan_refresh *)job)->revision;
	case STORAGE_IMPORT_END:
		return ((const struct import_end *)job)->import->revision;
	case STORAGE_ROW_PUT:
		return ((const struct row_put *)job)->revision;
	case STORAGE_ROW_REMOVE:
		return ((const struct row_remove *)job)->revision;
	default:
		return told;
	}
}

/* True if the job wrote something. A claim without a waiting benchmark writes nothing. */
static bool job_wrote(const struct storage_job *job)
{
	return job->kind != STORAGE_BENCHMARK_CLAIM || ((const struct benchmark_claim *)job)->found;
}

enum status audit_write(struct storage *storage, const struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct audit_record entry = *job->audit;

	if (!job_wrote(job))
		return STATUS_OK;
	entry.at_us = clock_wall_us();
	entry.revision = job_revision(job, entry.revision);
	if (job->kind == STORAGE_ROW_PUT && ((const struct row_put *)job)->created)
		entry.http_status = 201;
	if (job->kind == STORAGE_AGENT_PUT)
		entry.entity = ((const struct agent_put *)job)->agent->id;
	else if (job->kind == STORAGE_BENCHMARK_CLAIM)
		entry.entity = ((const struct benchmark_claim *)job)->benchmark->id;
	return store_run(&storage->writer, STATEMENT_AUDIT_INSERT, &entry, arena, NULL, failure);
}

/* The job has no work except its entry. */
enum status operation_audit_put(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	(void)storage;
	(void)arena;
	(void)failure;
	CHECK(job->audit);
	return STATUS_OK;
}

enum status operation_audit_prune(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	struct audit_prune *prune = (struct audit_prune *)job;
	const struct arguments arguments = {.before_us = prune->before_us, .limit = prune->limit};
	enum status status = store_run(&storage->writer, STATEMENT_AUDIT_HORIZON_PUT, &arguments, arena, NULL, failure);

	prune->pruned = 0;
	return status == STATUS_OK ? store_run(&storage->writer, STATEMENT_AUDIT_PRUNE, &arguments, arena, &prune->pruned, failure) : status;
}

enum status storage_audit_list(struct storage *storage, const struct audit_filter *filter, const struct page_request *page,
	struct arena *arena, struct audit_list *list, struct failure *failure)
{
	struct audit_query query = {.filter = *filter, .limit = (int64_t)page_limit(page) + 1};
	struct rows_read rows;
	enum status status = cursor_read_number(page, arena, &query.cursor_number, failure);

	*list = (struct audit_list){0};
	if (status != STATUS_OK)
		return status;
	query.filter.after_us = filter->after_us > 0 ? filter->after_us : INT64_MIN;
	query.filter.before_us = filter->before_us > 0 ? filter->before_us : INT64_MAX;
	status = reader_list(storage, STATEMENT_AUDIT_LIST, &query, page_limit(page), arena, &rows, failure);
	if (status != STATUS_OK)
		return status;
	list->items = rows.items;
	list->count = rows.count;
	if (rows.more)
		list->next_cursor = cursor_write_number(list->items[list->count - 1].number, arena);
	return STATUS_OK;
}
