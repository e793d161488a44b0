/* Memory-bound work: streams, element-wise updates, one pass over a cache of keys and values. */
#include <math.h>

#include "bench/cuda/cuda_session.h"
#include "bench/random.h"

enum { GROUPS_PER_UNIT = 8, VECTOR_FLOATS = 4 };

#define STREAM_SCALAR        3.0f
#define STREAM_LEAST_BYTES   0x1p30
#define STREAM_CACHES        4     /* an array is at least this many times the cache */
#define STREAM_SHARE_OF_FREE 0.125 /* limit of each array: there are three, and operands of other work */

struct stream_work {
	struct cuda_work work;
	struct cuda_function *kernel;
	enum bench_work_kind kind;
	unsigned groups;
	uint64_t vectors;
};

static bool reads_only(enum bench_work_kind kind)
{
	return kind == WORK_STREAM_READ || kind == WORK_KV_READ;
}

static enum bench_outcome stream_enqueue(struct cuda_work *work, struct bench_reason *reason)
{
	struct stream_work *stream = (struct stream_work *)work;
	struct bench_session *session = work->session;
	cuda_pointer x = cuda_operand(session, ROLE_A, FORMAT_FP32), y = cuda_operand(session, ROLE_B, FORMAT_FP32);
	cuda_pointer z = cuda_operand(session, ROLE_C, reads_only(stream->kind) ? FORMAT_INT32 : FORMAT_FP32);
	float scalar = STREAM_SCALAR;
	void *reading[] = {&z, &x, &stream->vectors}, *updating[] = {&z, &x, &scalar, &stream->vectors};
	void *adding[] = {&z, &x, &y, &scalar, &stream->vectors};
	void **arguments = stream->kind == WORK_STREAM_TRIAD ? adding : stream->kind == WORK_ELEMENTWISE ? updating : reading;

	return cuda_session_launch(session, stream->kernel, (struct kernel_groups){stream->groups, 1, 1}, arguments, reason);
}

static enum bench_outcome stream_poison(struct cuda_work *work, struct bench_reason *reason)
{
	struct stream_work *stream = (struct stream_work *)work;
	bool sums = reads_only(stream->kind);

	return cuda_operand_poison(work->session, cuda_operand(work->session, ROLE_C, sums ? FORMAT_INT32 : FORMAT_FP32),
		sums ? stream->groups * sizeof(uint32_t) : stream->vectors * VECTOR_FLOATS * sizeof(float), reason);
}

/* The sum of the words' bits modulo 2^32; exact in any order. */
static uint32_t expected_sum(uint64_t count)
{
	uint64_t whole = count / CUDA_PERIOD, rest = count % CUDA_PERIOD;
	uint32_t period = 0, part = 0;

	for (size_t i = 0; i < (whole ? (uint64_t)CUDA_PERIOD : rest); i++) {
		float value = (float)cuda_input_value(ROLE_A, FORMAT_FP32, i);
		uint32_t bits;

		memcpy(&bits, &value, sizeof(bits));
		period += bits;
		if (i < rest)
			part += bits;
	}
	return (uint32_t)whole * period + part;
}

static enum bench_outcome check_sum(struct stream_work *stream, struct bench_check *check, struct bench_reason *reason)
{
	struct bench_session *session = stream->work.session;
	cuda_pointer sums = cuda_operand(session, ROLE_C, FORMAT_INT32);
	enum bench_outcome outcome = BENCH_OK;
	uint32_t sum = 0;

	for (size_t i = 0; i < stream->groups && outcome == BENCH_OK; i++) {
		double value;

		outcome = cuda_output_read(session, sums, FORMAT_INT32, i, &value, reason);
		sum += (uint32_t)(int32_t)value;
	}
	*check = (struct bench_check){
		.samples = (int)stream->groups, .verified = outcome == BENCH_OK && sum == expected_sum(stream->vectors * VECTOR_FLOATS)};
	check->worst_error = check->verified ? 0 : 2;
	return outcome;
}

static double expected_value(const struct stream_work *stream, size_t i)
{
	double x = cuda_input_value(ROLE_A, FORMAT_FP32, i);

	if (stream->kind == WORK_STREAM_TRIAD)
		return x + (double)STREAM_SCALAR * cuda_input_value(ROLE_B, FORMAT_FP32, i);
	return stream->kind == WORK_ELEMENTWISE ? x * (double)STREAM_SCALAR + 1 : x;
}

static enum bench_outcome stream_check(struct cuda_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct stream_work *stream = (struct stream_work *)work;
	size_t count = stream->vectors * VECTOR_FLOATS;
	cuda_pointer z = cuda_operand(work->session, ROLE_C, FORMAT_FP32);
	enum bench_outcome outcome = BENCH_OK;
	uint64_t seed = 1;

	if (reads_only(stream->kind))
		return check_sum(stream, check, reason);
	*check = (struct bench_check){.verified = true, .samples = CUDA_SAMPLES};
	for (size_t s = 0; s < CUDA_SAMPLES && outcome == BENCH_OK; s++) {
		size_t i = s == 0 ? 0 : s == 1 ? count - 1 : random_next(&seed) % count;
		double value, expected = expected_value(stream, i), error;

		outcome = cuda_output_read(work->session, z, FORMAT_FP32, i, &value, reason);
		/* Two roundings, each at most half a unit of the larger summand; the summands are below 16. */
		error = fabs(value - expected) / (stream->kind == WORK_STREAM_COPY ? 0x1p-149 : 0x1p-19);
		check->verified = check->verified && error <= 1;
		check->worst_error = error <= check->worst_error ? check->worst_error : error;
	}
	return outcome;
}

/* Computes the floats in each array of a stream. *large_enough is false if the device lacks memory for arrays larger
 * than its cache. */
static enum bench_outcome stream_count(struct bench_session *session, size_t *count, bool *large_enough, struct bench_reason *reason)
{
	size_t free_bytes = 0, total_bytes = 0;
	double wanted_bytes = fmax(STREAM_CACHES * (double)session->l2_bytes, STREAM_LEAST_BYTES), bytes;
	enum bench_outcome outcome = cuda_session_judge(
		session, session->driver.memory_info(&free_bytes, &total_bytes), "the free memory", reason);

	/* Every round uses arrays of the first round's size, which are already allocated. */
	bytes = session->stream_bytes > 0 ? session->stream_bytes : fmin(wanted_bytes, STREAM_SHARE_OF_FREE * (double)free_bytes);
	session->stream_bytes = bytes;
	*large_enough = bytes >= STREAM_CACHES * (double)session->l2_bytes;
	*count = (size_t)(bytes / (VECTOR_FLOATS * sizeof(float))) * VECTOR_FLOATS;
	if (outcome == BENCH_OK && *count < (size_t)VECTOR_FLOATS * KERNEL_GROUP_ITEMS)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the device has not enough free memory for a stream");
	return outcome;
}

/* Computes the number of floats in each array. */
static enum bench_outcome work_count(struct bench_session *session, const struct bench_work_request *request, size_t *count,
	bool *cache_resident, struct bench_reason *reason)
{
	double bytes = 0;
	bool large_enough = true;
	enum bench_outcome outcome = BENCH_OK;

	if (request->kind == WORK_KV_READ)
		bytes = bench_kv_bytes(&request->attention, precision_weight_bytes(request->precision));
	else if (request->kind == WORK_ELEMENTWISE)
		bytes = request->bytes / 2;
	else
		outcome = stream_count(session, count, &large_enough, reason);
	if (bytes > 0)
		*count = (size_t)fmax(ceil(bytes / (VECTOR_FLOATS * sizeof(float))), 1) * VECTOR_FLOATS;
	*cache_resident = !large_enough || (bytes > 0 && !request->cold && bytes < STREAM_CACHES * (double)session->l2_bytes);
	return outcome;
}

static enum bench_outcome operands_need(
	struct bench_session *session, enum bench_work_kind kind, size_t count, unsigned groups, struct bench_reason *reason)
{
	enum bench_outcome outcome = cuda_operand_need(session, ROLE_A, FORMAT_FP32, count, reason);

	if (outcome == BENCH_OK && kind == WORK_STREAM_TRIAD)
		outcome = cuda_operand_need(session, ROLE_B, FORMAT_FP32, count, reason);
	if (outcome != BENCH_OK)
		return outcome;
	return reads_only(kind) ? cuda_operand_need(session, ROLE_C, FORMAT_INT32, groups, reason)
							: cuda_operand_need(session, ROLE_C, FORMAT_FP32, count, reason);
}

CUDA_PREPARE(cuda_stream_prepare)
{
	static const enum kernel kernels[WORK_KIND_COUNT] = {[WORK_STREAM_READ] = KERNEL_STREAM_READ,
		[WORK_KV_READ] = KERNEL_STREAM_READ,
		[WORK_STREAM_COPY] = KERNEL_STREAM_COPY,
		[WORK_STREAM_TRIAD] = KERNEL_STREAM_TRIAD,
		[WORK_ELEMENTWISE] = KERNEL_ELEMENTWISE};
	static const double arrays[WORK_KIND_COUNT] = {
		[WORK_STREAM_READ] = 1, [WORK_KV_READ] = 1, [WORK_STREAM_COPY] = 2, [WORK_STREAM_TRIAD] = 3, [WORK_ELEMENTWISE] = 2};
	unsigned groups = session->units * GROUPS_PER_UNIT;
	struct stream_work *stream;
	struct cuda_function *kernel;
	bool cache_resident;
	size_t count = 0;
	enum bench_outcome outcome = cuda_kernels_find(&session->kernels, &session->driver, kernels[request->kind], &kernel, reason);

	if (outcome == BENCH_OK)
		outcome = work_count(session, request, &count, &cache_resident, reason);
	if (outcome == BENCH_OK)
		outcome = operands_need(session, request->kind, count, groups, reason);
	if (outcome != BENCH_OK)
		return outcome;
	stream = cuda_work_new(session, request, sizeof(*stream), reason);
	if (!stream)
		return BENCH_FAILED;
	stream->kernel = kernel;
	stream->kind = request->kind;
	stream->groups = groups;
	stream->vectors = count / VECTOR_FLOATS;
	stream->work.enqueue = stream_enqueue;
	stream->work.poison = stream_poison;
	stream->work.check = stream_check;
	*work = (struct bench_work){.bytes = arrays[request->kind] * (double)count * sizeof(float), .cache_resident = cache_resident};
	cuda_work_fill(work, &stream->work);
	snprintf(work->detail, sizeof(work->detail), "%s, %.1f MiB per array, %u groups, PTX %s", kernel_entries[kernels[request->kind]].name,
		(double)count * sizeof(float) / 0x1p20, groups, session->kernels.target);
	return BENCH_OK;
}
