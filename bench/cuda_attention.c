/* Attention, unfused: scores, softmax, values; and the way back through them.
 *
 * Queries that share a head of keys and values lie after one another, so that each such group is one product: with
 * b = batch x kv_heads products at once, Q is (group x queries) x dimension, K and V are keys x dimension, scores and probabilities
 * (group x queries) x keys. Q and the output's gradient are two halves of ROLE_A, K and V of ROLE_B. */
#include <math.h>

#include "bench/cuda_product.h"
#include "bench/random.h"

enum { PRODUCTS_MAX = 5, SAMPLED = 16, ALIGNED_ELEMENTS = 256 /* the library's heuristic takes addresses for aligned so */ };

enum place { PLACE_Q, PLACE_OUT_GRADIENT, PLACE_K, PLACE_V, PLACE_SCORES, PLACE_GRADIENTS, PLACE_OUT, PLACE_K_GRADIENT, PLACE_V_GRADIENT };

struct attention_step {
	enum place a, b, c;
	enum bench_product product;
	bool scaled;      /* by 1 / sqrt(dimension) */
	bool softmax_after, gradient_after;
};

/* Forward, and backward with the scores computed again. A^T B has what it sums over first. */
static const struct attention_step forward[] = {
	{PLACE_Q, PLACE_K, PLACE_SCORES, PRODUCT_INPUT_GRADIENT, true, true, false},
	{PLACE_SCORES, PLACE_V, PLACE_OUT, PRODUCT_FORWARD, false, false, false},
};
static const struct attention_step backward[] = {
	{PLACE_Q, PLACE_K, PLACE_SCORES, PRODUCT_INPUT_GRADIENT, true, true, false},
	{PLACE_SCORES, PLACE_OUT_GRADIENT, PLACE_V_GRADIENT, PRODUCT_WEIGHT_GRADIENT, false, false, false},
	{PLACE_OUT_GRADIENT, PLACE_V, PLACE_GRADIENTS, PRODUCT_INPUT_GRADIENT, false, false, true},
	{PLACE_GRADIENTS, PLACE_K, PLACE_OUT, PRODUCT_FORWARD, true, false, false},
	{PLACE_GRADIENTS, PLACE_Q, PLACE_K_GRADIENT, PRODUCT_WEIGHT_GRADIENT, true, false, false},
};

struct attention_work {
	struct cuda_work work;
	struct bench_attention shape;
	enum precision precision;
	enum cuda_format format;
	const struct attention_step *steps;
	size_t step_count, opened;
	size_t rows, keys, dimension, batch; /* of one product, and products at once */
	struct cuda_product products[PRODUCTS_MAX];
	struct cuda_function *softmax, *gradient;
};

static size_t query_count(const struct attention_work *attention)
{
	return attention->batch * attention->rows * attention->dimension;
}

static size_t key_count(const struct attention_work *attention)
{
	return attention->batch * attention->keys * attention->dimension;
}

/* From the first of two operands that share memory to the second. */
static size_t span(size_t count)
{
	return (count + ALIGNED_ELEMENTS - 1) / ALIGNED_ELEMENTS * ALIGNED_ELEMENTS;
}

static cuda_pointer at(const struct attention_work *attention, enum place place)
{
	const struct bench_session *session = attention->work.session;
	enum cuda_format format = attention->format;
	size_t size = cuda_format_bytes(format);

	switch (place) {
	case PLACE_Q:
		return cuda_operand(session, ROLE_A, format);
	case PLACE_OUT_GRADIENT:
		return cuda_operand(session, ROLE_A, format) + span(query_count(attention)) * size;
	case PLACE_K:
		return cuda_operand(session, ROLE_B, format);
	case PLACE_V:
		return cuda_operand(session, ROLE_B, format) + span(key_count(attention)) * size;
	case PLACE_SCORES:
		return cuda_operand(session, ROLE_D, format);
	case PLACE_GRADIENTS:
		return cuda_operand(session, ROLE_E, format);
	case PLACE_OUT:
		return cuda_operand(session, ROLE_C, format);
	case PLACE_K_GRADIENT:
		return cuda_operand(session, ROLE_F, format);
	case PLACE_V_GRADIENT:
		break;
	}
	return cuda_operand(session, ROLE_F, format) + span(key_count(attention)) * size;
}

/* Rows and columns of what lies at a place, of one product. */
static void extent(const struct attention_work *attention, enum place place, int64_t *rows, int64_t *columns)
{
	bool of_keys = place == PLACE_K || place == PLACE_V || place == PLACE_K_GRADIENT || place == PLACE_V_GRADIENT;
	bool square = place == PLACE_SCORES || place == PLACE_GRADIENTS;

	*rows = (int64_t)(of_keys ? attention->keys : attention->rows);
	*columns = (int64_t)(square ? attention->keys : attention->dimension);
}

static void step_operands(const struct attention_work *attention, size_t step, cuda_pointer a_b_c[3])
{
	a_b_c[0] = at(attention, attention->steps[step].a);
	a_b_c[1] = at(attention, attention->steps[step].b);
	a_b_c[2] = at(attention, attention->steps[step].c);
}

static enum bench_outcome step_open(struct attention_work *attention, size_t index, bool library, struct bench_reason *reason)
{
	const struct attention_step *step = &attention->steps[index];
	struct cuda_matmul_request request = {.product = step->product, .precision = attention->precision, .scale = 1,
		.batch = (int64_t)attention->batch};
	int64_t a_rows, a_columns, b_rows, b_columns;
	cuda_pointer a_b_c[3];

	extent(attention, step->a, &a_rows, &a_columns);
	extent(attention, step->b, &b_rows, &b_columns);
	extent(attention, step->c, &request.shape.m, &request.shape.n);
	request.shape.k = step->product == PRODUCT_WEIGHT_GRADIENT ? a_rows : a_columns;
	request.a_stride = a_rows * a_columns;
	request.b_stride = b_rows * b_columns;
	request.c_stride = request.shape.m * request.shape.n;
	if (step->scaled)
		request.scale = (float)(1 / sqrt((double)attention->dimension));
	step_operands(attention, index, a_b_c);
	return cuda_product_open(&attention->products[index], attention->work.session, library, &request, a_b_c, reason);
}

static enum bench_outcome softmax_enqueue(struct attention_work *attention, struct bench_reason *reason)
{
	cuda_pointer scores = at(attention, PLACE_SCORES);
	uint32_t rows = (uint32_t)(attention->batch * attention->rows), queries = (uint32_t)attention->shape.queries;
	uint32_t keys = (uint32_t)attention->keys, causal = attention->shape.causal;
	void *arguments[] = {&scores, &rows, &queries, &keys, &causal};

	return cuda_session_launch(attention->work.session, attention->softmax, kernel_row_groups(rows), arguments, reason);
}

static enum bench_outcome gradient_enqueue(struct attention_work *attention, struct bench_reason *reason)
{
	cuda_pointer gradients = at(attention, PLACE_GRADIENTS), probabilities = at(attention, PLACE_SCORES);
	uint32_t rows = (uint32_t)(attention->batch * attention->rows), keys = (uint32_t)attention->keys;
	void *arguments[] = {&gradients, &probabilities, &rows, &keys};

	return cuda_session_launch(attention->work.session, attention->gradient, kernel_row_groups(rows), arguments, reason);
}

static enum bench_outcome attention_enqueue(struct cuda_work *work, struct bench_reason *reason)
{
	struct attention_work *attention = (struct attention_work *)work;
	enum bench_outcome outcome = BENCH_OK;

	for (size_t i = 0; i < attention->step_count && outcome == BENCH_OK; i++) {
		cuda_pointer a_b_c[3];

		step_operands(attention, i, a_b_c);
		outcome = cuda_product_enqueue(&attention->products[i], work->session, a_b_c, reason);
		if (outcome == BENCH_OK && attention->steps[i].softmax_after)
			outcome = softmax_enqueue(attention, reason);
		if (outcome == BENCH_OK && attention->steps[i].gradient_after)
			outcome = gradient_enqueue(attention, reason);
	}
	return outcome;
}

static enum bench_outcome attention_poison(struct cuda_work *work, struct bench_reason *reason)
{
	struct attention_work *attention = (struct attention_work *)work;
	size_t size = cuda_format_bytes(attention->format);
	enum bench_outcome outcome = cuda_operand_poison(work->session, at(attention, PLACE_OUT), query_count(attention) * size, reason);

	if (outcome == BENCH_OK && attention->shape.backward)
		outcome = cuda_operand_poison(work->session, at(attention, PLACE_K_GRADIENT), 2 * span(key_count(attention)) * size, reason);
	return outcome;
}

static double input(const struct attention_work *attention, enum place place, size_t product, size_t row, size_t column)
{
	enum cuda_role role = place == PLACE_Q || place == PLACE_OUT_GRADIENT ? ROLE_A : ROLE_B;
	size_t rows = role == ROLE_A ? attention->rows : attention->keys;
	size_t first = place == PLACE_OUT_GRADIENT ? span(query_count(attention)) : place == PLACE_V ? span(key_count(attention)) : 0;

	return cuda_input_value(role, attention->format, first + (product * rows + row) * attention->dimension + column);
}

static double dot(const struct attention_work *attention, enum place left, enum place right, size_t product, size_t row, size_t key)
{
	double sum = 0;

	for (size_t d = 0; d < attention->dimension; d++)
		sum += input(attention, left, product, row, d) * input(attention, right, product, key, d);
	return sum;
}

/* Probabilities of one row, in double; `out` has room for all keys. */
static void probabilities(const struct attention_work *attention, size_t product, size_t row, double *out)
{
	size_t queries = (size_t)attention->shape.queries, query = row % queries;
	size_t seen = attention->shape.causal ? attention->keys - queries + query + 1 : attention->keys;
	double highest = -HUGE_VAL, sum = 0;

	for (size_t key = 0; key < seen; key++) {
		out[key] = dot(attention, PLACE_Q, PLACE_K, product, row, key) / sqrt((double)attention->dimension);
		highest = fmax(highest, out[key]);
	}
	for (size_t key = 0; key < attention->keys; key++) {
		out[key] = key < seen ? exp(out[key] - highest) : 0;
		sum += out[key];
	}
	for (size_t key = 0; key < attention->keys; key++)
		out[key] /= sum;
}

/* One element of the output, or of the gradient of the queries, and the sum of its terms' magnitudes, which errors are measured by. */
static void expected(const struct attention_work *attention, size_t product, size_t row, size_t column, double *scratch, double *sum,
	double *magnitude)
{
	double *gradients = scratch + attention->keys, mean = 0, scale = 1 / sqrt((double)attention->dimension);

	probabilities(attention, product, row, scratch);
	*sum = *magnitude = 0;
	for (size_t key = 0; attention->shape.backward && key < attention->keys; key++) {
		gradients[key] = dot(attention, PLACE_OUT_GRADIENT, PLACE_V, product, row, key);
		mean += scratch[key] * gradients[key];
	}
	for (size_t key = 0; key < attention->keys; key++) {
		double other = input(attention, attention->shape.backward ? PLACE_K : PLACE_V, product, key, column);
		double weight = attention->shape.backward ? scale * (gradients[key] - mean) : 1;
		double most = attention->shape.backward ? scale * (fabs(gradients[key]) + fabs(mean)) : 1;

		*sum += scratch[key] * weight * other;
		*magnitude += scratch[key] * most * fabs(other);
	}
}

static enum bench_outcome sample(struct attention_work *attention, uint64_t *seed, double *scratch, struct bench_check *check,
	struct bench_reason *reason)
{
	size_t product = random_next(seed) % attention->batch, row = random_next(seed) % attention->rows;
	size_t column = random_next(seed) % attention->dimension;
	/* Scores of a few units, each rounded, move a probability by as many times the rounding; fp32's exponential is approximate. */
	double epsilon = fmax(8 * cuda_format_epsilon(attention->precision, attention->format), 0x1p-16), value, sum, magnitude, error;
	enum bench_outcome outcome = cuda_output_read(attention->work.session, at(attention, PLACE_OUT), attention->format,
		(product * attention->rows + row) * attention->dimension + column, &value, reason);

	expected(attention, product, row, column, scratch, &sum, &magnitude);
	error = fabs(value - sum) / (epsilon * magnitude);
	if (!(error <= 1))
		check->verified = false;
	if (!(error <= check->worst_error))
		check->worst_error = error;
	return outcome;
}

/* The gradients of keys and values sum over all queries, too much for the host to follow; that they were written shows. */
static enum bench_outcome written(struct attention_work *attention, struct bench_check *check, struct bench_reason *reason)
{
	enum bench_outcome outcome = BENCH_OK;
	uint64_t seed = 7;

	for (int s = 0; s < SAMPLED && outcome == BENCH_OK; s++) {
		double value = 0;

		outcome = cuda_output_read(attention->work.session, at(attention, s % 2 ? PLACE_K_GRADIENT : PLACE_V_GRADIENT),
			attention->format, random_next(&seed) % key_count(attention), &value, reason);
		check->verified = check->verified && isfinite(value);
		check->samples++;
	}
	return outcome;
}

static enum bench_outcome attention_check(struct cuda_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct attention_work *attention = (struct attention_work *)work;
	double *scratch = malloc(2 * attention->keys * sizeof(double));
	enum bench_outcome outcome = BENCH_OK;
	uint64_t seed = 1;

	if (!scratch)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	*check = (struct bench_check){.verified = true, .samples = SAMPLED};
	for (int s = 0; s < SAMPLED && outcome == BENCH_OK; s++)
		outcome = sample(attention, &seed, scratch, check, reason);
	free(scratch);
	return outcome == BENCH_OK && attention->shape.backward ? written(attention, check, reason) : outcome;
}

static void attention_release(struct cuda_work *work)
{
	struct attention_work *attention = (struct attention_work *)work;

	for (size_t i = 0; i < attention->opened; i++)
		cuda_product_close(&attention->products[i], work->session);
}

static enum bench_outcome attention_memory(struct attention_work *attention, struct bench_reason *reason)
{
	struct bench_session *session = attention->work.session;
	enum cuda_format format = attention->format;
	size_t scores = attention->batch * attention->rows * attention->keys;
	enum bench_outcome outcome = cuda_operand_need(session, ROLE_A, format, 2 * span(query_count(attention)), reason);

	if (outcome == BENCH_OK)
		outcome = cuda_operand_need(session, ROLE_B, format, 2 * span(key_count(attention)), reason);
	if (outcome == BENCH_OK)
		outcome = cuda_operand_need(session, ROLE_C, format, query_count(attention), reason);
	if (outcome == BENCH_OK)
		outcome = cuda_operand_need(session, ROLE_D, format, scores, reason);
	if (outcome == BENCH_OK && attention->shape.backward)
		outcome = cuda_operand_need(session, ROLE_E, format, scores, reason);
	if (outcome == BENCH_OK && attention->shape.backward)
		outcome = cuda_operand_need(session, ROLE_F, format, 2 * span(key_count(attention)), reason);
	return outcome;
}

static enum bench_outcome attention_open(struct attention_work *attention, bool library, struct bench_reason *reason)
{
	struct bench_session *session = attention->work.session;
	enum bench_outcome outcome = cuda_kernels_find(&session->kernels, &session->driver, kernel_softmax(attention->precision),
		&attention->softmax, reason);

	if (outcome == BENCH_OK)
		outcome = cuda_kernels_find(&session->kernels, &session->driver, kernel_softmax_gradient(attention->precision),
			&attention->gradient, reason);
	if (outcome == BENCH_OK)
		outcome = attention_memory(attention, reason);
	for (size_t i = 0; i < attention->step_count && outcome == BENCH_OK; i++) {
		outcome = step_open(attention, i, library, reason);
		attention->opened += outcome == BENCH_OK;
	}
	return outcome;
}

static bool sane(const struct bench_attention *shape)
{
	return shape->batch > 0 && shape->heads > 0 && shape->kv_heads > 0 && shape->queries > 0 && shape->keys > 0 &&
		   shape->head_dimension > 0 && shape->heads % shape->kv_heads == 0 && (!shape->causal || shape->queries <= shape->keys) &&
		   shape->batch * shape->heads * shape->queries < INT32_MAX && shape->batch * shape->kv_heads <= UINT16_MAX &&
		   shape->keys < INT32_MAX;
}

CUDA_PREPARE(cuda_attention_prepare)
{
	const struct bench_attention *shape = &request->attention;
	struct attention_work *attention;
	enum bench_outcome outcome;

	if (!sane(shape))
		return bench_refuse(reason, BENCH_UNSUPPORTED, "no such attention: heads are a multiple of kv_heads, and causal queries at most as many as keys");
	attention = cuda_work_new(session, request, sizeof(*attention), reason);
	if (!attention)
		return BENCH_FAILED;
	attention->shape = *shape;
	attention->precision = request->precision;
	attention->format = cuda_format_of_input(request->precision);
	attention->steps = shape->backward ? backward : forward;
	attention->step_count = shape->backward ? COUNT_OF(backward) : COUNT_OF(forward);
	attention->batch = (size_t)(shape->batch * shape->kv_heads);
	attention->rows = (size_t)(shape->heads / shape->kv_heads * shape->queries);
	attention->keys = (size_t)shape->keys;
	attention->dimension = (size_t)shape->head_dimension;
	attention->work.enqueue = attention_enqueue;
	attention->work.poison = attention_poison;
	attention->work.check = attention_check;
	attention->work.release = attention_release;
	*work = (struct bench_work){.flops = bench_attention_flops(shape)};
	cuda_work_fill(work, &attention->work);
	outcome = attention_open(attention, request->method == METHOD_LIBRARY_ATTENTION, reason);
	if (outcome == BENCH_OK) {
		char with[DEVICE_TEXT_MAX];

		cuda_product_describe(&attention->products[0], session, with, sizeof(with));
		snprintf(work->detail, sizeof(work->detail), "unfused, scores by %.70s", with);
	} else {
		work->release(work);
	}
	return outcome;
}
