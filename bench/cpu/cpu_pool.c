#include "bench/cpu/cpu_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct cpu_pool {
	pthread_mutex_t lock;
	pthread_cond_t work, done;
	void (*part)(void *context, int index, int threads);
	void *context;
	uint64_t generation; /* raised by each piece of work; a thread runs each generation once */
	int threads, running;
	bool stopping;
	struct cpu_pool_thread {
		struct cpu_pool *pool;
		pthread_t thread;
		int index;
	} members[];
};

/* Pins the calling thread to the index-th CPU that the process may run on. */
static void pool_pin(int index)
{
	cpu_set_t allowed, mine;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	CPU_ZERO(&mine);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed) || index-- > 0)
			continue;
		CPU_SET(cpu, &mine);
		(void)!pthread_setaffinity_np(pthread_self(), sizeof(mine), &mine);
		return;
	}
}

static void *pool_thread(void *argument)
{
	struct cpu_pool_thread *member = argument;
	struct cpu_pool *pool = member->pool;
	uint64_t seen = 0;

	pool_pin(member->index);
	pthread_mutex_lock(&pool->lock);
	for (;;) {
		while (pool->generation == seen && !pool->stopping)
			pthread_cond_wait(&pool->work, &pool->lock);
		if (pool->stopping)
			break;
		seen = pool->generation;
		pthread_mutex_unlock(&pool->lock);
		pool->part(pool->context, member->index, pool->threads);
		pthread_mutex_lock(&pool->lock);
		if (--pool->running == 0)
			pthread_cond_signal(&pool->done);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

struct cpu_pool *cpu_pool_new(int threads)
{
	struct cpu_pool *pool = calloc(1, sizeof(*pool) + (size_t)threads * sizeof(pool->members[0]));

	if (!pool)
		return NULL;
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->work, NULL);
	pthread_cond_init(&pool->done, NULL);
	for (int i = 0; i < threads; i++) {
		struct cpu_pool_thread *member = &pool->members[i];

		*member = (struct cpu_pool_thread){.pool = pool, .index = i};
		if (pthread_create(&member->thread, NULL, pool_thread, member)) {
			cpu_pool_free(pool);
			return NULL;
		}
		pool->threads++;
	}
	return pool;
}

void cpu_pool_free(struct cpu_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->stopping = true;
	pthread_cond_broadcast(&pool->work);
	pthread_mutex_unlock(&pool->lock);
	for (int i = 0; i < pool->threads; i++)
		pthread_join(pool->members[i].thread, NULL);
	pthread_cond_destroy(&pool->work);
	pthread_cond_destroy(&pool->done);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

int cpu_pool_threads(const struct cpu_pool *pool)
{
	return pool->threads;
}

void cpu_pool_run(struct cpu_pool *pool, void (*part)(void *context, int index, int threads), void *context)
{
	pthread_mutex_lock(&pool->lock);
	pool->part = part;
	pool->context = context;
	pool->running = pool->threads;
	pool->generation++;
	pthread_cond_broadcast(&pool->work);
	while (pool->running)
		pthread_cond_wait(&pool->done, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}

void cpu_pool_range(size_t count, size_t step, int index, int threads, size_t *first, size_t *last)
{
	size_t steps = (count + step - 1) / step, each = steps / (size_t)threads, more = steps % (size_t)threads;
	size_t from = (size_t)index * each + ((size_t)index < more ? (size_t)index : more);
	size_t to = from + each + ((size_t)index < more);

	*first = from * step < count ? from * step : count;
	*last = to * step < count ? to * step : count;
}
