/* The innermost loops of the cpu backend, one function per instruction set; the best supported set is chosen at start.
 *
 * The compiler may use an instruction set only inside functions marked for it, so one program runs on every CPU of
 * its architecture. Matrices are fp32. Pointers are aligned to CPU_KERNEL_ALIGNMENT bytes unless stated otherwise. */
#ifndef FLEETPLAN_BENCH_CPU_CPU_KERNELS_H
#define FLEETPLAN_BENCH_CPU_CPU_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

enum { CPU_KERNEL_ALIGNMENT = 64, CPU_TILE_ROWS_MAX = 12, CPU_TILE_COLUMNS_MAX = 32 };

struct cpu_kernels {
	const char *instruction_set;
	bool (*supported)(void);
	size_t tile_rows, tile_columns;

	/* Adds a (depth x tile_rows, packed) times b (depth x tile_columns, packed) to the tile of c. The rows of c are
	 * `stride` floats apart and unaligned. */
	void (*tile)(size_t depth, const float *a, const float *b, float *c, size_t stride);

	/* Multiply-adds on registers only: `rounds` rounds of issue_flops operations. Returns issue_sum, for any number
	 * of rounds, if all operations were correct. */
	float (*issue)(size_t rounds);
	double issue_flops, issue_sum;

	/* Streams of doubles; `count` is a multiple of 64. */
	double (*read)(const double *a, size_t count);
	void (*copy)(double *restrict b, const double *restrict a, size_t count);
	void (*triad)(double *restrict a, const double *restrict b, const double *restrict c, double s, size_t count);
	void (*scale)(double *restrict b, const double *restrict a, double s, size_t count); /* b = s a */

	/* Rows of attention: any count, unaligned. */
	void (*dots)(const float *a, const float *rows, size_t row_count, size_t count, float *out); /* out[i] = a . rows[i] */
	void (*weigh)(float *restrict y, const float *restrict rows, const float *weights, size_t row_count,
		size_t count);                                      /* y += the sum of weights[i] rows[i] */
	void (*softmax)(float *row, size_t count, float scale); /* softmax of scale x row, in place */
	/* On entry dp is the gradient of the probabilities p; on return it is the gradient of the row before scaling and
	 * softmax. */
	void (*softmax_gradient)(const float *restrict p, float *restrict dp, size_t count, float scale);
};

/* Widest first; the last entry works on every CPU of the architecture. */
extern const struct cpu_kernels cpu_kernels_table[];
extern const size_t cpu_kernels_count;

const struct cpu_kernels *cpu_kernels_best(void);

#endif
