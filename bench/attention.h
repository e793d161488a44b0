/* Attention as a device runs it without a fused kernel: which products on which operands, and what comes out, in double.
 *
 * Heads of queries that share a head of keys lie after one another, so that each such group is one product of a batch: with batch =
 * sequences x kv_heads products at once, Q is rows x dimension with rows = group x queries, K and V are keys x dimension, scores
 * rows x keys; all row-major and dense, product after product. */
#ifndef FLEETPLAN_BENCH_ATTENTION_H
#define FLEETPLAN_BENCH_ATTENTION_H

#include "bench/backend.h"

/* PLACE_OUT is the output, or backward the gradient of the queries. Inputs come first. */
enum attention_place { PLACE_Q, PLACE_K, PLACE_V, PLACE_OUT_GRADIENT, PLACE_SCORES, PLACE_GRADIENTS, PLACE_OUT, PLACE_K_GRADIENT,
	PLACE_V_GRADIENT, PLACE_COUNT };

struct attention_extent {
	int64_t batch, rows, keys, dimension, queries;
	double scale; /* 1 / sqrt(dimension) */
	bool causal, backward;
	enum precision precision;
};
struct attention_extent attention_extent(const struct bench_attention *shape, enum precision precision);

/* Whether there is such an attention, in numbers that kernels count in. */
bool attention_is_sane(const struct bench_attention *shape);

/* Rows and columns of what lies at a place, of one product of the batch. */
void attention_place_size(const struct attention_extent *extent, enum attention_place place, int64_t *rows, int64_t *columns);
/* Whether this way of attention has that place: forward has no gradients. */
bool attention_place_used(const struct attention_extent *extent, enum attention_place place);
int64_t attention_place_elements(const struct attention_extent *extent, enum attention_place place); /* of the whole batch */

struct attention_step {
	enum attention_place a, b, c;
	enum bench_product product;
	bool scaled;                        /* by extent.scale */
	bool softmax_after, gradient_after; /* rows of the scores; of the gradients, by the probabilities */
};
enum { ATTENTION_STEPS_MAX = 5 };
/* The steps one after the other; *count of them. */
const struct attention_step *attention_steps(const struct attention_extent *extent, size_t *count);

/* A step's product. Strides are from product to product of the batch, in elements. */
struct attention_product {
	struct bench_shape shape;
	int64_t a_stride, b_stride, c_stride;
	double scale;
};
struct attention_product attention_product(const struct attention_extent *extent, const struct attention_step *step);

/* How the check gets at a device's operands. `first` and i count elements of the place, all of the batch. */
struct attention_access {
	void *context;
	double (*input)(void *context, enum attention_place place, size_t i);
	enum bench_outcome (*read)(void *context, enum attention_place place, size_t first, size_t count, double *out, struct bench_reason *reason);
};

/* After a run: sampled elements of PLACE_OUT against double; backward also of the gradients of keys and values, from the
 * probabilities (and their gradients) that the device left, which the rows' samples have vouched for. *check is added to. */
enum bench_outcome attention_check(const struct attention_extent *extent, const struct attention_access *access, _Atomic uint64_t *alive,
	struct bench_check *check, struct bench_reason *reason);

#endif
