/* Attention, unfused: scores, softmax, values, and the backward pass (bench/attention.h). Q and the output's
 * gradient share the memory of ROLE_A; K and V share ROLE_B. */
#include "bench/attention.h"
#include "bench/cuda/cuda_product.h"

enum { ALIGNED_ELEMENTS = 256 /* the alignment that the library's heuristic assumes for addresses */ };

struct attention_work {
	struct cuda_work work;
	struct attention_extent extent;
	enum cuda_format format;
	const struct attention_step *steps;
	size_t step_count, opened;
	struct cuda_product products[ATTENTION_STEPS_MAX];
	struct cuda_function *softmax, *gradient;
};

static size_t query_count(const struct attention_work *attention)
{
	return (size_t)attention_place_elements(&attention->extent, PLACE_Q);
}

static size_t key_count(const struct attention_work *attention)
{
	return (size_t)attention_place_elements(&attention->extent, PLACE_K);
}

/* Distance from the first to the second of two operands that share memory, in elements. */
static size_t span(size_t count)
{
	return (count + ALIGNED_ELEMENTS - 1) / ALIGNED_ELEMENTS * ALIGNED_ELEMENTS;
}

static enum cuda_role role_of(enum attention_place place)
{
	static const enum cuda_role roles[PLACE_COUNT] = {[PLACE_Q] = ROLE_A,
		[PLACE_OUT_GRADIENT] = ROLE_A,
		[PLACE_K] = ROLE_B,
		[PLACE_V] = ROLE_B,
		[PLACE_SCORES] = ROLE_D,
		[PLACE_GRADIENTS] = ROLE_E,
		[PLACE_OUT] = ROLE_C,
		[PLACE_K_GRADIENT] = ROLE_F,
		[PLACE_V_GRADIENT] = ROLE_F};

	return roles[place];
}

/* Number of elements before a place in the memory of its role. */
static size_t elements_before(const struct attention_work *attention, enum attention_place place)
{
	bool second_of_keys = place == PLACE_V || place == PLACE_V_GRADIENT;

	return place == PLACE_OUT_GRADIENT ? span(query_count(attention)) : second_of_keys ? span(key_count(attention)) : 0;
}

static cuda_pointer at(const struct attention_work *attention, enum attention_place place)
{
	return cuda_operand(attention->work.session, role_of(place), attention->format) +
		elements_before(attention, place) * cuda_format_bytes(attention->format);
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
	const struct attention_product product = attention_product(&attention->extent, step);
	const struct cuda_matmul_request request = {.shape = product.shape,
		.product = step->product,
		.precision = attention->extent.precision,
		.scale = (float)product.scale,
		.batch = attention->extent.batch,
		.a_stride = product.a_stride,
		.b_stride = product.b_stride,
		.c_stride = product.c_stride};
	cuda_pointer a_b_c[3];

	step_operands(attention, index, a_b_c);
	return cuda_product_open(&attention->products[index], attention->work.session, library, &request, a_b_c, reason);
}

static enum bench_outcome softmax_enqueue(struct attention_work *attention, struct bench_reason *reason)
{
	const struct attention_extent *extent = &attention->extent;
	cuda_pointer scores = at(attention, PLACE_SCORES);
	uint32_t rows = (uint32_t)(extent->batch * extent->rows), queries = (uint32_t)extent->queries;
	uint32_t keys = (uint32_t)extent->keys, causal = extent->causal;
	void *arguments[] = {&scores, &rows, &queries, &keys, &causal};

	return cuda_session_launch(attention->work.session, attention->softmax, kernel_row_groups(rows), arguments, reason);
}

static enum bench_outcome gradient_enqueue(struct attention_work *attention, struct bench_reason *reason)
{
	cuda_pointer gradients = at(attention, PLACE_GRADIENTS), probabilities = at(attention, PLACE_SCORES);
	uint32_t rows = (uint32_t)(attention->extent.batch * attention->extent.rows), keys = (uint32_t)attention->extent.keys;
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

	if (outcome == BENCH_OK && attention->extent.backward)
		outcome = cuda_operand_poison(work->session, at(attention, PLACE_K_GRADIENT), 2 * span(key_count(attention)) * size, reason);
	return outcome;
}

static double input(void *context, enum attention_place place, size_t i)
{
	const struct attention_work *attention = context;

	return cuda_input_value(role_of(place), attention->format, elements_before(attention, place) + i);
}

static enum bench_outcome read_elements(
	void *context, enum attention_place place, size_t first, size_t count, double *out, struct bench_reason *reason)
{
	const struct attention_work *attention = context;
	struct bench_session *session = attention->work.session;
	size_t size = cuda_format_bytes(attention->format);
	unsigned char *bytes = malloc(count * size);
	enum bench_outcome outcome;

	if (!bytes)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	outcome = cuda_session_judge(
		session, session->driver.copy_out(bytes, at(attention, place) + first * size, count * size), "reading an output", reason);
	for (size_t i = 0; i < count && outcome == BENCH_OK; i++)
		out[i] = cuda_format_decode(attention->format, bytes + i * size);
	free(bytes);
	return outcome;
}

static enum bench_outcome check(struct cuda_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct attention_work *attention = (struct attention_work *)work;
	const struct attention_access access = {attention, input, read_elements};

	*check = (struct bench_check){.verified = true};
	return attention_check(&attention->extent, &access, work->alive, check, reason);
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
	const size_t queries = query_count(attention), keys = key_count(attention);
	const size_t scores = (size_t)attention_place_elements(&attention->extent, PLACE_SCORES);
	const struct {
		size_t count;
		enum cuda_role role;
		bool backward;
	} needs[] = {{2 * span(queries), ROLE_A, false}, {2 * span(keys), ROLE_B, false}, {queries, ROLE_C, false}, {scores, ROLE_D, false},
		{scores, ROLE_E, true}, {2 * span(keys), ROLE_F, true}};
	enum bench_outcome outcome = BENCH_OK;

	for (size_t i = 0; i < COUNT_OF(needs) && outcome == BENCH_OK; i++)
		if (!needs[i].backward || attention->extent.backward)
			outcome = cuda_operand_need(session, needs[i].role, attention->format, needs[i].count, reason);
	return outcome;
}

static enum bench_outcome attention_open(struct attention_work *attention, bool library, struct bench_reason *reason)
{
	struct bench_session *session = attention->work.session;
	enum precision precision = attention->extent.precision;
	enum bench_outcome outcome = cuda_kernels_find(
		&session->kernels, &session->driver, kernel_softmax(precision), &attention->softmax, reason);

	if (outcome == BENCH_OK)
		outcome = cuda_kernels_find(&session->kernels, &session->driver, kernel_softmax_gradient(precision), &attention->gradient, reason);
	if (outcome == BENCH_OK)
		outcome = attention_memory(attention, reason);
	for (size_t i = 0; i < attention->step_count && outcome == BENCH_OK; i++) {
		outcome = step_open(attention, i, library, reason);
		attention->opened += outcome == BENCH_OK;
	}
	return outcome;
}

CUDA_PREPARE(cuda_attention_prepare)
{
	const struct bench_attention *shape = &request->attention;
	struct attention_work *attention;
	enum bench_outcome outcome;

	if (!attention_is_sane(shape))
		return bench_refuse(
			reason, BENCH_UNSUPPORTED, "heads must be a multiple of kv_heads, and causal attention needs at least as many keys as queries");
	attention = cuda_work_new(session, request, sizeof(*attention), reason);
	if (!attention)
		return BENCH_FAILED;
	attention->extent = attention_extent(shape, request->precision);
	attention->format = cuda_format_of_input(request->precision);
	attention->steps = attention_steps(&attention->extent, &attention->step_count);
	attention->work.enqueue = attention_enqueue;
	attention->work.poison = attention_poison;
	attention->work.check = check;
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
