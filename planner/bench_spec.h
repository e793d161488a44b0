/* What of a plan a benchmark is to measure: the work that the plan's devices would spend their time on.
 *
 * Made from a plan, sent to the worker as JSON (api/bench_spec.h), and echoed with each figure. Sizes are those of one
 * device: what tensor parallelism divides is divided already. Plain data, copied freely, no pointers. Pure. */
#ifndef FLEETPLAN_PLANNER_BENCH_SPEC_H
#define FLEETPLAN_PLANNER_BENCH_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/precision.h"

/* A matrix product and the two of its backward pass. Operands are row-major and lie as the forward pass left them. */
enum bench_product {
	PRODUCT_FORWARD,         /* C = A B:   A m x k, B k x n */
	PRODUCT_INPUT_GRADIENT,  /* C = A B^T: A m x k, B n x k */
	PRODUCT_WEIGHT_GRADIENT, /* C = A^T B: A k x m, B k x n */
	PRODUCT_COUNT
};
const char *bench_product_name(enum bench_product product); /* "input_gradient" */

struct bench_shape {
	int64_t m, n, k; /* C is m x n, and k is what is summed over, whichever product it is */
};

struct bench_attention {
	int64_t batch, heads, kv_heads, queries, keys, head_dimension;
	bool causal;
	bool backward; /* the gradients of queries, keys and values, scores computed again */
};

enum { BENCH_ROLE_MAX = 24, BENCH_PRODUCTS_MAX = 48, BENCH_ATTENTIONS_MAX = 8, BENCH_SIZES_MAX = 8 };

struct bench_spec_product {
	char role[BENCH_ROLE_MAX]; /* "qkv", "mlp_down"; "": has none */
	struct bench_shape shape;
	enum bench_product product;
	enum precision precision;  /* PRECISION_UNSET: whichever is measured */
	double count;              /* in one step: its weight in the mean */
};

struct bench_spec_attention {
	struct bench_attention shape;
	enum precision precision;
	double count;
};

/* A transformer block at true width: so many layers forward and backward, the head where vocabulary > 0, and the update of
 * the weights where optimizer_bytes_per_parameter > 0. layers == 0: there is no block. */
struct bench_block {
	int64_t layers, hidden, heads, kv_heads, head_dimension, ffn, vocabulary, sequence, micro_batch;
	bool gated; /* the MLP has three matrices and not two */
	enum precision precision;
	double optimizer_bytes_per_parameter;
	double predicted_s; /* by the planner, for exactly this block; 0: not predicted */
};

struct bench_spec {
	size_t product_count, attention_count, kv_read_count, transfer_count, collective_count;
	struct bench_spec_product products[BENCH_PRODUCTS_MAX];
	struct bench_spec_attention attentions[BENCH_ATTENTIONS_MAX];
	struct bench_spec_attention kv_reads[BENCH_ATTENTIONS_MAX]; /* decode: one query a sequence */
	double transfer_bytes[BENCH_SIZES_MAX];   /* between host and device, beside the usual ladder */
	double collective_bytes[BENCH_SIZES_MAX]; /* gradient buckets */
	double sample_bytes;                      /* of one training sample in storage; 0: not told */
	struct bench_block block;
};

/* Operations of a product; of an attention, masked half left out where causal: forward 4, backward 10 a query, key and
 * dimension (two products forward; five backward, as the scores are computed again). */
double bench_shape_flops(const struct bench_shape *shape);
double bench_attention_flops(const struct bench_attention *attention);

/* Bytes of keys and values that one pass over the cache reads, at `element_bytes` each. */
double bench_kv_bytes(const struct bench_attention *attention, double element_bytes);

/* The products of a block's whole step, each with the number of times it occurs, in order of first use. Answers how many of
 * at most BENCH_PRODUCTS_MAX. */
size_t bench_block_products(const struct bench_block *block, struct bench_spec_product *products);
double bench_block_parameters(const struct bench_block *block);
double bench_block_flops(const struct bench_block *block); /* products and attention, forward and backward */

#endif
