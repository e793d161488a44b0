/* Matrix products C = scale A B with fp32 sums, in the three forms of training: A B, A B^T, A^T B.
 *
 * A group computes a tile of 128 x 128 of C. A work-item computes 8 x 8 of it, in four quarters of 4 x 4 that are 64
 * apart, so that neighbours read adjacent words. Tiles of A and B are in local memory with the summed index
 * outermost. The next tiles are loaded into registers while the current ones are multiplied. Group (x, y, z): tile
 * column, tile row, product of the batch. */
#define GEMM_TILE 128
#define GEMM_DEPTH 8
#define GEMM_LOADS (GEMM_TILE * GEMM_DEPTH / GROUP)

/* One operand. Element (i, p), where p is the summed index, is at i * row + p * column; one of row and column is 1. */
struct operand {
	const __global void *elements;
	ulong first;
	uint rows, depth;
	ulong row, column;
};

/* The elements of a tile that a work-item loads. Neighbours load elements that are adjacent in memory. */
INLINE void tile_place(const struct operand *operand, uint load, uint *i, uint *p)
{
	uint index = load * GROUP + local_x();

	*i = operand->column == 1 ? index / GEMM_DEPTH : index % GEMM_TILE;
	*p = operand->column == 1 ? index % GEMM_DEPTH : index / GEMM_TILE;
}

INLINE void tile_fetch(const struct operand *operand, uint row, uint depth, enum format format, float *values)
{
#pragma unroll
	for (uint load = 0; load < GEMM_LOADS; load++) {
		uint i, p;

		tile_place(operand, load, &i, &p);
		values[load] = row + i < operand->rows && depth + p < operand->depth ?
			element_load(operand->elements, operand->first + (row + i) * operand->row + (depth + p) * operand->column, format) : 0;
	}
}

INLINE void tile_keep(const struct operand *operand, const float *values, __local float *tile)
{
#pragma unroll
	for (uint load = 0; load < GEMM_LOADS; load++) {
		uint i, p;

		tile_place(operand, load, &i, &p);
		tile[p * GEMM_TILE + i] = values[load];
	}
}

/* Number of row or column j of the 8 of a work-item at position `at` of 16. */
#define spread(at, j) ((at) * 4 + (j) % 4 + (j) / 4 * (GEMM_TILE / 2))

INLINE void tile_multiply(const __local float *tile_a, const __local float *tile_b, float sums[8][8])
{
	uint down = local_x() / 16, across = local_x() % 16;

#pragma unroll 2
	for (uint p = 0; p < GEMM_DEPTH; p++) {
		float a[8], b[8];

#pragma unroll
		for (uint j = 0; j < 8; j++) {
			a[j] = tile_a[p * GEMM_TILE + spread(down, j)];
			b[j] = tile_b[p * GEMM_TILE + spread(across, j)];
		}
#pragma unroll
		for (uint i = 0; i < 8; i++)
#pragma unroll
			for (uint j = 0; j < 8; j++)
				sums[i][j] += a[i] * b[j];
	}
}

INLINE void gemm(__global void *c, struct operand *a, struct operand *b, ulong c_first, float scale, enum format format,
	__local float *tiles)
{
	__local float *tile_a = tiles, *tile_b = tiles + GEMM_TILE * GEMM_DEPTH;
	uint row = group_y() * GEMM_TILE, column = group_x() * GEMM_TILE;
	float sums[8][8], next_a[GEMM_LOADS], next_b[GEMM_LOADS];

#pragma unroll
	for (uint i = 0; i < 8; i++)
#pragma unroll
		for (uint j = 0; j < 8; j++)
			sums[i][j] = 0;
	tile_fetch(a, row, 0, format, next_a);
	tile_fetch(b, column, 0, format, next_b);
	for (uint depth = 0; depth < a->depth; depth += GEMM_DEPTH) {
		tile_keep(a, next_a, tile_a);
		tile_keep(b, next_b, tile_b);
		group_barrier();
		tile_fetch(a, row, depth + GEMM_DEPTH, format, next_a);
		tile_fetch(b, column, depth + GEMM_DEPTH, format, next_b);
		tile_multiply(tile_a, tile_b, sums);
		group_barrier();
	}
#pragma unroll
	for (uint i = 0; i < 8; i++)
#pragma unroll
		for (uint j = 0; j < 8; j++) {
			uint at_row = row + spread(local_x() / 16, i), at_column = column + spread(local_x() % 16, j);

			if (at_row < a->rows && at_column < b->rows)
				element_store(c, c_first + (ulong)at_row * b->rows + at_column, scale * sums[i][j], format);
		}
}

/* m, n, k as in bench_shape; strides are from one product of the batch to the next, in elements. */
#define GEMM_KERNEL(name, format, a_transposed, b_transposed) \
	KERNEL void name(__global void *c, const __global void *a, const __global void *b, uint m, uint n, uint k, float scale, \
		ulong c_stride, ulong a_stride, ulong b_stride) \
	{ \
		__local float tiles[2 * GEMM_TILE * GEMM_DEPTH]; \
		struct operand left = {a, group_z() * a_stride, m, k, a_transposed ? 1 : k, a_transposed ? m : 1}; \
		struct operand right = {b, group_z() * b_stride, n, k, b_transposed ? k : 1, b_transposed ? 1 : n}; \
		gemm(c, &left, &right, group_z() * c_stride, scale, format, tiles); \
	}

GEMM_KERNEL(gemm_fp32_nn, FP32, false, false)
GEMM_KERNEL(gemm_fp32_nt, FP32, false, true)
GEMM_KERNEL(gemm_fp32_tn, FP32, true, false)
#ifndef TENSOR_INSTRUCTIONS
GEMM_KERNEL(gemm_bf16_nn, BF16, false, false)
GEMM_KERNEL(gemm_bf16_nt, BF16, false, true)
GEMM_KERNEL(gemm_bf16_tn, BF16, true, false)
GEMM_KERNEL(gemm_fp16_nn, FP16, false, false)
GEMM_KERNEL(gemm_fp16_nt, FP16, false, true)
GEMM_KERNEL(gemm_fp16_tn, FP16, true, false)
#endif
