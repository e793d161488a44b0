/* Makes writes durable before they are answered, and makes a POST safe to repeat.
 *
 * commit_once() is the frame of every route that creates. It checks the Idempotency-Key and calls `prepare`, which
 * writes the complete answer and names the storage job. It then queues the job and returns HANDLER_PENDING, so that a
 * worker never waits for the disk. After the commit, the storage's writer thread sends the answer, or a problem in its
 * place. */
#ifndef FLEETPLAN_SERVER_COMMIT_H
#define FLEETPLAN_SERVER_COMMIT_H

#include "server/handler.h"
#include "storage/idempotency.h"

/* Writes the answer into the call (status, headers, body) and sets *job to an operation in the call's arena that
 * carries `idempotency` (NULL: the client sent no key). `prepare` sets the job's kind and inputs; commit_once() sets
 * the rest. */
typedef enum status commit_prepare(struct call *call, const struct idempotency *idempotency, struct storage_job **job);

FALLIBLE enum status commit_once(struct call *call, commit_prepare *prepare);

/* The same for answers that are known only after the commit (the new revision of a catalogue row). `work` runs on the
 * worker, commits with storage_run and writes the answer. For a repeated key, `replay` reads the answer's body from
 * `location`. */
typedef enum status commit_work(struct call *call, struct idempotency *idempotency);
FALLIBLE enum status commit_waiting(struct call *call, commit_work *work, commit_work *replay);

/* Checks that the Idempotency-Key, if sent, has 1 to IDEMPOTENCY_KEY_MAX visible ASCII characters. For a route that
 * commits nothing. */
FALLIBLE enum status commit_check_key(struct call *call);

/* Stores this status and Location as the answer to a repeated key; `replay` adds the body. `work` calls it before its
 * commit. */
void commit_keep_location(struct call *call, struct idempotency *idempotency);

/* Runs a job on the worker and waits for it; for rare changes. Status and failure are the job's. */
FALLIBLE enum status commit_run(struct call *call, struct storage_job *job);

#endif
