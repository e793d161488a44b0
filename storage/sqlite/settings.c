#include "storage/sqlite/store.h"

enum status operation_setting_put(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	const struct setting_put *put = (const struct setting_put *)job;
	struct arguments arguments = {.name = put->name, .value = put->value};

	return store_run(&storage->writer, put->value ? STATEMENT_SETTING_PUT : STATEMENT_SETTING_DELETE, &arguments, arena, NULL, failure);
}

enum status storage_setting_get(struct storage *storage, const char *name, struct arena *arena, const char **value, struct failure *failure)
{
	struct connection *reader = reader_take(storage, failure);
	struct arguments arguments = {.name = name}, found = {0};
	enum status status;

	*value = NULL;
	if (!reader)
		return failure->status;
	status = store_one(reader, STATEMENT_SETTING_GET, &arguments, &found, arena, failure);
	reader_give(storage, reader);
	if (status == STATUS_NOT_FOUND)
		return failure_set(failure, status, "setting %s does not exist", name);
	*value = found.value;
	return status;
}
