#include "storage/idempotency.h"

#include <string.h>

#include "base/clock.h"
#include "storage/sqlite/store.h"

/* Keys in flight: at most as many as requests, so a list is enough. */
struct key_in_flight {
	struct key_in_flight *next;
	char *principal, *route, *key; /* allocated together with this struct */
	unsigned char body_sha256[DIGEST_BYTES];
};

static bool same_key(const struct key_in_flight *entry, const struct idempotency *wanted)
{
	return strcmp(entry->key, wanted->key) == 0 && strcmp(entry->principal, wanted->principal) == 0 &&
		strcmp(entry->route, wanted->route) == 0;
}

static struct key_in_flight *entry_new(const struct idempotency *idempotency)
{
	size_t principal_size = strlen(idempotency->principal) + 1, route_size = strlen(idempotency->route) + 1;
	size_t key_size = strlen(idempotency->key) + 1;
	struct key_in_flight *entry = malloc(sizeof *entry + principal_size + route_size + key_size);

	if (!entry)
		return NULL;
	entry->principal = (char *)(entry + 1);
	entry->route = entry->principal + principal_size;
	entry->key = entry->route + route_size;
	memcpy(entry->principal, idempotency->principal, principal_size);
	memcpy(entry->route, idempotency->route, route_size);
	memcpy(entry->key, idempotency->key, key_size);
	memcpy(entry->body_sha256, idempotency->body_sha256, DIGEST_BYTES);
	return entry;
}

static enum status key_mismatch(struct failure *failure)
{
	return failure_set(
		failure, STATUS_IDEMPOTENCY_MISMATCH, "this Idempotency-Key was used with another body; use a new key for a new request");
}

static enum status flight_enter(struct storage *storage, const struct idempotency *idempotency, struct failure *failure)
{
	struct key_in_flight *entry, *other;
	enum status status = STATUS_OK;

	pthread_mutex_lock(&storage->flight_lock);
	for (other = storage->in_flight; other && !same_key(other, idempotency); other = other->next)
		continue;
	if (other && memcmp(other->body_sha256, idempotency->body_sha256, DIGEST_BYTES) != 0) {
		status = key_mismatch(failure);
	} else if (other) {
		status = failure_set(failure, STATUS_IN_FLIGHT, "a request with this Idempotency-Key is running; try again in a second");
		failure->retry_after_s = 1;
	} else if ((entry = entry_new(idempotency))) {
		entry->next = storage->in_flight;
		storage->in_flight = entry;
	} else {
		status = failure_set(failure, STATUS_NO_MEMORY, "no memory for an Idempotency-Key");
	}
	pthread_mutex_unlock(&storage->flight_lock);
	return status;
}

void storage_idempotency_end(struct storage *storage, const struct idempotency *idempotency)
{
	struct key_in_flight **at, *entry;

	pthread_mutex_lock(&storage->flight_lock);
	for (at = &storage->in_flight; *at && !same_key(*at, idempotency); at = &(*at)->next)
		continue;
	entry = *at;
	CHECK(entry);
	*at = entry->next;
	pthread_mutex_unlock(&storage->flight_lock);
	free(entry);
}

void idempotency_forget_all(struct storage *storage)
{
	while (storage->in_flight) {
		struct key_in_flight *entry = storage->in_flight;

		storage->in_flight = entry->next;
		free(entry);
	}
}

static void stored_fill(struct idempotency_stored *stored, const struct idempotency *idempotency, int64_t at_us)
{
	const struct idempotency_answer *answer = &idempotency->answer;

	*stored = (struct idempotency_stored){.key = idempotency->key,
		.principal = idempotency->principal,
		.route = idempotency->route,
		.at_us = at_us,
		.http_status = answer->http_status,
		.location = answer->location,
		.etag = answer->etag,
		.content_type = answer->content_type,
		.body = {answer->body, answer->body_length}};
	memcpy(stored->body_sha256, idempotency->body_sha256, DIGEST_BYTES);
}

/* Finds the stored response of the key, if any: to send again, or a mismatch. */
static enum status answer_find(struct storage *storage, const struct idempotency *idempotency, struct arena *arena,
	struct idempotency_answer *answer, struct failure *failure)
{
	struct connection *reader = reader_take(storage, failure);
	struct idempotency_stored wanted, found;
	enum status status;

	if (!reader)
		return failure->status;
	stored_fill(&wanted, idempotency, 0);
	status = store_one(reader, STATEMENT_IDEMPOTENCY_GET, &wanted, &found, arena, failure);
	reader_give(storage, reader);
	if (status != STATUS_OK)
		return status;
	if (memcmp(found.body_sha256, idempotency->body_sha256, DIGEST_BYTES) != 0)
		return key_mismatch(failure);
	*answer = (struct idempotency_answer){.http_status = (int)found.http_status,
		.location = found.location,
		.etag = found.etag,
		.content_type = found.content_type,
		.at_us = found.at_us,
		.body = found.body.text,
		.body_length = found.body.length};
	return STATUS_OK;
}

/* Looks at keys in flight first, then at stored keys: a key that is no longer in flight is stored already, because its
 * transaction was committed before. */
enum status storage_idempotency_begin(struct storage *storage, const struct idempotency *idempotency, struct arena *arena,
	struct idempotency_answer *answer, struct failure *failure)
{
	enum status status = flight_enter(storage, idempotency, failure);

	*answer = (struct idempotency_answer){0};
	if (status != STATUS_OK)
		return status;
	status = answer_find(storage, idempotency, arena, answer, failure);
	if (status == STATUS_NOT_FOUND)
		return STATUS_OK;
	storage_idempotency_end(storage, idempotency);
	return status;
}

enum status idempotency_insert(
	struct storage *storage, const struct idempotency *idempotency, int64_t at_us, struct arena *arena, struct failure *failure)
{
	struct idempotency_stored stored;

	if (!idempotency)
		return STATUS_OK;
	stored_fill(&stored, idempotency, at_us);
	return store_run(&storage->writer, STATEMENT_IDEMPOTENCY_INSERT, &stored, arena, NULL, failure);
}

enum status operation_idempotency_put(struct storage *storage, struct storage_job *job, struct arena *arena, struct failure *failure)
{
	return idempotency_insert(storage, ((struct idempotency_put *)job)->idempotency, clock_even_us(), arena, failure);
}
