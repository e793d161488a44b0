/* The only thread that changes the database: takes the queued jobs, runs them in one transaction, commits, reports. */
#include "base/clock.h"
#include "base/log.h"
#include "storage/sqlite/store.h"

enum { WRITER_SCRATCH_BYTES = 512 * 1024 * 1024 };

static operation_function *const operations[STORAGE_KIND_COUNT] = {
	[STORAGE_PLAN_PUT] = operation_plan_put,
	[STORAGE_PLAN_PATCH] = operation_plan_patch,
	[STORAGE_PLAN_REFRESH] = operation_plan_refresh,
	[STORAGE_PLAN_DELETE] = operation_plan_delete,
	[STORAGE_IDEMPOTENCY_PUT] = operation_idempotency_put,
	[STORAGE_ROW_PUT] = operation_row_put,
	[STORAGE_ROW_REMOVE] = operation_row_remove,
	[STORAGE_CALIBRATION_DECISION] = operation_calibration_decision,
	[STORAGE_ROWS_IMPORT] = operation_rows_import,
	[STORAGE_BUILTIN_UPDATE] = operation_builtin_update,
	[STORAGE_KEY_PUT] = operation_key_put,
	[STORAGE_KEY_ROTATE] = operation_key_rotate,
	[STORAGE_KEY_REVOKE] = operation_key_revoke,
	[STORAGE_DEVICE_PUT] = operation_device_put,
	[STORAGE_BENCHMARK_PUT] = operation_benchmark_put,
	[STORAGE_BENCHMARK_CANCEL] = operation_benchmark_cancel,
	[STORAGE_BENCHMARK_CLAIM] = operation_benchmark_claim,
	[STORAGE_BENCHMARK_HEARTBEAT] = operation_benchmark_heartbeat,
	[STORAGE_BENCHMARK_RESULT] = operation_benchmark_result,
	[STORAGE_BENCHMARK_RELEASE] = operation_benchmark_release,
	[STORAGE_BENCHMARK_SWEEP] = operation_benchmark_sweep,
	[STORAGE_AGENT_PUT] = operation_agent_put,
	[STORAGE_AGENT_REMOVE] = operation_agent_remove,
	[STORAGE_OBSERVATION_PUT] = operation_observation_put,
	[STORAGE_OBSERVATION_DELETE] = operation_observation_delete,
	[STORAGE_SETTING_PUT] = operation_setting_put,
	[STORAGE_FEED_REFRESH_PUT] = operation_feed_refresh_put,
	[STORAGE_IMPORT_BEGIN] = operation_import_begin,
	[STORAGE_IMPORT_ROWS] = operation_import_rows,
	[STORAGE_IMPORT_ENDS] = operation_import_ends,
	[STORAGE_IMPORT_END] = operation_import_end,
	[STORAGE_IMPORT_TIDY] = operation_import_tidy,
	[STORAGE_AUDIT_PUT] = operation_audit_put,
	[STORAGE_AUDIT_PRUNE] = operation_audit_prune,
};

static enum status job_fail(struct storage_job *job, enum status status, const char *detail)
{
	job->status = status;
	if (job->failure)
		failure_set(job->failure, status, "%s", detail);
	return status;
}

static bool in_transaction(const struct storage *storage)
{
	return !sqlite3_get_autocommit(storage->writer.db);
}

/* Runs a statement without parameters and results. */
static enum status writer_step(struct storage *storage, enum statement_name name, struct failure *failure)
{
	static const struct arguments none;

	return store_run(&storage->writer, name, &none, &storage->writer_arena, NULL, failure);
}

/* Ends a job's savepoint. Some failures roll the whole transaction back, with the savepoint. False: the batch must not
 * be committed, because the savepoint could not be ended (without memory, even a rollback can fail). */
static bool job_end(struct storage *storage, bool keep)
{
	struct failure *unread = &storage->writer_failure;

	if (!keep && in_transaction(storage) && writer_step(storage, STATEMENT_JOB_UNDO, unread) != STATUS_OK)
		return false;
	return !in_transaction(storage) || writer_step(storage, STATEMENT_JOB_KEEP, unread) == STATUS_OK;
}

/* True if the job is one statement. SQLite undoes a failed statement itself; a savepoint would only copy the changed
 * pages. */
static bool job_is_one_statement(const struct storage_job *job)
{
	return job->kind == STORAGE_PLAN_PUT && plan_put_is_one_statement((const struct plan_put *)job);
}

/* Runs one operation, in a savepoint unless it is one statement: a failure undoes only its own changes. False: the
 * batch cannot go on. */
static bool job_run(struct storage *storage, struct storage_job *job)
{
	static _Thread_local struct failure unasked;
	struct failure *failure = job->failure ? job->failure : &unasked;
	bool alone = job_is_one_statement(job), ended = true;
	enum status status;

	failure_clear(failure);
	status = alone ? STATUS_OK : writer_step(storage, STATEMENT_JOB_BEGIN, failure);
	if (status == STATUS_OK) {
		status = operations[job->kind](storage, job, &storage->writer_arena, failure);
		if (!alone)
			ended = job_end(storage, status == STATUS_OK);
	}
	job->status = status;
	return ended && in_transaction(storage);
}

/* Counts the commit in the database if the batch changed something. */
static enum status commit_count(struct storage *storage, int64_t changes_before, int64_t *commits, struct failure *failure)
{
	static const struct arguments none;
	struct arguments counted = {0};
	enum status status;

	*commits = 0;
	if (sqlite3_total_changes64(storage->writer.db) == changes_before)
		return STATUS_OK;
	status = store_one(&storage->writer, STATEMENT_COMMIT_COUNT, &none, &counted, &storage->writer_arena, failure);
	if (status == STATUS_OK)
		*commits = counted.count;
	return status == STATUS_NOT_FOUND ? failure_set(failure, STATUS_UNAVAILABLE, "the database is damaged: its count of commits is missing")
									  : status;
}

/* Writes the audit entries of the successful jobs, last: if one cannot be written, the whole batch is undone, and no
 * job needs a savepoint for it. */
static enum status batch_audit(struct storage *storage, const struct storage_job *first, struct failure *failure)
{
	enum status status = STATUS_OK;

	for (const struct storage_job *job = first; job && status == STATUS_OK; job = job->next)
		if (job->audit && job->status == STATUS_OK)
			status = audit_write(storage, job, &storage->writer_arena, failure);
	return status;
}

/* Runs a batch. Some failures (a full disk, an I/O error) make SQLite roll the whole transaction back: then nothing of
 * the batch is stored. */
static enum status batch_run(struct storage *storage, struct storage_job *first, struct failure *failure)
{
	enum status status = file_identity_check(storage, failure);
	int64_t changes_before = sqlite3_total_changes64(storage->writer.db), commits = 0;

	if (status == STATUS_OK && !connection_roll_back(&storage->writer))
		status = failure_set(failure, STATUS_NO_MEMORY, "there was no memory to undo the last changes");
	if (status == STATUS_OK)
		status = writer_step(storage, STATEMENT_TRANSACTION_BEGIN, failure);
	if (status != STATUS_OK)
		return status;
	for (struct storage_job *job = first; job; job = job->next) {
		if (!job_run(storage, job)) {
			(void)connection_roll_back(&storage->writer); /* if this fails, the next batch tries again */
			status = status_http(job->status) >= 500 ? job->status : STATUS_UNAVAILABLE;
			return failure_set(
				failure, status, "%s", job->failure && *job->failure->detail ? job->failure->detail : "the database could not be written");
		}
	}
	status = file_identity_check(storage, failure);
	if (status == STATUS_OK)
		status = batch_audit(storage, first, failure);
	if (status == STATUS_OK)
		status = commit_count(storage, changes_before, &commits, failure);
	if (status == STATUS_OK)
		status = writer_step(storage, STATEMENT_TRANSACTION_COMMIT, failure);
	if (status != STATUS_OK)
		(void)connection_roll_back(&storage->writer);
	/* Acknowledge only after a check that the committed file still has its name. */
	if (status == STATUS_OK)
		status = file_identity_check(storage, failure);
	if (status == STATUS_OK && commits > 0)
		commit_mark_write(storage, commits);
	return status;
}

/* Returns the number of pages written to the log or the file since the last call. */
static int pages_written(struct storage *storage)
{
	int pages = 0, highest;

	(void)sqlite3_db_status(storage->writer.db, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 1);
	return pages;
}

/* The caller holds the lock. */
static void refuse_locked(struct storage *storage, const struct failure *failure)
{
	storage->state.writable = false;
	storage->state.last_status = failure->status;
	snprintf(storage->state.last_detail, sizeof storage->state.last_detail, "%s", failure->detail);
}

void writer_refuse(struct storage *storage, const struct failure *failure)
{
	bool was_writable;

	pthread_mutex_lock(&storage->lock);
	was_writable = storage->state.writable;
	refuse_locked(storage, failure);
	pthread_mutex_unlock(&storage->lock);
	if (was_writable)
		log_event(LOG_ERROR, "database_not_writable", LOG_TEXT("path", storage->path), LOG_TEXT("detail", failure->detail));
}

/* Counts a batch. A batch without changes (a sweep without findings, a conflict) commits on any disk and does not show
 * that the disk works. */
static void batch_count(struct storage *storage, uint64_t jobs, int64_t elapsed_ns, const struct failure *failure)
{
	struct storage_state *state = &storage->state;
	bool wrote = pages_written(storage) > 0;

	pthread_mutex_lock(&storage->lock);
	if (failure->status == STATUS_OK) {
		state->commits++;
		state->jobs += jobs;
		state->writable = state->writable || wrote;
		state->commit_ns_total += elapsed_ns;
		if (elapsed_ns > state->commit_ns_maximum)
			state->commit_ns_maximum = elapsed_ns;
		if (jobs > state->largest_batch)
			state->largest_batch = jobs;
	} else {
		state->failed_commits++;
		refuse_locked(storage, failure);
	}
	pthread_mutex_unlock(&storage->lock);
}

static void batch_commit(struct storage *storage, struct storage_job *first)
{
	struct failure *failure = &storage->writer_failure;
	int64_t begin_ns = clock_monotonic_ns();
	uint64_t jobs = 0;
	enum status status;

	failure_clear(failure);
	status = batch_run(storage, first, failure);
	failure->status = status;
	for (struct storage_job *job = first; job; job = job->next, jobs++) {
		if (status != STATUS_OK)
			job_fail(job, status, failure->detail);
	}
	if (status != STATUS_OK)
		log_event(LOG_ERROR, "commit_failed", LOG_TEXT("detail", failure->detail), LOG_INTEGER("jobs", jobs));
	batch_count(storage, jobs, clock_monotonic_ns() - begin_ns, failure);
	arena_reset(&storage->writer_arena);
}

/* True if the job may let a benchmark run: a new benchmark waits, or a device became free. */
static bool job_changed_queue(const struct storage_job *job)
{
	if (job->status != STATUS_OK)
		return false;
	return job->kind == STORAGE_BENCHMARK_PUT || job->kind == STORAGE_BENCHMARK_RESULT || job->kind == STORAGE_BENCHMARK_RELEASE ||
		job->kind == STORAGE_AGENT_PUT || (job->kind == STORAGE_BENCHMARK_SWEEP && ((const struct benchmark_sweep *)job)->requeued > 0);
}

uint64_t storage_queue_changes(struct storage *storage)
{
	return atomic_load(&storage->queue_changes);
}

static void batch_answer(struct storage *storage, struct storage_job *first)
{
	for (const struct storage_job *job = first; job; job = job->next)
		if (job_changed_queue(job))
			atomic_fetch_add(&storage->queue_changes, 1);
	while (first) {
		struct storage_job *job = first;

		first = job->next; /* `done` may free the job */
		job->done(job);
	}
}

static void *writer_main(void *argument)
{
	struct storage *storage = argument;

	for (;;) {
		struct storage_job *first;

		pthread_mutex_lock(&storage->lock);
		while (!storage->queue_first && !storage->closing)
			pthread_cond_wait(&storage->work, &storage->lock);
		first = storage->queue_first;
		storage->queue_first = storage->queue_last = NULL;
		storage->queued = 0;
		pthread_mutex_unlock(&storage->lock);
		if (!first)
			return NULL; /* closing, and the queue is empty */
		batch_commit(storage, first);
		batch_answer(storage, first);
	}
}

enum status writer_start(struct storage *storage, struct failure *failure)
{
	arena_init(&storage->writer_arena, WRITER_SCRATCH_BYTES);
	if (pthread_create(&storage->writer_thread, NULL, writer_main, storage) != 0)
		return failure_set(failure, STATUS_UNAVAILABLE, "cannot start the writer thread");
	storage->writer_started = true;
	return STATUS_OK;
}

void writer_stop(struct storage *storage)
{
	if (!storage->writer_started)
		return;
	pthread_mutex_lock(&storage->lock);
	storage->closing = true;
	pthread_cond_signal(&storage->work);
	pthread_cond_broadcast(&storage->scrub_wakes);
	pthread_mutex_unlock(&storage->lock);
	pthread_join(storage->writer_thread, NULL);
	arena_release(&storage->writer_arena);
}

enum status storage_submit(struct storage *storage, struct storage_job *job)
{
	bool accepted;

	CHECK(job->kind < STORAGE_KIND_COUNT && job->done);
	if (job->kind == STORAGE_PLAN_PUT)
		plan_put_prepare((struct plan_put *)job);
	job->next = NULL;
	pthread_mutex_lock(&storage->lock);
	CHECK(!storage->closing);
	accepted = storage->queued < storage->queue_maximum;
	if (accepted) {
		*(storage->queue_last ? &storage->queue_last->next : &storage->queue_first) = job;
		storage->queue_last = job;
		storage->queued++;
		if (storage->queue_first == job)
			pthread_cond_signal(&storage->work);
	} else {
		storage->state.rejected++;
	}
	pthread_mutex_unlock(&storage->lock);
	if (accepted)
		return STATUS_OK;
	if (job->failure)
		job->failure->retry_after_s = 1;
	return job_fail(job, STATUS_OVERLOADED, "too many changes are waiting for the disk; try again in a second");
}

struct waiter {
	pthread_mutex_t lock;
	pthread_cond_t answered;
	bool is_answered;
};

static void waiter_wake(struct storage_job *job)
{
	struct waiter *waiter = job->context;

	pthread_mutex_lock(&waiter->lock);
	waiter->is_answered = true;
	pthread_cond_signal(&waiter->answered);
	pthread_mutex_unlock(&waiter->lock);
}

enum status storage_run(struct storage *storage, struct storage_job *job)
{
	struct waiter waiter = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
	enum status status;

	job->done = waiter_wake;
	job->context = &waiter; /* cppcheck-suppress autoVariables ; taken back before this returns */
	status = storage_submit(storage, job);
	if (status != STATUS_OK) {
		job->context = NULL;
		return status;
	}
	pthread_mutex_lock(&waiter.lock);
	while (!waiter.is_answered)
		pthread_cond_wait(&waiter.answered, &waiter.lock);
	pthread_mutex_unlock(&waiter.lock);
	pthread_mutex_destroy(&waiter.lock);
	pthread_cond_destroy(&waiter.answered);
	job->context = NULL;
	return job->status;
}
