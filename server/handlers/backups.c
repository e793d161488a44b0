/* Online backup into the configured folder. The daemon makes the file's name, so that a client cannot choose where the
 * daemon writes. */
#include <dirent.h>
#include <stdatomic.h>
#include <unistd.h>

#include "api/tables/tables.h"
#include "base/clock.h"
#include "base/log.h"
#include "server/commit.h"
#include "server/handlers.h"
#include "server/options.h"
#include "server/server.h"

/* Returns the configured folder, or the folder of the database. */
static const char *backup_folder(struct call *call)
{
	const struct options *options = call->server->options;
	const char *slash = strrchr(options->database, '/');

	if (*options->backup_directory)
		return options->backup_directory;
	return slash ? arena_strndup(&call->arena, options->database, (size_t)(slash - options->database)) : ".";
}

/* Makes the path of a backup, "fleetplan-20261121T014421.123456Z.db" in the folder: the time without "-" and ":". */
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

static const char name_begin[] = "fleetplan-", name_end[] = "Z.db";

/* True for a name that backup_file_name() makes. */
static int is_backup(const struct dirent *entry)
{
	size_t least = strlen("fleetplan-20261121T014421Z.db"), length = strlen(entry->d_name), moment;

	if (length < least || strncmp(entry->d_name, name_begin, strlen(name_begin)) != 0)
		return 0;
	moment = strspn(entry->d_name + strlen(name_begin), "0123456789T.");
	return strcmp(entry->d_name + strlen(name_begin) + moment, name_end) == 0;
}

/* Deletes the oldest backups beyond the limit; names sort by time. A file that cannot be deleted is tried again at the
 * next backup. */
static void delete_oldest(struct call *call, const char *folder)
{
	int64_t keep = (int64_t)call->server->options->backup_keep;
	struct dirent **entries = NULL;
	int count = keep > 0 ? scandir(folder, &entries, is_backup, alphasort) : 0;

	for (int i = 0; i < count; i++) {
		if (i < count - keep) {
			const char *path = arena_printf(&call->arena, "%s/%s", folder, entries[i]->d_name);

			if (path && unlink(path) == 0)
				log_event(LOG_INFO, "backup_deleted", LOG_TEXT("file", entries[i]->d_name));
		}
		free(entries[i]);
	}
	free(entries);
}

enum status handle_backup_create(struct call *call)
{
	struct backup backup = {.created_at_us = clock_wall_us(), .plans = ABSENT_COUNT};
	const char *folder = backup_folder(call);
	char *file;
	enum status status;
	static atomic_flag running = ATOMIC_FLAG_INIT;

	if (atomic_flag_test_and_set(&running))
		return failure_set(&call->failure, STATUS_CONFLICT, "another backup is being written; try again when it has ended");
	file = folder ? backup_file_name(&call->arena, folder, backup.created_at_us) : NULL;
	status = file ? storage_backup(call->server->storage, file, &backup.bytes, &call->failure) : STATUS_NO_MEMORY;
	if (status == STATUS_OK)
		delete_oldest(call, folder);
	atomic_flag_clear(&running);
	if (status != STATUS_OK)
		return status;
	backup.file = strrchr(file, '/') + 1;
	call->http_status = 201;
	record_encode(&table_backup, &backup, &call->json);
	return STATUS_OK;
}
