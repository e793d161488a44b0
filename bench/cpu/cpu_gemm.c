#include "bench/cpu/cpu_gemm.h"

#include <math.h>

#include "bench/random.h"

/* A panel of A (BLOCK_ROWS x BLOCK_DEPTH) takes 192 KiB of the second-level cache. A panel of B (BLOCK_DEPTH x
 * BLOCK_COLUMNS) takes 1 MiB of the last level; a tile's slice of it takes 32 KiB of the first. BLOCK_ROWS is a
 * multiple of every tile's rows, BLOCK_COLUMNS of every tile's columns. */
enum { BLOCK_ROWS = 192, BLOCK_DEPTH = 256, BLOCK_COLUMNS = 1024 };

/* The part of the matrices that one thread is working on. */
struct gemm_block {
	size_t row, rows, column, columns, depth_at, depth;
};

void cpu_gemm_lay(struct cpu_gemm *gemm, enum bench_product product, const float *a, const float *b, float *c)
{
	size_t m = (size_t)gemm->shape.m, n = (size_t)gemm->shape.n, k = (size_t)gemm->shape.k;

	gemm->a = product == PRODUCT_WEIGHT_GRADIENT ? (struct cpu_operand){a, 1, m} : (struct cpu_operand){a, k, 1};
	gemm->b = product == PRODUCT_INPUT_GRADIENT ? (struct cpu_operand){b, 1, k} : (struct cpu_operand){b, n, 1};
	gemm->c = c;
	gemm->c_row = n;
}

size_t cpu_gemm_panel_floats(void)
{
	return (size_t)BLOCK_ROWS * BLOCK_DEPTH + (size_t)BLOCK_DEPTH * BLOCK_COLUMNS;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Packs rows of A, tile_rows at a time, so that a tile reads them in order. Rows beyond the edge are zero. */
static void pack_a(const struct cpu_gemm *gemm, const struct gemm_block *block, float *out)
{
	size_t step = gemm->kernels->tile_rows, row = gemm->a.row, column = gemm->a.column;

	for (size_t i = 0; i < block->rows; i += step, out += step * block->depth) {
		const float *from = gemm->a.at + (block->row + i) * row + block->depth_at * column;
		size_t rows = least(step, block->rows - i);

		for (size_t p = 0; p < block->depth; p++) {
			for (size_t r = 0; r < rows; r++)
				out[p * step + r] = from[r * row + p * column];
			for (size_t r = rows; r < step; r++)
				out[p * step + r] = 0;
		}
	}
}

/* Packs one tile's columns of B if B is contiguous along its columns: reads in that direction. */
static void pack_b_across(const struct cpu_gemm *gemm, const float *from, size_t depth, size_t columns, float *out)
{
	size_t step = gemm->kernels->tile_columns, row = gemm->b.row, column = gemm->b.column;

	if (columns < step)
		memset(out, 0, depth * step * sizeof(float));
	for (size_t j = 0; j < columns; j++)
		for (size_t p = 0; p < depth; p++)
			out[p * step + j] = from[p * row + j * column];
}

static void pack_b(const struct cpu_gemm *gemm, const struct gemm_block *block, float *out)
{
	size_t step = gemm->kernels->tile_columns, row = gemm->b.row;

	for (size_t j = 0; j < block->columns; j += step, out += step * block->depth) {
		const float *from = gemm->b.at + block->depth_at * row + (block->column + j) * gemm->b.column;
		size_t columns = least(step, block->columns - j);

		if (gemm->b.column != 1) {
			pack_b_across(gemm, from, block->depth, columns, out);
			continue;
		}
		for (size_t p = 0; p < block->depth; p++) {
			memcpy(out + p * step, from + p * row, columns * sizeof(float));
			memset(out + p * step + columns, 0, (step - columns) * sizeof(float));
		}
	}
}

/* Computes a tile that exceeds the edge of C in a buffer, and adds its inner part to C. */
static void tile_at_edge(const struct cpu_gemm *gemm, size_t depth, const float *a, const float *b, float *c, size_t rows, size_t columns)
{
	float aside[CPU_TILE_ROWS_MAX * CPU_TILE_COLUMNS_MAX] __attribute__((aligned(CPU_KERNEL_ALIGNMENT))) = {0};
	size_t step = gemm->kernels->tile_columns, stride = gemm->c_row;

	gemm->kernels->tile(depth, a, b, aside, step);
	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < columns; j++)
			c[i * stride + j] += aside[i * step + j];
}

static void multiply_block(const struct cpu_gemm *gemm, const struct gemm_block *block, const float *a, const float *b)
{
	size_t tile_rows = gemm->kernels->tile_rows, tile_columns = gemm->kernels->tile_columns;
	size_t stride = gemm->c_row;

	for (size_t j = 0; j < block->columns; j += tile_columns)
		for (size_t i = 0; i < block->rows; i += tile_rows) {
			float *c = gemm->c + (block->row + i) * stride + block->column + j;
			const float *a_at = a + i * block->depth, *b_at = b + j * block->depth;
			size_t rows = least(tile_rows, block->rows - i), columns = least(tile_columns, block->columns - j);

			if (rows == tile_rows && columns == tile_columns)
				gemm->kernels->tile(block->depth, a_at, b_at, c, stride);
			else
				tile_at_edge(gemm, block->depth, a_at, b_at, c, rows, columns);
		}
}

/* Arranges the threads as a grid over C, with blocks as square as the number of threads allows. */
static void thread_grid(const struct bench_shape *shape, int threads, int *down, int *across)
{
	double best = HUGE_VAL;

	*down = threads;
	*across = 1;
	for (int d = 1; d <= threads; d++) {
		double edge;

		if (threads % d)
			continue;
		edge = (double)shape->m / d + (double)shape->n / ((double)threads / d);
		if (edge < best) {
			best = edge;
			*down = d;
			*across = threads / d;
		}
	}
}

/* The part of C that one thread computes. */
struct gemm_part {
	size_t row_first, row_end, column_first, column_end;
};

static void multiply_part(const struct cpu_gemm *gemm, const struct gemm_part *part, float *panel)
{
	float *a = panel, *b = a + (size_t)BLOCK_ROWS * BLOCK_DEPTH;
	size_t depth_end = (size_t)gemm->shape.k;
	struct gemm_block block;

	for (size_t i = part->row_first; i < part->row_end && !gemm->add; i++)
		memset(gemm->c + i * gemm->c_row + part->column_first, 0, (part->column_end - part->column_first) * sizeof(float));
	for (block.column = part->column_first; block.column < part->column_end; block.column += BLOCK_COLUMNS) {
		block.columns = least(BLOCK_COLUMNS, part->column_end - block.column);
		for (block.depth_at = 0; block.depth_at < depth_end; block.depth_at += BLOCK_DEPTH) {
			block.depth = least(BLOCK_DEPTH, depth_end - block.depth_at);
			pack_b(gemm, &block, b);
			for (block.row = part->row_first; block.row < part->row_end; block.row += BLOCK_ROWS) {
				block.rows = least(BLOCK_ROWS, part->row_end - block.row);
				pack_a(gemm, &block, a);
				multiply_block(gemm, &block, a, b);
				if (gemm->alive)
					atomic_fetch_add_explicit(gemm->alive, 1, memory_order_relaxed);
			}
		}
	}
}

struct gemm_threads {
	const struct cpu_gemm *gemm;
	float *const *panels;
};

static void gemm_thread(void *context, int index, int threads)
{
	const struct gemm_threads *all = context;
	const struct cpu_gemm *gemm = all->gemm;
	struct gemm_part part;
	int down, across;

	thread_grid(&gemm->shape, threads, &down, &across);
	cpu_pool_range((size_t)gemm->shape.m, gemm->kernels->tile_rows, index % down, down, &part.row_first, &part.row_end);
	cpu_pool_range((size_t)gemm->shape.n, gemm->kernels->tile_columns, index / down, across, &part.column_first, &part.column_end);
	multiply_part(gemm, &part, all->panels[index]);
}

void cpu_gemm_run(const struct cpu_gemm *gemm, float *const *panels, struct cpu_pool *pool)
{
	struct gemm_threads all = {gemm, panels};

	cpu_pool_run(pool, gemm_thread, &all);
}

void cpu_gemm_run_alone(const struct cpu_gemm *gemm, float *panel)
{
	struct gemm_part whole = {0, (size_t)gemm->shape.m, 0, (size_t)gemm->shape.n};

	multiply_part(gemm, &whole, panel);
}

void cpu_gemm_check(const struct cpu_gemm *gemm, int samples, uint64_t seed, struct bench_check *check)
{
	size_t m = (size_t)gemm->shape.m, n = (size_t)gemm->shape.n, k = (size_t)gemm->shape.k;
	double allowed_relative = 4 * sqrt((double)k) * 0x1p-24;

	*check = (struct bench_check){.verified = true, .samples = samples};
	for (int s = 0; s < samples; s++) {
		size_t i = random_next(&seed) % m, j = random_next(&seed) % n;
		double sum = 0, magnitude = 0, error;

		for (size_t p = 0; p < k; p++) {
			double product = (double)gemm->a.at[i * gemm->a.row + p * gemm->a.column] *
				(double)gemm->b.at[p * gemm->b.row + j * gemm->b.column];

			sum += product;
			magnitude += fabs(product);
		}
		error = fabs((double)gemm->c[i * gemm->c_row + j] - sum) / (allowed_relative * magnitude);
		if (!(error <= 1)) /* true for NaN, the poison, too */
			check->verified = false;
		if (!(error <= check->worst_error))
			check->worst_error = error;
	}
}
