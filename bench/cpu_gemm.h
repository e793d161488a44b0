/* C = A B in fp32 by our own kernels: a lower bound of what the CPU can do (`kernel_gemm`).
 *
 * Row-major, C m x n, A m x k, B k x n. Threads split C into a grid of blocks and share nothing; each packs what it
 * needs of A and B into panels that fit its caches. C is overwritten. */
#ifndef FLEETPLAN_BENCH_CPU_GEMM_H
#define FLEETPLAN_BENCH_CPU_GEMM_H

#include <stdatomic.h>
#include <stdint.h>

#include "bench/backend.h"
#include "bench/cpu_kernels.h"
#include "bench/cpu_pool.h"

struct cpu_gemm {
	const struct cpu_kernels *kernels;
	struct bench_shape shape;
	const float *a, *b;
	float *c;
	float **panels;          /* scratch, one for each thread: cpu_gemm_panel_floats() each */
	_Atomic uint64_t *alive; /* raised at each block of the depth; NULL: not wanted */
};

size_t cpu_gemm_panel_floats(const struct cpu_kernels *kernels);
void cpu_gemm_run(struct cpu_gemm *gemm, struct cpu_pool *pool);

/* Compares `samples` outputs with sums in double. The error allowed grows with the root of k, as rounding errors do:
 * 4 sqrt(k) 2^-24 of the sum of the products' magnitudes. A missing or doubled product is far outside. */
void cpu_gemm_check(const struct cpu_gemm *gemm, int samples, uint64_t seed, struct bench_check *check);

#endif
