/* What the parts of the cpu backend share: the threads, the kernels, and memory set aside for streams and matrices. */
#ifndef FLEETPLAN_BENCH_CPU_SESSION_H
#define FLEETPLAN_BENCH_CPU_SESSION_H

#include "bench/backend.h"
#include "bench/cpu_blas.h"
#include "bench/cpu_kernels.h"
#include "bench/cpu_pool.h"

struct cpu_stream_arrays {
	double *x, *y, *z; /* x and y hold a known pattern, z is written; NULL until first used */
	size_t count;      /* doubles in each */
	bool cache_resident;
};

struct bench_session {
	struct bench_device device;
	struct cpu_pool *pool;
	const struct cpu_kernels *kernels;
	struct cpu_stream_arrays streams;
	struct cpu_blas blas;
	bool blas_open;
};

/* Bytes in whole pages, huge ones where the system gives them; zeroed, aligned to a page; NULL when they cannot be had. */
void *cpu_memory_map(size_t bytes);
void cpu_memory_unmap(void *memory, size_t bytes);

/* Doubles for each stream array: four times the last-level cache (of `cache_bytes`; 0, not told: 64 MiB is taken) and at least
 * 64 MiB, but all three within a quarter of `available_bytes`. False in *large_enough when that cut below four times. */
size_t cpu_stream_count(double cache_bytes, double available_bytes, bool *large_enough);

/* bench_backend.prepare for their kinds of work. */
enum bench_outcome cpu_stream_prepare(struct bench_session *session, const struct bench_work_request *request,
	struct bench_work *work, struct bench_reason *reason);
enum bench_outcome cpu_matrix_prepare(struct bench_session *session, const struct bench_work_request *request,
	struct bench_work *work, struct bench_reason *reason);

void cpu_stream_release(struct bench_session *session); /* the arrays, at the session's end */

#endif
