#include "agent/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_SIZE = 96, HEAD_MAX = 128, DIGEST_TEXT_SIZE = 2 * crypto_hash_sha256_BYTES + 1 };

static const char result_suffix[] = ".result", draft_suffix[] = ".draft", damaged_suffix[] = ".damaged";

static void name_of(const struct spool_entry *entry, const char *suffix, char *name)
{
	snprintf(name, NAME_SIZE, "%s-%" PRId64 "%s", entry->benchmark_id, entry->token, suffix);
}

static bool ends_with(const char *name, const char *suffix)
{
	size_t length = strlen(name), wanted = strlen(suffix);

	return length > wanted && strcmp(name + length - wanted, suffix) == 0;
}

static bool entry_of(const char *name, struct spool_entry *entry)
{
	char again[NAME_SIZE], *end;

	if (strlen(name) < UUID_TEXT_SIZE || name[UUID_TEXT_SIZE - 1] != '-')
		return false;
	memcpy(entry->benchmark_id, name, UUID_TEXT_SIZE - 1);
	entry->benchmark_id[UUID_TEXT_SIZE - 1] = '\0';
	entry->token = strtoll(name + UUID_TEXT_SIZE, &end, 10);
	name_of(entry, result_suffix, again);
	return uuid_valid(entry->benchmark_id) && strcmp(again, name) == 0;
}

/* Calls `each` with the name of every file. */
static void each_file(const struct spool *spool, void (*each)(const struct spool *, const char *, void *), void *context)
{
	int fd = openat(spool->folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);

	if (!folder) {
		if (fd >= 0)
			close(fd);
		return;
	}
	for (struct dirent *file = readdir(folder); file; file = readdir(folder))
		each(spool, file->d_name, context);
	closedir(folder);
}

/* --- writing ---------------------------------------------------------------------------------------------------- */
static enum status file_failure(struct failure *failure, const char *what)
{
	enum status status = errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? STATUS_STORAGE_FULL : STATUS_UNAVAILABLE;

	return failure_set(failure, status, "the spool: %s: %s", what, strerror(errno));
}

static bool write_all(int fd, const char *bytes, size_t length)
{
	while (length) {
		ssize_t wrote = write(fd, bytes, length);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return false;
		bytes += wrote;
		length -= (size_t)wrote;
	}
	return true;
}

/* Writes a whole file or nothing. The file is on the disk when this returns. */
static enum status write_file(
	struct spool *spool, const char *draft, const char *name, const char *head, const char *body, size_t length, struct failure *failure)
{
	int fd = openat(spool->folder_fd, draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600), error = 0;

	if (fd < 0)
		return file_failure(failure, draft);
	if (!write_all(fd, head, strlen(head)) || !write_all(fd, body, length) || fsync(fd))
		error = errno;
	if (close(fd) && !error)
		error = errno;
	if (!error && (renameat(spool->folder_fd, draft, spool->folder_fd, name) || fsync(spool->folder_fd)))
		error = errno;
	if (!error)
		return STATUS_OK;
	(void)unlinkat(spool->folder_fd, draft, 0);
	errno = error;
	return file_failure(failure, name);
}

static void digest_text(const char *body, size_t length, char *text)
{
	unsigned char digest[crypto_hash_sha256_BYTES];

	crypto_hash_sha256(digest, (const unsigned char *)body, length);
	sodium_bin2hex(text, DIGEST_TEXT_SIZE, digest, sizeof(digest));
}

enum status spool_put(struct spool *spool, const struct spool_entry *entry, const char *body, size_t length, struct failure *failure)
{
	char draft[NAME_SIZE], name[NAME_SIZE], digest[DIGEST_TEXT_SIZE], head[HEAD_MAX];
	struct spool_list list;

	spool_list(spool, &list);
	if (list.count == SPOOL_RESULTS_MAX || length > SPOOL_RESULT_MAX_BYTES)
		return failure_set(failure, STATUS_STORAGE_FULL, "the spool can store at most %d results of at most %d bytes", SPOOL_RESULTS_MAX,
			SPOOL_RESULT_MAX_BYTES);
	name_of(entry, draft_suffix, draft);
	name_of(entry, result_suffix, name);
	digest_text(body, length, digest);
	snprintf(head, sizeof(head), "fleetplan result 1 %zu %s\n", length, digest);
	return write_file(spool, draft, name, head, body, length, failure);
}

void spool_remove(struct spool *spool, const struct spool_entry *entry)
{
	char name[NAME_SIZE];

	name_of(entry, result_suffix, name);
	(void)unlinkat(spool->folder_fd, name, 0);
}

/* --- reading ---------------------------------------------------------------------------------------------------- */
static void take_entry(const struct spool *spool, const char *name, void *context)
{
	struct spool_list *list = context;

	(void)spool;
	if (list->count < SPOOL_RESULTS_MAX && entry_of(name, &list->entries[list->count]))
		list->count++;
}

static int compare_entries(const void *left, const void *right)
{
	const struct spool_entry *a = left, *b = right;
	int order = strcmp(a->benchmark_id, b->benchmark_id);

	return order ? order : (a->token > b->token) - (a->token < b->token);
}

void spool_list(struct spool *spool, struct spool_list *list)
{
	list->count = 0;
	each_file(spool, take_entry, list);
	qsort(list->entries, list->count, sizeof(list->entries[0]), compare_entries);
}

static enum status read_file(int folder_fd, const char *name, struct buffer *out, struct failure *failure)
{
	int fd = openat(folder_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t got = 1;

	buffer_clear(out);
	if (fd < 0)
		return file_failure(failure, name);
	while (got > 0 && !out->failed) {
		char piece[16 * 1024];

		got = read(fd, piece, sizeof(piece));
		if (got > 0)
			buffer_append(out, piece, (size_t)got);
	}
	close(fd);
	if (out->failed)
		return failure_set(failure, STATUS_NO_MEMORY, "the spool: %s is too large", name);
	return got < 0 ? file_failure(failure, name) : STATUS_OK;
}

/* True if the content matches the first line; the buffer then has only the content. */
static bool is_whole(struct buffer *file)
{
	char digest[DIGEST_TEXT_SIZE], head[HEAD_MAX];
	const char *newline = file->length ? memchr(file->bytes, '\n', file->length) : NULL;
	size_t skipped = newline ? (size_t)(newline - file->bytes) + 1 : 0;

	if (!skipped)
		return false;
	digest_text(file->bytes + skipped, file->length - skipped, digest);
	snprintf(head, sizeof(head), "fleetplan result 1 %zu %s\n", file->length - skipped, digest);
	if (strlen(head) != skipped || memcmp(head, file->bytes, skipped) != 0)
		return false;
	file->length -= skipped;
	memmove(file->bytes, file->bytes + skipped, file->length + 1);
	return true;
}

enum status spool_read(struct spool *spool, const struct spool_entry *entry, struct buffer *body, struct failure *failure)
{
	char name[NAME_SIZE], aside[NAME_SIZE];
	enum status status;

	name_of(entry, result_suffix, name);
	status = read_file(spool->folder_fd, name, body, failure);
	if (status != STATUS_OK || is_whole(body))
		return status;
	name_of(entry, damaged_suffix, aside);
	(void)renameat(spool->folder_fd, name, spool->folder_fd, aside);
	return failure_set(failure, STATUS_MALFORMED, "%s is damaged; it is now named %s", name, aside);
}

/* --- opening ---------------------------------------------------------------------------------------------------- */
static void remove_draft(const struct spool *spool, const char *name, void *context)
{
	(void)context;
	if (ends_with(name, draft_suffix))
		(void)unlinkat(spool->folder_fd, name, 0);
}

/* Reads the agent's id, or makes a new one if it cannot be read: the agent then registers as a new agent. */
static enum status read_or_make_id(struct spool *spool, struct failure *failure)
{
	struct failure unread;
	struct buffer text;

	failure_clear(&unread);
	buffer_init(&text, 256);
	if (read_file(spool->folder_fd, "agent-id", &text, &unread) == STATUS_OK && text.length == UUID_TEXT_SIZE &&
		text.bytes[text.length - 1] == '\n') {
		memcpy(spool->agent_id, text.bytes, UUID_TEXT_SIZE - 1);
		spool->agent_id[UUID_TEXT_SIZE - 1] = '\0';
	}
	buffer_release(&text);
	if (uuid_valid(spool->agent_id))
		return STATUS_OK;
	uuid_make(spool->agent_id);
	return write_file(spool, "agent-id.draft", "agent-id", spool->agent_id, "\n", 1, failure);
}

enum status spool_open(struct spool *spool, const char *folder, struct failure *failure)
{
	enum status status = STATUS_OK;

	*spool = (struct spool){.folder_fd = -1, .lock_fd = -1};
	if (mkdir(folder, 0700) && errno != EEXIST)
		return file_failure(failure, folder);
	spool->folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (spool->folder_fd < 0)
		return file_failure(failure, folder);
	spool->lock_fd = openat(spool->folder_fd, "lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (spool->lock_fd < 0)
		status = file_failure(failure, "lock");
	else if (flock(spool->lock_fd, LOCK_EX | LOCK_NB))
		status = failure_set(failure, STATUS_CONFLICT, "another agent uses the spool %s", folder);
	if (status == STATUS_OK) {
		each_file(spool, remove_draft, NULL);
		status = read_or_make_id(spool, failure);
	}
	if (status != STATUS_OK)
		spool_close(spool);
	return status;
}

void spool_close(struct spool *spool)
{
	if (spool->lock_fd >= 0)
		close(spool->lock_fd);
	if (spool->folder_fd >= 0)
		close(spool->folder_fd);
	spool->lock_fd = spool->folder_fd = -1;
}
