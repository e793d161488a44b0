/* Decoding on the opencl backend: one query per sequence attends to all keys of its cache of keys and values. */
#include "bench/attention.h"
#include "bench/opencl/opencl_session.h"

enum { SEED = 11 };

enum cache_buffer { BUFFER_Q, BUFFER_K, BUFFER_V, BUFFER_PARTIAL, BUFFER_OUT, BUFFER_COUNT };

static double input(void *context, enum attention_place place, size_t i)
{
	const struct opencl_work *work = context;
	enum cache_buffer buffer = place == PLACE_Q ? BUFFER_Q : place == PLACE_K ? BUFFER_K : BUFFER_V;

	return reference_normal(SEED + (uint64_t)buffer, i, work->request.precision);
}

static enum bench_outcome read_elements(
	void *context, enum attention_place place, size_t first, size_t count, double *out, struct bench_reason *reason)
{
	struct opencl_work *work = context;
	size_t bytes = reference_element_bytes(work->request.precision);
	enum bench_outcome outcome = BENCH_OK;

	CHECK(place == PLACE_OUT);
	for (size_t i = 0; i < count && outcome == BENCH_OK; i++) {
		char element[sizeof(double)] = {0};

		outcome = opencl_read(work->session, work->buffers[BUFFER_OUT], (first + i) * bytes, bytes, element, reason);
		out[i] = reference_decode(element, 0, work->request.precision);
	}
	return outcome;
}

static enum bench_outcome check(struct opencl_work *work, struct bench_check *check, struct bench_reason *reason)
{
	const struct attention_extent extent = attention_extent(&work->request.attention, work->request.precision);
	const struct attention_access access = {work, input, read_elements};

	return attention_check(&extent, &access, work->request.alive, check, reason);
}

static enum bench_outcome add_launches(
	struct opencl_work *made, const struct attention_extent *extent, uint32_t chunks, struct bench_reason *reason)
{
	const uint32_t rows = (uint32_t)extent->rows, dimension = (uint32_t)extent->dimension, heads = (uint32_t)extent->batch;
	const union opencl_value attend[] = {{.memory = made->buffers[BUFFER_PARTIAL]}, {.memory = made->buffers[BUFFER_Q]},
		{.memory = made->buffers[BUFFER_K]}, {.memory = made->buffers[BUFFER_V]}, {.u32 = rows}, {.u32 = (uint32_t)extent->keys},
		{.u32 = dimension}, {.f32 = (float)extent->scale}};
	const union opencl_value merge[] = {{.memory = made->buffers[BUFFER_OUT]}, {.memory = made->buffers[BUFFER_PARTIAL]}, {.u32 = rows},
		{.u32 = dimension}, {.u32 = chunks}};
	enum bench_outcome outcome = opencl_work_launch(
		made, kernel_cache_attend(extent->precision, extent->dimension), (struct kernel_groups){chunks, heads, 1}, attend, reason);

	return outcome == BENCH_OK
		? opencl_work_launch(made, kernel_cache_merge(extent->precision), (struct kernel_groups){rows, heads, 1}, merge, reason)
		: outcome;
}

static enum bench_outcome cache_make(struct opencl_work *made, struct bench_reason *reason)
{
	const struct attention_extent extent = attention_extent(&made->request.attention, made->request.precision);
	const uint32_t chunks = (uint32_t)((extent.keys + KERNEL_CACHE_CHUNK - 1) / KERNEL_CACHE_CHUNK);
	const double element = (double)reference_element_bytes(extent.precision);
	const double bytes[BUFFER_COUNT] = {
		[BUFFER_Q] = (double)attention_place_elements(&extent, PLACE_Q) * element,
		[BUFFER_K] = (double)attention_place_elements(&extent, PLACE_K) * element,
		[BUFFER_V] = (double)attention_place_elements(&extent, PLACE_V) * element,
		[BUFFER_PARTIAL] = (double)extent.batch * chunks * (double)extent.rows * (double)(extent.dimension + 2) * sizeof(float),
		[BUFFER_OUT] = (double)attention_place_elements(&extent, PLACE_OUT) * element,
	};
	enum bench_outcome outcome = BENCH_OK;

	for (enum cache_buffer buffer = 0; buffer < BUFFER_COUNT && outcome == BENCH_OK; buffer++) {
		struct opencl_memory *memory;

		outcome = opencl_work_buffer(made, bytes[buffer], &memory, reason);
		if (outcome == BENCH_OK && buffer < BUFFER_PARTIAL)
			outcome = opencl_fill_normal(
				made->session, memory, (uint64_t)(bytes[buffer] / element), SEED + (uint64_t)buffer, extent.precision, reason);
	}
	made->outputs = BUFFER_PARTIAL;
	return outcome == BENCH_OK ? add_launches(made, &extent, chunks, reason) : outcome;
}

enum bench_outcome opencl_cache_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	const struct bench_attention *shape = &request->attention;
	struct opencl_work *made;
	enum bench_outcome outcome;

	if (!attention_is_sane(shape) || shape->queries != 1 || shape->causal || shape->backward)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "a read of keys and values must have one query per sequence that sees all keys");
	if (kernel_cache_attend(request->precision, shape->head_dimension) == KERNEL_COUNT)
		return opencl_stream_prepare(session, request, work, reason); /* no kernel for this format or dimension: only reads the bytes */
	made = opencl_work_new(session, request);
	if (!made)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	outcome = cache_make(made, reason);
	if (outcome != BENCH_OK) {
		opencl_work_free(made);
		return outcome;
	}
	made->check = check;
	opencl_work_publish(made, work);
	work->bytes = bench_kv_bytes(shape, (double)reference_element_bytes(request->precision));
	work->flops = bench_attention_flops(shape);
	work->cache_resident = work->bytes < (double)session->cache_bytes && !request->cold;
	snprintf(work->detail, sizeof(work->detail), "own kernels: scores, softmax and values in one pass");
	return BENCH_OK;
}
