#include "server/job_queue.h"

#include <sodium.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/http_private.h"
#include "server/watch.h"

enum { JOB_NICENESS = 5, JOB_DOING_SIZE = 96, JOB_DETAIL_SIZE = 400 };

enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_SUCCEEDED, JOB_FAILED, JOB_CANCELLED, JOB_STATE_COUNT };
static const char *const job_state_words[JOB_STATE_COUNT] = {"queued", "running", "succeeded", "failed", "cancelled"};

struct job {
	struct job *next; /* the next older job */
	struct jobs *jobs;
	char id[UUID_TEXT_SIZE], owner[AUTH_ID_SIZE];
	struct client client; /* an anonymous owner has one client per address */
	const struct route *route;
	enum job_state state;
	_Atomic bool cancel;
	bool forgotten; /* free the job as soon as it has ended */
	int64_t revision;
	double fraction;
	char doing[JOB_DOING_SIZE];
	int64_t created_us, started_us, finished_us;
	char *key; /* Idempotency-Key; NULL: none */
	unsigned char body_sha256[crypto_hash_sha256_BYTES];

	/* The answer, once it has ended. */
	int http_status;
	enum media media;
	struct call_header headers[CALL_HEADERS_MAX]; /* the job owns the values */
	size_t header_count;
	struct buffer body;
	char detail[JOB_DETAIL_SIZE]; /* the detail of a failure */
};

struct jobs {
	struct jobs_options options;
	struct workers workers;
	pthread_mutex_t mutex;
	pthread_cond_t ended;
	struct job *newest;
	size_t count, unfinished, answer_bytes;
	uint64_t by_state[JOB_STATE_COUNT];
	bool refusing;
};

/* True if the job's work has ended. */
static bool job_has_ended(const struct job *job)
{
	return job->state != JOB_QUEUED && job->state != JOB_RUNNING;
}

/* The state that clients see: a job that is cancelled in the queue is already cancelled, though its work is still in
 * the queue. */
static enum job_state job_state_seen(const struct job *job)
{
	return job->state == JOB_QUEUED && atomic_load(&job->cancel) ? JOB_CANCELLED : job->state;
}

static void job_free(struct job *job)
{
	for (size_t i = 0; i < job->header_count; i++)
		free((void *)(uintptr_t)job->headers[i].value);
	buffer_release(&job->body);
	free(job->key);
	free(job);
}

/* --- the list of jobs: with the mutex held ------------------------------------------------------------------------ */

static void jobs_remove(struct jobs *jobs, struct job *job)
{
	struct job **at = &jobs->newest;

	while (*at && *at != job)
		at = &(*at)->next;
	CHECK(*at);
	*at = job->next;
	jobs->count--;
	jobs->answer_bytes -= job->body.capacity;
	job_free(job);
}

static struct job *jobs_oldest_ended(const struct jobs *jobs)
{
	struct job *oldest = NULL;

	for (struct job *job = jobs->newest; job; job = job->next)
		if (job_has_ended(job) && (!oldest || job->finished_us <= oldest->finished_us))
			oldest = job;
	return oldest;
}

static void jobs_drop_old(struct jobs *jobs)
{
	int64_t before_us = clock_even_us() - jobs->options.keep_seconds * INT64_C(1000000);
	struct job *oldest;

	while ((oldest = jobs_oldest_ended(jobs))) {
		/* Keep the last answer, whatever its size: its client may be about to read it. */
		bool crowded = jobs->answer_bytes > jobs->options.memory_bytes && jobs->answer_bytes > oldest->body.capacity;

		if (oldest->finished_us > before_us && !crowded)
			return;
		jobs_remove(jobs, oldest);
	}
}

static struct job *jobs_find(struct jobs *jobs, const char *owner, const char *id)
{
	jobs_drop_old(jobs);
	for (struct job *job = jobs->newest; job; job = job->next)
		if (!job->forgotten && strcmp(job->id, id) == 0 && strcmp(job->owner, owner) == 0)
			return job;
	return NULL;
}

/* True if the id was made before this daemon started. An id begins with 48 bits of milliseconds (RFC 9562 5.7). */
static bool jobs_id_is_older(const struct jobs *jobs, const char *id)
{
	unsigned high, low;

	return uuid_valid(id) && sscanf(id, "%8x-%4x", &high, &low) == 2 &&
		(int64_t)((uint64_t)high << 16 | low) < jobs->options.started_us / 1000;
}

static enum status jobs_not_found(const struct jobs *jobs, const char *id, struct failure *failure)
{
	if (jobs_id_is_older(jobs, id))
		return failure_set(failure, STATUS_NOT_FOUND,
			"job %s was created before this daemon started, and a restart loses all jobs; send the request again (with the same Idempotency-Key a plan "
			"is not made twice)",
			id);
	return failure_set(failure, STATUS_NOT_FOUND, "this key has no job \"%.80s\"; jobs and results are kept for %u s after their end", id,
		jobs->options.keep_seconds);
}

/* --- running a job ------------------------------------------------------------------------------------------------ */

static bool job_stop(void *context)
{
	const struct job *job = context;

	return atomic_load(&job->cancel);
}

static void job_note(void *context, double fraction, const char *what)
{
	struct job *job = context;

	pthread_mutex_lock(&job->jobs->mutex);
	if (fraction > 1)
		fraction = 1;
	if (fraction >= job->fraction + 0.01 || (what && strcmp(what, job->doing) != 0)) {
		job->fraction = fraction > job->fraction ? fraction : job->fraction;
		job->revision++;
		if (what)
			snprintf(job->doing, sizeof job->doing, "%s", what);
	}
	pthread_mutex_unlock(&job->jobs->mutex);
}

/* Moves the answer's bytes to the job; the rest of the exchange's memory is reused. */
static void job_keep_answer(struct job *job, struct call *call)
{
	job->http_status = call->http_status;
	job->media = call->answer_media;
	for (size_t i = 0; i < call->header_count; i++) {
		char *value = strdup(call->headers[i].value);

		if (value)
			job->headers[job->header_count++] = (struct call_header){.name = call->headers[i].name, .value = value};
	}
	job->body = call->answer;
	buffer_init(&call->answer, CALL_ANSWER_MAX_BYTES);
	if (call->http_status >= 400)
		snprintf(job->detail, sizeof job->detail, "%s", call->failure.detail);
}

static void job_log(const struct job *job)
{
	int64_t began_us = job->started_us ? job->started_us : job->finished_us;

	log_event(LOG_INFO, "job", LOG_TEXT("job", job->id), LOG_TEXT("operation", job->route->operation),
		LOG_TEXT("state", job_state_words[job->state]), LOG_INTEGER("status", job->http_status),
		LOG_DOUBLE("waited_ms", (double)(began_us - job->created_us) / 1e3),
		LOG_DOUBLE("duration_ms", (double)(job->finished_us - began_us) / 1e3), LOG_TEXT("principal", job->owner));
}

/* The exchange's `deliver`: ends the job with its answer. A job that was durable before its cancellation has
 * succeeded. */
static void job_end(struct exchange *work)
{
	struct job *job = work->job;
	struct jobs *jobs = job->jobs;
	struct watcher *watcher = jobs->options.watcher;

	pthread_mutex_lock(&jobs->mutex);
	job_keep_answer(job, &work->call);
	job->state = job->http_status < 400 ? JOB_SUCCEEDED : work->call.failure.status == STATUS_CANCELLED ? JOB_CANCELLED : JOB_FAILED;
	job->fraction = job->state == JOB_SUCCEEDED ? 1 : job->fraction;
	job->finished_us = clock_even_us();
	job->revision++;
	jobs->by_state[job->state]++;
	jobs->answer_bytes += job->body.capacity;
	job_log(job);
	if (job->forgotten)
		jobs_remove(jobs, job);
	jobs_drop_old(jobs);
	pthread_mutex_unlock(&jobs->mutex);
	work->job = NULL;
	exchange_give(jobs->options.pool, work);
	watcher_wake(watcher);
	pthread_mutex_lock(&jobs->mutex); /* last: jobs_stop() waits for this */
	jobs->unfinished--;
	pthread_cond_broadcast(&jobs->ended);
	pthread_mutex_unlock(&jobs->mutex);
}

static int64_t job_run(struct exchange *work)
{
	static _Thread_local bool yielding;
	struct job *job = work->job;
	bool cancelled;

	if (!yielding) {
		setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), JOB_NICENESS);
		yielding = true;
	}
	pthread_mutex_lock(&job->jobs->mutex);
	cancelled = atomic_load(&job->cancel);
	if (!cancelled) {
		job->state = JOB_RUNNING;
		job->started_us = clock_even_us();
		job->revision++;
	}
	pthread_mutex_unlock(&job->jobs->mutex);
	if (!cancelled) {
		http_run(work);
		return 0;
	}
	response_finish(work, failure_set(&work->call.failure, STATUS_CANCELLED, "cancelled before it began"));
	job_end(work);
	return 0;
}

/* --- public functions --------------------------------------------------------------------------------------------- */

struct jobs *jobs_start(const struct jobs_options *options)
{
	struct jobs *jobs = calloc(1, sizeof *jobs);

	if (!jobs)
		return NULL;
	jobs->options = *options;
	pthread_mutex_init(&jobs->mutex, NULL);
	pthread_cond_init(&jobs->ended, NULL);
	if (workers_start(&jobs->workers, &(struct workers_options){.threads = options->threads, .maximum = SIZE_MAX, .run = job_run}))
		return jobs;
	jobs_stop(jobs);
	return NULL;
}

void jobs_stop(struct jobs *jobs)
{
	if (!jobs)
		return;
	jobs_refuse(jobs);
	jobs_cancel_all(jobs);
	workers_stop(&jobs->workers);
	pthread_mutex_lock(&jobs->mutex);
	while (jobs->unfinished > 0)
		pthread_cond_wait(&jobs->ended, &jobs->mutex);
	while (jobs->newest)
		jobs_remove(jobs, jobs->newest);
	pthread_mutex_unlock(&jobs->mutex);
	pthread_cond_destroy(&jobs->ended);
	pthread_mutex_destroy(&jobs->mutex);
	free(jobs);
}

/* Finds a job with the same key, route and body that is unfinished or has succeeded. A job that failed or was cancelled
 * may be tried again. */
static enum status jobs_repeated(struct jobs *jobs, const struct job *fresh, const struct job **repeated, struct failure *failure)
{
	*repeated = NULL;
	for (struct job *job = jobs->newest; job && fresh->key; job = job->next) {
		if (!job->key || job->forgotten || job->route != fresh->route || strcmp(job->key, fresh->key) != 0 ||
			strcmp(job->owner, fresh->owner) != 0 || job->state == JOB_FAILED || job->state == JOB_CANCELLED || atomic_load(&job->cancel))
			continue;
		if (memcmp(job->body_sha256, fresh->body_sha256, sizeof job->body_sha256) != 0)
			return failure_set(failure, STATUS_IDEMPOTENCY_MISMATCH, "this Idempotency-Key was used with another body");
		*repeated = job;
		return STATUS_OK;
	}
	return STATUS_OK;
}

static enum status jobs_find_place(struct jobs *jobs, const struct job *fresh, bool overran, struct failure *failure)
{
	size_t own = 0;

	if (jobs->refusing && !overran)
		return failure_set(failure, STATUS_DRAINING, "the daemon is shutting down");
	for (const struct job *job = jobs->newest; job; job = job->next)
		own += !job_has_ended(job) && job->client.who == fresh->client.who;
	failure->retry_after_s = 1; /* for both refusals */
	if (own >= jobs->options.per_owner)
		return failure_set(failure, STATUS_TOO_MANY_REQUESTS,
			"this key has %zu unfinished jobs; at most %u are allowed. Wait for one or cancel it", own, jobs->options.per_owner);
	if (jobs->unfinished >= jobs->options.maximum)
		return failure_set(failure, STATUS_OVERLOADED, "%zu jobs are unfinished, which is the maximum; try again later", jobs->unfinished);
	if (jobs->count >= jobs->options.maximum && jobs_oldest_ended(jobs))
		jobs_remove(jobs, jobs_oldest_ended(jobs));
	return STATUS_OK;
}

static struct job *job_new(struct jobs *jobs, struct exchange *work)
{
	struct call *call = &work->call;
	struct job *job = calloc(1, sizeof *job);

	if (!job)
		return NULL;
	uuid_make(job->id);
	snprintf(job->owner, sizeof job->owner, "%s", call->principal.owner);
	job->client = work->client;
	job->jobs = jobs;
	job->route = call->route;
	job->created_us = clock_even_us();
	job->revision = 1;
	if (call->idempotency_key) {
		job->key = strdup(call->idempotency_key);
		call_body_sha256(call, job->body_sha256);
	}
	if (!call->idempotency_key || job->key)
		return job;
	job_free(job);
	return NULL;
}

enum status jobs_submit(struct jobs *jobs, struct exchange *work, char id[UUID_TEXT_SIZE], bool *replayed, struct failure *failure)
{
	struct job *job = job_new(jobs, work);
	const struct job *repeated;
	enum status status;

	*replayed = false;
	if (!job)
		return STATUS_NO_MEMORY;
	pthread_mutex_lock(&jobs->mutex);
	jobs_drop_old(jobs);
	status = jobs_repeated(jobs, job, &repeated, failure);
	if (status == STATUS_OK && !repeated)
		status = jobs_find_place(jobs, job, work->overran, failure);
	*replayed = status == STATUS_OK && repeated;
	if (status == STATUS_OK)
		memcpy(id, repeated ? repeated->id : job->id, UUID_TEXT_SIZE);
	if (status == STATUS_OK && !repeated) {
		work->job = job;
		work->deliver = job_end;
		work->progress = (struct progress){.context = job, .stop = job_stop, .note = job_note};
		if (workers_push(&jobs->workers, work)) { /* on success it begins only after the mutex is released */
			work->job = NULL;
			status = STATUS_NO_MEMORY;
		}
	}
	if (status == STATUS_OK && !repeated) {
		job->next = jobs->newest;
		jobs->newest = job;
		jobs->count++;
		jobs->unfinished++;
		job = NULL;
	}
	pthread_mutex_unlock(&jobs->mutex);
	if (job)
		job_free(job);
	return status;
}

static const char *job_header(const struct job *job, const char *name)
{
	for (size_t i = 0; i < job->header_count; i++)
		if (strcmp(job->headers[i].name, name) == 0)
			return job->headers[i].value;
	return NULL;
}

static void job_record_fill(const struct jobs *jobs, const struct job *job, struct arena *arena, struct job_record *record)
{
	enum job_state state = job_state_seen(job);
	bool ended = state != JOB_QUEUED && state != JOB_RUNNING, answered = state == JOB_SUCCEEDED || state == JOB_FAILED;

	*record = (struct job_record){.id = arena_strdup(arena, job->id),
		.operation = job->route->operation,
		.state = job_state_words[state],
		.progress = job->fraction,
		.doing = job->state == JOB_RUNNING && job->doing[0] ? arena_strdup(arena, job->doing) : NULL,
		.created_at_us = job->created_us,
		.started_at_us = job->started_us ? job->started_us : ABSENT_COUNT,
		.finished_at_us = ended ? job->finished_us : ABSENT_COUNT,
		.expires_at_us = ended ? job->finished_us + jobs->options.keep_seconds * INT64_C(1000000) : ABSENT_COUNT,
		.cancel_requested = atomic_load(&job->cancel),
		.http_status = answered ? job->http_status : ABSENT_COUNT,
		.detail = job->detail[0] ? arena_strdup(arena, job->detail) : NULL,
		.location = arena_strdup(arena, job_header(job, "Location")),
		.revision = job->revision};
	if (answered)
		record->result = arena_printf(arena, "/v1/jobs/%s/result", job->id);
}

enum status jobs_list(struct jobs *jobs, const char *owner, struct arena *arena, struct job_record **items, size_t *count)
{
	*count = 0;
	*items = ARENA_ARRAY(arena, struct job_record, jobs->options.maximum);
	if (!*items)
		return STATUS_NO_MEMORY;
	pthread_mutex_lock(&jobs->mutex);
	jobs_drop_old(jobs);
	for (const struct job *job = jobs->newest; job && *count < jobs->options.maximum; job = job->next)
		if (!job->forgotten && strcmp(job->owner, owner) == 0)
			job_record_fill(jobs, job, arena, &(*items)[(*count)++]);
	pthread_mutex_unlock(&jobs->mutex);
	return STATUS_OK;
}

enum status jobs_get(
	struct jobs *jobs, const char *owner, const char *id, struct arena *arena, struct job_record *record, struct failure *failure)
{
	const struct job *job;

	pthread_mutex_lock(&jobs->mutex);
	job = jobs_find(jobs, owner, id);
	if (job)
		job_record_fill(jobs, job, arena, record);
	pthread_mutex_unlock(&jobs->mutex);
	return job ? STATUS_OK : jobs_not_found(jobs, id, failure);
}

enum status jobs_cancel(struct jobs *jobs, const char *owner, const char *id, struct failure *failure)
{
	struct job *job;

	pthread_mutex_lock(&jobs->mutex);
	job = jobs_find(jobs, owner, id);
	if (job && !job_has_ended(job) && !atomic_exchange(&job->cancel, true)) {
		job->finished_us = clock_even_us(); /* for a job in the queue; job_end() sets the time of a running one */
		job->revision++;
	}
	pthread_mutex_unlock(&jobs->mutex);
	return job ? STATUS_OK : jobs_not_found(jobs, id, failure);
}

static void job_give_answer(const struct job *job, struct call *call)
{
	call->http_status = job->http_status;
	call->answer_media = job->media;
	for (size_t i = 0; i < job->header_count; i++)
		call_header(call, job->headers[i].name, job->headers[i].value);
	if (job->body.length)
		buffer_append(&call->answer, job->body.bytes, job->body.length);
}

enum status jobs_answer(struct jobs *jobs, const char *owner, const char *id, struct call *call)
{
	enum job_state state = JOB_QUEUED;
	const struct job *job;

	pthread_mutex_lock(&jobs->mutex);
	job = jobs_find(jobs, owner, id);
	if (job)
		state = job_state_seen(job);
	if (state == JOB_SUCCEEDED || state == JOB_FAILED)
		job_give_answer(job, call);
	pthread_mutex_unlock(&jobs->mutex);
	if (!job)
		return jobs_not_found(jobs, id, &call->failure);
	if (state == JOB_CANCELLED)
		return failure_set(&call->failure, STATUS_CANCELLED, "the job was cancelled and has no result");
	if (state == JOB_QUEUED || state == JOB_RUNNING)
		return failure_set(&call->failure, STATUS_CONFLICT, "the job is %s; its result is available when it has succeeded or failed",
			job_state_words[state]);
	return STATUS_OK;
}

void jobs_forget(struct jobs *jobs, const char *owner, const char *id)
{
	struct job *job;

	pthread_mutex_lock(&jobs->mutex);
	job = jobs_find(jobs, owner, id);
	if (job && job_has_ended(job)) {
		jobs_remove(jobs, job);
	} else if (job) {
		atomic_store(&job->cancel, true);
		job->forgotten = true;
	}
	pthread_mutex_unlock(&jobs->mutex);
}

void jobs_refuse(struct jobs *jobs)
{
	pthread_mutex_lock(&jobs->mutex);
	jobs->refusing = true;
	pthread_mutex_unlock(&jobs->mutex);
}

void jobs_cancel_all(struct jobs *jobs)
{
	pthread_mutex_lock(&jobs->mutex);
	for (struct job *job = jobs->newest; job; job = job->next)
		if (!job_has_ended(job) && !atomic_exchange(&job->cancel, true))
			log_event(LOG_WARNING, "job_cut_off", LOG_TEXT("job", job->id), LOG_TEXT("operation", job->route->operation),
				LOG_TEXT("principal", job->owner), LOG_TEXT("state", job_state_words[job->state]));
	pthread_mutex_unlock(&jobs->mutex);
}

void jobs_counts_get(struct jobs *jobs, struct jobs_counts *counts)
{
	*counts = (struct jobs_counts){0};
	pthread_mutex_lock(&jobs->mutex);
	jobs_drop_old(jobs);
	for (const struct job *job = jobs->newest; job; job = job->next) {
		counts->queued += job->state == JOB_QUEUED;
		counts->running += job->state == JOB_RUNNING;
		counts->kept += job_has_ended(job);
	}
	counts->succeeded = jobs->by_state[JOB_SUCCEEDED];
	counts->failed = jobs->by_state[JOB_FAILED];
	counts->cancelled = jobs->by_state[JOB_CANCELLED];
	pthread_mutex_unlock(&jobs->mutex);
}
