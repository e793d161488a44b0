/* Online backup into the configured folder: the name is ours, so that a caller cannot choose where the daemon writes. */
#include "api/tables.h"
#include "base/clock.h"
#include "server/commit.h"
#include "server/handlers.h"
#include "server/options.h"
#include "server/server.h"

/* The configured folder, or the one in which the database is. */
static const char *backup_folder(struct call *call)
{
	const struct options *options = call->server->options;
	const char *slash = strrchr(options->database, '/');

	if (*options->backup_directory)
		return options->backup_directory;
	return slash ? arena_strndup(&call->arena, options->database, (size_t)(slash - options->database)) : ".";
}

/* "fleetplan-20261121T014421.123Z.db": the moment without what a file name had better not hold. */
static char *backup_file_name(struct arena *arena, const char *folder, int64_t now_us)
{
	char moment[CLOCK_TEXT_MAX], compact[CLOCK_TEXT_MAX];
	size_t length = 0;

	clock_format(moment, now_us);
	for (const char *c = moment; *c; c++)
		if (*c != '-' && *c != ':')
			compact[length++] = *c;
	compact[length] = '\0';
	return arena_printf(arena, "%s/fleetplan-%s.db", folder, compact);
}

enum status handle_backup_create(struct call *call)
{
	struct backup backup = {.created_at_us = clock_wall_us(), .plans = ABSENT_COUNT};
	const char *folder = backup_folder(call);
	char *file;
	enum status status;

	file = folder ? backup_file_name(&call->arena, folder, backup.created_at_us) : NULL;
	if (!file)
		return STATUS_NO_MEMORY;
	status = storage_backup(call->server->storage, file, &backup.bytes, &call->failure);
	if (status != STATUS_OK)
		return status;
	backup.file = strrchr(file, '/') + 1;
	call->http_status = 201;
	api_encode(&table_backup, &backup, &call->json);
	return STATUS_OK;
}
