/* Transfers of the opencl backend between host memory and device memory, measured with the host's clock. */
#include <math.h>

#include "base/clock.h"
#include "bench/opencl/opencl_session.h"
#include "bench/random.h"

enum { TRANSFER_SAMPLES = 64, WAYS = 2, TO_DEVICE = 0, FROM_DEVICE = 1 };

/* The host's memory for one direction: pageable, or a mapped buffer that the driver pins. */
struct host_memory {
	struct opencl_memory *buffer;
	float *elements;
};

struct transfer_state {
	struct opencl_work *work; /* its buffers are the device's memory for each direction */
	struct host_memory host[WAYS];
	bool used[WAYS];
	size_t bytes;
};

static enum bench_outcome transfer_run(struct bench_work *work, double *elapsed_s, struct bench_reason *reason)
{
	struct transfer_state *state = work->state;
	struct bench_session *session = state->work->session;
	const struct opencl_api *api = session->api;
	struct opencl_memory *const *device = state->work->buffers;
	int64_t start_ns = clock_monotonic_ns();
	int code = CL_SUCCESS;

	if (state->used[TO_DEVICE])
		code = api->write(session->queue, device[TO_DEVICE], 0, 0, state->bytes, state->host[TO_DEVICE].elements, 0, NULL, NULL);
	if (code == CL_SUCCESS && state->used[TO_DEVICE])
		code = api->flush(session->queue);
	if (code == CL_SUCCESS && state->used[FROM_DEVICE])
		code = api->read(session->second_queue, device[FROM_DEVICE], 0, 0, state->bytes, state->host[FROM_DEVICE].elements, 0, NULL, NULL);
	if (code == CL_SUCCESS)
		code = api->finish(session->second_queue);
	if (code == CL_SUCCESS)
		code = api->finish(session->queue);
	*elapsed_s = (double)(clock_monotonic_ns() - start_ns) * 1e-9;
	return code == CL_SUCCESS ? BENCH_OK : opencl_refuse(reason, "a transfer", code);
}

static enum bench_outcome poison_device(struct transfer_state *state, struct bench_reason *reason)
{
	uint64_t vectors = (uint64_t)state->work->buffer_bytes[TO_DEVICE] / KERNEL_VECTOR_BYTES;
	const union opencl_value values[] = {{.memory = state->work->buffers[TO_DEVICE]}, {.u32 = UINT32_MAX}, {.u64 = vectors}};

	return opencl_run_kernel(state->work->session, KERNEL_FILL_WORD, opencl_list_groups(state->work->session, vectors), values, reason);
}

/* Both directions send the pattern, so the received data must equal it: checks the first element, the last, and
 * others at random. */
static enum bench_outcome check_way(struct transfer_state *state, int way, struct bench_check *check, struct bench_reason *reason)
{
	size_t count = state->bytes / sizeof(float);
	enum bench_outcome outcome = BENCH_OK;
	uint64_t seed = 1;

	for (size_t s = 0; s < TRANSFER_SAMPLES && outcome == BENCH_OK; s++) {
		size_t i = s == 0 ? 0 : s == 1 ? count - 1 : (size_t)(random_next(&seed) % count);
		float element = NAN;

		if (way == FROM_DEVICE)
			element = state->host[FROM_DEVICE].elements[i];
		else
			outcome = opencl_read(
				state->work->session, state->work->buffers[TO_DEVICE], i * sizeof(element), sizeof(element), &element, reason);
		reference_compare(check, (double)element, (double)reference_pattern(i), 1e-9);
	}
	return outcome;
}

static enum bench_outcome transfer_verify(struct bench_work *work, struct bench_check *check, struct bench_reason *reason)
{
	struct transfer_state *state = work->state;
	enum bench_outcome outcome = BENCH_OK;
	double elapsed_s;

	*check = (struct bench_check){.verified = true};
	if (state->used[TO_DEVICE])
		outcome = poison_device(state, reason);
	if (state->used[FROM_DEVICE])
		memset(state->host[FROM_DEVICE].elements, 0xff, state->bytes);
	if (outcome == BENCH_OK)
		outcome = transfer_run(work, &elapsed_s, reason);
	for (int way = 0; way < WAYS && outcome == BENCH_OK; way++)
		if (state->used[way])
			outcome = check_way(state, way, check, reason);
	return outcome;
}

static void transfer_free(struct transfer_state *state)
{
	struct bench_session *session = state->work->session;

	for (int way = 0; way < WAYS; way++) {
		struct host_memory *host = &state->host[way];

		if (!host->buffer) {
			free(host->elements);
			continue;
		}
		if (host->elements)
			(void)session->api->unmap(session->queue, host->buffer, host->elements, 0, NULL, NULL);
		(void)session->api->finish(session->queue);
		(void)session->api->buffer_release(host->buffer);
	}
	opencl_work_free(state->work);
	free(state);
}

static void transfer_release(struct bench_work *work)
{
	transfer_free(work->state);
	work->state = NULL;
}

static enum bench_outcome host_memory_make(
	struct bench_session *session, bool pinned, size_t bytes, struct host_memory *host, struct bench_reason *reason)
{
	int code = CL_SUCCESS;

	if (!pinned) {
		host->elements = malloc(bytes);
		return host->elements ? BENCH_OK : bench_refuse(reason, BENCH_UNSUPPORTED, "the host cannot allocate %zu bytes", bytes);
	}
	if (!session->api->map || !session->api->unmap)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "libOpenCL.so.1 cannot map buffers, so host memory cannot be pinned");
	host->buffer = session->api->buffer_create(session->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code);
	if (!host->buffer)
		return opencl_refuse(reason, "clCreateBuffer of pinned memory", code);
	host->elements = session->api->map(session->queue, host->buffer, 1, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &code);
	return host->elements ? BENCH_OK : opencl_refuse(reason, "clEnqueueMapBuffer", code);
}

static void fill_pattern(float *elements, size_t count)
{
	for (size_t i = 0; i < count; i++)
		elements[i] = i < REFERENCE_PATTERN_PERIOD ? reference_pattern(i) : elements[i - REFERENCE_PATTERN_PERIOD];
}

static enum bench_outcome transfer_make(struct transfer_state *state, struct bench_reason *reason)
{
	const struct bench_transfer *transfer = &state->work->request.transfer;
	struct bench_session *session = state->work->session;
	size_t count = state->bytes / sizeof(float);
	enum bench_outcome outcome = BENCH_OK;

	state->used[TO_DEVICE] = transfer->direction != DIRECTION_FROM_DEVICE;
	state->used[FROM_DEVICE] = transfer->direction != DIRECTION_TO_DEVICE;
	for (int way = 0; way < WAYS && outcome == BENCH_OK; way++) {
		struct opencl_memory *device;

		outcome = opencl_work_buffer(state->work, (double)state->bytes, &device, reason);
		if (outcome == BENCH_OK)
			outcome = opencl_fill_pattern(session, device, count, reason);
		if (outcome == BENCH_OK && state->used[way])
			outcome = host_memory_make(session, transfer->pinned, state->bytes, &state->host[way], reason);
		if (outcome == BENCH_OK && state->host[way].elements)
			fill_pattern(state->host[way].elements, count);
	}
	return outcome;
}

enum bench_outcome opencl_transfer_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	struct transfer_state *state = calloc(1, sizeof(*state));
	double bytes = request->transfer.bytes;
	enum bench_outcome outcome;

	if (!state || !(state->work = opencl_work_new(session, request))) {
		free(state);
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	}
	state->bytes = (size_t)fmin(fmax(ceil(bytes / sizeof(float)), 1) * sizeof(float), 0x1p40);
	outcome = transfer_make(state, reason);
	if (outcome != BENCH_OK) {
		transfer_free(state);
		return outcome;
	}
	work->state = state;
	work->run = transfer_run;
	work->verify = transfer_verify;
	work->release = transfer_release;
	work->bytes = (double)state->bytes * (state->used[TO_DEVICE] + state->used[FROM_DEVICE]);
	snprintf(work->detail, sizeof(work->detail), "OpenCL, %s, %s", bench_direction_name(request->transfer.direction),
		request->transfer.pinned ? "pinned (CL_MEM_ALLOC_HOST_PTR)" : "pageable");
	return BENCH_OK;
}
