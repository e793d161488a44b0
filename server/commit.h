/* Answers that are durable before they go out, and POSTs that are safe to repeat.
 *
 * commit_once() is the frame of every route that creates: it honours the Idempotency-Key, lets `prepare` write the
 * complete answer and name the storage job that makes it true, queues the job and returns HANDLER_PENDING, so that no
 * worker waits for a disk. The writer thread then lets the answer go, or replaces it by the problem. */
#ifndef FLEETPLAN_SERVER_COMMIT_H
#define FLEETPLAN_SERVER_COMMIT_H

#include "server/handler.h"
#include "storage/idempotency.h"

/* Writes the answer into the call (status, headers, body) and sets *job to an operation in the call's arena, which
 * carries `idempotency` (NULL when no key was sent). The job's kind and inputs are the caller's, the rest is filled here. */
typedef enum status commit_prepare(struct call *call, const struct idempotency *idempotency, struct storage_job **job);

FALLIBLE enum status commit_once(struct call *call, commit_prepare *prepare);

/* The same for answers that are known only after the commit (a catalogue row's new revision): `work` commits by itself
 * with storage_run, on the worker, and writes the answer. What a repeated key is answered with is read from `location`
 * by `replay`. */
typedef enum status commit_work(struct call *call, struct idempotency *idempotency);
FALLIBLE enum status commit_waiting(struct call *call, commit_work *work, commit_work *replay);

/* Whether the Idempotency-Key, if there is one, is 1 to IDEMPOTENCY_KEY_MAX visible ASCII characters: for a route whose answer commits nothing. */
FALLIBLE enum status commit_check_key(struct call *call);

/* Before the commit inside `work`: a repeated key will be answered with this status and Location (and `replay`'s body). */
void commit_keep_location(struct call *call, struct idempotency *idempotency);

/* Runs a job on the worker and waits: for changes that are rare. Status and failure are the job's. */
FALLIBLE enum status commit_run(struct call *call, struct storage_job *job);

#endif
