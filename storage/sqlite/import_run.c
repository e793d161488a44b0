/* Runs an import for the caller: step by step, until the last step makes the rows valid. */
#include <string.h>

#include "planner/progress.h"
#include "storage/feeds.h"
#include "storage/sqlite/import_steps.h"

enum { ENDS_AT_ONCE = 100, RUN_ARENA_BYTES = 64 * 1024 * 1024 };

static enum status tidy_all(struct storage *storage, struct failure *failure)
{
	struct import_tidy tidy = {.job = {.kind = STORAGE_IMPORT_TIDY, .failure = failure}, .more = true};
	enum status status = STATUS_OK;

	while (status == STATUS_OK && tidy.more)
		status = storage_run(storage, &tidy.job);
	return status;
}

enum status storage_import_tidy(struct storage *storage, struct failure *failure)
{
	enum status status;

	pthread_mutex_lock(&storage->import_lock);
	status = tidy_all(storage, failure);
	pthread_mutex_unlock(&storage->import_lock);
	return status;
}

static enum status check_cancelled(const struct import_run *run, struct failure *failure)
{
	return progress_stopped(run->progress)
		? failure_set(failure, STATUS_CANCELLED, "the import was cancelled; none of its rows is in the catalogue")
		: STATUS_OK;
}

static enum status put_rows(struct storage *storage, const struct import_run *run, int64_t number, struct failure *failure)
{
	struct import_rows step = {.job = {.kind = STORAGE_IMPORT_ROWS, .failure = failure}, .run = run, .number = number};
	enum status status = STATUS_OK;

	while (status == STATUS_OK && step.begin < run->count) {
		status = check_cancelled(run, failure);
		if (status == STATUS_OK)
			status = storage_run(storage, &step.job);
		step.begin = step.end;
		progress_note(run->progress, 0.9 * (double)step.begin / (double)run->count, "writing rows");
	}
	return status;
}

static int id_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char **sorted_ids(const struct import_run *run, struct arena *arena)
{
	const char **ids = ARENA_ARRAY(arena, const char *, run->count + 1);

	for (size_t i = 0; ids && i < run->count; i++)
		ids[i] = row_id(run->kind, (const char *)run->rows + i * row_size(run->kind));
	if (ids && run->count > 1)
		qsort(ids, run->count, sizeof *ids, id_order);
	return ids;
}

/* Ends the rows of one page of imported rows that the import does not contain. */
static enum status end_page(struct storage *storage, const struct import_run *run, int64_t number, const char *const *named,
	const struct row_list *page, struct failure *failure)
{
	const char *unnamed[ENDS_AT_ONCE];
	struct import_ends step = {.job = {.kind = STORAGE_IMPORT_ENDS, .failure = failure}, .run = run, .number = number, .ids = unnamed};

	for (size_t i = 0; i < page->count; i++) {
		const char *id = row_id(run->kind, (const char *)page->items + i * row_size(run->kind));

		if (!bsearch(&id, named, run->count, sizeof *named, id_order))
			unnamed[step.count++] = id;
	}
	return step.count > 0 ? storage_run(storage, &step.job) : STATUS_OK;
}

static enum status end_unnamed(struct storage *storage, const struct import_run *run, int64_t number, struct failure *failure)
{
	const struct row_filter imported = {.origin = "imported"};
	struct page_request request = {.limit = ENDS_AT_ONCE};
	struct arena ids, page;
	struct row_list list = {0};
	const char **named;
	enum status status = STATUS_OK;

	arena_init(&ids, RUN_ARENA_BYTES);
	arena_init(&page, RUN_ARENA_BYTES);
	named = sorted_ids(run, &ids);
	if (!named)
		status = failure_set(failure, STATUS_NO_MEMORY, "no memory for the ids of an import");
	do {
		if (status == STATUS_OK)
			status = check_cancelled(run, failure);
		if (status == STATUS_OK)
			status = storage_row_list(storage, run->kind, &imported, &request, &page, &list, failure);
		if (status == STATUS_OK)
			status = end_page(storage, run, number, named, &list, failure);
		request.cursor = status == STATUS_OK ? arena_strdup(&ids, list.next_cursor) : NULL;
		arena_reset(&page);
	} while (request.cursor);
	arena_release(&page);
	arena_release(&ids);
	return status;
}

static enum status publish_import(struct storage *storage, const struct import_run *run, int64_t number, struct failure *failure)
{
	struct import_end end = {.job = {.kind = STORAGE_IMPORT_END, .failure = failure, .audit = run->audit},
		.import = run->import,
		.number = number,
		.idempotency = run->idempotency};
	enum status status = check_cancelled(run, failure);

	run->import->state = "succeeded";
	if (status == STATUS_OK && run->refresh) {
		run->refresh->staged = &end;
		status = storage_run(storage, &run->refresh->job);
		run->refresh->staged = NULL;
	} else if (status == STATUS_OK) {
		status = storage_run(storage, &end.job);
	}
	return status;
}

/* If even this cannot be written, the next sweep marks the import as interrupted. */
static void give_up(struct storage *storage, const struct import_run *run, int64_t number, enum status status, const struct failure *failure)
{
	struct failure unread;
	struct import_end end = {.job = {.kind = STORAGE_IMPORT_END, .failure = &unread}, .import = run->import, .number = number};

	failure_clear(&unread);
	run->import->state = status == STATUS_CANCELLED ? "cancelled" : "failed";
	run->import->detail = status == STATUS_CANCELLED ? NULL : failure->detail;
	if (storage_run(storage, &end.job) == STATUS_OK)
		(void)!tidy_all(storage, &unread);
	run->import->detail = NULL; /* the text belongs to the failure */
}

enum status storage_import(struct storage *storage, struct import_run *run, struct failure *failure)
{
	struct import_begin begin = {.job = {.kind = STORAGE_IMPORT_BEGIN, .failure = failure}, .import = run->import};
	enum status status;

	run->import->kind = row_kind_name(run->kind);
	run->import->rows = (int64_t)run->count;
	run->import->added = run->import->changed = run->import->removed = run->import->unchanged = run->import->kept = 0;
	run->import->finished_at_us = run->import->revision = ABSENT_COUNT;
	run->import->state = "running";
	pthread_mutex_lock(&storage->import_lock);
	status = tidy_all(storage, failure);
	if (status == STATUS_OK)
		status = storage_run(storage, &begin.job);
	if (status == STATUS_OK) {
		status = put_rows(storage, run, begin.number, failure);
		if (status == STATUS_OK && run->import->replaces)
			status = end_unnamed(storage, run, begin.number, failure);
		if (status == STATUS_OK)
			status = publish_import(storage, run, begin.number, failure);
		if (status != STATUS_OK)
			give_up(storage, run, begin.number, status, failure);
	}
	pthread_mutex_unlock(&storage->import_lock);
	return status;
}

/* --- reading ------------------------------------------------------------------------------------------------------- */

enum status storage_import_list(struct storage *storage, const char *kind, const struct page_request *page, struct arena *arena,
	struct import_list *list, struct failure *failure)
{
	struct arguments query = {.name = kind, .limit = (int64_t)page_limit(page) + 1};
	struct rows_read rows;
	const struct import_stored *stored;
	enum status status = cursor_read_moment(page, arena, &query.cursor_us, &query.cursor_id, failure);

	*list = (struct import_list){0};
	if (status == STATUS_OK)
		status = reader_list(storage, STATEMENT_IMPORT_LIST, &query, page_limit(page), arena, &rows, failure);
	if (status != STATUS_OK)
		return status;
	stored = rows.items;
	list->items = ARENA_ARRAY(arena, struct import_record, rows.count + 1);
	if (!list->items)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for a list of imports");
	for (; list->count < rows.count; list->count++)
		list->items[list->count] = stored[list->count].record;
	if (rows.more)
		list->next_cursor = cursor_write_moment(list->items[list->count - 1].started_at_us, list->items[list->count - 1].id, arena);
	return STATUS_OK;
}

enum status storage_import_get(
	struct storage *storage, const char *id, struct arena *arena, struct import_record *import, struct failure *failure)
{
	const struct arguments query = {.id = id};
	struct import_stored stored;
	enum status status = reader_one(storage, STATEMENT_IMPORT_GET, &query, &stored, arena, failure);

	if (status == STATUS_NOT_FOUND)
		return failure_set(failure, status, "import %.64s does not exist", id);
	*import = stored.record;
	return status;
}
