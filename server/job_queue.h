/* Jobs: long requests that were answered 202. A job lives until its result expires.
 *
 * A job runs its request's handler on a pool of its own. The pool's threads give way to the threads of waiting clients.
 * The job keeps the handler's answer, of any status, as it would have been sent. Jobs live in memory
 * (docs/decisions/0075): a restart of the daemon loses them, but not what they stored.
 *
 * Limits: a number of jobs in all, and a number of unfinished jobs per key. Answers are dropped `keep_seconds` after
 * they were ready. The oldest are dropped earlier if all answers exceed `memory_bytes`, or if a new job needs the
 * place. Only the key that requested a job can see it. Thread-safe. */
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
	struct exchange_pool *pool; /* receives the exchanges of ended jobs */
	struct watcher *watcher;    /* woken when a job ends */
	int64_t started_us;         /* start of the daemon: a job with an older id belonged to an earlier daemon */
};

/* NULL without memory or threads. */
struct jobs *jobs_start(const struct jobs_options *options);
void jobs_stop(struct jobs *jobs); /* cancels, waits for commits under way, joins and frees; does nothing for NULL */

/* Queues the work (an exchange without a connection, its request complete); `id` names the job. If an existing job has
 * the same Idempotency-Key, returns that job's id with *replayed; the caller then still owns the work. The caller owns
 * it on failure too: OVERLOADED, TOO_MANY_REQUESTS, IDEMPOTENCY_MISMATCH, NO_MEMORY, or DRAINING after jobs_refuse()
 * (except for work that began before and overran). */
FALLIBLE enum status jobs_submit(struct jobs *jobs, struct exchange *work, char id[UUID_TEXT_SIZE], bool *replayed, struct failure *failure);

/* Lists the jobs of one key, newest first, at most `maximum`; texts in the arena. */
FALLIBLE enum status jobs_list(struct jobs *jobs, const char *owner, struct arena *arena, struct job_record **items, size_t *count);

/* Reads one job. The failure of NOT_FOUND says why the job may be gone. Texts in the arena. */
FALLIBLE enum status jobs_get(
	struct jobs *jobs, const char *owner, const char *id, struct arena *arena, struct job_record *record, struct failure *failure);

/* Cancels a job. A queued job stops at once, a running one within moments; an ended one does not change. */
FALLIBLE enum status jobs_cancel(struct jobs *jobs, const char *owner, const char *id, struct failure *failure);

/* Gives the call the answer that the request would have received. CONFLICT while there is no answer, or if the job was
 * cancelled. */
FALLIBLE enum status jobs_answer(struct jobs *jobs, const char *owner, const char *id, struct call *call);

void jobs_forget(struct jobs *jobs, const char *owner, const char *id); /* cancels the job and makes its id unknown */

void jobs_refuse(struct jobs *jobs);     /* accepts no more jobs: the daemon is shutting down */
void jobs_cancel_all(struct jobs *jobs); /* cancels all unfinished jobs, with one log line each */

struct jobs_counts {
	size_t queued, running, kept;
	uint64_t succeeded, failed, cancelled; /* since the start */
};
void jobs_counts_get(struct jobs *jobs, struct jobs_counts *counts);

#endif
