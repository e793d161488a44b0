#include "bench/cpu/cpu_attention.h"

#include <math.h>
#include <stdatomic.h>

#include "bench/cpu/cpu_gemm.h"

enum { QUERY_BLOCK = 96, ATTENTION_SIDE_MAX = 1 << 20 }; /* QUERY_BLOCK is a multiple of every tile's rows */

struct query_block {
	size_t batch, head, first, rows;
	size_t seen; /* keys that the last query sees */
};

bool cpu_attention_fits(const struct bench_attention *shape)
{
	const int64_t sides[] = {shape->batch, shape->heads, shape->kv_heads, shape->queries, shape->keys, shape->head_dimension};

	for (size_t i = 0; i < COUNT_OF(sides); i++)
		if (sides[i] < 1 || sides[i] > ATTENTION_SIDE_MAX)
			return false;
	return shape->heads % shape->kv_heads == 0 && (!shape->causal || shape->keys >= shape->queries) &&
		(double)shape->batch * (double)shape->keys * (double)shape->heads * (double)shape->head_dimension < 0x1p40 &&
		(double)shape->batch * (double)shape->queries * (double)shape->heads * (double)shape->head_dimension < 0x1p40;
}

size_t cpu_attention_query_floats(const struct bench_attention *shape)
{
	return (size_t)(shape->batch * shape->queries * shape->heads * shape->head_dimension);
}

size_t cpu_attention_key_floats(const struct bench_attention *shape)
{
	return (size_t)(shape->batch * shape->keys * shape->kv_heads * shape->head_dimension);
}

size_t cpu_attention_scratch_floats(const struct bench_attention *shape)
{
	return 2 * QUERY_BLOCK * (size_t)shape->keys;
}

static size_t query_row(const struct bench_attention *shape)
{
	return (size_t)(shape->heads * shape->head_dimension);
}

static size_t key_row(const struct bench_attention *shape)
{
	return (size_t)(shape->kv_heads * shape->head_dimension);
}

/* Offset of the block's first query. key_at(): offset of its head's keys. */
static size_t query_at(const struct bench_attention *shape, const struct query_block *block)
{
	return (block->batch * (size_t)shape->queries + block->first) * query_row(shape) + block->head * (size_t)shape->head_dimension;
}

static size_t key_at(const struct bench_attention *shape, const struct query_block *block)
{
	size_t group = (size_t)(shape->heads / shape->kv_heads);

	return block->batch * (size_t)shape->keys * key_row(shape) + block->head / group * (size_t)shape->head_dimension;
}

static size_t visible(const struct bench_attention *shape, size_t query)
{
	return shape->causal ? query + 1 + (size_t)(shape->keys - shape->queries) : (size_t)shape->keys;
}

static struct query_block block_of(const struct bench_attention *shape, size_t batch, size_t head, size_t first)
{
	size_t left = (size_t)shape->queries - first, rows = left < QUERY_BLOCK ? left : QUERY_BLOCK;

	return (struct query_block){batch, head, first, rows, visible(shape, first + rows - 1)};
}

static void multiply(const struct cpu_attention *attention, int thread, struct bench_shape shape, struct cpu_operand a,
	struct cpu_operand b, float *c, size_t c_row, bool add)
{
	struct cpu_gemm gemm = {
		.kernels = attention->kernels, .shape = shape, .a = a, .b = b, .c = c, .c_row = c_row, .add = add, .alive = attention->alive};

	cpu_gemm_run_alone(&gemm, attention->panels[thread]);
}

/* Multiplies rows of `queries` by the transposed keys or values, into scratch. */
static void multiply_keys(
	const struct cpu_attention *attention, int thread, const struct query_block *block, const float *queries, const float *keys, float *out)
{
	const struct bench_attention *shape = &attention->shape;

	multiply(attention, thread, (struct bench_shape){(int64_t)block->rows, (int64_t)block->seen, shape->head_dimension},
		(struct cpu_operand){queries + query_at(shape, block), query_row(shape), 1},
		(struct cpu_operand){keys + key_at(shape, block), 1, key_row(shape)}, out, (size_t)shape->keys, false);
}

/* Computes the probabilities. Keys that a query must not see get 0. */
static void probabilities(const struct cpu_attention *attention, const struct query_block *block, float *scores)
{
	const struct bench_attention *shape = &attention->shape;
	float scale = 1 / sqrtf((float)shape->head_dimension);

	for (size_t i = 0; i < block->rows; i++) {
		float *row = scores + i * (size_t)shape->keys;
		size_t sees = visible(shape, block->first + i);

		attention->kernels->softmax(row, sees, scale);
		memset(row + sees, 0, (block->seen - sees) * sizeof(float));
	}
}

static void forward_block(const struct cpu_attention *attention, int thread, const struct query_block *block)
{
	const struct bench_attention *shape = &attention->shape;
	float *scores = attention->scores[thread];

	multiply_keys(attention, thread, block, attention->q, attention->k, scores);
	probabilities(attention, block, scores);
	multiply(attention, thread, (struct bench_shape){(int64_t)block->rows, shape->head_dimension, (int64_t)block->seen},
		(struct cpu_operand){scores, (size_t)shape->keys, 1}, (struct cpu_operand){attention->v + key_at(shape, block), key_row(shape), 1},
		attention->output + query_at(shape, block), query_row(shape), false);
}

static void score_gradients(const struct cpu_attention *attention, const struct query_block *block, const float *scores, float *gradients)
{
	const struct bench_attention *shape = &attention->shape;
	float scale = 1 / sqrtf((float)shape->head_dimension);

	for (size_t i = 0; i < block->rows; i++) {
		size_t sees = visible(shape, block->first + i), at = i * (size_t)shape->keys;

		attention->kernels->softmax_gradient(scores + at, gradients + at, sees, scale);
		memset(gradients + at + sees, 0, (block->seen - sees) * sizeof(float));
	}
}

/* keys += transposed(scores) queries */
static void add_to_keys(const struct cpu_attention *attention, int thread, const struct query_block *block, const float *scores,
	const float *queries, float *keys)
{
	const struct bench_attention *shape = &attention->shape;

	multiply(attention, thread, (struct bench_shape){(int64_t)block->seen, shape->head_dimension, (int64_t)block->rows},
		(struct cpu_operand){scores, 1, (size_t)shape->keys}, (struct cpu_operand){queries + query_at(shape, block), query_row(shape), 1},
		keys + key_at(shape, block), key_row(shape), true);
}

static void backward_block(const struct cpu_attention *attention, int thread, const struct query_block *block)
{
	const struct bench_attention *shape = &attention->shape;
	float *scores = attention->scores[thread], *gradients = scores + QUERY_BLOCK * (size_t)shape->keys;

	multiply_keys(attention, thread, block, attention->q, attention->k, scores);
	probabilities(attention, block, scores);
	add_to_keys(attention, thread, block, scores, attention->output_gradient, attention->dv);
	multiply_keys(attention, thread, block, attention->output_gradient, attention->v, gradients);
	score_gradients(attention, block, scores, gradients);
	multiply(attention, thread, (struct bench_shape){(int64_t)block->rows, shape->head_dimension, (int64_t)block->seen},
		(struct cpu_operand){gradients, (size_t)shape->keys, 1}, (struct cpu_operand){attention->k + key_at(shape, block), key_row(shape), 1},
		attention->dq + query_at(shape, block), query_row(shape), false);
	add_to_keys(attention, thread, block, gradients, attention->q, attention->dk);
}

static void clear_keys(const struct cpu_attention *attention, const struct query_block *block)
{
	const struct bench_attention *shape = &attention->shape;

	for (size_t j = 0; j < (size_t)shape->keys; j++) {
		size_t at = key_at(shape, block) + j * key_row(shape);

		memset(attention->dk + at, 0, (size_t)shape->head_dimension * sizeof(float));
		memset(attention->dv + at, 0, (size_t)shape->head_dimension * sizeof(float));
	}
}

/* Processes all queries of the heads that share a head of keys, so no other thread adds to its gradients. */
static void backward_part(void *context, int index, int threads)
{
	struct cpu_attention *attention = context;
	const struct bench_attention *shape = &attention->shape;
	size_t group = (size_t)(shape->heads / shape->kv_heads), units = (size_t)(shape->batch * shape->kv_heads), unit;

	(void)threads;
	while ((unit = atomic_fetch_add(&attention->next, 1)) < units) {
		size_t batch = unit / (size_t)shape->kv_heads, head = unit % (size_t)shape->kv_heads * group;
		struct query_block block = block_of(shape, batch, head, 0);

		clear_keys(attention, &block);
		for (size_t h = head; h < head + group; h++)
			for (size_t first = 0; first < (size_t)shape->queries; first += QUERY_BLOCK) {
				block = block_of(shape, batch, h, first);
				backward_block(attention, index, &block);
			}
	}
}

static void forward_part(void *context, int index, int threads)
{
	struct cpu_attention *attention = context;
	const struct bench_attention *shape = &attention->shape;
	size_t blocks = ((size_t)shape->queries + QUERY_BLOCK - 1) / QUERY_BLOCK, heads = (size_t)shape->heads;
	size_t units = (size_t)shape->batch * heads * blocks, unit;

	(void)threads;
	while ((unit = atomic_fetch_add(&attention->next, 1)) < units) {
		struct query_block block = block_of(shape, unit / blocks / heads, unit / blocks % heads, unit % blocks * QUERY_BLOCK);

		forward_block(attention, index, &block);
	}
}

void cpu_attention_run(struct cpu_attention *attention, struct cpu_pool *pool)
{
	atomic_store(&attention->next, 0);
	cpu_pool_run(pool, attention->shape.backward ? backward_part : forward_part, attention);
}
