/* Internal to the cpu backend: attention by own kernels, one block of queries at a time (`kernel_attention`).
 *
 * Queries, outputs and their gradients are [batch, queries, heads, head_dimension]; keys, values and their gradients
 * are [batch, keys, kv_heads, head_dimension]. A group of heads shares a head of keys. Scores are divided by the
 * root of the head dimension. Query i of a causal attention sees keys up to i + keys - queries. Each thread takes
 * blocks of queries; in the backward pass it takes whole heads of keys. */
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
	_Atomic size_t next; /* the next block that a thread takes */
};

/* True if the shape is valid: sides in range, whole groups of heads, and every query sees a key. */
bool cpu_attention_fits(const struct bench_attention *shape);

size_t cpu_attention_query_floats(const struct bench_attention *shape);
size_t cpu_attention_key_floats(const struct bench_attention *shape);
size_t cpu_attention_scratch_floats(const struct bench_attention *shape);

void cpu_attention_run(struct cpu_attention *attention, struct cpu_pool *pool);

/* Compares sampled rows of the outputs, or of the queries' gradients, with double precision. The backward pass also
 * has two identities to check: the sum of the values' gradients equals the sum of the outputs' gradients, since
 * probabilities sum to 1; and the sum of keys times their gradients equals that of queries times theirs. */
void cpu_attention_check(const struct cpu_attention *attention, struct bench_check *check);

#endif
