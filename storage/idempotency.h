/* Idempotency keys: the same POST sent twice is answered once.
 *
 *   storage_idempotency_begin()   OK: go on, the key is yours · OK with *answer filled: replay it · IN_FLIGHT: another
 *                                 request with this key is being worked on · IDEMPOTENCY_MISMATCH: same key, other body
 *   ... then either the operation that creates carries the `struct idempotency` (the key's row is written in the same
 *   transaction), or nothing is created and ...
 *   storage_idempotency_end()     always, once, after a begin that answered OK without an answer.
 *
 * Keys are of one principal and one route; they are kept for 24 hours at least. What is in flight is known in memory
 * only: a daemon that died in the middle leaves no key behind. Thread-safe. */
#ifndef FLEETPLAN_STORAGE_IDEMPOTENCY_H
#define FLEETPLAN_STORAGE_IDEMPOTENCY_H

#include "storage/storage.h"

enum { IDEMPOTENCY_KEY_MAX = 255 };

/* The answer to replay. Text may be NULL, except that a found answer has its http_status. */
struct idempotency_answer {
	int http_status; /* 0: none found */
	const char *location, *etag, *content_type;
	int64_t at_us; /* found: when it was made; of a row that was put, the moment from which that row is valid */
	const char *body; /* NULL: the server rebuilds it from `location` */
	size_t body_length;
};

struct idempotency {
	const char *key, *principal, *route; /* principal: the API key's id, "" without keys; route: "POST /v1/plans/training" */
	unsigned char body_sha256[32];
	struct idempotency_answer answer; /* to be kept */
};

FALLIBLE enum status storage_idempotency_begin(struct storage *storage, const struct idempotency *idempotency,
	struct arena *arena, struct idempotency_answer *answer, struct failure *failure);
void storage_idempotency_end(struct storage *storage, const struct idempotency *idempotency);

/* Keeps an answer that goes with nothing else (an import that changed nothing, a backup). */
struct idempotency_put {
	struct storage_job job;
	const struct idempotency *idempotency;
};

#endif
