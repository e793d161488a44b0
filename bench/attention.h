/* Unfused attention: the matrix products that a device runs, their operands, and the expected results in double
 * precision.
 *
 * Heads of queries that share a head of keys lie next to each other in memory, so each such group is one product of
 * a batch. The batch has sequences x kv_heads products. Q is rows x dimension with rows = group x queries; K and V
 * are keys x dimension; the scores are rows x keys. All are row-major and dense, product after product. */
#ifndef FLEETPLAN_BENCH_ATTENTION_H
#define FLEETPLAN_BENCH_ATTENTION_H

#include "bench/backend.h"

/* PLACE_OUT is the output; in the backward pass it is the gradient of the queries. Inputs come first. */
enum attention_place {
	PLACE_Q,
	PLACE_K,
	PLACE_V,
	PLACE_OUT_GRADIENT,
	PLACE_SCORES,
	PLACE_GRADIENTS,
	PLACE_OUT,
	PLACE_K_GRADIENT,
	PLACE_V_GRADIENT,
	PLACE_COUNT
};

struct attention_extent {
	int64_t batch, rows, keys, dimension, queries;
	double scale; /* 1 / sqrt(dimension) */
	bool causal, backward;
	enum precision precision;
};
struct attention_extent attention_extent(const struct bench_attention *shape, enum precision precision);

/* True if the shape is a valid attention and its numbers fit the kernels' integer types. */
bool attention_is_sane(const struct bench_attention *shape);

/* Rows and columns of the operand at a place, for one product of the batch. */
void attention_place_size(const struct attention_extent *extent, enum attention_place place, int64_t *rows, int64_t *columns);
/* True if this pass of attention uses the place: the forward pass has no gradients. */
bool attention_place_used(const struct attention_extent *extent, enum attention_place place);
int64_t attention_place_elements(const struct attention_extent *extent, enum attention_place place); /* of the whole batch */

struct attention_step {
	enum attention_place a, b, c;
	enum bench_product product;
	bool scaled;                        /* multiplied by extent.scale */
	bool softmax_after, gradient_after; /* over the rows of the scores; over the rows of the gradients, with the probabilities */
};
enum { ATTENTION_STEPS_MAX = 5 };
/* Returns the steps in their order; *count is their number. */
const struct attention_step *attention_steps(const struct attention_extent *extent, size_t *count);

/* The matrix product of a step. Strides are from one product of the batch to the next, in elements. */
struct attention_product {
	struct bench_shape shape;
	int64_t a_stride, b_stride, c_stride;
	double scale;
};
struct attention_product attention_product(const struct attention_extent *extent, const struct attention_step *step);

/* The check reads a device's operands through these functions. `first` and i count elements of the place over the
 * whole batch. */
struct attention_access {
	void *context;
	double (*input)(void *context, enum attention_place place, size_t i);
	enum bench_outcome (*read)(
		void *context, enum attention_place place, size_t first, size_t count, double *out, struct bench_reason *reason);
};

/* Call after a run. Compares sampled elements of PLACE_OUT with double precision. For the backward pass it also
 * compares the gradients of keys and values, computed from the probabilities and their gradients that the device
 * left in memory; the samples of the rows verify those. Adds to *check. */
enum bench_outcome attention_check(const struct attention_extent *extent, const struct attention_access *access, _Atomic uint64_t *alive,
	struct bench_check *check, struct bench_reason *reason);

#endif
