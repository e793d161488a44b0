#include "storage/keys.h"

#include <sodium.h>
#include <string.h>

#include "base/clock.h"
#include "storage/sqlite/store.h"

enum status operation_key_put(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	const struct key_put *put = (const struct key_put *)job;
	struct key_stored stored = {.record = *put->key};

	stored.record.revoked_at_us = ABSENT_COUNT; /* a new key is not revoked */
	if (stored.record.expires_at_us <= 0)
		stored.record.expires_at_us = ABSENT_COUNT;
	memcpy(stored.hash, put->hash, KEY_HASH_BYTES);
	return store_run(&storage->writer, STATEMENT_KEY_INSERT, &stored, arena, NULL, failure);
}

enum status operation_key_revoke(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	const struct key_revoke *revoke = (const struct key_revoke *)job;
	struct arguments arguments = {.id = revoke->id};
	struct key_stored key;
	enum status status = store_one(&storage->writer, STATEMENT_KEY_GET, &arguments, &key, arena, failure);

	if (status == STATUS_NOT_FOUND)
		return failure_set(failure, STATUS_NOT_FOUND, "there is no valid key %s", revoke->id);
	if (status != STATUS_OK &&
		!storage->writer.statements[STATEMENT_KEY_GET].damaged) /* a key that was changed on the disk can still be revoked */
		return status;
	failure_clear(failure);
	key.record.revoked_at_us = clock_wall_us();
	return store_run(&storage->writer, STATEMENT_KEY_END, &key, arena, NULL, failure);
}

/* Copies the members that the new key inherits into the caller's arena. */
static enum status key_succeed(const struct key_record *old, const struct key_rotate *rotate, struct key_record *made, struct failure *failure)
{
	struct arena *arena = rotate->job.arena;

	*made = *rotate->key;
	made->name = arena_strdup(arena, rotate->key->name ? rotate->key->name : old->name);
	made->role = arena_strdup(arena, old->role);
	made->family = arena_strdup(arena, old->family ? old->family : old->id);
	made->scope_key = arena_strdup(arena, old->scope_key);
	made->scope_value = arena_strdup(arena, old->scope_value);
	made->revoked_at_us = ABSENT_COUNT;
	if (made->expires_at_us <= 0)
		made->expires_at_us = ABSENT_COUNT;
	if (!made->role || !made->family || (old->scope_key && (!made->scope_key || !made->scope_value)))
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for a key");
	return STATUS_OK;
}

enum status operation_key_rotate(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	const struct key_rotate *rotate = (const struct key_rotate *)job;
	struct arguments arguments = {.id = rotate->of};
	struct key_stored old, fresh = {0};
	int64_t until_us = rotate->old_expires_at_us;
	enum status status = store_one(&storage->writer, STATEMENT_KEY_GET, &arguments, &old, arena, failure);
	bool is_over = status == STATUS_OK && old.record.expires_at_us != ABSENT_COUNT && old.record.expires_at_us <= clock_wall_us();

	CHECK(job->arena && rotate->made);
	if (status == STATUS_NOT_FOUND || is_over)
		return failure_set(failure, STATUS_NOT_FOUND, "there is no valid key %s", rotate->of);
	if (status == STATUS_OK)
		status = key_succeed(&old.record, rotate, rotate->made, failure);
	if (status != STATUS_OK)
		return status;
	fresh.record = *rotate->made;
	memcpy(fresh.hash, rotate->hash, KEY_HASH_BYTES);
	status = store_run(&storage->writer, STATEMENT_KEY_INSERT, &fresh, arena, NULL, failure);
	if (status != STATUS_OK || until_us <= 0 || (old.record.expires_at_us != ABSENT_COUNT && old.record.expires_at_us <= until_us))
		return status;
	old.record.expires_at_us = until_us;
	return store_run(&storage->writer, STATEMENT_KEY_END, &old, arena, NULL, failure);
}

enum status storage_key_find(
	struct storage *storage, const unsigned char hash[KEY_HASH_BYTES], struct arena *arena, struct key_record *key, struct failure *failure)
{
	struct key_stored wanted = {0}, found;
	enum status status;

	memcpy(wanted.hash, hash, KEY_HASH_BYTES);
	status = reader_one(storage, STATEMENT_KEY_FIND, &wanted, &found, arena, failure);
	if (status == STATUS_OK &&
		(sodium_memcmp(found.hash, hash, KEY_HASH_BYTES) != 0 ||
			(found.record.expires_at_us != ABSENT_COUNT && found.record.expires_at_us <= clock_wall_us())))
		status = STATUS_NOT_FOUND;
	if (status == STATUS_NOT_FOUND)
		return failure_set(failure, status, "the key is unknown, revoked or expired");
	if (status == STATUS_OK)
		*key = found.record;
	return status;
}

enum status storage_key_list(
	struct storage *storage, const struct page_request *page, struct arena *arena, struct key_list *list, struct failure *failure)
{
	struct arguments arguments = {.limit = (int64_t)page_limit(page) + 1};
	struct rows_read rows;
	const struct key_stored *stored;
	enum status status = cursor_read_id(page, arena, &arguments.cursor_id, failure);

	*list = (struct key_list){0};
	if (status != STATUS_OK)
		return status;
	status = reader_list(storage, STATEMENT_KEY_LIST, &arguments, page_limit(page), arena, &rows, failure);
	if (status != STATUS_OK)
		return status;
	stored = rows.items;
	list->items = rows.items;
	list->count = rows.count;
	for (size_t i = 0; i < rows.count; i++) /* moves the records together: each stored key begins with its record */
		memmove(&list->items[i], &stored[i].record, sizeof list->items[i]);
	if (rows.more)
		list->next_cursor = cursor_write_id(list->items[list->count - 1].id, arena);
	return STATUS_OK;
}

enum status storage_key_count(struct storage *storage, int64_t *count, struct failure *failure)
{
	struct arguments arguments = {.now_us = clock_wall_us()}, found = {0};
	struct arena arena;
	enum status status;

	arena_init(&arena, 64 * 1024);
	status = reader_one(storage, STATEMENT_KEY_COUNT, &arguments, &found, &arena, failure);
	arena_release(&arena);
	*count = found.count;
	return status;
}
