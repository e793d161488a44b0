/* The number of the last acknowledged commit, in its own file beside the database.
 *
 * SQLite recovers a log up to the first invalid frame and does not report the frames after it; nor does it notice that
 * a log or a file was replaced by an older one. Each transaction counts itself in the database; once it is on disk, the
 * daemon writes the count into the mark. The mark is written after the commit, so it is never ahead. It is not synced:
 * after a power cut it may be older, which is harmless. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/log.h"
#include "storage/sqlite/store.h"

/* "commits 00000000000000000042 of 0123456789abcdef0123456789abcdef\n": one write, at one place, of one length. */
enum { MARK_BYTES = 8 + 20 + 4 + 32 + 1 };

enum status commit_mark_read(const char *path, const char *file, int64_t *commits, struct failure *failure)
{
	char mark_path[PATH_MAXIMUM + 8], text[MARK_BYTES + 1] = "", of[33] = "";
	ssize_t length;
	int fd;

	*commits = 0;
	snprintf(mark_path, sizeof mark_path, "%s.mark", path);
	fd = open(mark_path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? STATUS_OK
							   : failure_set(failure, STATUS_UNAVAILABLE, "cannot read %s: %s", mark_path, strerrordesc_np(errno));
	length = read(fd, text, MARK_BYTES);
	close(fd);
	if (length != MARK_BYTES || sscanf(text, "commits %20" SCNd64 " of %32[0-9a-f]", commits, of) != 2 || (*file && strcmp(of, file) != 0))
		*commits = 0; /* mark of another database, or truncated: ignored */
	return STATUS_OK;
}

void commit_mark_write(struct storage *storage, int64_t commits)
{
	char text[MARK_BYTES + 1];

	if (storage->mark_fd < 0)
		return;
	snprintf(text, sizeof text, "commits %020" PRId64 " of %.32s\n", commits, storage->file_id);
	if (pwrite(storage->mark_fd, text, MARK_BYTES, 0) != MARK_BYTES && !storage->mark_failed) {
		storage->mark_failed = true; /* logged once: changes are stored all the same */
		log_event(LOG_WARNING, "commit_mark_failed", LOG_TEXT("path", storage->path), LOG_TEXT("detail", strerrordesc_np(errno)));
	}
}

enum status commit_mark_open(struct storage *storage, struct failure *failure)
{
	static const struct arguments none;
	struct arguments found = {0};
	char path[PATH_MAXIMUM + 8];
	int64_t marked = 0;
	struct arena arena;
	enum status status;

	arena_init(&arena, ARENA_KEEP_BYTES);
	status = store_one(&storage->writer, STATEMENT_COMMIT_COUNT_GET, &none, &found, &arena, failure);
	if (status == STATUS_NOT_FOUND)
		status = failure_set(
			failure, STATUS_UNAVAILABLE, "%s is damaged: its count of commits is missing; run `fleetplan check`", storage->path);
	if (status == STATUS_OK) {
		snprintf(storage->file_id, sizeof storage->file_id, "%s", found.id);
		status = commit_mark_read(storage->path, storage->was_uncounted ? "" : storage->file_id, &marked, failure);
	}
	arena_release(&arena);
	if (status != STATUS_OK)
		return status;
	snprintf(path, sizeof path, "%s.mark", storage->path);
	storage->mark_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (storage->mark_fd < 0)
		return failure_set(failure, STATUS_UNAVAILABLE, "cannot create %s: %s", path, strerrordesc_np(errno));
	if (marked > found.count) {
		storage->state.lost_commits = marked - found.count;
		log_event(LOG_ERROR, "commits_lost", LOG_TEXT("path", storage->path), LOG_INTEGER("commits", marked - found.count),
			LOG_TEXT("detail",
				"acknowledged changes are missing from the database: its log was damaged or removed, or the file was replaced by an older copy; restore a newer backup if there is one"));
	}
	return STATUS_OK;
}
