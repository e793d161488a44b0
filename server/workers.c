#include "server/workers.h"

#include "base/clock.h"
#include "server/exchange.h"

static struct exchange *workers_next(struct workers *workers)
{
	struct exchange *exchange;

	pthread_mutex_lock(&workers->mutex);
	while (!workers->first && !workers->stopping)
		pthread_cond_wait(&workers->wake, &workers->mutex);
	exchange = workers->first;
	if (exchange) {
		workers->first = exchange->next;
		if (!workers->first)
			workers->last = &workers->first;
	}
	pthread_mutex_unlock(&workers->mutex);
	if (exchange)
		atomic_fetch_sub(&workers->waiting, 1);
	return exchange;
}

static void *workers_main(void *argument)
{
	struct workers *workers = argument;

	for (struct exchange *exchange = workers_next(workers); exchange; exchange = workers_next(workers))
		workers->run(exchange);
	return NULL;
}

bool workers_start(struct workers *workers, unsigned count, size_t maximum, void (*run)(struct exchange *))
{
	*workers = (struct workers){.maximum = maximum, .run = run};
	workers->last = &workers->first;
	pthread_mutex_init(&workers->mutex, NULL);
	pthread_cond_init(&workers->wake, NULL);
	workers->threads = calloc(count, sizeof *workers->threads);
	if (!workers->threads)
		return false;
	while (workers->thread_count < count &&
		pthread_create(&workers->threads[workers->thread_count], NULL, workers_main, workers) == 0)
		workers->thread_count++;
	return workers->thread_count > 0;
}

bool workers_reserve(struct workers *workers)
{
	if (atomic_fetch_add(&workers->waiting, 1) < workers->maximum)
		return true;
	atomic_fetch_sub(&workers->waiting, 1);
	return false;
}

void workers_push(struct workers *workers, struct exchange *exchange)
{
	exchange->next = NULL;
	exchange->queued_ns = clock_monotonic_ns();
	pthread_mutex_lock(&workers->mutex);
	*workers->last = exchange;
	workers->last = &exchange->next;
	pthread_cond_signal(&workers->wake);
	pthread_mutex_unlock(&workers->mutex);
}

int64_t workers_waited_ns(struct workers *workers)
{
	int64_t queued_ns;

	pthread_mutex_lock(&workers->mutex);
	queued_ns = workers->first ? workers->first->queued_ns : 0;
	pthread_mutex_unlock(&workers->mutex);
	return queued_ns ? clock_monotonic_ns() - queued_ns : 0;
}

void workers_stop(struct workers *workers)
{
	if (!workers->threads)
		return;
	pthread_mutex_lock(&workers->mutex);
	workers->stopping = true;
	pthread_cond_broadcast(&workers->wake);
	pthread_mutex_unlock(&workers->mutex);
	for (unsigned i = 0; i < workers->thread_count; i++)
		pthread_join(workers->threads[i], NULL);
	free(workers->threads);
	pthread_cond_destroy(&workers->wake);
	pthread_mutex_destroy(&workers->mutex);
	*workers = (struct workers){0};
}
