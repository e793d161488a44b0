/* Checks that the daemon's files still have their names.
 *
 * SQLite finds the log by the name of the database. If a file is deleted, replaced or has a second name, one daemon
 * writes it and the next reads it with another log: acknowledged changes would be lost. So the daemon keeps a
 * descriptor of the database itself with a flock on it, which also stops a second daemon that uses another name, and
 * compares names and files before and after each commit. The descriptor is closed after the last connection: closing it
 * drops the POSIX locks of the whole process on the file. */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "storage/sqlite/store.h"

static const char *const suffixes[FILE_PART_COUNT] = {[FILE_DATABASE] = "", [FILE_WAL] = "-wal", [FILE_SHM] = "-shm"};

static enum status second_name(const char *path, const struct stat *file, struct failure *failure)
{
	return failure_set(failure, STATUS_UNAVAILABLE,
		"%s has %lu names (hard links), and each name has its own log; remove all names but one, or copy the file with `fleetplan backup`",
		path, (unsigned long)file->st_nlink);
}

enum status file_identity_look(const char *path, struct failure *failure)
{
	struct stat file;

	if (stat(path, &file) != 0)
		return STATUS_OK; /* the file does not exist yet, or opening it will report the error */
	if (!S_ISREG(file.st_mode))
		return failure_set(failure, STATUS_UNAVAILABLE, "%s is not a regular file; name a regular file", path);
	return file.st_nlink > 1 ? second_name(path, &file, failure) : STATUS_OK;
}

enum status file_identity_lock(struct storage *storage, struct failure *failure)
{
	storage->file_fd = open(storage->path, O_RDONLY | O_CLOEXEC);
	if (storage->file_fd < 0)
		return failure_set(failure, STATUS_UNAVAILABLE, "cannot open %s: %s", storage->path, strerrordesc_np(errno));
	/* On a network file system flock is a POSIX lock and would conflict with SQLite's own. */
	if (storage->state.network_file_system || flock(storage->file_fd, LOCK_EX | LOCK_NB) == 0)
		return STATUS_OK;
	if (errno == EWOULDBLOCK)
		return failure_set(failure, STATUS_CONFLICT,
			"%s is in use by another daemon, perhaps under another name; stop that daemon, or name another file", storage->path);
	return failure_set(failure, STATUS_UNAVAILABLE, "cannot lock %s: %s", storage->path, strerrordesc_np(errno));
}

/* Remembers the files once the log is in use. SQLite follows symbolic links; its other files are beside the link's
 * target. */
enum status file_identity_take(struct storage *storage, struct failure *failure)
{
	const char *path = sqlite3_db_filename(storage->writer.db, "main");

	for (int part = 0; part < FILE_PART_COUNT; part++) {
		struct file_part *file = &storage->files[part];
		struct stat found;

		if ((size_t)snprintf(file->path, sizeof file->path, "%s%s", path, suffixes[part]) >= sizeof file->path)
			return failure_set(failure, STATUS_INVALID, "the database's path is too long");
		if (stat(file->path, &found) != 0)
			return failure_set(failure, STATUS_UNAVAILABLE, "%s is gone: %s", file->path, strerrordesc_np(errno));
		file->device = found.st_dev;
		file->inode = found.st_ino;
	}
	storage->files_taken = true;
	return file_identity_check(storage, failure);
}

static enum status part_check(const struct file_part *file, struct failure *failure)
{
	struct stat found;

	if (stat(file->path, &found) != 0)
		return failure_set(failure, STATUS_UNAVAILABLE,
			"%s was deleted or moved while the daemon uses it (%s); move it back, or make a backup (POST /v1/backups copies the data that the daemon has open), stop the daemon and put the backup in its place",
			file->path, strerrordesc_np(errno));
	if (found.st_dev != file->device || found.st_ino != file->inode)
		return failure_set(failure, STATUS_UNAVAILABLE,
			"%s was replaced by another file while the daemon uses the previous one; move the previous one back, or make a backup (POST /v1/backups copies the data that the daemon has open), stop the daemon and keep the right file",
			file->path);
	return found.st_nlink > 1 ? second_name(file->path, &found, failure) : STATUS_OK;
}

enum status file_identity_check(const struct storage *storage, struct failure *failure)
{
	enum status status = STATUS_OK;

	for (int part = 0; part < FILE_PART_COUNT && storage->files_taken && status == STATUS_OK; part++)
		status = part_check(&storage->files[part], failure);
	return status;
}

void file_identity_release(struct storage *storage)
{
	if (storage->file_fd >= 0)
		close(storage->file_fd);
	storage->file_fd = -1;
}
