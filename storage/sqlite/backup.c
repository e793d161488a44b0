/* Makes a consistent copy while the daemon works: written beside its final name, checked, synced to disk, renamed. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/uuid.h"
#include "storage/sqlite/store.h"

static enum status system_failure(struct failure *failure, const char *what, const char *path)
{
	enum status status = errno == ENOSPC || errno == EDQUOT ? STATUS_STORAGE_FULL : STATUS_UNAVAILABLE;

	return failure_set(failure, status, "cannot %s %s: %s", what, path, strerrordesc_np(errno));
}

/* Copies all pages in one step: the copy reads one snapshot of the log, so writers continue and the copy never
 * restarts. */
static enum status copy_pages(struct storage *storage, struct connection *copy, struct failure *failure)
{
	struct connection *reader = reader_take(storage, failure);
	sqlite3_backup *backup;
	int code = SQLITE_NOMEM;

	if (!reader)
		return failure->status;
	backup = sqlite3_backup_init(copy->db, "main", reader->db, "main");
	if (backup) {
		sqlite3_backup_step(backup, -1);
		code = sqlite3_backup_finish(backup);
	}
	reader_give(storage, reader);
	return code == SQLITE_OK ? STATUS_OK : sqlite_failure(copy->db, failure);
}

/* Makes the copy one file without a log, and checks every page. */
static enum status check_copy(struct connection *copy, struct failure *failure)
{
	sqlite3_stmt *statement;
	enum status status = connection_execute(copy, "PRAGMA journal_mode = DELETE", failure);

	if (status != STATUS_OK)
		return status;
	if (sqlite3_prepare_v2(copy->db, "PRAGMA integrity_check(1)", -1, &statement, NULL) != SQLITE_OK)
		return sqlite_failure(copy->db, failure);
	if (sqlite3_step(statement) != SQLITE_ROW)
		status = sqlite_failure(copy->db, failure);
	else if (strcmp((const char *)sqlite3_column_text(statement, 0), "ok") != 0)
		status = failure_set(failure, STATUS_UNAVAILABLE, "the database is damaged (%s); restore an older backup",
			(const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	return status;
}

static enum status sync_path(const char *path, int flags, struct failure *failure)
{
	int fd = open(path, flags | O_RDONLY | O_CLOEXEC);
	enum status status = STATUS_OK;

	if (fd < 0 || fsync(fd) != 0)
		status = system_failure(failure, "bring to the disk", path);
	if (fd >= 0)
		close(fd);
	return status;
}

static enum status move_into_place(const char *from, const char *to, struct failure *failure)
{
	char folder[PATH_MAXIMUM];
	enum status status = sync_path(from, 0, failure);

	if (status != STATUS_OK)
		return status;
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) != 0) {
		if (errno == EEXIST)
			return failure_set(failure, STATUS_CONFLICT, "%s exists already; name a new file", to);
		return system_failure(failure, "make", to);
	}
	snprintf(folder, sizeof folder, "%s", to);
	return sync_path(dirname(folder), O_DIRECTORY, failure);
}

enum status storage_backup(struct storage *storage, const char *path, int64_t *size_bytes, struct failure *failure)
{
	char id[UUID_TEXT_SIZE], partial[PATH_MAXIMUM];
	struct connection copy;
	struct stat file;
	enum status status;

	*size_bytes = 0;
	if (access(path, F_OK) == 0)
		return failure_set(failure, STATUS_CONFLICT, "%s exists already; name a new file", path);
	uuid_make(id);
	if ((size_t)snprintf(partial, sizeof partial, "%s.%s", path, id) >= sizeof partial)
		return failure_set(failure, STATUS_INVALID, "the path is too long");
	status = store_file_create(partial, failure);
	if (status == STATUS_OK)
		status = connection_open(partial, false, &copy, failure);
	if (status == STATUS_OK) {
		status = copy_pages(storage, &copy, failure);
		if (status == STATUS_OK)
			status = check_copy(&copy, failure);
		connection_close(&copy);
	}
	if (status == STATUS_OK && stat(partial, &file) == 0)
		*size_bytes = file.st_size;
	if (status == STATUS_OK)
		status = move_into_place(partial, path, failure);
	if (status != STATUS_OK)
		unlink(partial);
	return status;
}
