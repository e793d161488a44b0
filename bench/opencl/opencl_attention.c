/* Attention of the opencl backend, unfused, with own kernels only: scores, softmax, values, and the backward pass. */
#include "bench/attention.h"
#include "bench/opencl/opencl_session.h"

enum { SEED = 5 };

static struct attention_extent extent_of(const struct opencl_work *work)
{
	return attention_extent(&work->request.attention, work->request.precision);
}

static double input(void *context, enum attention_place place, size_t i)
{
	const struct opencl_work *work = context;

	return reference_normal(SEED + (uint64_t)place, i, work->request.precision);
}

static enum bench_outcome read_elements(
	void *context, enum attention_place place, size_t first, size_t count, double *out, struct bench_reason *reason)
{
	struct opencl_work *work = context;
	size_t bytes = reference_element_bytes(work->request.precision);
	char *elements = malloc(count * bytes);
	enum bench_outcome outcome;

	if (!elements)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	outcome = opencl_read(work->session, work->buffers[place], first * bytes, count * bytes, elements, reason);
	for (size_t i = 0; i < count && outcome == BENCH_OK; i++)
		out[i] = reference_decode(elements, i, work->request.precision);
	free(elements);
	return outcome;
}

static enum bench_outcome check(struct opencl_work *work, struct bench_check *check, struct bench_reason *reason)
{
	const struct attention_access access = {work, input, read_elements};
	struct attention_extent extent = extent_of(work);

	return attention_check(&extent, &access, work->request.alive, check, reason);
}

static enum bench_outcome add_softmax(
	struct opencl_work *made, const struct attention_extent *extent, bool gradient, struct bench_reason *reason)
{
	const struct bench_attention *shape = &made->request.attention;
	uint32_t rows = (uint32_t)(extent->batch * extent->rows), keys = (uint32_t)extent->keys;
	const union opencl_value softmax[] = {
		{.memory = made->buffers[PLACE_SCORES]}, {.u32 = rows}, {.u32 = (uint32_t)shape->queries}, {.u32 = keys}, {.u32 = shape->causal}};
	const union opencl_value back[] = {
		{.memory = made->buffers[PLACE_GRADIENTS]}, {.memory = made->buffers[PLACE_SCORES]}, {.u32 = rows}, {.u32 = keys}};

	return opencl_work_launch(made, gradient ? kernel_softmax_gradient(extent->precision) : kernel_softmax(extent->precision),
		kernel_row_groups(rows), gradient ? back : softmax, reason);
}

static enum bench_outcome add_step(
	struct opencl_work *made, const struct attention_extent *extent, const struct attention_step *step, struct bench_reason *reason)
{
	const struct attention_product product = attention_product(extent, step);
	const union opencl_value values[10] = {{.memory = made->buffers[step->c]}, {.memory = made->buffers[step->a]},
		{.memory = made->buffers[step->b]}, {.u32 = (uint32_t)product.shape.m}, {.u32 = (uint32_t)product.shape.n},
		{.u32 = (uint32_t)product.shape.k}, {.f32 = (float)product.scale}, {.u64 = (uint64_t)product.c_stride},
		{.u64 = (uint64_t)product.a_stride}, {.u64 = (uint64_t)product.b_stride}};
	enum bench_outcome outcome;

	outcome = opencl_work_launch(
		made, kernel_gemm(extent->precision, step->product), kernel_gemm_groups(&product.shape, extent->batch), values, reason);
	if (outcome == BENCH_OK && (step->softmax_after || step->gradient_after))
		outcome = add_softmax(made, extent, step->gradient_after, reason);
	return outcome;
}

static enum bench_outcome attention_make(struct opencl_work *made, struct bench_reason *reason)
{
	struct attention_extent extent = extent_of(made);
	size_t step_count;
	const struct attention_step *steps = attention_steps(&extent, &step_count);
	enum bench_outcome outcome = BENCH_OK;

	/* The forward pass has no gradients. Unused places still get one vector, so that a place is the index of its
	 * buffer. */
	for (enum attention_place place = 0; place < PLACE_COUNT && outcome == BENCH_OK; place++) {
		double elements = attention_place_used(&extent, place) ? (double)attention_place_elements(&extent, place) : 1;
		struct opencl_memory *buffer;

		outcome = opencl_work_buffer(made, elements * (double)reference_element_bytes(extent.precision), &buffer, reason);
		if (outcome == BENCH_OK && place < PLACE_SCORES)
			outcome = opencl_fill_normal(made->session, buffer, (uint64_t)elements, SEED + (uint64_t)place, extent.precision, reason);
	}
	made->outputs = PLACE_SCORES;
	for (size_t i = 0; i < step_count && outcome == BENCH_OK; i++)
		outcome = add_step(made, &extent, &steps[i], reason);
	return outcome;
}

enum bench_outcome opencl_attention_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	struct opencl_work *made;
	enum bench_outcome outcome;

	if (request->method == METHOD_LIBRARY_ATTENTION)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "OpenCL has no matrix library that is comparable to a vendor's");
	if (kernel_softmax(request->precision) == KERNEL_COUNT)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "own kernels compute attention in fp32, bf16 and fp16, not in %s",
			precision_name(request->precision));
	if (!attention_is_sane(&request->attention))
		return bench_refuse(
			reason, BENCH_UNSUPPORTED, "heads must be a multiple of kv_heads, and causal attention needs at least as many keys as queries");
	made = opencl_work_new(session, request);
	if (!made)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	outcome = attention_make(made, reason);
	if (outcome != BENCH_OK) {
		opencl_work_free(made);
		return outcome;
	}
	made->check = check;
	opencl_work_publish(made, work);
	work->flops = bench_attention_flops(&request->attention);
	snprintf(work->detail, sizeof(work->detail), "own kernels, unfused");
	return BENCH_OK;
}
