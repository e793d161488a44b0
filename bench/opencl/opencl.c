/* The opencl backend: GPUs and accelerators of any vendor with an OpenCL driver, measured with our own kernels.
 *
 * Its compute figures are a lower bound (kernel_gemm) or an upper bound (issue_rate) and do not calibrate compute.
 * Its streams, transfers and launches are as good as those of other backends. Without libOpenCL.so.1, a driver or a
 * device it returns BENCH_UNSUPPORTED. */
#include <math.h>

#include "bench/list_apart.h"
#include "bench/opencl/opencl_session.h"

/* Last-level caches reach 256 MiB (MI300X), and drivers report the size of another level or none, so this is the
 * least assumed for a GPU. */
#define GPU_CACHE_BYTES (256 * 0x1p20)
#define CPU_CACHE_BYTES (64 * 0x1p20)
/* The driver, a display and other programs use some of a device's memory. */
#define MEMORY_SHARE    0.9

static enum bench_outcome list_here(struct bench_device *devices, size_t capacity, size_t *count, struct bench_reason *reason)
{
	struct opencl_found *found;
	const struct opencl_api *api;
	enum bench_outcome outcome = opencl_api_open(&api, reason);

	*count = 0;
	if (outcome != BENCH_OK)
		return outcome;
	found = calloc(OPENCL_DEVICES_MAX, sizeof(*found));
	if (!found)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	outcome = opencl_devices_find(api, found, capacity < OPENCL_DEVICES_MAX ? capacity : OPENCL_DEVICES_MAX, count, reason);
	for (size_t i = 0; i < *count; i++)
		devices[i] = found[i].device;
	free(found);
	return outcome;
}

static enum bench_outcome opencl_list(struct bench_device *devices, size_t capacity, size_t *count, struct bench_reason *reason)
{
	return bench_list_apart(list_here, "an OpenCL driver", devices, capacity, count, reason);
}

static void opencl_close(struct bench_session *session)
{
	const struct opencl_api *api;

	if (!session)
		return;
	api = session->api;
	if (session->flush)
		(void)api->buffer_release(session->flush);
	if (session->program)
		(void)api->program_release(session->program);
	if (session->second_queue)
		(void)api->queue_release(session->second_queue);
	if (session->queue)
		(void)api->queue_release(session->queue);
	if (session->context)
		(void)api->context_release(session->context);
	free(session);
}

/* A compiler's log may be long: the reason has its first line with "error", else its first line. */
static enum bench_outcome refuse_build(struct bench_session *session, int code, struct bench_reason *reason)
{
	enum { LOG_MAX = 64 * 1024 };
	char *log = calloc(1, LOG_MAX + 1), *line, text[48];

	if (log)
		(void)session->api->program_build_info(session->program, session->id, CL_BUILD_LOG, LOG_MAX, log, NULL);
	line = log ? strstr(log, "error") : NULL;
	while (line && line > log && line[-1] != '\n')
		line--;
	if (!line)
		line = log;
	bench_refuse(reason, BENCH_FAILED, "the driver cannot compile the kernels: %s: %.*s", opencl_error_text(code, text),
		line ? (int)strcspn(line, "\n") : 0, line ? line : "");
	free(log);
	return BENCH_FAILED;
}

static enum bench_outcome build(struct bench_session *session, struct bench_reason *reason)
{
	const char *texts[KERNEL_SOURCE_FILES];
	int code = CL_SUCCESS;

	for (size_t i = 0; i < KERNEL_SOURCE_FILES; i++)
		texts[i] = kernel_source[i];
	session->program = session->api->program_create(session->context, KERNEL_SOURCE_FILES, texts, NULL, &code);
	if (!session->program)
		return opencl_refuse(reason, "clCreateProgramWithSource", code);
	code = session->api->program_build(session->program, 1, &session->id, "-cl-std=CL1.2", NULL, NULL);
	return code == CL_SUCCESS ? BENCH_OK : refuse_build(session, code, reason);
}

static enum bench_outcome connect_device(struct bench_session *session, const struct opencl_found *found, struct bench_reason *reason)
{
	const struct opencl_api *api = session->api;
	uint64_t bytes = 0;
	size_t group = 0;
	int code = CL_SUCCESS;

	session->id = found->id;
	session->half = opencl_device_has(api, found->id, "cl_khr_fp16");
	(void)api->device_info(found->id, CL_DEVICE_ALLOCATION_BYTES, sizeof(bytes), &bytes, NULL);
	(void)api->device_info(found->id, CL_DEVICE_GROUP_SIZE, sizeof(group), &group, NULL);
	if (group < KERNEL_GROUP_ITEMS)
		return bench_refuse(
			reason, BENCH_UNSUPPORTED, "the device's work-groups have at most %zu items; the kernels need %d", group, KERNEL_GROUP_ITEMS);
	session->allocation_bytes = (size_t)bytes;
	session->context = api->context_create(NULL, 1, &session->id, NULL, NULL, &code);
	if (!session->context)
		return opencl_refuse(reason, "clCreateContext", code);
	session->queue = api->queue_create(session->context, session->id, CL_QUEUE_PROFILING, &code);
	if (!session->queue)
		return opencl_refuse(reason, "clCreateCommandQueue", code);
	session->second_queue = api->queue_create(session->context, session->id, CL_QUEUE_PROFILING, &code);
	return session->second_queue ? build(session, reason) : opencl_refuse(reason, "clCreateCommandQueue", code);
}

static enum bench_outcome open_found(struct bench_session *session, const struct bench_device *device, struct bench_reason *reason)
{
	struct opencl_found *found = calloc(OPENCL_DEVICES_MAX, sizeof(*found));
	enum bench_outcome outcome;
	size_t count = 0, at = 0;

	if (!found)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	outcome = opencl_devices_find(session->api, found, OPENCL_DEVICES_MAX, &count, reason);
	while (at < count && strcmp(found[at].device.id, device->id) != 0)
		at++;
	if (outcome == BENCH_OK && at == count)
		outcome = bench_refuse(reason, BENCH_FAILED, "device %s is not listed any more", device->id);
	if (outcome == BENCH_OK) {
		bool cpu = found[at].type == CL_TYPE_CPU;
		double told = bench_device_knows(device, DEVICE_CACHE) ? device->cache_bytes : 0;

		session->cache_bytes = (size_t)(cpu ? (told > 0 ? told : CPU_CACHE_BYTES) : fmax(told, GPU_CACHE_BYTES));
		outcome = connect_device(session, &found[at], reason);
	}
	free(found);
	return outcome;
}

static enum bench_outcome opencl_open(const struct bench_device *device, struct bench_session **session, struct bench_reason *reason)
{
	const struct opencl_api *api;
	enum bench_outcome outcome = opencl_api_open(&api, reason);
	struct bench_session *made;

	*session = NULL;
	if (outcome != BENCH_OK)
		return outcome;
	made = calloc(1, sizeof(*made));
	if (!made)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	made->api = api;
	made->device = *device;
	made->free_bytes = MEMORY_SHARE * device->memory_bytes;
	outcome = open_found(made, device, reason);
	if (outcome == BENCH_OK)
		*session = made;
	else
		opencl_close(made);
	return outcome;
}

enum bench_outcome opencl_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	*work = (struct bench_work){.state = NULL};
	switch (request->kind) {
	case WORK_LAUNCH:
	case WORK_LAUNCH_PIPELINED:
		return opencl_launch_prepare(session, request, work, reason);
	case WORK_ISSUE_RATE:
		return opencl_issue_prepare(session, request, work, reason);
	case WORK_STREAM_READ:
	case WORK_STREAM_COPY:
	case WORK_STREAM_TRIAD:
	case WORK_ELEMENTWISE:
		return opencl_stream_prepare(session, request, work, reason);
	case WORK_KV_READ:
		return opencl_cache_prepare(session, request, work, reason);
	case WORK_TRANSFER:
		return opencl_transfer_prepare(session, request, work, reason);
	case WORK_GEMM:
		return opencl_matrix_prepare(session, request, work, reason);
	case WORK_ATTENTION:
		return opencl_attention_prepare(session, request, work, reason);
	case WORK_SEQUENCE:
		return opencl_sequence_prepare(session, request, work, reason);
	case WORK_LAUNCH_GRAPH:
		return bench_refuse(reason, BENCH_UNSUPPORTED, "OpenCL 1.2 cannot record launches");
	case WORK_PEER_COPY:
	case WORK_ALL_REDUCE:
		return bench_refuse(
			reason, BENCH_UNSUPPORTED, "the opencl backend cannot copy between devices; use the cuda backend for NVIDIA devices");
	case WORK_KIND_COUNT:
		break;
	}
	return bench_refuse(reason, BENCH_UNSUPPORTED, "the opencl backend does not support this work");
}

const struct bench_backend bench_opencl_backend = {
	.name = "opencl",
	.list = opencl_list,
	.open = opencl_open,
	.prepare = opencl_prepare,
	.close = opencl_close,
};
