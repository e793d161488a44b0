/* The work of a plan that a benchmark measures: the products, attention and transfers that take the devices' time.
 *
 * Made from a plan, sent to the worker as JSON (bench_tables.c), and echoed with each figure. Sizes are those
 * of one device: tensor parallelism has divided them already. Absent members are as in base/given.h; the caller that
 * makes the spec owns its lists and texts. Pure. */
#ifndef FLEETPLAN_PLANNER_MEASUREMENT_BENCH_SPEC_H
#define FLEETPLAN_PLANNER_MEASUREMENT_BENCH_SPEC_H

#include "base/given.h"
#include "planner/precision.h"

/* A matrix product and the two of its backward pass. Operands are row-major, in the layout of the forward pass. */
enum bench_product {
	PRODUCT_FORWARD,         /* C = A B:   A m x k, B k x n */
	PRODUCT_INPUT_GRADIENT,  /* C = A B^T: A m x k, B n x k */
	PRODUCT_WEIGHT_GRADIENT, /* C = A^T B: A k x m, B k x n */
	PRODUCT_COUNT
};
extern const char *const bench_product_words[PRODUCT_COUNT];
const char *bench_product_name(enum bench_product product); /* "input_gradient" */

struct bench_shape {
	int64_t m, n, k; /* C is m x n, and k is the summed dimension, for each product */
};

struct bench_attention {
	int64_t batch, heads, kv_heads, queries, keys, head_dimension;
	bool causal;
	bool backward; /* the gradients of queries, keys and values; scores are computed again */
};

enum { BENCH_PRODUCTS_MAX = 48, BENCH_ATTENTIONS_MAX = 8, BENCH_SIZES_MAX = 8, BENCH_BLOCK_PRODUCTS_MAX = 16 };

struct bench_spec_product {
	const char *role; /* "qkv", "mlp_down"; NULL: none */
	int64_t m, n, k;  /* as bench_shape */
	enum bench_product product;
	enum precision precision; /* PRECISION_UNSET: the one that is measured */
	double count;             /* in one step: its weight in the mean; NaN: 1 */
};

struct bench_spec_attention {
	struct bench_attention shape;
	enum precision precision;
	double count;
};

/* A transformer block at true width: `layers` layers forward and backward, the head if vocabulary > 0, and the update
 * of the weights if optimizer_bytes_per_parameter > 0. */
struct bench_block {
	int64_t layers, hidden, heads, kv_heads, head_dimension, ffn, vocabulary, sequence, micro_batch;
	enum truth gated; /* the MLP has three matrices instead of two */
	enum precision precision;
	double optimizer_bytes_per_parameter; /* NaN: no update */
	double predicted_s;                   /* by the planner, for exactly this block; NaN: not predicted */
};

struct bench_products {
	struct bench_spec_product *items;
	size_t count;
};

struct bench_attentions {
	struct bench_spec_attention *items;
	size_t count;
};

struct bench_spec {
	struct bench_products products;
	struct bench_attentions attention;
	struct bench_attentions kv_read;     /* decode: one query a sequence */
	struct number_list transfer_bytes;   /* between host and device, beside the usual ladder */
	struct number_list collective_bytes; /* gradient buckets */
	double sample_bytes;                 /* of one training sample in storage; NaN: not known */
	struct bench_block block;            /* layers <= 0: none */
};
void bench_spec_init(struct bench_spec *spec); /* empties it */

/* Operations of a product, and of an attention: forward 4, backward 10 for each query, key and dimension (two products
 * forward; five backward, because the scores are computed again); causal attention counts half. */
struct bench_shape bench_product_shape(const struct bench_spec_product *product);
double bench_shape_flops(const struct bench_shape *shape);
double bench_attention_flops(const struct bench_attention *attention);

/* Returns the bytes of keys and values that one pass over the cache reads, at `element_bytes` each. */
double bench_kv_bytes(const struct bench_attention *attention, double element_bytes);

/* Lists the products of a block's whole step in order of first use, each with the number of times that it occurs.
 * Returns how many there are, at most BENCH_BLOCK_PRODUCTS_MAX. */
size_t bench_block_products(const struct bench_block *block, struct bench_spec_product *products);

/* Returns the bytes that one layer's norms, residuals, rotations and activations read and write forward (E25's counts).
 * Backward they move twice as many. */
double bench_block_element_bytes(const struct bench_block *block, double element_bytes);
double bench_block_parameters(const struct bench_block *block);
double bench_block_flops(const struct bench_block *block); /* products and attention, forward and backward */

#endif
