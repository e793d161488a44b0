/* Inside the cpu backend: attention by own kernels, a block of queries at a time (`kernel_attention`).
 *
 * Queries, outputs and their gradients are [batch, queries, heads, head_dimension]; keys, values and their gradients [batch, keys,
 * kv_heads, head_dimension]; a group of heads shares a head of keys. Scores are scaled by the root of the dimension. Query i sees keys up
 * to i + keys - queries where it is causal. Threads take blocks of queries, and in the backward pass whole heads of keys. */
#ifndef FLEETPLAN_BENCH_CPU_CPU_ATTENTION_H
#define FLEETPLAN_BENCH_CPU_CPU_ATTENTION_H

#include "bench/backend.h"
#include "bench/cpu/cpu_kernels.h"
#include "bench/cpu/cpu_pool.h"

struct cpu_attention {
	const struct cpu_kernels *kernels;
	struct bench_attention shape;
	const float *q, *k, *v, *output_gradient;
	float *output;        /* forward */
	float *dq, *dk, *dv;  /* backward */
	float **scores;       /* scratch of each thread: cpu_attention_scratch_floats() */
	float *const *panels; /* of each thread, for its products */
	_Atomic uint64_t *alive;
	_Atomic size_t next;  /* block that a thread takes next */
};

/* Whether it is one: sides above 0 and of a size, whole groups of heads, no query that sees no key. */
bool cpu_attention_fits(const struct bench_attention *shape);

size_t cpu_attention_query_floats(const struct bench_attention *shape);
size_t cpu_attention_key_floats(const struct bench_attention *shape);
size_t cpu_attention_scratch_floats(const struct bench_attention *shape);

void cpu_attention_run(struct cpu_attention *attention, struct cpu_pool *pool);

/* Sampled rows of outputs, or of the queries' gradients, against double precision. Backward also what must hold for the others: the values'
 * gradients sum to the outputs', since probabilities sum to 1, and keys times their gradients are queries times theirs. */
void cpu_attention_check(const struct cpu_attention *attention, struct bench_check *check);

#endif
