/* One thread per CPU that a benchmark may use. Each is pinned to its own CPU and sleeps between pieces of work.
 *
 * cpu_pool_run() wakes all threads, lets each do its part of a piece of work, and returns when the last has
 * finished. The caller sleeps meanwhile, so it takes no CPU from them. One caller at a time. */
#ifndef FLEETPLAN_BENCH_CPU_CPU_POOL_H
#define FLEETPLAN_BENCH_CPU_CPU_POOL_H

#include <stddef.h>

struct cpu_pool;

/* Returns NULL if the threads cannot start. If pinning is not allowed, the threads run unpinned, without an error. */
struct cpu_pool *cpu_pool_new(int threads);
void cpu_pool_free(struct cpu_pool *pool);
int cpu_pool_threads(const struct cpu_pool *pool);

/* Calls part(context, index, threads) once on each thread. */
void cpu_pool_run(struct cpu_pool *pool, void (*part)(void *context, int index, int threads), void *context);

/* Computes the half-open range of `count` items for thread `index` of `threads`, in multiples of `step`. */
void cpu_pool_range(size_t count, size_t step, int index, int threads, size_t *first, size_t *last);

#endif
