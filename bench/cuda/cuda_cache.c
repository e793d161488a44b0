/* Decoding: one query per sequence attends to all keys of its cache. Each key is read once for all queries of its
 * group. Q is ROLE_A, K and V share ROLE_B, the partial results of the chunks of keys are ROLE_D. */
#include "bench/attention.h"
#include "bench/cuda/cuda_session.h"

enum { ALIGNED_ELEMENTS = 256, GROUPS_PER_UNIT = 4 };

struct cache_work {
	struct cuda_work work;
	struct attention_extent extent;
	enum cuda_format format;
	struct cuda_function *attend, *merge;
	bool tensor;
	uint32_t chunk, chunks; /* keys per chunk; chunks per head */
};

/* Distance from the keys to the values, in elements: rows of values are read in vectors of 16 bytes. */
static size_t value_first(const struct cache_work *cache)
{
	return ((size_t)attention_place_elements(&cache->extent, PLACE_K) + ALIGNED_ELEMENTS - 1) / ALIGNED_ELEMENTS * ALIGNED_ELEMENTS;
}

static enum bench_outcome cache_enqueue(struct cuda_work *work, struct bench_reason *reason)
{
	struct cache_work *cache = (struct cache_work *)work;
	struct bench_session *session = work->session;
	cuda_pointer partial = cuda_operand(session, ROLE_D, FORMAT_FP32), q = cuda_operand(session, ROLE_A, cache->format);
	cuda_pointer k = cuda_operand(session, ROLE_B, cache->format), out = cuda_operand(session, ROLE_C, cache->format);
	cuda_pointer v = k + value_first(cache) * cuda_format_bytes(cache->format);
	uint32_t rows = (uint32_t)cache->extent.rows, keys = (uint32_t)cache->extent.keys, dimension = (uint32_t)cache->extent.dimension;
	uint32_t heads = (uint32_t)cache->extent.batch;
	float scale = (float)cache->extent.scale;
	void *attend[] = {&partial, &q, &k, &v, &rows, &keys, cache->tensor ? &cache->chunk : &dimension, &scale};
	void *merge[] = {&out, &partial, &rows, &dimension, &cache->chunks};
	enum bench_outcome outcome = cuda_session_launch(session, cache->attend, (struct kernel_groups){cache->chunks, heads, 1}, attend, reason);

	return outcome == BENCH_OK ? cuda_session_launch(session, cache->merge, (struct kernel_groups){rows, heads, 1}, merge, reason) : outcome;
}

static enum bench_outcome cache_poison(struct cuda_work *work, struct bench_reason *reason)
{
	struct cache_work *cache = (struct cache_work *)work;

	return cuda_operand_poison(work->session, cuda_operand(work->session, ROLE_C, cache->format),
		(size_t)attention_place_elements(&cache->extent, PLACE_OUT) * cuda_format_bytes(cache->format), reason);
}

static double input(void *context, enum attention_place place, size_t i)
{
	const struct cache_work *cache = context;

	return cuda_input_value(place == PLACE_Q ? ROLE_A : ROLE_B, cache->format, i + (place == PLACE_V ? value_first(cache) : 0));
}

static enum bench_outcome read_elements(
	void *context, enum attention_place place, size_t first, size_t count, double *out, struct bench_reason *reason)
{
	const struct cache_work *cache = context;
	struct bench_session *session = cache->work.session;
	enum bench_outcome outcome = BENCH_OK;

	CHECK(place == PLACE_OUT);
	for (size_t i = 0; i < count && outcome == BENCH_OK; i++)
		outcome = cuda_output_read(session, cuda_operand(session, ROLE_C, cache->format), cache->format, first + i, &out[i], reason);
	return outcome;
}

static enum bench_outcome check(struct cuda_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct cache_work *cache = (struct cache_work *)work;
	const struct attention_access access = {cache, input, read_elements};

	*check = (struct bench_check){.verified = true};
	return attention_check(&cache->extent, &access, work->alive, check, reason);
}

/* Chooses the chunks: enough for every multiprocessor, but as long as possible, because each partial result must be
 * merged. */
static void choose_chunks(struct cache_work *cache, unsigned units)
{
	int64_t keys = cache->extent.keys, heads = cache->extent.batch, chunks = ((int64_t)units * GROUPS_PER_UNIT + heads - 1) / heads;
	int64_t pieces = (keys + KERNEL_CACHE_TENSOR_KEYS - 1) / KERNEL_CACHE_TENSOR_KEYS, least = (pieces + chunks - 1) / chunks;

	cache->chunk = cache->tensor ? (uint32_t)least * KERNEL_CACHE_TENSOR_KEYS : KERNEL_CACHE_CHUNK;
	cache->chunks = (uint32_t)((keys + cache->chunk - 1) / cache->chunk);
}

static enum bench_outcome cache_open(struct cache_work *cache, struct bench_reason *reason)
{
	struct bench_session *session = cache->work.session;
	const struct attention_extent *extent = &cache->extent;
	enum kernel tensor = session->capability >= 80 ? kernel_cache_tensor(extent->precision, extent->dimension) : KERNEL_COUNT;
	enum kernel attend = tensor != KERNEL_COUNT ? tensor : kernel_cache_attend(extent->precision, extent->dimension);
	enum bench_outcome outcome = cuda_kernels_find(&session->kernels, &session->driver, attend, &cache->attend, reason);

	cache->tensor = tensor != KERNEL_COUNT;
	choose_chunks(cache, session->units);
	if (outcome == BENCH_OK)
		outcome = cuda_kernels_find(&session->kernels, &session->driver, kernel_cache_merge(extent->precision), &cache->merge, reason);
	if (outcome == BENCH_OK)
		outcome = cuda_operand_need(session, ROLE_A, cache->format, (size_t)attention_place_elements(extent, PLACE_Q), reason);
	if (outcome == BENCH_OK)
		outcome = cuda_operand_need(session, ROLE_B, cache->format, 2 * value_first(cache), reason);
	if (outcome == BENCH_OK)
		outcome = cuda_operand_need(session, ROLE_C, cache->format, (size_t)attention_place_elements(extent, PLACE_OUT), reason);
	return outcome == BENCH_OK ? cuda_operand_need(session, ROLE_D, FORMAT_FP32,
									 (size_t)(extent->batch * extent->rows * (extent->dimension + 2)) * cache->chunks, reason)
							   : outcome;
}

CUDA_PREPARE(cuda_cache_prepare)
{
	const struct bench_attention *shape = &request->attention;
	struct cache_work *cache;
	enum bench_outcome outcome;

	if (!attention_is_sane(shape) || shape->queries != 1 || shape->causal || shape->backward)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "a read of keys and values must have one query per sequence that sees all keys");
	if (kernel_cache_attend(request->precision, shape->head_dimension) == KERNEL_COUNT)
		return cuda_stream_prepare(session, request, work, reason); /* no kernel for this format or dimension: only reads the bytes */
	cache = cuda_work_new(session, request, sizeof(*cache), reason);
	if (!cache)
		return BENCH_FAILED;
	cache->extent = attention_extent(shape, request->precision);
	cache->format = cuda_format_of_input(request->precision);
	cache->work.enqueue = cache_enqueue;
	cache->work.poison = cache_poison;
	cache->work.check = check;
	*work = (struct bench_work){
		.flops = bench_attention_flops(shape), .bytes = bench_kv_bytes(shape, (double)cuda_format_bytes(cache->format))};
	work->cache_resident = !request->cold && work->bytes < 4 * (double)session->l2_bytes;
	cuda_work_fill(work, &cache->work);
	outcome = cache_open(cache, reason);
	if (outcome == BENCH_OK)
		snprintf(work->detail, sizeof(work->detail), "%s, %u chunks of %u keys, PTX %s",
			cache->tensor ? "tensor instructions" : "multiply-adds", cache->chunks, cache->chunk, session->kernels.target);
	else
		work->release(work);
	return outcome;
}
