#include "base/clock.h"
#include "storage/agents.h"
#include "storage/sqlite/store.h"

enum status operation_device_put(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	return store_run(&storage->writer, STATEMENT_DEVICE_PUT, ((struct device_put *)job)->device, arena, NULL, failure);
}

enum status storage_device_list(
	struct storage *storage, const struct page_request *page, struct arena *arena, struct device_list *list, struct failure *failure)
{
	int64_t now_us = clock_even_us();
	struct arguments arguments = {.limit = (int64_t)page_limit(page) + 1, .now_us = now_us, .before_us = now_us - AGENT_SILENCE_US};
	struct rows_read rows;
	enum status status = cursor_read_id(page, arena, &arguments.cursor_id, failure);

	*list = (struct device_list){0};
	if (status != STATUS_OK)
		return status;
	status = reader_list(storage, STATEMENT_DEVICE_LIST, &arguments, page_limit(page), arena, &rows, failure);
	if (status != STATUS_OK)
		return status;
	list->items = rows.items;
	list->count = rows.count;
	if (rows.more)
		list->next_cursor = cursor_write_id(list->items[list->count - 1].id, arena);
	return STATUS_OK;
}
