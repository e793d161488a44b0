/* Idempotency keys: a POST that is sent twice runs once.
 *
 *   storage_idempotency_begin()   OK: go on, the caller owns the key · OK with *answer filled: send it again · IN_FLIGHT:
 *                                 another request with this key is running · IDEMPOTENCY_MISMATCH: same key, other body
 *   ... then either the creating operation has the `struct idempotency` (the key's row is written in the same
 *   transaction), or nothing is created and ...
 *   storage_idempotency_end()     always, once, after a begin that returned OK without an answer.
 *
 * A key belongs to one principal and one route, and is kept for at least 24 hours. Keys in flight are only in memory: a
 * daemon that dies during a request leaves no key behind. Thread-safe. */
#ifndef FLEETPLAN_STORAGE_IDEMPOTENCY_H
#define FLEETPLAN_STORAGE_IDEMPOTENCY_H

#include "storage/storage.h"

enum { IDEMPOTENCY_KEY_MAX = 255 };

/* The response to send again. Text may be NULL, but a found response always has its http_status. */
struct idempotency_answer {
	int http_status; /* 0: not found */
	const char *location, *etag, *content_type;
	int64_t at_us;    /* of a found response: its time; of a row that was put: the start of the row's validity */
	const char *body; /* NULL: the server rebuilds the body from `location` */
	size_t body_length;
};

struct idempotency {
	const char *key, *principal, *route; /* principal: the API key's id, "" without keys; route: "POST /v1/plans/training" */
	unsigned char body_sha256[32];
	struct idempotency_answer answer; /* to be stored */
};

FALLIBLE enum status storage_idempotency_begin(struct storage *storage, const struct idempotency *idempotency, struct arena *arena,
	struct idempotency_answer *answer, struct failure *failure);
void storage_idempotency_end(struct storage *storage, const struct idempotency *idempotency);

/* Stores a response without another operation (an import that changed nothing, a backup). */
struct idempotency_put {
	struct storage_job job;
	const struct idempotency *idempotency;
};

#endif
