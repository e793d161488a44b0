/* Streams of the opencl backend, and other work that only reads and writes: element-wise work, the cache of keys and
 * values. */
#include <math.h>

#include "bench/opencl/opencl_session.h"
#include "bench/random.h"

enum { STREAM_SAMPLES = 64, ELEMENT_BYTES = 4 };

#define STREAM_SCALAR 3.0

/* Groups of a read. Each group writes one sum; there are enough groups to keep every unit's loads in flight. */
enum { READ_GROUPS_A_UNIT = 32 };

/* Bytes of one array: four times the cache (for a GPU at least 1 GiB), limited by the device's memory. */
static double array_bytes(const struct bench_session *session, bool *cache_resident)
{
	double wanted = 4 * (double)session->cache_bytes;
	double bytes = fmin(fmin(wanted, (double)session->allocation_bytes), session->free_bytes / 4);

	*cache_resident = bytes < wanted;
	return floor(bytes / KERNEL_VECTOR_BYTES / KERNEL_GROUP_ITEMS) * KERNEL_VECTOR_BYTES * KERNEL_GROUP_ITEMS;
}

static enum bench_outcome check_sum(struct opencl_work *work, struct bench_check *check, struct bench_reason *reason)
{
	uint32_t *sums = malloc(work->groups * sizeof(*sums)), sum = 0;
	enum bench_outcome outcome;

	if (!sums)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	outcome = opencl_read(work->session, work->buffers[work->outputs], 0, work->groups * sizeof(*sums), sums, reason);
	for (size_t i = 0; i < work->groups; i++)
		sum += sums[i];
	free(sums);
	check->samples = 1;
	check->verified = sum == reference_pattern_sum(work->count);
	return outcome;
}

static double expected_element(const struct opencl_work *work, uint64_t i)
{
	double element = (double)reference_pattern(i);

	return work->request.kind == WORK_STREAM_TRIAD ? element + STREAM_SCALAR * element
		: work->request.kind == WORK_ELEMENTWISE   ? element * STREAM_SCALAR + 1
												   : element;
}

/* Checks the first and last element, and others at random. They must be equal to the last bit: the pattern leaves
 * room for exact sums. */
static enum bench_outcome check_written(struct opencl_work *work, struct bench_check *check, struct bench_reason *reason)
{
	enum bench_outcome outcome = BENCH_OK;
	uint64_t seed = 1;

	for (size_t s = 0; s < STREAM_SAMPLES && outcome == BENCH_OK; s++) {
		uint64_t i = s == 0 ? 0 : s == 1 ? work->count - 1 : random_next(&seed) % work->count;
		float element = NAN;

		outcome = opencl_read(work->session, work->buffers[work->outputs], (size_t)i * ELEMENT_BYTES, sizeof(element), &element, reason);
		reference_compare(check, (double)element, expected_element(work, i), 1e-9);
	}
	return outcome;
}

static enum bench_outcome add_kernel(
	struct opencl_work *work, struct opencl_memory *const *inputs, struct opencl_memory *out, struct bench_reason *reason)
{
	uint64_t vectors = work->count * ELEMENT_BYTES / KERNEL_VECTOR_BYTES;
	const union opencl_value move[] = {{.memory = out}, {.memory = inputs[0]}, {.u64 = vectors}};
	const union opencl_value triad[] = {
		{.memory = out}, {.memory = inputs[0]}, {.memory = inputs[1]}, {.f32 = (float)STREAM_SCALAR}, {.u64 = vectors}};
	const union opencl_value scale[] = {{.memory = out}, {.memory = inputs[0]}, {.f32 = (float)STREAM_SCALAR}, {.u64 = vectors}};
	struct kernel_groups groups = opencl_list_groups(work->session, vectors);

	if (work->request.kind == WORK_STREAM_TRIAD)
		return opencl_work_launch(work, KERNEL_STREAM_TRIAD, groups, triad, reason);
	if (work->request.kind == WORK_ELEMENTWISE)
		return opencl_work_launch(work, KERNEL_ELEMENTWISE, groups, scale, reason);
	if (work->request.kind == WORK_STREAM_COPY)
		return opencl_work_launch(work, KERNEL_STREAM_COPY, groups, move, reason);
	groups.x = work->groups;
	return opencl_work_launch(work, KERNEL_STREAM_READ, groups, move, reason);
}

/* Bytes of one array of this work: from the request, or the size of a stream's array. */
static double wanted_bytes(const struct opencl_work *work, bool *cache_resident)
{
	const struct bench_work_request *request = &work->request;
	double bytes, cache = (double)work->session->cache_bytes;

	if (request->kind != WORK_ELEMENTWISE && request->kind != WORK_KV_READ)
		return array_bytes(work->session, cache_resident);
	bytes = request->kind == WORK_ELEMENTWISE
		? request->bytes / 2
		: bench_kv_bytes(&request->attention, request->precision == PRECISION_UNSET ? 2 : precision_weight_bytes(request->precision));
	*cache_resident = bytes < cache && !request->cold;
	return fmax(ceil(bytes / KERNEL_VECTOR_BYTES), 1) * KERNEL_VECTOR_BYTES;
}

static bool reads_only(enum bench_work_kind kind)
{
	return kind == WORK_STREAM_READ || kind == WORK_KV_READ;
}

static enum bench_outcome stream_make(struct opencl_work *made, double bytes, struct bench_reason *reason)
{
	struct opencl_memory *inputs[2] = {NULL, NULL}, *out = NULL;
	size_t input_count = made->request.kind == WORK_STREAM_TRIAD ? 2 : 1;
	enum bench_outcome outcome = BENCH_OK;

	made->count = (uint64_t)(bytes / ELEMENT_BYTES);
	for (size_t i = 0; i < input_count && outcome == BENCH_OK; i++) {
		outcome = opencl_work_buffer(made, bytes, &inputs[i], reason);
		if (outcome == BENCH_OK)
			outcome = opencl_fill_pattern(made->session, inputs[i], made->count, reason);
	}
	made->outputs = input_count;
	made->groups = opencl_list_groups(made->session, made->count * ELEMENT_BYTES / KERNEL_VECTOR_BYTES).x;
	if (made->groups > (uint32_t)made->session->device.unit_count * READ_GROUPS_A_UNIT)
		made->groups = (uint32_t)made->session->device.unit_count * READ_GROUPS_A_UNIT;
	if (made->groups < 1)
		made->groups = 1;
	if (outcome == BENCH_OK)
		outcome = opencl_work_buffer(made, reads_only(made->request.kind) ? (double)made->groups * sizeof(uint32_t) : bytes, &out, reason);
	return outcome == BENCH_OK ? add_kernel(made, inputs, out, reason) : outcome;
}

enum bench_outcome opencl_stream_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	struct opencl_work *made = opencl_work_new(session, request);
	enum bench_outcome outcome;
	double bytes;

	if (!made)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	bytes = wanted_bytes(made, &work->cache_resident);
	outcome = stream_make(made, bytes, reason);
	if (outcome != BENCH_OK) {
		opencl_work_free(made);
		return outcome;
	}
	made->check = reads_only(request->kind) ? check_sum : check_written;
	work->bytes = bytes * (reads_only(request->kind) ? 1 : request->kind == WORK_STREAM_TRIAD ? 3 : 2);
	snprintf(work->detail, sizeof(work->detail), "own kernel, %.1f MiB per array", bytes / 0x1p20);
	opencl_work_publish(made, work);
	return BENCH_OK;
}
