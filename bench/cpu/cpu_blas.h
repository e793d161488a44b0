/* OpenBLAS, opened with dlopen: the cpu backend's `library_gemm`, as a program on this machine would find it.
 *
 * Searched in FLEETPLAN_BENCH_LIB_DIR, then as libopenblas.so.0, then as libblas.so.3 (Debian's alternatives may
 * link that name to OpenBLAS). The reference BLAS has the last name too; it is slow and not comparable, so it is
 * refused. */
#ifndef FLEETPLAN_BENCH_CPU_CPU_BLAS_H
#define FLEETPLAN_BENCH_CPU_CPU_BLAS_H

#include "bench/backend.h"

struct cpu_blas {
	void *handle;
	char version[DEVICE_TEXT_MAX]; /* "OpenBLAS 0.3.21, Haswell kernels" */
	void (*sgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float *a, int lda, const float *b,
		int ldb, float beta, float *c, int ldc);
};

enum bench_outcome cpu_blas_open(struct cpu_blas *blas, int threads, struct bench_reason *reason);
/* Operand layouts follow planner/measurement/bench_spec.h for the product; C is overwritten. */
void cpu_blas_multiply(
	const struct cpu_blas *blas, const struct bench_shape *shape, enum bench_product product, const float *a, const float *b, float *c);
void cpu_blas_close(struct cpu_blas *blas);

#endif
