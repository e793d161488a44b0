/* One thread per CPU that a benchmark may use, each pinned to its own, asleep between pieces of work.
 *
 * cpu_pool_run() wakes all of them, lets each do its part of a piece, and returns when the last is done. The caller
 * sleeps meanwhile, so that it takes no CPU from them. One caller at a time. */
#ifndef FLEETPLAN_BENCH_CPU_CPU_POOL_H
#define FLEETPLAN_BENCH_CPU_CPU_POOL_H

#include <stddef.h>

struct cpu_pool;

/* NULL when the threads cannot be had. Pinning is left out quietly where it is not allowed. */
struct cpu_pool *cpu_pool_new(int threads);
void cpu_pool_free(struct cpu_pool *pool);
int cpu_pool_threads(const struct cpu_pool *pool);

/* Calls part(context, index, threads) once on each thread. */
void cpu_pool_run(struct cpu_pool *pool, void (*part)(void *context, int index, int threads), void *context);

/* The half-open range of `count` things that thread `index` of `threads` does, in multiples of `step`. */
void cpu_pool_range(size_t count, size_t step, int index, int threads, size_t *first, size_t *last);

#endif
