/* State that the parts of the cpu backend share: the threads, the kernels, and memory for streams and matrices. */
#ifndef FLEETPLAN_BENCH_CPU_CPU_SESSION_H
#define FLEETPLAN_BENCH_CPU_CPU_SESSION_H

#include "bench/backend.h"
#include "bench/cpu/cpu_blas.h"
#include "bench/cpu/cpu_kernels.h"
#include "bench/cpu/cpu_pool.h"
#include "bench/cpu/cpu_sensors.h"

struct cpu_stream_arrays {
	double *x, *y, *z; /* x and y contain a known pattern, z is written; NULL until first used */
	size_t count;      /* doubles in each */
	bool cache_resident;
};

/* Matrices of one piece of work, or of all parts of a sequence. No part writes where another part reads. */
struct cpu_matrices {
	float *operands, *outputs; /* operands: random, filled once; outputs: written by every run */
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
	struct cpu_matrices *shared; /* shared by the parts of a sequence; NULL: each work has its own */
	struct cpu_sensors *sensors;
};

/* Allocates zeroed memory in whole pages, huge pages if the system provides them; aligned to a page. NULL if out of
 * memory. */
void *cpu_memory_map(size_t bytes);
void cpu_memory_unmap(void *memory, size_t bytes);

/* Doubles in each stream array: four times the last-level cache (`cache_bytes`; 0, unknown: 64 MiB is assumed), at
 * least 64 MiB, but all three together at most a quarter of `available_bytes`. *large_enough is false if this limit
 * made the arrays smaller. */
size_t cpu_stream_count(double cache_bytes, double available_bytes, bool *large_enough);

/* Returns random operands and unwritten outputs: those of the session's sequence if there is one, else new ones.
 * Returns false if they need more than half of the available memory. */
bool cpu_matrices_take(struct bench_session *session, size_t operand_floats, size_t output_floats, struct cpu_matrices *matrices);
void cpu_matrices_give(const struct bench_session *session, struct cpu_matrices *matrices);
bool cpu_panels_ready(struct bench_session *session);
void cpu_panels_release(struct bench_session *session);

/* Rounds floats up to whole cache lines. */
size_t cpu_line_floats(size_t floats);

/* Drops these bytes from every cache. */
void cpu_cache_flush(const void *memory, size_t bytes);

/* bench_backend.prepare for their kinds of work. */
enum bench_outcome cpu_stream_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason);
enum bench_outcome cpu_elements_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason);
enum bench_outcome cpu_attention_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason);
enum bench_outcome cpu_kv_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason);
enum bench_outcome cpu_sequence_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason);
enum bench_outcome cpu_matrix_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason);

bool cpu_streams_ready(struct bench_session *session);  /* false if out of memory */
void cpu_stream_release(struct bench_session *session); /* frees the arrays at the end of the session */

#endif
