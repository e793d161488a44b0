#include "storage/benchmarks.h"

#include "base/clock.h"
#include "storage/sqlite/store.h"

enum status operation_benchmark_put(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	const struct benchmark_put *put = (const struct benchmark_put *)job;
	const struct benchmark_record *asked = put->benchmark;
	/* The requested fields; the others have their initial values. */
	const struct benchmark_record benchmark = {.id = asked->id,
		.device = asked->device,
		.accelerator = asked->accelerator,
		.suite = asked->suite,
		.plan_id = asked->plan_id,
		.shapes = asked->shapes,
		.labels = asked->labels,
		.timeout_s = asked->timeout_s,
		.priority = asked->priority == ABSENT_COUNT ? 0 : asked->priority,
		.created_at_us = asked->created_at_us,
		.expires_at_us = asked->expires_at_us,
		.state = "queued",
		.lease_until_us = ABSENT_COUNT,
		.started_at_us = ABSENT_COUNT,
		.finished_at_us = ABSENT_COUNT,
		.result_checksum = ABSENT_COUNT};
	enum status status = store_run(&storage->writer, STATEMENT_BENCHMARK_INSERT, &benchmark, arena, NULL, failure);

	return status == STATUS_OK ? idempotency_insert(storage, put->idempotency, clock_even_us(), arena, failure) : status;
}

enum status storage_benchmark_get(
	struct storage *storage, const char *id, struct arena *arena, struct benchmark_record *benchmark, struct failure *failure)
{
	struct arguments arguments = {.id = id};
	enum status status = reader_one(storage, STATEMENT_BENCHMARK_GET, &arguments, benchmark, arena, failure);

	return status == STATUS_NOT_FOUND ? benchmark_missing(id, failure) : status;
}

enum status storage_benchmark_list(struct storage *storage, const struct benchmark_filter *filter, const struct page_request *page,
	struct arena *arena, struct benchmark_list *list, struct failure *failure)
{
	struct benchmark_query query = {.filter = *filter, .limit = (int64_t)page_limit(page) + 1};
	struct rows_read rows;
	enum status status = cursor_read_moment(page, arena, &query.cursor_us, &query.cursor_id, failure);

	*list = (struct benchmark_list){0};
	if (status != STATUS_OK)
		return status;
	status = reader_list(storage, STATEMENT_BENCHMARK_LIST, &query, page_limit(page), arena, &rows, failure);
	if (status != STATUS_OK)
		return status;
	list->items = rows.items;
	list->count = rows.count;
	if (rows.more)
		list->next_cursor = cursor_write_moment(list->items[list->count - 1].created_at_us, list->items[list->count - 1].id, arena);
	return STATUS_OK;
}
