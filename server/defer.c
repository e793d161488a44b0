#include "server/defer.h"

#include "api/tables/tables.h"
#include "base/clock.h"
#include "server/http_private.h"
#include "server/job_queue.h"
#include "server/watch.h"
#include "server/wire/prefer.h"

enum { DEFER_SCRATCH_MAX_BYTES = 64 * 1024 * 1024 };

/* An exchange that waits, in its own arena. */
struct waiting {
	struct watch watch; /* first member, so that a pointer to it is a pointer to the struct */
	struct exchange *exchange;
	struct prefer prefer;
	int64_t until_ns;
	char job_id[UUID_TEXT_SIZE]; /* waits for this job, or */
	defer_look *look;            /* for something else */
};

static int64_t defer_until_ns(const struct prefer *prefer)
{
	return clock_monotonic_ns() + prefer->wait_s * INT64_C(1000000000);
}

static void defer_say_applied(struct call *call, const struct prefer *prefer)
{
	char applied[PREFER_APPLIED_SIZE] = "";

	prefer_applied(prefer, call->http_status == 202, applied);
	if (applied[0])
		call_header(call, "Preference-Applied", applied);
}

bool defer_wanted(const struct exchange *exchange)
{
	struct prefer prefer = prefer_parse(exchange->call.prefer);

	return (exchange->call.route->prefers & ALWAYS_ASYNC) ||
		((exchange->call.route->prefers & PREFERS_ASYNC) && (prefer.respond_async || prefer.wait_s >= 0));
}

/* --- jobs -------------------------------------------------------------------------------------------------------- */

/* Makes the twin: all that the connection needs of its request except the body, which goes to the job. */
static struct exchange *defer_twin(struct exchange *exchange)
{
	struct exchange *twin = exchange_take(&exchange->http->pool);
	struct call *call = &exchange->call;

	if (!twin)
		return NULL;
	twin->http = exchange->http;
	twin->mhd = exchange->mhd;
	twin->peer = exchange->peer;
	twin->started_ns = exchange->started_ns;
	twin->close = exchange->close;
	twin->identity = exchange->identity;
	twin->client = exchange->client;
	twin->body.wire_bytes = exchange->body.wire_bytes;
	twin->deliver = http_resume;
	twin->is_twin = twin->audited = true; /* the other exchange writes the audit entry */
	memcpy(twin->headers, exchange->headers, sizeof twin->headers);
	twin->headers[HEADER_PREFER] = NULL; /* the only header that may lie in the request's own memory */
	twin->call.server = call->server;
	twin->call.route = call->route;
	twin->call.method = call->method;
	twin->call.path = arena_strdup(&twin->call.arena, call->path);
	twin->call.accept = twin->call.answer_media = MEDIA_JSON;
	twin->call.body = "";
	twin->call.principal = call->principal;
	if (twin->call.principal.id == exchange->identity.id)
		twin->call.principal = auth_principal(&twin->identity);
	memcpy(twin->call.request_id, call->request_id, sizeof call->request_id);
	memcpy(twin->call.traceparent, call->traceparent, sizeof call->traceparent);
	json_writer_init(&twin->call.json, &twin->call.answer);
	return twin;
}

/* Detaches the request from its connection: nothing in it may point into libmicrohttpd's memory any more. */
static void defer_cut_loose(struct exchange *exchange)
{
	struct call *call = &exchange->call;

	exchange->mhd = NULL;
	exchange->peer = NULL;
	memset(exchange->headers, 0, sizeof exchange->headers);
	call->method = call->route->method;
	call->idempotency_key = arena_strdup(&call->arena, call->idempotency_key);
	call->if_match = arena_strdup(&call->arena, call->if_match);
	call->if_none_match = call->prefer = call->last_event_id = NULL;
}

static enum status defer_accepted(struct exchange *twin, const char *id, const struct prefer *prefer)
{
	struct call *call = &twin->call;
	struct job_record record;
	enum status status = jobs_get(twin->http->jobs, call->principal.owner, id, &call->arena, &record, &call->failure);

	if (status != STATUS_OK)
		return status;
	call_accepted(call, "/v1/jobs/%s", id);
	call_header(call, "Retry-After", "1");
	defer_say_applied(call, prefer);
	record_encode(&table_job, &record, &call->json);
	return STATUS_OK;
}

/* If the client leaves while it waits, it has never received the job's id: the job is cancelled. */
static bool defer_look_at_job(struct watch *watch, bool last)
{
	struct waiting *waiting = (struct waiting *)(void *)watch;
	struct exchange *twin = waiting->exchange;
	struct call *call = &twin->call;
	struct jobs *jobs = twin->http->jobs;
	bool gone = atomic_load(&twin->peer->gone);
	enum status status = jobs_answer(jobs, call->principal.owner, waiting->job_id, call);

	if (status == STATUS_CONFLICT && !gone && !last && clock_monotonic_ns() < waiting->until_ns) {
		failure_clear(&call->failure);
		return false;
	}
	if (status == STATUS_CONFLICT && !gone) {
		failure_clear(&call->failure);
		status = defer_accepted(twin, waiting->job_id, &waiting->prefer);
	} else {
		jobs_forget(jobs, call->principal.owner, waiting->job_id);
		defer_say_applied(call, &waiting->prefer);
	}
	response_finish(twin, status);
	twin->deliver(twin);
	return true;
}

static struct waiting *defer_waiting_for_job(struct exchange *twin, const struct prefer *prefer, int64_t until_ns)
{
	struct waiting *waiting = ARENA_NEW(&twin->call.arena, struct waiting);

	if (waiting)
		*waiting = (struct waiting){.watch.look = defer_look_at_job, .exchange = twin, .prefer = *prefer, .until_ns = until_ns};
	return waiting;
}

static bool defer_wait_for_job(struct exchange *twin, const char *id, const struct prefer *prefer)
{
	struct waiting *waiting = defer_waiting_for_job(twin, prefer, defer_until_ns(prefer));

	if (!waiting)
		return false;
	memcpy(waiting->job_id, id, sizeof waiting->job_id);
	twin->step = STEP_DISPATCHED;
	twin->suspended = true;
	http_suspend(twin);
	watcher_add(&twin->http->watcher, &waiting->watch);
	return true;
}

struct exchange *defer_begin(struct exchange *exchange)
{
	struct prefer prefer = prefer_parse(exchange->call.prefer);
	struct exchange *twin = defer_twin(exchange);
	char id[UUID_TEXT_SIZE];
	bool replayed = false;
	enum status status;

	if (!twin)
		return NULL;
	defer_cut_loose(exchange);
	status = jobs_submit(twin->http->jobs, exchange, id, &replayed, &twin->call.failure);
	if (status != STATUS_OK || replayed)
		exchange_give(&twin->http->pool, exchange);
	if (replayed)
		call_header(&twin->call, "Idempotent-Replayed", "true");
	if (status == STATUS_OK && prefer.wait_s > 0 && defer_wait_for_job(twin, id, &prefer))
		return twin;
	if (status == STATUS_OK)
		status = defer_accepted(twin, id, &prefer);
	response_finish(twin, status);
	return twin;
}

/* Restores the exchange to its state before its handler ran. */
static void defer_undo(struct exchange *exchange)
{
	struct call *call = &exchange->call;

	arena_rewind(&call->arena, exchange->untouched);
	failure_clear(&call->failure);
	buffer_clear(&call->answer);
	json_writer_init(&call->json, &call->answer);
	call->http_status = 0;
	call->answer_media = call->accept;
	call->header_count = 0;
	exchange->waiting = NULL;
	exchange->cpu_until_ns = 0;
}

void defer_overrun(struct exchange *exchange)
{
	const struct prefer none = {.wait_s = -1};
	struct http *http = exchange->http;
	struct exchange *twin = defer_twin(exchange);
	struct waiting *waiting = twin
		? defer_waiting_for_job(twin, &none, clock_monotonic_ns() + http->options.queue_seconds * INT64_C(1000000000))
		: NULL;
	bool replayed = false;
	enum status status;

	if (!waiting) {
		if (twin)
			exchange_give(&http->pool, twin);
		response_finish(exchange, STATUS_NO_MEMORY);
		exchange->deliver(exchange);
		return;
	}
	twin->step = STEP_DISPATCHED;
	twin->suspended = true;
	atomic_store(&exchange->peer->successor, twin);
	defer_undo(exchange);
	defer_cut_loose(exchange);
	status = jobs_submit(http->jobs, exchange, waiting->job_id, &replayed, &twin->call.failure);
	if (status != STATUS_OK || replayed)
		exchange_give(&http->pool, exchange);
	if (replayed)
		call_header(&twin->call, "Idempotent-Replayed", "true");
	if (status == STATUS_OK) {
		watcher_add(&http->watcher, &waiting->watch);
		return;
	}
	response_finish(twin, status);
	twin->deliver(twin);
}

/* --- other work that a request started ---------------------------------------------------------------------------- */

static bool defer_look_elsewhere(struct watch *watch, bool last)
{
	struct waiting *waiting = (struct waiting *)(void *)watch;
	struct exchange *exchange = waiting->exchange;
	struct arena scratch;
	bool written;

	arena_init(&scratch, DEFER_SCRATCH_MAX_BYTES);
	written = waiting->look(&exchange->call, &scratch);
	arena_release(&scratch);
	if (!written && !last && !atomic_load(&exchange->peer->gone) && clock_monotonic_ns() < waiting->until_ns)
		return false;
	defer_say_applied(&exchange->call, &waiting->prefer);
	http_resume(exchange);
	return true;
}

/* The exchange's `deliver`, in place of http_resume. */
static void defer_wait(struct exchange *exchange)
{
	struct waiting *waiting = exchange->waiting;

	if (exchange->call.http_status != 202) {
		http_resume(exchange);
		return;
	}
	waiting->until_ns = defer_until_ns(&waiting->prefer);
	watcher_add(&exchange->http->watcher, &waiting->watch);
}

void defer_answer(struct call *call, defer_look *look)
{
	struct exchange *exchange = exchange_of(call);
	struct prefer prefer = prefer_parse(call->prefer);

	if (prefer.wait_s < 0)
		return;
	exchange->waiting = ARENA_NEW(&call->arena, struct waiting);
	if (!exchange->waiting)
		return; /* without memory: answered at once, as without the preference */
	*exchange->waiting = (struct waiting){.watch.look = defer_look_elsewhere, .exchange = exchange, .prefer = prefer, .look = look};
	exchange->deliver = defer_wait;
}
