#include "server/import_service.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/log.h"
#include "planner/progress.h"
#include "server/server.h"
#include "storage/imports.h"

enum { TIDY_AGAIN_S = 10 };

/* A call that waits, in the call's own arena. */
struct import_task {
	struct call *call;
	handler_function *work;
	struct import_task *next;
};

struct import_service {
	struct server *server;
	pthread_t thread;
	pthread_mutex_t mutex; /* protects the queue */
	pthread_cond_t wake;
	struct import_task *first, **last;
	size_t waiting;
	_Atomic bool stopping;
	bool untidy; /* used by the thread: some imports could not be settled yet */
};

static bool import_stop(void *context)
{
	const struct import_progress *own = context;

	return atomic_load(&own->service->stopping) || progress_stopped(own->outer);
}

static void import_note_progress(void *context, double fraction, const char *what)
{
	progress_note(((const struct import_progress *)context)->outer, fraction, what);
}

struct progress imports_progress(struct import_progress *own)
{
	return (struct progress){.context = own, .stop = import_stop, .note = import_note_progress};
}

static void settle_imports(struct import_service *service)
{
	struct failure failure;
	bool was_untidy = service->untidy;

	failure_clear(&failure);
	service->untidy = storage_import_tidy(service->server->storage, &failure) != STATUS_OK;
	if (service->untidy && !was_untidy)
		log_event(LOG_WARNING, "import_not_settled", LOG_TEXT("detail", failure.detail));
}

/* Waits for a call, the next attempt to settle, or the stop. Returns the call's task, or NULL. Under the mutex. */
static struct import_task *next_task(struct import_service *service)
{
	struct import_task *task;
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += TIDY_AGAIN_S;
	while (!service->first && !atomic_load(&service->stopping)) {
		if (!service->untidy)
			pthread_cond_wait(&service->wake, &service->mutex);
		else if (pthread_cond_clockwait(&service->wake, &service->mutex, CLOCK_MONOTONIC, &until) != 0)
			return NULL;
	}
	task = service->first;
	if (task) {
		service->first = task->next;
		service->last = service->first ? service->last : &service->first;
		service->waiting--;
	}
	return task;
}

static void *import_thread(void *context)
{
	struct import_service *service = context;

	settle_imports(service);
	pthread_mutex_lock(&service->mutex);
	for (;;) {
		struct import_task *task = next_task(service);
		struct call *call = task ? task->call : NULL;

		if (!task && atomic_load(&service->stopping))
			break;
		pthread_mutex_unlock(&service->mutex);
		if (call)
			call_complete(call,
				atomic_load(&service->stopping) ? failure_set(&call->failure, STATUS_DRAINING, "the daemon is shutting down")
												: task->work(call));
		settle_imports(service);
		pthread_mutex_lock(&service->mutex);
	}
	pthread_mutex_unlock(&service->mutex);
	return NULL;
}

enum status imports_start(struct server *server, struct import_service **out, struct failure *failure)
{
	struct import_service *service = calloc(1, sizeof *service);

	*out = NULL;
	if (!service)
		return failure_set(failure, STATUS_NO_MEMORY, "no memory for imports");
	service->server = server;
	service->last = &service->first;
	pthread_mutex_init(&service->mutex, NULL);
	pthread_cond_init(&service->wake, NULL);
	if (pthread_create(&service->thread, NULL, import_thread, service) != 0) {
		pthread_cond_destroy(&service->wake);
		pthread_mutex_destroy(&service->mutex);
		free(service);
		return failure_set(failure, STATUS_NO_MEMORY, "cannot start a thread for imports");
	}
	*out = service;
	return STATUS_OK;
}

void imports_cut(struct import_service *service)
{
	if (!service)
		return;
	pthread_mutex_lock(&service->mutex);
	atomic_store(&service->stopping, true);
	pthread_cond_broadcast(&service->wake);
	pthread_mutex_unlock(&service->mutex);
}

void imports_stop(struct import_service *service)
{
	if (!service)
		return;
	imports_cut(service);
	pthread_join(service->thread, NULL);
	pthread_cond_destroy(&service->wake);
	pthread_mutex_destroy(&service->mutex);
	free(service);
}

enum status imports_submit(struct import_service *service, struct call *call, handler_function *work)
{
	struct import_task *task = ARENA_NEW(&call->arena, struct import_task);
	enum status status = STATUS_OK;

	if (!task)
		return STATUS_NO_MEMORY;
	*task = (struct import_task){.call = call, .work = work};
	pthread_mutex_lock(&service->mutex);
	if (atomic_load(&service->stopping)) {
		status = failure_set(&call->failure, STATUS_DRAINING, "the daemon is shutting down");
	} else if (service->waiting >= IMPORT_QUEUE_MAX) {
		call->failure.retry_after_s = 10;
		status = failure_set(&call->failure, STATUS_OVERLOADED, "%d imports already wait; try again later", IMPORT_QUEUE_MAX);
	} else {
		*service->last = task;
		service->last = &task->next;
		service->waiting++;
		pthread_cond_signal(&service->wake);
	}
	pthread_mutex_unlock(&service->mutex);
	return status;
}
