/* Long work that nobody waits for on a connection: the requests that were answered 202, until their answers are old.
 *
 * A job is a request's handler run on a pool of its own, whose threads yield to those of waiting clients; the answer that the
 * handler gives, whatever it is, is kept as it would have been sent. Jobs live in memory (docs/decisions/0075): what they made
 * durable outlives them, they do not outlive the daemon.
 *
 * Bounded: so many jobs in all, and so many unfinished ones of one key; answers are dropped `keep_seconds` after they were
 * ready, and the oldest before that when all of them have more than `memory_bytes` or a new job needs the place. A job is
 * seen by the key that asked for it and by nobody else. Thread-safe. */
#ifndef FLEETPLAN_SERVER_JOB_QUEUE_H
#define FLEETPLAN_SERVER_JOB_QUEUE_H

#include "api/tables/pages.h"
#include "base/uuid.h"
#include "server/exchange.h"

struct jobs;
struct watcher;

struct jobs_options {
	unsigned maximum, per_owner, keep_seconds, threads;
	size_t memory_bytes;
	struct exchange_pool *pool; /* to which the work of ended jobs goes back */
	struct watcher *watcher;    /* woken when a job ends */
	int64_t started_us;         /* of the daemon: jobs of older ids are those of an earlier one */
};

/* NULL without memory or threads. */
struct jobs *jobs_start(const struct jobs_options *options);
void jobs_stop(struct jobs *jobs); /* cancels, waits for what is being committed, joins and frees; NULL is nothing */

/* Takes the work (an exchange that no connection has, its request complete) and queues it; `id` names the job. A repeated
 * Idempotency-Key of a job that is there gives that job's id, with *replayed, and the work stays the caller's; so it does on
 * failure: OVERLOADED, TOO_MANY_REQUESTS, IDEMPOTENCY_MISMATCH, DRAINING once jobs_refuse() was called (unless the work was begun before, and overran),
 * NO_MEMORY. */
FALLIBLE enum status jobs_submit(struct jobs *jobs, struct exchange *work, char id[UUID_TEXT_SIZE], bool *replayed,
	struct failure *failure);

/* All of one key, newest first, at most `maximum`; texts in the arena. */
FALLIBLE enum status jobs_list(struct jobs *jobs, const char *owner, struct arena *arena, struct job_record **items, size_t *count);

/* NOT_FOUND says why it may be gone. Texts in the arena. */
FALLIBLE enum status jobs_get(struct jobs *jobs, const char *owner, const char *id, struct arena *arena, struct job_record *record,
	struct failure *failure);

/* Asks it to stop: at once when it is queued, within moments when it runs, no change when it has ended. */
FALLIBLE enum status jobs_cancel(struct jobs *jobs, const char *owner, const char *id, struct failure *failure);

/* Gives the call the answer that the request would have had. CONFLICT while there is none, or it was cancelled. */
FALLIBLE enum status jobs_answer(struct jobs *jobs, const char *owner, const char *id, struct call *call);

void jobs_forget(struct jobs *jobs, const char *owner, const char *id); /* cancelled, and its id means nothing any more */

void jobs_refuse(struct jobs *jobs);     /* takes no more: the daemon is shutting down */
void jobs_cancel_all(struct jobs *jobs); /* and says so in the log, one line a job */

struct jobs_counts {
	size_t queued, running, kept;
	uint64_t succeeded, failed, cancelled; /* since the start */
};
void jobs_counts_get(struct jobs *jobs, struct jobs_counts *counts);

#endif
