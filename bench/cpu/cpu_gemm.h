/* C = A B in fp32 by our own kernels: a lower bound of the CPU's rate (`kernel_gemm`).
 *
 * C is m x n and row-major. A (m x k) and B (k x n) can have any strides between rows and between columns, so a
 * transposed operand is the same operand with both strides exchanged. Threads split C into a grid of blocks and
 * share nothing; each packs its part of A and B into panels that fit its caches. C is overwritten, or added to. */
#ifndef FLEETPLAN_BENCH_CPU_CPU_GEMM_H
#define FLEETPLAN_BENCH_CPU_CPU_GEMM_H

#include <stdatomic.h>
#include <stdint.h>

#include "bench/backend.h"
#include "bench/cpu/cpu_kernels.h"
#include "bench/cpu/cpu_pool.h"

struct cpu_operand {
	const float *at;
	size_t row, column; /* floats from one row to the next; floats from one column to the next */
};

struct cpu_gemm {
	const struct cpu_kernels *kernels;
	struct bench_shape shape;
	struct cpu_operand a, b;
	float *c;
	size_t c_row;            /* floats from one row of C to the next */
	bool add;                /* C += A B */
	_Atomic uint64_t *alive; /* raised at each block of the depth; NULL: not raised */
};

/* Sets the operands' strides from the product's memory layout (planner/measurement/bench_spec.h); C is dense. */
void cpu_gemm_lay(struct cpu_gemm *gemm, enum bench_product product, const float *a, const float *b, float *c);

size_t cpu_gemm_panel_floats(void); /* scratch of each thread */

/* Run on all threads of the pool, with panels[i] as the scratch of thread i; or on the calling thread alone. */
void cpu_gemm_run(const struct cpu_gemm *gemm, float *const *panels, struct cpu_pool *pool);
void cpu_gemm_run_alone(const struct cpu_gemm *gemm, float *panel);

/* Compares `samples` outputs with sums in double precision. The allowed error grows with the root of k, as rounding
 * errors do: 4 sqrt(k) 2^-24 of the sum of the products' magnitudes. A missing or doubled product is far outside. */
void cpu_gemm_check(const struct cpu_gemm *gemm, int samples, uint64_t seed, struct bench_check *check);

#endif
