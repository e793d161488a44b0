#include "storage/observations.h"

#include "base/clock.h"
#include "storage/sqlite/store.h"

enum status operation_observation_put(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	const struct observation_put *put = (const struct observation_put *)job;
	enum status status = store_run(&storage->writer, STATEMENT_OBSERVATION_INSERT, put->observation, arena, NULL, failure);

	if (status == STATUS_OK && put->calibrations)
		status = rows_put_all(storage, put->calibrations, arena, failure);
	if (status == STATUS_OK)
		status = idempotency_insert(storage, put->idempotency, clock_even_us(), arena, failure);
	return status;
}

enum status operation_observation_delete(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	const struct observation_delete *delete = (const struct observation_delete *)job;
	struct arguments arguments = {.id = delete->id};
	int64_t changed = 0;
	enum status status = store_run(&storage->writer, STATEMENT_OBSERVATION_DELETE, &arguments, arena, &changed, failure);

	if (status == STATUS_OK && changed == 0)
		return failure_set(failure, STATUS_NOT_FOUND, "observation %.80s does not exist", delete->id);
	if (status == STATUS_OK && delete->calibrations)
		status = rows_put_all(storage, delete->calibrations, arena, failure);
	for (size_t i = 0; status == STATUS_OK && i < OBSERVATION_REMOVED_MAX; i++) {
		struct row_remove remove = {.kind = ROW_CALIBRATION, .id = delete->removed_calibrations[i], .expected_revision = ABSENT_COUNT};

		status = remove.id ? operation_row_remove(storage, &remove.job, arena, failure) : STATUS_OK;
		if (status == STATUS_NOT_FOUND) {
			failure_clear(failure);
			status = STATUS_OK;
		}
	}
	return status;
}

enum status storage_observation_get(
	struct storage *storage, const char *id, struct arena *arena, struct observation_record *observation, struct failure *failure)
{
	struct arguments arguments = {.id = id};
	enum status status = reader_one(storage, STATEMENT_OBSERVATION_GET, &arguments, observation, arena, failure);

	return status == STATUS_NOT_FOUND ? failure_set(failure, status, "observation %.80s does not exist", id) : status;
}

enum status storage_observation_list(struct storage *storage, const struct observation_filter *filter, const struct page_request *page,
	struct arena *arena, struct observation_list *list, struct failure *failure)
{
	struct observation_query query = {.filter = *filter, .limit = (int64_t)page_limit(page) + 1};
	struct rows_read rows;
	enum status status = cursor_read_moment(page, arena, &query.cursor_us, &query.cursor_id, failure);

	*list = (struct observation_list){0};
	if (status == STATUS_OK)
		status = reader_list(storage, STATEMENT_OBSERVATION_LIST, &query, page_limit(page), arena, &rows, failure);
	if (status != STATUS_OK)
		return status;
	list->items = rows.items;
	list->count = rows.count;
	if (rows.more)
		list->next_cursor = cursor_write_moment(list->items[list->count - 1].created_at_us, list->items[list->count - 1].id, arena);
	return STATUS_OK;
}

enum status storage_benchmark_of_plan(
	struct storage *storage, const char *plan_id, struct arena *arena, struct benchmark_record *benchmark, struct failure *failure)
{
	struct arguments arguments = {.id = plan_id};

	enum status status = reader_one(storage, STATEMENT_BENCHMARK_OF_PLAN, &arguments, benchmark, arena, failure);

	if (status == STATUS_OK)
		benchmark->result = benchmark->verification;
	return status;
}
