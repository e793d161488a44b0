#include "server/feed_service.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "hwdb/feeds/fetch.h"
#include "server/feed_refresh.h"
#include "server/options.h"
#include "server/server.h"
#include "storage/feeds.h"

static const int64_t NS_PER_S = 1000000000, NS_PER_MINUTE = 60 * INT64_C(1000000000);

enum { FEED_ARENA_MAX_BYTES = 256 * 1024 * 1024, SETTINGS_MAX_BYTES = 256 * 1024, RETRY_MINUTES_MAX = 60 };

/* A call that waits for a feed, in the call's own arena. */
struct feed_task {
	struct call *call;
	handler_function *work;
	struct feed_task *next;
};

struct feed_worker {
	struct feed_service *service;
	enum feed_id id;
	pthread_t thread;
	bool started;
	struct feed_task *first, **last;
	struct feed_state state;
	int64_t due_ns;    /* the next scheduled refresh, by clock_boot_ns, which a change of the wall clock does not affect; 0: never */
	unsigned failures; /* consecutive */
};

struct feed_service {
	struct server *server;
	struct fetch_options options;
	struct pace pace;
	struct arena arena; /* holds the settings' texts */
	struct feed_setting settings[FEED_COUNT];
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	_Atomic bool stopping;
	struct feed_worker workers[FEED_COUNT];
};

/* --- a refresh ----------------------------------------------------------------------------------------------------- */

/* Combines the stop of the caller and of the daemon. */
struct feed_progress {
	const struct feed_service *service;
	const struct progress *outer;
};

static bool feed_stop(void *context)
{
	const struct feed_progress *progress = context;

	return atomic_load(&progress->service->stopping) || progress_stopped(progress->outer);
}

static void feed_note(void *context, double fraction, const char *what)
{
	progress_note(((const struct feed_progress *)context)->outer, fraction, what);
}

static void feed_count(struct feed_service *service, enum feed_id id, const struct feed_refresh_record *record, enum status status)
{
	struct feed_worker *worker = &service->workers[id];

	pthread_mutex_lock(&service->mutex);
	worker->state.refreshes[status == STATUS_OK ? 0 : status == STATUS_CANCELLED ? 2 : 1]++;
	worker->failures = status == STATUS_OK ? 0 : worker->failures + 1;
	if (status == STATUS_OK)
		worker->state.last_good_us = record->finished_at_us;
	worker->state.quarantined += (uint64_t)record->quarantined;
	worker->state.rows_changed += (uint64_t)(record->added + record->changed);
	pthread_mutex_unlock(&service->mutex);
}

enum status feeds_refresh(struct feed_service *service, enum feed_id id, const struct progress *progress, const char *started_by,
	struct arena *arena, struct feed_refresh_record *record, struct failure *failure)
{
	struct feed_progress own = {service, progress};
	const struct progress both = {.context = &own, .stop = feed_stop, .note = feed_note};
	const struct feed_refresh refresh = {.server = service->server,
		.feed = &feeds[id],
		.setting = &service->settings[id],
		.options = &service->options,
		.progress = &both,
		.started_by = started_by};
	enum status status = feed_refresh_run(&refresh, arena, record, failure);

	feed_count(service, id, record, status);
	return status;
}

/* --- threads ------------------------------------------------------------------------------------------------------- */

/* Returns the pause before the next refresh. After a failure it is shorter than usual and doubles with each failure: 1,
 * 2, 4 minutes, up to an hour or the usual interval. */
static int64_t pause_ns(const struct feed_worker *worker)
{
	unsigned every = worker->service->settings[worker->id].every_minutes, minutes = every;

	if (worker->failures > 0) {
		minutes = worker->failures > 6 ? RETRY_MINUTES_MAX : 1u << (worker->failures - 1);
		minutes = minutes > RETRY_MINUTES_MAX ? RETRY_MINUTES_MAX : minutes;
		minutes = minutes > every ? every : minutes;
	}
	return minutes * NS_PER_MINUTE;
}

static void refresh_scheduled(struct feed_worker *worker)
{
	struct feed_refresh_record record;
	struct failure failure;
	struct arena arena;

	failure_clear(&failure);
	arena_init(&arena, FEED_ARENA_MAX_BYTES);
	if (feeds_refresh(worker->service, worker->id, NULL, "schedule", &arena, &record, &failure) == STATUS_NO_MEMORY)
		log_event(LOG_ERROR, "feed_out_of_memory", LOG_TEXT("feed", feeds[worker->id].name));
	arena_release(&arena);
}

/* Waits for a call or the time of the next refresh. Returns the call's task, or NULL. Under the mutex. */
static struct feed_task *next_task(struct feed_worker *worker)
{
	struct feed_service *service = worker->service;
	struct feed_task *task;

	while (!worker->first && !atomic_load(&service->stopping)) {
		int64_t left_ns = worker->due_ns - clock_boot_ns(), until_ns;
		struct timespec until;

		if (worker->due_ns && left_ns <= 0)
			return NULL;
		/* Looks at least once a minute: the clock of this wait stands still while the machine sleeps. */
		until_ns = clock_monotonic_ns() + (left_ns < NS_PER_MINUTE ? left_ns : NS_PER_MINUTE);
		until = (struct timespec){.tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S};
		if (worker->due_ns)
			pthread_cond_clockwait(&service->wake, &service->mutex, CLOCK_MONOTONIC, &until);
		else
			pthread_cond_wait(&service->wake, &service->mutex);
	}
	task = worker->first;
	if (task) {
		worker->first = task->next;
		worker->last = worker->first ? worker->last : &worker->first;
		worker->state.waiting--;
	}
	return task;
}

static void *feed_thread(void *context)
{
	struct feed_worker *worker = context;
	struct feed_service *service = worker->service;

	pthread_mutex_lock(&service->mutex);
	for (;;) {
		struct feed_task *task = next_task(worker);
		struct call *call = task ? task->call : NULL;

		if (!task && atomic_load(&service->stopping))
			break;
		worker->state.running = true;
		pthread_mutex_unlock(&service->mutex);
		if (call)
			call_complete(call,
				atomic_load(&service->stopping) ? failure_set(&call->failure, STATUS_DRAINING, "the daemon is shutting down")
												: task->work(call));
		else
			refresh_scheduled(worker);
		pthread_mutex_lock(&service->mutex);
		worker->state.running = false;
		if (!call)
			worker->due_ns = clock_boot_ns() + pause_ns(worker);
	}
	pthread_mutex_unlock(&service->mutex);
	return NULL;
}

/* Returns the time of the next scheduled refresh from the stored refreshes, so that a daemon that restarts often does
 * not send more requests. The stored time may come from a wrong clock, so the wait is never longer than the usual
 * interval. */
static int64_t due_ns(const struct feed_service *service, enum feed_id id, int64_t first_ns)
{
	const struct page_request newest = {.limit = 1};
	struct feed_refresh_list list = {0};
	struct failure unused;
	struct arena arena;
	int64_t wait_ns = 0, usual_ns = service->settings[id].every_minutes * NS_PER_MINUTE, now_ns = clock_boot_ns();

	failure_clear(&unused);
	arena_init(&arena, SETTINGS_MAX_BYTES);
	if (storage_feed_refresh_list(service->server->storage, feeds[id].name, &newest, &arena, &list, &unused) == STATUS_OK &&
		list.count > 0 && strcmp(list.items[0].outcome, "failed") != 0)
		wait_ns = usual_ns - (clock_wall_us() - list.items[0].finished_at_us) * 1000;
	arena_release(&arena);
	if (wait_ns > usual_ns)
		wait_ns = usual_ns;
	return now_ns + wait_ns > first_ns ? now_ns + wait_ns : first_ns;
}

static enum status worker_start(struct feed_service *service, enum feed_id id, int64_t first_ns, struct failure *failure)
{
	struct feed_worker *worker = &service->workers[id];

	worker->service = service;
	worker->id = id;
	worker->last = &worker->first;
	if (!service->settings[id].enabled)
		return STATUS_OK;
	if (service->settings[id].every_minutes)
		worker->due_ns = due_ns(service, id, first_ns);
	worker->started = pthread_create(&worker->thread, NULL, feed_thread, worker) == 0;
	return worker->started ? STATUS_OK : failure_set(failure, STATUS_NO_MEMORY, "cannot start a thread for the feed %s", feeds[id].name);
}

enum status feeds_start(struct server *server, struct feed_service **out, struct failure *failure)
{
	const struct options *options = server->options;
	struct feed_service *service = calloc(1, sizeof *service);
	int64_t started = 0; /* number of feeds */
	enum status status;

	*out = NULL;
	if (!service)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for the feeds");
	service->server = server;
	service->options = (struct fetch_options){
		.pace = &service->pace, .ca_file = options->feed_ca_file, .local = options->feed_local, .request_s = options->feed_seconds};
	pace_init(&service->pace);
	arena_init(&service->arena, SETTINGS_MAX_BYTES);
	pthread_mutex_init(&service->mutex, NULL);
	pthread_cond_init(&service->wake, NULL);
	status = feed_settings_read(options, &service->arena, service->settings, failure);
	if (status == STATUS_OK && *options->feed_ca_file && access(options->feed_ca_file, R_OK) != 0)
		status = failure_set(failure, STATUS_INVALID, "feed-ca-file: %s cannot be read", options->feed_ca_file);
	for (int id = 0; id < FEED_COUNT && status == STATUS_OK; id++) /* the first refreshes are a second apart */
		status = worker_start(service, (enum feed_id)id, clock_boot_ns() + (started += service->settings[id].enabled) * NS_PER_S, failure);
	if (status == STATUS_OK)
		*out = service;
	else
		feeds_stop(service);
	return status;
}

void feeds_cut(struct feed_service *service)
{
	if (!service)
		return;
	pthread_mutex_lock(&service->mutex);
	atomic_store(&service->stopping, true);
	pthread_cond_broadcast(&service->wake);
	pthread_mutex_unlock(&service->mutex);
}

void feeds_stop(struct feed_service *service)
{
	if (!service)
		return;
	feeds_cut(service);
	for (size_t id = 0; id < FEED_COUNT; id++)
		if (service->workers[id].started)
			pthread_join(service->workers[id].thread, NULL);
	pthread_cond_destroy(&service->wake);
	pthread_mutex_destroy(&service->mutex);
	pace_release(&service->pace);
	arena_release(&service->arena);
	free(service);
}

/* --- public functions --------------------------------------------------------------------------------------------- */

const struct feed_setting *feeds_setting(const struct feed_service *service, enum feed_id id)
{
	return &service->settings[id];
}

const struct fetch_options *feeds_fetch_options(const struct feed_service *service)
{
	return &service->options;
}

enum status feeds_need(const struct feed_service *service, enum feed_id id, struct failure *failure)
{
	if (service->settings[id].enabled)
		return STATUS_OK;
	return failure_set(failure, STATUS_CONFLICT,
		"the feed %s is off, as outgoing requests are by default; start the daemon with --feeds %s", feeds[id].name, feeds[id].name);
}

enum status feeds_submit(struct feed_service *service, enum feed_id id, struct call *call, handler_function *work)
{
	struct feed_worker *worker = &service->workers[id];
	struct feed_task *task = ARENA_NEW(&call->arena, struct feed_task);
	enum status status = task ? feeds_need(service, id, &call->failure) : STATUS_NO_MEMORY;

	if (status != STATUS_OK)
		return status;
	*task = (struct feed_task){.call = call, .work = work};
	pthread_mutex_lock(&service->mutex);
	if (atomic_load(&service->stopping)) {
		status = failure_set(&call->failure, STATUS_DRAINING, "the daemon is shutting down");
	} else if (worker->state.waiting >= FEED_QUEUE_MAX) {
		call->failure.retry_after_s = 10;
		status = failure_set(
			&call->failure, STATUS_OVERLOADED, "%d requests already wait for the feed %s; try again later", FEED_QUEUE_MAX, feeds[id].name);
	} else {
		*worker->last = task;
		worker->last = &task->next;
		worker->state.waiting++;
		pthread_cond_broadcast(&service->wake);
	}
	pthread_mutex_unlock(&service->mutex);
	return status;
}

void feeds_state_get(struct feed_service *service, enum feed_id id, struct feed_state *state)
{
	pthread_mutex_lock(&service->mutex);
	*state = service->workers[id].state;
	if (service->workers[id].due_ns)
		state->next_at_us = (clock_wall_us() + (service->workers[id].due_ns - clock_boot_ns()) / 1000 + 500000) / 1000000 *
			1000000; /* computed from two clocks: rounded to whole seconds */
	pthread_mutex_unlock(&service->mutex);
}
