#include "server/http_private.h"

#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/defer.h"
#include "server/export.h"
#include "server/handlers.h"
#include "server/job_queue.h"
#include "server/metrics.h"
#include "server/request_log.h"
#include "server/server.h"
#include "server/stream.h"
#include "server/wire/half_close.h"

enum {
	HTTP_CONNECTION_MEMORY_BYTES = 32 * 1024,
	HTTP_DRAIN_STEP_US = 10000,
	HTTP_IDLE_STEPS = 3,
	HTTP_HANDSHAKE_US = 100000,
	HTTP_RENEW_BYTES = 4 * 1024 * 1024,
	HTTP_READ_AT_ONCE_BYTES = 16 * 1024,
	HTTP_OTHER_DESCRIPTORS = 96 /* database, log, feeds, devices */,
	HTTP_CONNECTIONS_LEAST = 16
};

/* --- one request ------------------------------------------------------------------------------------------- */

/* The request line has arrived. Only here is the target raw; later libmicrohttpd has decoded it loosely. */
static void *http_request_line(void *closure, const char *target, struct MHD_Connection *mhd)
{
	struct http *http = closure;
	struct peer *peer = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
	struct exchange *exchange = exchange_take(&http->pool);

	if (!exchange)
		return NULL;
	exchange->http = http;
	exchange->mhd = mhd;
	exchange->peer = peer;
	exchange->started_ns = clock_monotonic_ns();
	exchange->deliver = http_resume;
	exchange->call.server = http->server;
	exchange->wire_target = target;
	exchange->raw_target_length = target ? strlen(target) : 0;
	exchange->raw_target = arena_strndup(&exchange->call.arena, target ? target : "", exchange->raw_target_length);
	atomic_fetch_add(&http->in_flight, 1);
	if (peer && !peer_enter(&http->peers, peer, PHASE_RECEIVING))
		exchange->close = true;
	return exchange;
}

static enum MHD_Result http_refuse(struct exchange *exchange, bool at_once)
{
	exchange->close |= at_once;
	exchange->peer->linger |= at_once;
	response_finish(exchange, exchange->refused);
	return response_send(exchange);
}

static enum MHD_Result http_headers(struct exchange *exchange, const char *method, const char *version)
{
	bool at_once;

	exchange->step = STEP_RECEIVING;
	if (admission_request(exchange, method, version, &at_once) != STATUS_OK && at_once)
		return http_refuse(exchange, true);
	return MHD_YES;
}

/* A large body may take its time as long as it arrives: after every HTTP_RENEW_BYTES the client gets the whole time
 * again. */
static bool http_receive_on(struct exchange *exchange)
{
	bool anew = exchange->call.route->streamed && exchange->body.wire_bytes - exchange->renewed_bytes >= HTTP_RENEW_BYTES;

	exchange->paused = false;
	if (anew)
		exchange->renewed_bytes = exchange->body.wire_bytes;
	return peer_resume(&exchange->http->peers, exchange->peer, anew);
}

/* The part of the body that has arrived is read: resumes the connection. */
static void http_was_read(struct exchange *exchange)
{
	atomic_store(&exchange->reading, false);
	http_resume(exchange);
}

static void http_hand_to_reader(struct exchange *exchange)
{
	struct exchange *away = workers_push(&exchange->http->readers, exchange);

	if (!away)
		return;
	away->refused = failure_set(&away->call.failure, STATUS_OVERLOADED, "too many request bodies wait to be read; try again later");
	http_was_read(away);
}

/* Reads a slice of a body; slices of other clients come before the next one. Returns the time that the output is worth
 * at the client's rate. */
static int64_t http_read(struct exchange *exchange)
{
	const unsigned rate = exchange->http->options.unpack_bytes_per_s;
	size_t before = body_out_bytes(&exchange->body), out_bytes;
	bool more;

	exchange->refused = body_read(&exchange->body, exchange->whole, &more, &exchange->call.failure);
	out_bytes = body_out_bytes(&exchange->body) - before;
	if (more && !atomic_load(&exchange->peer->gone))
		http_hand_to_reader(exchange);
	else
		http_was_read(exchange);
	return rate ? (int64_t)((double)out_bytes / rate * 1e9) : 0;
}

/* Suspends the connection until what has arrived is read. */
static enum MHD_Result http_pause(struct exchange *exchange)
{
	if (!peer_pause(&exchange->http->peers, exchange->peer))
		return MHD_NO;
	exchange->paused = true;
	atomic_store(&exchange->reading, true);
	http_suspend(exchange);
	http_hand_to_reader(exchange);
	return MHD_YES;
}

static enum MHD_Result http_body(struct exchange *exchange, const char *piece, size_t *length)
{
	struct body *body = &exchange->body;
	size_t got = *length;

	if (atomic_load(&exchange->reading))
		return MHD_YES; /* libmicrohttpd may have further chunks already: leave them there */
	if (exchange->paused && !http_receive_on(exchange))
		return MHD_NO;
	*length = 0;
	if (exchange->refused == STATUS_OK) {
		exchange->refused = body_is_work(body) ? body_hold(body, piece, got, &exchange->call.failure)
											   : body_receive(body, piece, got, &exchange->call.failure);
		if (exchange->refused == STATUS_OK)
			return body_holds_enough(body) ? http_pause(exchange) : MHD_YES;
	}
	exchange->discarded_bytes += got;
	if (exchange->discarded_bytes <= admission_discard_bytes(exchange, exchange->refused))
		return MHD_YES;
	response_finish(exchange, exchange->refused);
	response_abort(exchange);
	return MHD_NO;
}

/* Reads the end of the body; false if a reader must do it. A plain, short body is read at once. */
static bool http_body_ended(struct exchange *exchange)
{
	struct body *body = &exchange->body;
	bool more;

	if (exchange->refused != STATUS_OK || body->ended)
		return true;
	exchange->whole = true;
	if (body_is_work(body) && (body->unpacker || body->wire_bytes > HTTP_READ_AT_ONCE_BYTES))
		return false;
	exchange->refused = body_read(body, true, &more, &exchange->call.failure);
	return true;
}

static enum status http_run_handler(struct exchange *exchange)
{
	handler_function *handler = handler_of(exchange->call.route->id);

	return handler ? handler(&exchange->call) : STATUS_NOT_IMPLEMENTED;
}

void http_suspend(struct exchange *exchange)
{
	half_close_wait(exchange->peer->fd);
	MHD_suspend_connection(exchange->mhd);
}

void http_resume(struct exchange *exchange)
{
	MHD_resume_connection(exchange->mhd); /* from here on the exchange belongs to the connection's thread */
}

static void http_ran(struct exchange *exchange, enum status status)
{
	if (status == HANDLER_PENDING)
		return; /* the exchange now belongs to the code that will call call_complete() */
	response_finish(exchange, status);
	if (exchange->deliver == http_resume)
		response_pack(exchange);
	exchange->deliver(exchange);
}

void http_run(struct exchange *exchange)
{
	http_ran(exchange, http_run_handler(exchange));
}

void call_complete(struct call *call, enum status status)
{
	struct exchange *exchange = exchange_of(call);

	response_finish(exchange, status);
	exchange->deliver(exchange);
}

static enum status http_overdue(struct http *http, struct failure *failure)
{
	return failure_set(failure, STATUS_OVERLOADED,
		"no worker became free within %u s; try again later, or send Prefer: respond-async to make the request a job",
		http->options.queue_seconds);
}

static bool http_is_overdue(const struct http *http, int64_t waited_ns)
{
	return waited_ns > http->options.queue_seconds * INT64_C(1000000000);
}

/* Runs work from the queue. A request that has waited too long is refused: its client may have given up, and later
 * requests are worth more. */
static int64_t http_take(struct exchange *exchange)
{
	struct call *call = &exchange->call;

	if (exchange->step == STEP_COMPLETE) {
		response_pack(exchange);
		exchange->deliver(exchange);
		return 0;
	}
	if (!http_is_overdue(exchange->http, clock_monotonic_ns() - exchange->queued_ns)) {
		http_run(exchange);
		return 0;
	}
	response_finish(exchange, http_overdue(exchange->http, &call->failure));
	exchange->deliver(exchange);
	return 0;
}

/* CPU time of heavy work before it gives way to waiting work of other clients. Most plans and estimates cost less. */
#define SLICE_NS INT64_C(50000000)

/* The same for heavy routes. Work that costs more CPU time than the limit continues as a job, and its client waits for
 * the job. */
static int64_t http_take_heavy(struct exchange *exchange)
{
	unsigned limit_ms = exchange->http->options.cpu_limit_ms;
	enum status status;

	if (limit_ms == 0 || !(exchange->call.route->prefers & PREFERS_ASYNC) ||
		http_is_overdue(exchange->http, clock_monotonic_ns() - exchange->queued_ns))
		return http_take(exchange);
	exchange->untouched = arena_mark(&exchange->call.arena);
	exchange->cpu_until_ns = clock_thread_cpu_ns() + limit_ms * INT64_C(1000000);
	exchange->cpu_look_ns = clock_thread_cpu_ns() + SLICE_NS;
	status = http_run_handler(exchange);
	if (status == STATUS_CANCELLED && exchange->overran && !atomic_load(&exchange->peer->gone))
		defer_overrun(exchange);
	else
		http_ran(exchange, status);
	return 0;
}

static void http_queue(struct workers *workers, struct exchange *exchange)
{
	struct exchange *away;

	exchange->suspended = true;
	http_suspend(exchange);
	away = workers_push(workers, exchange);
	if (!away)
		return;
	response_finish(away, failure_set(&away->call.failure, STATUS_OVERLOADED, "the queue of requests is full; try again later"));
	away->deliver(away);
}

/* Makes the request a job; a twin answers in its place. */
static enum MHD_Result http_defer(struct exchange *exchange, void **context)
{
	struct exchange *twin = defer_begin(exchange);

	if (!twin) {
		response_finish(exchange, STATUS_NO_MEMORY);
		return response_send(exchange);
	}
	*context = twin;
	return twin->suspended ? MHD_YES : response_send(twin);
}

/* The request is complete: answers it on this thread or hands it to a worker. */
static enum MHD_Result http_dispatch(struct exchange *exchange, void **context)
{
	struct http *http = exchange->http;
	struct call *call = &exchange->call;
	struct workers *workers;

	if (!http_body_ended(exchange))
		return http_pause(exchange);
	if (exchange->refused != STATUS_OK)
		return http_refuse(exchange, false);
	if (!peer_enter(&http->peers, exchange->peer, PHASE_WORKING))
		return MHD_NO;
	call->body = exchange->body.bytes.bytes ? exchange->body.bytes.bytes : "";
	call->body_length = exchange->body.bytes.length;
	call->streamed = exchange->body.sink.state;
	call->streamed_sha256 = exchange->body.sink.sha256;
	if (exchange->preflight) {
		call_no_content(call);
		call_header(call, "Allow", exchange->allow);
		response_finish(exchange, STATUS_OK);
		return response_send(exchange);
	}
	exchange->step = STEP_DISPATCHED;
	if ((call->route->prefers & ALWAYS_ASYNC) && (exchange->refused = handler_admits(call)) != STATUS_OK) {
		response_finish(exchange, exchange->refused);
		return response_send(exchange);
	}
	if (defer_wanted(exchange))
		return http_defer(exchange, context);
	if (call->route->inline_) {
		response_finish(exchange, http_run_handler(exchange));
		if (!response_pack_is_work(exchange))
			return response_send(exchange);
		http_queue(&http->light, exchange);
		return MHD_YES;
	}
	workers = call->route->heavy ? &http->workers : &http->light;
	if (http_is_overdue(http, workers_waited_ns(workers, &exchange->client))) {
		response_finish(exchange, http_overdue(http, &call->failure));
		return response_send(exchange);
	}
	http_queue(workers, exchange);
	return MHD_YES;
}

/* Returns the connection's exchange, or its successor if the first has become the work of a job meanwhile. */
static struct exchange *http_current(struct MHD_Connection *mhd, void **context)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct peer *peer = info ? info->socket_context : NULL;
	struct exchange *successor = peer ? atomic_exchange(&peer->successor, NULL) : NULL;

	if (successor)
		*context = successor;
	return *context;
}

static enum MHD_Result http_access(void *closure, struct MHD_Connection *mhd, const char *url, const char *method, const char *version,
	const char *upload, size_t *upload_length, void **context)
{
	struct exchange *exchange = http_current(mhd, context);

	(void)closure;
	(void)url;
	if (!exchange || !exchange->peer)
		return MHD_NO;
	half_close_done(exchange->peer->fd);
	switch (exchange->step) {
	case STEP_BEGUN:
		return http_headers(exchange, method, version);
	case STEP_RECEIVING:
		return *upload_length ? http_body(exchange, upload, upload_length) : http_dispatch(exchange, context);
	case STEP_COMPLETE:
		return response_send(exchange);
	case STEP_DISPATCHED:
	case STEP_ANSWERED:
		break;
	}
	*upload_length = 0;
	return MHD_YES;
}

static void http_completed(void *closure, struct MHD_Connection *mhd, void **context, enum MHD_RequestTerminationCode code)
{
	struct http *http = closure;
	struct exchange *exchange = http_current(mhd, context);

	*context = NULL;
	if (!exchange)
		return;
	if (exchange->step == STEP_BEGUN) { /* libmicrohttpd answered a request that it could not parse */
		const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_HTTP_STATUS);
		exchange->http_status = info ? (int)info->http_status : 0;
	}
	stream_close(exchange);
	export_end(exchange);
	request_log(exchange, code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
	metrics_count_request(exchange);
	if (exchange->peer)
		(void)peer_enter(&http->peers, exchange->peer, PHASE_IDLE);
	atomic_fetch_sub(&http->in_flight, 1);
	exchange_give(&http->pool, exchange);
}

static void http_connection(void *closure, struct MHD_Connection *mhd, void **context, enum MHD_ConnectionNotificationCode code)
{
	struct http *http = closure;

	switch (code) {
	case MHD_CONNECTION_NOTIFY_STARTED:
		*context = peer_open(&http->peers, MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd);
		break;
	case MHD_CONNECTION_NOTIFY_CLOSED:
		if (*context) {
			half_close_done(((struct peer *)*context)->fd);
			peer_close(&http->peers, *context);
		}
		*context = NULL;
		break;
	}
}

/* --- the daemon -------------------------------------------------------------------------------------------- */

static size_t http_keep_raw(void *closure, struct MHD_Connection *mhd, char *text)
{
	(void)closure;
	(void)mhd;
	return strlen(text);
}

PRINTF_LIKE(2, 0) static void http_library_log(void *closure, const char *format, va_list arguments)
{
	char text[512];

	(void)closure;
	vsnprintf(text, sizeof text, format, arguments);
	text[strcspn(text, "\r\n")] = '\0';
	log_event(LOG_DEBUG, "libmicrohttpd", LOG_TEXT("detail", text));
}

static unsigned http_or_cores(unsigned count)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	return count ? count : cores > 0 ? (unsigned)cores : 1;
}

enum status http_bind(const struct http_options *options, struct http **out, struct failure *failure)
{
	struct http *http = calloc(1, sizeof *http);
	enum status status;

	*out = NULL;
	if (!http)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the HTTP server");
	http->options = *options;
	status = listen_open(options->listen, &http->listener, failure);
	if (status != STATUS_OK) {
		free(http);
		return status;
	}
	http->budget.maximum_bytes = options->memory_bytes;
	exchange_pool_init(&http->pool);
	*out = http;
	return STATUS_OK;
}

const char *http_address(const struct http *http)
{
	return http->listener.name;
}

bool http_is_loopback(const struct http *http)
{
	return http->listener.loopback;
}

static enum MHD_Result http_admit(void *closure, const struct sockaddr *address, socklen_t length)
{
	struct http *http = closure;

	(void)length;
	return peers_admit(&http->peers, address) ? MHD_YES : MHD_NO;
}

static struct MHD_Daemon *http_listen(struct http *http)
{
	const struct http_options *options = &http->options;
	unsigned threads = http_or_cores(options->threads);
	struct MHD_OptionItem pool[] = {{MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)threads, NULL}, {MHD_OPTION_END, 0, NULL}};

	if (threads == 1)
		pool[0].option = MHD_OPTION_END;
	return MHD_start_daemon(MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0, http_admit, http,
		http_access, http, MHD_OPTION_EXTERNAL_LOGGER, http_library_log, NULL, MHD_OPTION_LISTEN_SOCKET, http->listener.fd,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_CONNECTION_MEMORY_BYTES, MHD_OPTION_CONNECTION_LIMIT,
		options->connections + PEERS_RESERVE, MHD_OPTION_PER_IP_CONNECTION_LIMIT, options->connections_per_ip,
		MHD_OPTION_CONNECTION_TIMEOUT, options->idle_seconds, MHD_OPTION_URI_LOG_CALLBACK, http_request_line, http,
		MHD_OPTION_UNESCAPE_CALLBACK, http_keep_raw, NULL, MHD_OPTION_NOTIFY_COMPLETED, http_completed, http, MHD_OPTION_NOTIFY_CONNECTION,
		http_connection, http, MHD_OPTION_ARRAY, pool, MHD_OPTION_END);
}

/* The pools have one thread more than one client may use: a second client always finds a free thread. */
static bool http_start_workers(struct http *http)
{
	const struct http_options *options = &http->options;
	unsigned heavy = http_or_cores(options->workers), light = http_or_cores(options->light_workers), readers = (http_or_cores(0) + 1) / 2;
	const struct workers_options
		of_heavy = {.threads = heavy + 1, .threads_per_client = heavy, .maximum = options->queue, .run = http_take_heavy},
		of_light = {.threads = light < 2 && options->light_workers == 0 ? 2 : light, .maximum = options->queue, .run = http_take},
		of_readers = {.threads = readers + 1, .threads_per_client = readers, .maximum = options->connections, .run = http_read};

	return workers_start(&http->workers, &of_heavy) && workers_start(&http->light, &of_light) && workers_start(&http->readers, &of_readers);
}

static bool http_start_jobs(struct http *http)
{
	const struct http_options *options = &http->options;
	const struct jobs_options jobs = {.maximum = options->jobs,
		.per_owner = options->jobs_per_key,
		.keep_seconds = options->job_keep_seconds,
		.threads = http_or_cores(options->job_workers),
		.memory_bytes = options->job_memory_bytes,
		.pool = &http->pool,
		.watcher = &http->watcher,
		.started_us = http->server->started_us};

	http->jobs = watcher_start(&http->watcher) ? jobs_start(&jobs) : NULL;
	return http->jobs != NULL;
}

/* Raises the limit of open files for the connections. Without enough descriptors, libmicrohttpd would stop accepting
 * without a message. */
static enum status http_fit_descriptors(struct http *http, struct failure *failure)
{
	unsigned *connections = &http->options.connections, wanted = *connections;
	const rlim_t others = PEERS_RESERVE + LINGERING_MAX + HTTP_OTHER_DESCRIPTORS;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= wanted + others)
		return STATUS_OK;
	limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted + others ? wanted + others : limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0 && getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return STATUS_OK;
	if (limit.rlim_cur >= wanted + others)
		return STATUS_OK;
	if (limit.rlim_cur < others + HTTP_CONNECTIONS_LEAST)
		return failure_set(failure, STATUS_INVALID,
			"connections: this process may open %llu files, and needs %llu for other purposes; raise the limit (ulimit -n, LimitNOFILE) to %llu for %u connections",
			(unsigned long long)limit.rlim_cur, (unsigned long long)others, (unsigned long long)wanted + others, wanted);
	*connections = (unsigned)(limit.rlim_cur - others);
	log_event(LOG_WARNING, "connections_lowered", LOG_INTEGER("connections", *connections), LOG_INTEGER("wanted", wanted),
		LOG_INTEGER("open_files_limit", (int64_t)limit.rlim_cur), LOG_INTEGER("open_files_needed", (int64_t)wanted + (int64_t)others));
	return STATUS_OK;
}

enum status http_start(struct http *http, struct server *server, struct failure *failure)
{
	if (http_fit_descriptors(http, failure) != STATUS_OK)
		return failure->status;
	http->server = server;
	/* From libmicrohttpd 1.0 on the parser is strict itself, and we do not know its layout. */
	http->strict_layout = strncmp(MHD_get_version(), "0.9.", 4) == 0;
	if (!peers_start(&http->peers, &http->budget, http->options.connections, http->options.receive_seconds, http->options.send_seconds) ||
		!http_start_workers(http) || !http_start_jobs(http))
		return failure_set(failure, STATUS_UNAVAILABLE, "threads cannot be started: %s", "the limit of the system is reached");
	http->daemon = http_listen(http);
	if (!http->daemon)
		return failure_set(failure, STATUS_UNAVAILABLE, "the HTTP library cannot be started");
	return STATUS_OK;
}

void http_state_get(const struct http *http, struct http_state *state)
{
	state->in_flight = atomic_load(&http->in_flight);
	state->queue_depth = atomic_load(&http->workers.waiting) + atomic_load(&http->light.waiting);
	state->body_bytes = atomic_load(&http->budget.used_bytes);
	state->connections = atomic_load(&http->peers.count);
	state->connections_cut = atomic_load(&http->peers.cut);
	state->connections_cut_for_room = atomic_load(&http->peers.cut_for_room);
	state->connections_cut_for_memory = atomic_load(&http->peers.cut_for_memory);
	state->connections_refused = atomic_load(&http->peers.refused);
}

/* Accepts the clients that had connected before the socket was closed to new ones, and answers them as usual. */
static void http_take_backlog(struct http *http)
{
	struct sockaddr_storage address;
	unsigned length;
	int fd;

	while ((fd = listen_take(&http->listener, &address, &length)) >= 0)
		(void)MHD_add_connection(http->daemon, fd, (struct sockaddr *)(void *)&address, length); /* closes the socket if there is no room */
}

/* Waits a tenth of a second, so that a handshake that had begun before can complete. */
void http_quiesce(struct http *http)
{
	int64_t until_ns = clock_monotonic_ns() + HTTP_HANDSHAKE_US * INT64_C(1000);

	if (!http->daemon || atomic_exchange(&http->quiescing, true))
		return;
	MHD_quiesce_daemon(http->daemon);
	listen_shut_door(&http->listener);
	jobs_refuse(http->jobs);
	do {
		http_take_backlog(http);
		usleep(HTTP_DRAIN_STEP_US);
	} while (clock_monotonic_ns() < until_ns);
	http_take_backlog(http);
	listen_close(&http->listener);
}

void http_cut_jobs(struct http *http)
{
	jobs_cancel_all(http->jobs);
}

struct jobs *http_jobs(const struct http *http)
{
	return http->jobs;
}

static bool http_is_idle(struct http *http)
{
	struct jobs_counts counts = {0};

	if (http->jobs)
		jobs_counts_get(http->jobs, &counts);
	return counts.queued + counts.running == 0 && atomic_load(&http->in_flight) == 0 && !(http->peers.running && peers_expect(&http->peers));
}

/* True if the server stays idle for some steps: libmicrohttpd's threads need them between accepting a connection and
 * its first request. */
static bool http_stays_idle(struct http *http)
{
	for (int step = 0; step < HTTP_IDLE_STEPS; step++) {
		if (!http_is_idle(http))
			return false;
		usleep(HTTP_DRAIN_STEP_US);
	}
	return http_is_idle(http);
}

bool http_drain(struct http *http, unsigned seconds)
{
	int64_t until_ns = clock_monotonic_ns() + seconds * 1000000000LL;

	bool idle;

	while (!(idle = http_stays_idle(http)) && clock_monotonic_ns() < until_ns)
		usleep(HTTP_DRAIN_STEP_US);
	return idle;
}

void http_stop(struct http *http)
{
	if (!http)
		return;
	if (http->peers.running)
		peers_cut_all(&http->peers);
	workers_stop(&http->readers);
	workers_stop(&http->workers);
	workers_stop(&http->light);
	jobs_stop(http->jobs);
	watcher_stop(&http->watcher);
	if (http->daemon)
		MHD_stop_daemon(http->daemon);
	if (http->peers.running)
		peers_stop(&http->peers);
	listen_close(&http->listener);
	exchange_pool_release(&http->pool);
	free(http);
}
