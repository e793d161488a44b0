#include "server/keys.h"

#include <errno.h>
#include <sodium.h>

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

static enum status keys_read_file(const char *path, char *text, size_t size, struct failure *failure)
{
	FILE *file = fopen(path, "re");
	bool read;

	if (!file)
		return failure_set(failure, STATUS_INVALID, "bootstrap-key-file: %s: %s", path, strerror(errno));
	read = fgets(text, (int)size, file) != NULL;
	fclose(file);
	if (read)
		text[strcspn(text, "\r\n")] = '\0';
	if (!read || !auth_key_plausible(text))
		return failure_set(failure, STATUS_INVALID,
			"bootstrap-key-file: %s: the first line must be a key of 32 to 256 characters from "
			"A-Z a-z 0-9 + / = _ - . (make one with `openssl rand -base64 32`)",
			path);
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
	enum status status = keys_read_file(path, text, sizeof text, failure);

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
