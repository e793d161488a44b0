#include "bench/attention.h"

#include <math.h>

#include "bench/random.h"
#include "bench/reference.h"

enum { SAMPLES = 16, BLOCK_ELEMENTS = 1 << 20 };

/* Relative error that fp32 exponentials of hardware and fp32 sums leave in the terms. */
#define ERROR_LEAST 0x1p-16

static const struct attention_step forward[] = {
	{PLACE_Q, PLACE_K, PLACE_SCORES, PRODUCT_INPUT_GRADIENT, true, true, false},
	{PLACE_SCORES, PLACE_V, PLACE_OUT, PRODUCT_FORWARD, false, false, false},
};

/* The backward pass computes the scores again. A^T B sums over the first index of both operands. */
static const struct attention_step backward[] = {
	{PLACE_Q, PLACE_K, PLACE_SCORES, PRODUCT_INPUT_GRADIENT, true, true, false},
	{PLACE_SCORES, PLACE_OUT_GRADIENT, PLACE_V_GRADIENT, PRODUCT_WEIGHT_GRADIENT, false, false, false},
	{PLACE_OUT_GRADIENT, PLACE_V, PLACE_GRADIENTS, PRODUCT_INPUT_GRADIENT, false, false, true},
	{PLACE_GRADIENTS, PLACE_K, PLACE_OUT, PRODUCT_FORWARD, true, false, false},
	{PLACE_GRADIENTS, PLACE_Q, PLACE_K_GRADIENT, PRODUCT_WEIGHT_GRADIENT, true, false, false},
};
_Static_assert(COUNT_OF(backward) == ATTENTION_STEPS_MAX, "the longest");

struct attention_extent attention_extent(const struct bench_attention *shape, enum precision precision)
{
	return (struct attention_extent){.batch = shape->batch * shape->kv_heads,
		.rows = shape->heads / shape->kv_heads * shape->queries,
		.keys = shape->keys,
		.dimension = shape->head_dimension,
		.queries = shape->queries,
		.causal = shape->causal,
		.scale = 1 / sqrt((double)shape->head_dimension),
		.backward = shape->backward,
		.precision = precision};
}

bool attention_is_sane(const struct bench_attention *shape)
{
	return shape->batch > 0 && shape->heads > 0 && shape->kv_heads > 0 && shape->queries > 0 && shape->keys > 0 &&
		shape->head_dimension > 0 && shape->heads % shape->kv_heads == 0 && (!shape->causal || shape->queries <= shape->keys) &&
		shape->keys < INT32_MAX && (double)shape->batch * (double)shape->kv_heads <= UINT16_MAX &&
		(double)shape->batch * (double)shape->heads * (double)shape->queries < INT32_MAX;
}

void attention_place_size(const struct attention_extent *extent, enum attention_place place, int64_t *rows, int64_t *columns)
{
	bool of_keys = place == PLACE_K || place == PLACE_V || place == PLACE_K_GRADIENT || place == PLACE_V_GRADIENT;
	bool scores = place == PLACE_SCORES || place == PLACE_GRADIENTS;

	*rows = of_keys ? extent->keys : extent->rows;
	*columns = scores ? extent->keys : extent->dimension;
}

bool attention_place_used(const struct attention_extent *extent, enum attention_place place)
{
	return extent->backward || place == PLACE_Q || place == PLACE_K || place == PLACE_V || place == PLACE_SCORES || place == PLACE_OUT;
}

int64_t attention_place_elements(const struct attention_extent *extent, enum attention_place place)
{
	int64_t rows, columns;

	attention_place_size(extent, place, &rows, &columns);
	return extent->batch * rows * columns;
}

const struct attention_step *attention_steps(const struct attention_extent *extent, size_t *count)
{
	*count = extent->backward ? COUNT_OF(backward) : COUNT_OF(forward);
	return extent->backward ? backward : forward;
}

struct attention_product attention_product(const struct attention_extent *extent, const struct attention_step *step)
{
	struct attention_product product = {.scale = step->scaled ? extent->scale : 1};
	int64_t a_rows, a_columns, b_rows, b_columns;

	attention_place_size(extent, step->a, &a_rows, &a_columns);
	attention_place_size(extent, step->b, &b_rows, &b_columns);
	attention_place_size(extent, step->c, &product.shape.m, &product.shape.n);
	product.shape.k = step->product == PRODUCT_WEIGHT_GRADIENT ? a_rows : a_columns;
	product.a_stride = a_rows * a_columns;
	product.b_stride = b_rows * b_columns;
	product.c_stride = product.shape.m * product.shape.n;
	return product;
}

struct reference {
	const struct attention_extent *extent;
	const struct attention_access *access;
	double *probabilities, *gradients; /* of one row */
};

static double input(const struct reference *reference, enum attention_place place, int64_t product, int64_t row, int64_t column)
{
	int64_t rows, columns;

	attention_place_size(reference->extent, place, &rows, &columns);
	return reference->access->input(reference->access->context, place, (size_t)((product * rows + row) * columns + column));
}

static double dot(
	const struct reference *reference, enum attention_place left, enum attention_place right, int64_t product, int64_t row, int64_t key)
{
	double sum = 0;

	for (int64_t d = 0; d < reference->extent->dimension; d++)
		sum += input(reference, left, product, row, d) * input(reference, right, product, key, d);
	return sum;
}

/* Computes the probabilities of one row. Returns the magnitude of the largest score; errors of the exponential are
 * proportional to it. */
static double compute_probabilities(const struct reference *reference, int64_t product, int64_t row)
{
	const struct attention_extent *extent = reference->extent;
	int64_t seen = extent->causal ? extent->keys - extent->queries + row % extent->queries + 1 : extent->keys;
	double highest = -HUGE_VAL, largest = 0, sum = 0, *out = reference->probabilities;

	for (int64_t key = 0; key < seen; key++) {
		out[key] = extent->scale * dot(reference, PLACE_Q, PLACE_K, product, row, key);
		highest = fmax(highest, out[key]);
		largest = fmax(largest, fabs(out[key]));
	}
	for (int64_t key = 0; key < extent->keys; key++) {
		out[key] = key < seen ? exp(out[key] - highest) : 0;
		sum += out[key];
	}
	for (int64_t key = 0; key < extent->keys; key++)
		out[key] /= sum;
	return largest;
}

/* Computes one element of PLACE_OUT and its allowed error. The device rounds scores, probabilities and gradients to
 * the precision; an error of a score changes its probability in proportion to the score. */
static double expected_element(const struct reference *reference, int64_t product, int64_t row, int64_t column, double *allowed)
{
	const struct attention_extent *extent = reference->extent;
	double mean = 0, sum = 0, magnitude = 0, largest = compute_probabilities(reference, product, row);

	for (int64_t key = 0; extent->backward && key < extent->keys; key++) {
		reference->gradients[key] = dot(reference, PLACE_OUT_GRADIENT, PLACE_V, product, row, key);
		mean += reference->probabilities[key] * reference->gradients[key];
	}
	for (int64_t key = 0; key < extent->keys; key++) {
		double other = input(reference, extent->backward ? PLACE_K : PLACE_V, product, key, column), gradient = reference->gradients[key];

		sum += reference->probabilities[key] * (extent->backward ? extent->scale * (gradient - mean) : 1) * other;
		magnitude += reference->probabilities[key] * (extent->backward ? extent->scale * (fabs(gradient) + fabs(mean)) : 1) * fabs(other);
	}
	*allowed = fmax((2 * largest + 4) * reference_epsilon(extent->precision), ERROR_LEAST) * magnitude;
	return sum;
}

static enum bench_outcome check_rows(const struct attention_extent *extent, const struct attention_access *access, _Atomic uint64_t *alive,
	struct bench_check *check, struct bench_reason *reason)
{
	double *scratch = calloc(2 * (size_t)extent->keys, sizeof(double));
	struct reference reference = {extent, access, scratch, NULL};
	enum bench_outcome outcome = BENCH_OK;
	uint64_t seed = 1;

	if (!scratch)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	reference.gradients = scratch + extent->keys;
	for (int s = 0; s < SAMPLES && outcome == BENCH_OK; s++) {
		int64_t product = (int64_t)(random_next(&seed) % (uint64_t)extent->batch),
				row = (int64_t)(random_next(&seed) % (uint64_t)extent->rows);
		int64_t column = (int64_t)(random_next(&seed) % (uint64_t)extent->dimension);
		double allowed, expected = expected_element(&reference, product, row, column, &allowed), actual = 0;

		outcome = access->read(
			access->context, PLACE_OUT, (size_t)((product * extent->rows + row) * extent->dimension + column), 1, &actual, reason);
		reference_compare(check, actual, expected, allowed);
		if (alive)
			atomic_fetch_add_explicit(alive, 1, memory_order_relaxed);
	}
	free(scratch);
	return outcome;
}

struct columns {
	enum attention_place left, right, out; /* out = left^T right, of the batch's last product */
	int64_t product, keys[SAMPLES], columns[SAMPLES];
	double scale, sum[SAMPLES], magnitude[SAMPLES];
};

/* Adds the contribution of the rows from `first` on to each sample. */
static void add_rows(const struct reference *reference, struct columns *columns, const double *rows, int64_t first, int64_t count)
{
	for (int64_t row = 0; row < count; row++)
		for (int s = 0; s < SAMPLES; s++) {
			double term = columns->scale * rows[row * reference->extent->keys + columns->keys[s]] *
				input(reference, columns->right, columns->product, first + row, columns->columns[s]);

			columns->sum[s] += term;
			columns->magnitude[s] += fabs(term);
		}
}

/* Reads the rows in pieces: all of them may be gigabytes. */
static enum bench_outcome sum_columns(const struct reference *reference, struct columns *columns, struct bench_reason *reason)
{
	const struct attention_extent *extent = reference->extent;
	int64_t piece = extent->keys < BLOCK_ELEMENTS ? BLOCK_ELEMENTS / extent->keys : 1;
	double *rows = malloc((size_t)(piece * extent->keys) * sizeof(double));
	enum bench_outcome outcome = BENCH_OK;

	if (!rows)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	for (int64_t first = 0; first < extent->rows && outcome == BENCH_OK; first += piece) {
		int64_t count = extent->rows - first < piece ? extent->rows - first : piece;

		outcome = reference->access->read(reference->access->context, columns->left,
			(size_t)((columns->product * extent->rows + first) * extent->keys), (size_t)(count * extent->keys), rows, reason);
		if (outcome == BENCH_OK)
			add_rows(reference, columns, rows, first, count);
	}
	free(rows);
	return outcome;
}

static enum bench_outcome check_columns(const struct attention_extent *extent, const struct attention_access *access,
	struct columns *columns, struct bench_check *check, struct bench_reason *reason)
{
	const struct reference reference = {extent, access, NULL, NULL};
	enum bench_outcome outcome;
	uint64_t seed = 3;

	columns->product = extent->batch - 1;
	for (int s = 0; s < SAMPLES; s++) {
		columns->keys[s] = s == 0 ? 0 : (int64_t)(random_next(&seed) % (uint64_t)extent->keys);
		columns->columns[s] = (int64_t)(random_next(&seed) % (uint64_t)extent->dimension);
	}
	outcome = sum_columns(&reference, columns, reason);
	for (int s = 0; s < SAMPLES && outcome == BENCH_OK; s++) {
		double actual = 0;

		outcome = access->read(access->context, columns->out,
			(size_t)((columns->product * extent->keys + columns->keys[s]) * extent->dimension + columns->columns[s]), 1, &actual, reason);
		reference_compare(check, actual, columns->sum[s],
			reference_sum_allowed(extent->precision, extent->rows, columns->sum[s], columns->magnitude[s]) + 0x1p-40);
	}
	return outcome;
}

enum bench_outcome attention_check(const struct attention_extent *extent, const struct attention_access *access, _Atomic uint64_t *alive,
	struct bench_check *check, struct bench_reason *reason)
{
	struct columns values = {.left = PLACE_SCORES, .right = PLACE_OUT_GRADIENT, .out = PLACE_V_GRADIENT, .scale = 1};
	struct columns keys = {.left = PLACE_GRADIENTS, .right = PLACE_Q, .out = PLACE_K_GRADIENT, .scale = extent->scale};
	enum bench_outcome outcome = check_rows(extent, access, alive, check, reason);

	if (outcome == BENCH_OK && extent->backward)
		outcome = check_columns(extent, access, &values, check, reason);
	return outcome == BENCH_OK && extent->backward ? check_columns(extent, access, &keys, check, reason) : outcome;
}
