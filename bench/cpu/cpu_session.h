/* What the parts of the cpu backend share: the threads, the kernels, and memory set aside for streams and matrices. */
#ifndef FLEETPLAN_BENCH_CPU_CPU_SESSION_H
#define FLEETPLAN_BENCH_CPU_CPU_SESSION_H

#include "bench/backend.h"
#include "bench/cpu/cpu_blas.h"
#include "bench/cpu/cpu_kernels.h"
#include "bench/cpu/cpu_pool.h"
#include "bench/cpu/cpu_sensors.h"

struct cpu_stream_arrays {
	double *x, *y, *z; /* x and y hold a known pattern, z is written; NULL until first used */
	size_t count;      /* doubles in each */
	bool cache_resident;
};

/* Matrices of one piece of work, or of all parts of a sequence: none of them writes where another reads. */
struct cpu_matrices {
	float *operands, *outputs; /* random once; written by every run */
	size_t operand_floats, output_floats;
};

struct bench_session {
	struct bench_device device;
	struct cpu_pool *pool;
	const struct cpu_kernels *kernels;
	struct cpu_stream_arrays streams;
	struct cpu_blas blas;
	bool blas_open;
	float **panels;              /* scratch of each thread; NULL until first used */
	struct cpu_matrices *shared; /* what a sequence's parts use; NULL: each has its own */
	struct cpu_sensors *sensors;
};

/* Bytes in whole pages, huge ones where the system gives them; zeroed, aligned to a page; NULL when they cannot be had. */
void *cpu_memory_map(size_t bytes);
void cpu_memory_unmap(void *memory, size_t bytes);

/* Doubles for each stream array: four times the last-level cache (of `cache_bytes`; 0, not told: 64 MiB is taken) and at least
 * 64 MiB, but all three within a quarter of `available_bytes`. False in *large_enough when that cut below four times. */
size_t cpu_stream_count(double cache_bytes, double available_bytes, bool *large_enough);

/* Random operands and unwritten outputs: of the session's sequence where there is one, else new. False when they would take more than half
 * of what is free. */
bool cpu_matrices_take(struct bench_session *session, size_t operand_floats, size_t output_floats, struct cpu_matrices *matrices);
void cpu_matrices_give(const struct bench_session *session, struct cpu_matrices *matrices);
bool cpu_panels_ready(struct bench_session *session);
void cpu_panels_release(struct bench_session *session);

/* Floats rounded up to whole lines of the cache. */
size_t cpu_line_floats(size_t floats);

/* Drops these bytes from every cache. */
void cpu_cache_flush(const void *memory, size_t bytes);

/* bench_backend.prepare for their kinds of work. */
enum bench_outcome cpu_stream_prepare(struct bench_session *session, const struct bench_work_request *request,
	struct bench_work *work, struct bench_reason *reason);
enum bench_outcome cpu_elements_prepare(struct bench_session *session, const struct bench_work_request *request,
	struct bench_work *work, struct bench_reason *reason);
enum bench_outcome cpu_attention_prepare(struct bench_session *session, const struct bench_work_request *request,
	struct bench_work *work, struct bench_reason *reason);
enum bench_outcome cpu_kv_prepare(struct bench_session *session, const struct bench_work_request *request,
	struct bench_work *work, struct bench_reason *reason);
enum bench_outcome cpu_sequence_prepare(struct bench_session *session, const struct bench_work_request *request,
	struct bench_work *work, struct bench_reason *reason);
enum bench_outcome cpu_matrix_prepare(struct bench_session *session, const struct bench_work_request *request,
	struct bench_work *work, struct bench_reason *reason);

bool cpu_streams_ready(struct bench_session *session);   /* false without memory for them */
void cpu_stream_release(struct bench_session *session); /* the arrays, at the session's end */

#endif
