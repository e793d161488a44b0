#include "server/keys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/uuid.h"
#include "hwdb/catalogue/records.h"

struct audit_record keys_audit(const char *what, const char *id)
{
	return (struct audit_record){.key_id = "command",
		.key_name = "fleetplan keys",
		.role = auth_role_name(ROLE_ADMIN),
		.method = "COMMAND",
		.path = what,
		.entity = id,
		.revision = ABSENT_COUNT,
		.outcome = "done",
		.http_status = 200};
}

static enum status keys_put(struct storage *storage, const struct key_record *key, const char *text, const char *what, struct failure *failure)
{
	const struct audit_record entry = keys_audit(what, key->id);
	struct key_put put = {.job = {.kind = STORAGE_KEY_PUT, .failure = failure, .audit = &entry}, .key = key};

	auth_key_hash(text, put.hash);
	return storage_run(storage, &put.job);
}

enum status keys_create(struct storage *storage, const char *name, enum role role, const char *scope_key, const char *scope_value,
	unsigned days, char *id, char text[AUTH_KEY_TEXT_SIZE], struct failure *failure)
{
	char prefix[KEYS_PREFIX_LENGTH + 1];
	int64_t now_us = clock_wall_us();
	struct key_record key = {.id = id,
		.name = name,
		.role = auth_role_name(role),
		.prefix = prefix,
		.created_at_us = now_us,
		.expires_at_us = days ? now_us + days * 86400000000LL : ABSENT_COUNT,
		.revoked_at_us = ABSENT_COUNT,
		.scope_key = scope_key,
		.scope_value = scope_value};

	uuid_make(id);
	auth_key_make(text);
	snprintf(prefix, sizeof prefix, "%s", text);
	return keys_put(storage, &key, text, "keys create", failure);
}

enum status keys_rotate(struct storage *storage, const char *of, unsigned days, unsigned overlap_hours, char *id,
	char text[AUTH_KEY_TEXT_SIZE], struct arena *arena, struct key_record *key, struct failure *failure)
{
	static const int64_t hour_us = INT64_C(3600000000);
	const struct audit_record entry = keys_audit("keys rotate", of);
	char prefix[KEYS_PREFIX_LENGTH + 1];
	int64_t now_us = clock_wall_us();
	const struct key_record fresh = {.id = id,
		.prefix = prefix,
		.created_at_us = now_us,
		.expires_at_us = days ? now_us + days * 24 * hour_us : ABSENT_COUNT,
		.revoked_at_us = ABSENT_COUNT};
	struct key_rotate rotate = {.job = {.kind = STORAGE_KEY_ROTATE, .arena = arena, .failure = failure, .audit = &entry},
		.of = of,
		.key = &fresh,
		.made = key,
		.old_expires_at_us = now_us + overlap_hours * hour_us};

	uuid_make(id);
	auth_key_make(text);
	snprintf(prefix, sizeof prefix, "%s", text);
	auth_key_hash(text, rotate.hash);
	return storage_run(storage, &rotate.job);
}

static enum status keys_read_file(const char *option, const char *path, char *text, size_t size, struct failure *failure)
{
	FILE *file = fopen(path, "re");
	bool read;

	if (!file)
		return failure_set(failure, STATUS_INVALID, "%s: %s: %s", option, path, strerror(errno));
	read = fgets(text, (int)size, file) != NULL;
	fclose(file);
	if (read)
		text[strcspn(text, "\r\n")] = '\0';
	if (!read || !auth_key_plausible(text))
		return failure_set(failure, STATUS_INVALID,
			"%s: %s: the first line must be a key of 32 to 256 characters from "
			"A-Z a-z 0-9 + / = _ - . (make one with `openssl rand -base64 32`)",
			option, path);
	return STATUS_OK;
}

enum status keys_bootstrap(struct storage *storage, const char *path, struct failure *failure)
{
	char text[320], id[UUID_TEXT_SIZE], prefix[KEYS_PREFIX_LENGTH + 1];
	struct key_record key = {.id = id,
		.name = "bootstrap",
		.role = "admin",
		.prefix = prefix,
		.created_at_us = clock_wall_us(),
		.expires_at_us = ABSENT_COUNT,
		.revoked_at_us = ABSENT_COUNT};
	enum status status = keys_read_file("bootstrap-key-file", path, text, sizeof text, failure);

	if (status != STATUS_OK)
		return status;
	uuid_make(id);
	snprintf(prefix, sizeof prefix, "%.4s", text); /* a key that was made elsewhere: show less of it */
	status = keys_put(storage, &key, text, "bootstrap-key-file", failure);
	sodium_memzero(text, sizeof text);
	if (status == STATUS_CONFLICT) { /* stored at an earlier start */
		failure_clear(failure);
		return STATUS_OK;
	}
	return status;
}

/* Writes a key durably beside the file, and then renames it, so that the file is complete whenever it exists. */
static enum status keys_write_file(const char *path, const char *text, struct failure *failure)
{
	char fresh[PATH_MAX], line[AUTH_KEY_TEXT_SIZE + 1];
	size_t length = (size_t)snprintf(line, sizeof line, "%s\n", text);
	bool written = false;
	int fd = -1;

	if ((size_t)snprintf(fresh, sizeof fresh, "%s.new", path) < sizeof fresh) {
		(void)unlink(fresh); /* of a start that was interrupted */
		fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
	} else {
		errno = ENAMETOOLONG;
	}
	if (fd >= 0) {
		written = write(fd, line, length) == (ssize_t)length && fsync(fd) == 0;
		written = close(fd) == 0 && written && rename(fresh, path) == 0;
	}
	sodium_memzero(line, sizeof line);
	return written ? STATUS_OK : failure_set(failure, STATUS_INVALID, "first-key-file: %s cannot be written: %s", path, strerror(errno));
}

enum status keys_first(struct storage *storage, const char *path, char *id, struct failure *failure)
{
	char text[320], prefix[KEYS_PREFIX_LENGTH + 1];
	struct key_record key = {.id = id,
		.name = "first",
		.role = auth_role_name(ROLE_ADMIN),
		.prefix = prefix,
		.created_at_us = clock_wall_us(),
		.expires_at_us = ABSENT_COUNT,
		.revoked_at_us = ABSENT_COUNT};
	enum status status = STATUS_OK;

	if (access(path, F_OK) == 0 &&
		(keys_read_file("first-key-file", path, text, sizeof text, failure) != STATUS_OK || strncmp(text, "fp_", 3) != 0 ||
			strlen(text) != AUTH_KEY_TEXT_SIZE - 1))
		return failure_set(failure, STATUS_INVALID, "first-key-file: %s exists and is not a file with a key; name another file", path);
	uuid_make(id);
	auth_key_make(text);
	snprintf(prefix, sizeof prefix, "%.*s", KEYS_PREFIX_LENGTH, text);
	status = keys_write_file(path, text, failure);
	if (status == STATUS_OK)
		status = keys_put(storage, &key, text, "first-key-file", failure);
	sodium_memzero(text, sizeof text);
	return status;
}
