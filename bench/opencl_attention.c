/* Attention of the opencl backend, unfused and all of it own kernels: scores, softmax, values; and the way back.
 *
 * Heads of queries that share a head of keys lie after one another, so that each such group is one product of a batch: Q is
 * rows x dimension with rows = group x queries, K and V are keys x dimension, scores are rows x keys. */
#include <math.h>

#include "bench/opencl_session.h"
#include "bench/random.h"

enum { ATTENTION_SAMPLES = 16, SEED = 5 };

enum place { PLACE_Q, PLACE_K, PLACE_V, PLACE_OUT_GRADIENT, PLACE_SCORES, PLACE_GRADIENTS, PLACE_OUT, PLACE_K_GRADIENT, PLACE_V_GRADIENT,
	PLACE_COUNT };

struct attention_step {
	enum place a, b, c;
	enum bench_product product;
	bool scaled;      /* by 1 / sqrt(dimension) */
	bool softmax_after, gradient_after;
};

static const struct attention_step forward[] = {
	{PLACE_Q, PLACE_K, PLACE_SCORES, PRODUCT_INPUT_GRADIENT, true, true, false},
	{PLACE_SCORES, PLACE_V, PLACE_OUT, PRODUCT_FORWARD, false, false, false},
};

/* The scores are computed again. PLACE_OUT is the gradient of the queries. */
static const struct attention_step backward[] = {
	{PLACE_Q, PLACE_K, PLACE_SCORES, PRODUCT_INPUT_GRADIENT, true, true, false},
	{PLACE_SCORES, PLACE_OUT_GRADIENT, PLACE_V_GRADIENT, PRODUCT_WEIGHT_GRADIENT, false, false, false},
	{PLACE_OUT_GRADIENT, PLACE_V, PLACE_GRADIENTS, PRODUCT_INPUT_GRADIENT, false, false, true},
	{PLACE_GRADIENTS, PLACE_K, PLACE_OUT, PRODUCT_FORWARD, true, false, false},
	{PLACE_GRADIENTS, PLACE_Q, PLACE_K_GRADIENT, PRODUCT_WEIGHT_GRADIENT, true, false, false},
};

/* Sizes of one product of the batch. */
struct extent {
	int64_t batch, rows, keys, dimension;
	double scale;
	enum precision precision;
	bool backward;
};

static struct extent extent_of(const struct opencl_work *work)
{
	const struct bench_attention *shape = &work->request.attention;

	return (struct extent){.batch = shape->batch * shape->kv_heads, .rows = shape->heads / shape->kv_heads * shape->queries,
		.keys = shape->keys, .dimension = shape->head_dimension, .scale = 1 / sqrt((double)shape->head_dimension),
		.precision = work->request.precision, .backward = shape->backward};
}

static void place_size(const struct extent *extent, enum place place, int64_t *rows, int64_t *columns)
{
	bool of_keys = place == PLACE_K || place == PLACE_V || place == PLACE_K_GRADIENT || place == PLACE_V_GRADIENT;
	bool scores = place == PLACE_SCORES || place == PLACE_GRADIENTS;

	*rows = of_keys ? extent->keys : extent->rows;
	*columns = scores ? extent->keys : extent->dimension;
}

/* Forward needs no gradients; the places keep their numbers, so they get a vector each. */
static bool place_used(const struct extent *extent, enum place place)
{
	return extent->backward || place == PLACE_Q || place == PLACE_K || place == PLACE_V || place == PLACE_SCORES || place == PLACE_OUT;
}

static double input(const struct extent *extent, enum place place, int64_t product, int64_t row, int64_t column)
{
	int64_t rows, columns;

	place_size(extent, place, &rows, &columns);
	return reference_normal(SEED + (uint64_t)place, (uint64_t)((product * rows + row) * columns + column), extent->precision);
}

static double dot(const struct extent *extent, enum place left, enum place right, int64_t product, int64_t row, int64_t key)
{
	double sum = 0;

	for (int64_t d = 0; d < extent->dimension; d++)
		sum += input(extent, left, product, row, d) * input(extent, right, product, key, d);
	return sum;
}

/* Probabilities of one row; answers the largest score's magnitude, which errors of the exponent are measured by. */
static double probabilities(const struct extent *extent, const struct bench_attention *shape, int64_t product, int64_t row, double *out)
{
	int64_t seen = shape->causal ? shape->keys - shape->queries + row % shape->queries + 1 : shape->keys;
	double highest = -HUGE_VAL, largest = 0, sum = 0;

	for (int64_t key = 0; key < seen; key++) {
		out[key] = extent->scale * dot(extent, PLACE_Q, PLACE_K, product, row, key);
		highest = fmax(highest, out[key]);
		largest = fmax(largest, fabs(out[key]));
	}
	for (int64_t key = 0; key < shape->keys; key++) {
		out[key] = key < seen ? exp(out[key] - highest) : 0;
		sum += out[key];
	}
	for (int64_t key = 0; key < shape->keys; key++)
		out[key] /= sum;
	return largest;
}

/* One element of the output, or of the queries' gradient, with the error allowed: scores, probabilities and gradients are each
 * rounded to the precision on the way, and a score's error moves its probability by as much as the score is large. */
static double expected_element(const struct extent *extent, const struct bench_attention *shape, int64_t product, int64_t row, int64_t column,
	double *scratch, double *allowed)
{
	double *gradients = scratch + extent->keys, mean = 0, sum = 0, magnitude = 0;
	double largest = probabilities(extent, shape, product, row, scratch);

	for (int64_t key = 0; extent->backward && key < extent->keys; key++) {
		gradients[key] = dot(extent, PLACE_OUT_GRADIENT, PLACE_V, product, row, key);
		mean += scratch[key] * gradients[key];
	}
	for (int64_t key = 0; key < extent->keys; key++) {
		double other = input(extent, extent->backward ? PLACE_K : PLACE_V, product, key, column);

		sum += scratch[key] * (extent->backward ? extent->scale * (gradients[key] - mean) : 1) * other;
		magnitude += scratch[key] * (extent->backward ? extent->scale * (fabs(gradients[key]) + fabs(mean)) : 1) * fabs(other);
	}
	*allowed = fmax((2 * largest + 4) * reference_epsilon(extent->precision), 0x1p-18) * magnitude;
	return sum;
}

static enum bench_outcome check_rows(struct opencl_work *work, const struct extent *extent, double *scratch, struct bench_check *check,
	struct bench_reason *reason)
{
	size_t bytes = reference_element_bytes(extent->precision);
	enum bench_outcome outcome = BENCH_OK;
	uint64_t seed = 1;

	for (int s = 0; s < ATTENTION_SAMPLES && outcome == BENCH_OK; s++) {
		int64_t product = (int64_t)(random_next(&seed) % (uint64_t)extent->batch), row = (int64_t)(random_next(&seed) % (uint64_t)extent->rows);
		int64_t column = (int64_t)(random_next(&seed) % (uint64_t)extent->dimension);
		size_t at = (size_t)((product * extent->rows + row) * extent->dimension + column);
		double allowed, expected = expected_element(extent, &work->request.attention, product, row, column, scratch, &allowed);
		char element[sizeof(double)] = {0};

		outcome = opencl_read(work->session, work->buffers[PLACE_OUT], at * bytes, bytes, element, reason);
		reference_compare(check, reference_decode(element, 0, extent->precision), expected, allowed);
		if (work->request.alive)
			atomic_fetch_add_explicit(work->request.alive, 1, memory_order_relaxed);
	}
	return outcome;
}

/* Gradients of keys and values sum over all rows: from the probabilities (their gradients) that the device left, which the rows'
 * samples have vouched for, of the last product of the batch. */
static enum bench_outcome check_columns(struct opencl_work *work, const struct extent *extent, enum place left, enum place right,
	enum place out, struct bench_check *check, struct bench_reason *reason)
{
	size_t bytes = reference_element_bytes(extent->precision), slab = (size_t)(extent->rows * extent->keys) * bytes;
	char *column = malloc(slab), element[sizeof(double)] = {0};
	int64_t product = extent->batch - 1;
	enum bench_outcome outcome;
	uint64_t seed = 3;

	if (!column)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	outcome = opencl_read(work->session, work->buffers[left], (size_t)product * slab, slab, column, reason);
	for (int s = 0; s < ATTENTION_SAMPLES && outcome == BENCH_OK; s++) {
		int64_t key = s == 0 ? 0 : (int64_t)(random_next(&seed) % (uint64_t)extent->keys);
		int64_t d = (int64_t)(random_next(&seed) % (uint64_t)extent->dimension);
		double scale = out == PLACE_K_GRADIENT ? extent->scale : 1, sum = 0, magnitude = 0;

		for (int64_t row = 0; row < extent->rows; row++) {
			double term = scale * reference_decode(column, (size_t)(row * extent->keys + key), extent->precision) *
				input(extent, right, product, row, d);

			sum += term;
			magnitude += fabs(term);
		}
		outcome = opencl_read(work->session, work->buffers[out], (size_t)((product * extent->keys + key) * extent->dimension + d) * bytes,
			bytes, element, reason);
		reference_compare(check, reference_decode(element, 0, extent->precision), sum,
			reference_sum_allowed(extent->precision, extent->rows, sum, magnitude) + 0x1p-40);
	}
	free(column);
	return outcome;
}

static enum bench_outcome attention_check(struct opencl_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct extent extent = extent_of(work);
	double *scratch = malloc(2 * (size_t)extent.keys * sizeof(double));
	enum bench_outcome outcome;

	if (!scratch)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	outcome = check_rows(work, &extent, scratch, check, reason);
	free(scratch);
	if (outcome == BENCH_OK && extent.backward)
		outcome = check_columns(work, &extent, PLACE_SCORES, PLACE_OUT_GRADIENT, PLACE_V_GRADIENT, check, reason);
	if (outcome == BENCH_OK && extent.backward)
		outcome = check_columns(work, &extent, PLACE_GRADIENTS, PLACE_Q, PLACE_K_GRADIENT, check, reason);
	return outcome;
}

static enum bench_outcome add_softmax(struct opencl_work *made, const struct extent *extent, bool gradient, struct bench_reason *reason)
{
	const struct bench_attention *shape = &made->request.attention;
	uint32_t rows = (uint32_t)(extent->batch * extent->rows), keys = (uint32_t)extent->keys;
	const union opencl_value softmax[] = {{.memory = made->buffers[PLACE_SCORES]}, {.u32 = rows}, {.u32 = (uint32_t)shape->queries}, {.u32 = keys},
		{.u32 = shape->causal}};
	const union opencl_value back[] = {{.memory = made->buffers[PLACE_GRADIENTS]}, {.memory = made->buffers[PLACE_SCORES]}, {.u32 = rows},
		{.u32 = keys}};

	return opencl_work_launch(made, gradient ? kernel_softmax_gradient(extent->precision) : kernel_softmax(extent->precision),
		kernel_row_groups(rows), gradient ? back : softmax, reason);
}

static enum bench_outcome add_step(struct opencl_work *made, const struct extent *extent, const struct attention_step *step,
	struct bench_reason *reason)
{
	int64_t a_rows, a_columns, b_rows, b_columns;
	union opencl_value values[10] = {{.memory = made->buffers[step->c]}, {.memory = made->buffers[step->a]}, {.memory = made->buffers[step->b]},
		[6] = {.f32 = step->scaled ? (float)extent->scale : 1}};
	struct bench_shape shape;
	enum bench_outcome outcome;

	place_size(extent, step->a, &a_rows, &a_columns);
	place_size(extent, step->b, &b_rows, &b_columns);
	place_size(extent, step->c, &shape.m, &shape.n);
	shape.k = step->product == PRODUCT_WEIGHT_GRADIENT ? a_rows : a_columns;
	values[3].u32 = (uint32_t)shape.m;
	values[4].u32 = (uint32_t)shape.n;
	values[5].u32 = (uint32_t)shape.k;
	values[7].u64 = (uint64_t)(shape.m * shape.n);
	values[8].u64 = (uint64_t)(a_rows * a_columns);
	values[9].u64 = (uint64_t)(b_rows * b_columns);
	outcome = opencl_work_launch(made, kernel_gemm(extent->precision, step->product), kernel_gemm_groups(&shape, extent->batch), values, reason);
	if (outcome == BENCH_OK && (step->softmax_after || step->gradient_after))
		outcome = add_softmax(made, extent, step->gradient_after, reason);
	return outcome;
}

static enum bench_outcome attention_make(struct opencl_work *made, struct bench_reason *reason)
{
	struct extent extent = extent_of(made);
	const struct attention_step *steps = extent.backward ? backward : forward;
	size_t step_count = extent.backward ? COUNT_OF(backward) : COUNT_OF(forward);
	enum bench_outcome outcome = BENCH_OK;

	for (enum place place = 0; place < PLACE_COUNT && outcome == BENCH_OK; place++) {
		int64_t rows, columns;
		double elements;
		struct opencl_memory *buffer;

		place_size(&extent, place, &rows, &columns);
		elements = place_used(&extent, place) ? (double)extent.batch * (double)rows * (double)columns : 1;
		outcome = opencl_work_buffer(made, elements * (double)reference_element_bytes(extent.precision), &buffer, reason);
		if (outcome == BENCH_OK && place < PLACE_SCORES)
			outcome = opencl_fill_normal(made->session, buffer, (uint64_t)elements, SEED + (uint64_t)place, extent.precision, reason);
	}
	made->outputs = PLACE_SCORES;
	for (size_t i = 0; i < step_count && outcome == BENCH_OK; i++)
		outcome = add_step(made, &extent, &steps[i], reason);
	return outcome;
}

static bool sane(const struct bench_attention *shape)
{
	return shape->batch > 0 && shape->heads > 0 && shape->kv_heads > 0 && shape->queries > 0 && shape->keys > 0 && shape->head_dimension > 0 &&
		shape->heads % shape->kv_heads == 0 && (!shape->causal || shape->queries <= shape->keys) && shape->keys < INT32_MAX &&
		(double)shape->batch * (double)shape->heads * (double)shape->queries < INT32_MAX;
}

enum bench_outcome opencl_attention_prepare(struct bench_session *session, const struct bench_work_request *request,
	struct bench_work *work, struct bench_reason *reason)
{
	struct opencl_work *made;
	enum bench_outcome outcome;

	if (request->method == METHOD_LIBRARY_ATTENTION)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "OpenCL has no library of matrix products that would stand for a vendor's");
	if (kernel_softmax(request->precision) == KERNEL_COUNT)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "own kernels attend in fp32, bf16 and fp16, not in %s", precision_name(request->precision));
	if (!sane(&request->attention))
		return bench_refuse(reason, BENCH_UNSUPPORTED, "heads are a multiple of kv_heads, and queries at most as many as keys where causal");
	made = opencl_work_new(session, request);
	if (!made)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	outcome = attention_make(made, reason);
	if (outcome != BENCH_OK) {
		opencl_work_free(made);
		return outcome;
	}
	made->check = attention_check;
	opencl_work_publish(made, work);
	work->flops = bench_attention_flops(&request->attention);
	snprintf(work->detail, sizeof(work->detail), "own kernels, unfused");
	return BENCH_OK;
}
