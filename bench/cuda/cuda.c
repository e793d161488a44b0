/* The cuda backend: NVIDIA devices through the driver, with NVIDIA's libraries if they are installed. */
#include <math.h>

#include "bench/cuda/cuda_devices.h"
#include "bench/cuda/cuda_session.h"

enum { FLUSH_LEAST_BYTES = 32 << 20 };

static void cuda_close(struct bench_session *session)
{
	const struct cuda_driver *driver;

	if (!session)
		return;
	driver = &session->driver;
	if (session->context) {
		(void)driver->context_synchronize();
		if (session->cublaslt.library)
			cublaslt_close(&session->cublaslt);
		cuda_memory_release(session);
		cuda_kernels_unload(&session->kernels, driver);
		for (size_t i = 0; i < 3; i++) {
			struct cuda_event *const events[] = {session->from, session->to, session->aside};

			if (events[i])
				(void)driver->event_free(events[i]);
		}
		if (session->stream)
			(void)driver->stream_free(session->stream);
		if (session->second)
			(void)driver->stream_free(session->second);
		(void)driver->context_set(NULL);
		(void)driver->primary_release(session->ordinal);
	}
	if (session->nvml.handle)
		nvml_close(&session->nvml);
	free(session);
}

/* Opens the context, and the streams and events that every run needs. */
static enum bench_outcome open_context(struct bench_session *session, struct bench_reason *reason)
{
	const struct cuda_driver *driver = &session->driver;
	int code, device = 0;

	code = driver->device_get(&device, session->ordinal);
	if (code == CUDA_OK && driver->primary_flags)
		(void)driver->primary_flags(device, CUDA_SCHEDULE_SPIN); /* makes waits shorter; without it runs are slower, not wrong */
	if (code == CUDA_OK)
		code = driver->primary_retain(&session->context, device);
	if (code == CUDA_OK)
		code = driver->context_set(session->context);
	if (code == CUDA_OK)
		code = driver->stream_new(&session->stream, CUDA_STREAM_NON_BLOCKING);
	if (code == CUDA_OK)
		code = driver->stream_new(&session->second, CUDA_STREAM_NON_BLOCKING);
	if (code == CUDA_OK)
		code = driver->event_new(&session->from, 0);
	if (code == CUDA_OK)
		code = driver->event_new(&session->to, 0);
	if (code == CUDA_OK)
		code = driver->event_new(&session->aside, 0);
	if (code == CUDA_DEVICE_UNAVAILABLE)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "another process uses the device, which is in exclusive mode: %s (%d)",
			cuda_driver_code_name(driver, code), code);
	return cuda_session_judge(session, code, "opening the device", reason);
}

static enum bench_outcome read_attributes(struct bench_session *session, struct bench_reason *reason)
{
	const struct cuda_driver *driver = &session->driver;
	int major = 0, minor = 0, units = 0, l2_bytes = 0, device = 0, code = driver->device_get(&device, session->ordinal);

	if (code == CUDA_OK)
		code = driver->device_attribute(&major, CUDA_ATTRIBUTE_CAPABILITY_MAJOR, device);
	if (code == CUDA_OK)
		code = driver->device_attribute(&minor, CUDA_ATTRIBUTE_CAPABILITY_MINOR, device);
	if (code == CUDA_OK)
		code = driver->device_attribute(&units, CUDA_ATTRIBUTE_MULTIPROCESSORS, device);
	if (code == CUDA_OK)
		code = driver->device_attribute(&l2_bytes, CUDA_ATTRIBUTE_L2_BYTES, device);
	session->capability = 10 * major + minor;
	session->units = units > 0 ? (unsigned)units : 1;
	session->l2_bytes = l2_bytes > 0 ? (size_t)l2_bytes : 0;
	return cuda_session_judge(session, code, "the device's attributes", reason);
}

static enum bench_outcome open_kernels(struct bench_session *session, struct bench_reason *reason)
{
	size_t flush_bytes = 2 * session->l2_bytes > FLUSH_LEAST_BYTES ? 2 * session->l2_bytes : FLUSH_LEAST_BYTES;
	enum bench_outcome outcome = cuda_kernels_load(&session->kernels, &session->driver, session->capability, reason);

	if (outcome == BENCH_OK)
		outcome = cuda_kernels_find(&session->kernels, &session->driver, KERNEL_ISSUE_FP32, &session->hold, reason);
	return outcome == BENCH_OK ? cuda_memory_need(session, &session->flush, flush_bytes, reason) : outcome;
}

/* Opens the sensors. They are optional. */
static void open_sensors(struct bench_session *session)
{
	struct bench_reason unused;

	if (nvml_open(&session->nvml, &unused) != BENCH_OK)
		return;
	if (session->nvml.device_of_uuid(session->device.uuid, &session->part) != NVML_OK) {
		session->part = NULL;
		return;
	}
	if (!session->nvml.mig_parent || session->nvml.mig_parent(session->part, &session->board) != NVML_OK)
		session->board = session->part;
}

static enum bench_outcome cuda_open(const struct bench_device *device, struct bench_session **opened, struct bench_reason *reason)
{
	struct bench_session *session = calloc(1, sizeof(*session));
	enum bench_outcome outcome;

	*opened = NULL;
	if (!session)
		return bench_refuse(reason, BENCH_FAILED, "out of memory");
	session->device = *device;
	if (bench_device_knows(
			device, DEVICE_MIG_PARENT)) /* the driver shows one slice to a process; the variable must be set before the driver starts */
		(void)setenv("CUDA_VISIBLE_DEVICES", device->uuid, 1);
	outcome = cuda_driver_open(&session->driver, reason);
	session->ordinal = outcome == BENCH_OK ? cuda_ordinal_of(&session->driver, device->uuid) : -1;
	if (outcome == BENCH_OK && session->ordinal < 0)
		outcome = bench_refuse(reason, BENCH_FAILED, "the driver does not list %s any more", device->uuid);
	if (outcome == BENCH_OK)
		outcome = open_context(session, reason);
	if (outcome == BENCH_OK)
		outcome = read_attributes(session, reason);
	if (outcome == BENCH_OK)
		outcome = open_kernels(session, reason);
	if (outcome != BENCH_OK) {
		cuda_close(session);
		return outcome;
	}
	open_sensors(session);
	*opened = session;
	return BENCH_OK;
}

static CUDA_PREPARE(prepare_kind)
{
	switch (request->kind) {
	case WORK_LAUNCH:
	case WORK_LAUNCH_PIPELINED:
	case WORK_LAUNCH_GRAPH:
		return cuda_launch_prepare(session, request, work, reason);
	case WORK_STREAM_READ:
	case WORK_STREAM_COPY:
	case WORK_STREAM_TRIAD:
	case WORK_ELEMENTWISE:
		return cuda_stream_prepare(session, request, work, reason);
	case WORK_KV_READ:
		return cuda_cache_prepare(session, request, work, reason);
	case WORK_TRANSFER:
		return cuda_transfer_prepare(session, request, work, reason);
	case WORK_ISSUE_RATE:
		return cuda_issue_prepare(session, request, work, reason);
	case WORK_GEMM:
		return cuda_matrix_prepare(session, request, work, reason);
	case WORK_ATTENTION:
		return cuda_attention_prepare(session, request, work, reason);
	case WORK_SEQUENCE:
		return cuda_sequence_prepare(session, request, work, reason);
	case WORK_PEER_COPY:
		return cuda_peer_prepare(session, request, work, reason);
	case WORK_ALL_REDUCE:
		return cuda_collective_prepare(session, request, work, reason);
	case WORK_KIND_COUNT:
		break;
	}
	return bench_refuse(reason, BENCH_UNSUPPORTED, "the cuda backend does not support this work");
}

enum bench_outcome cuda_prepare(
	struct bench_session *session, const struct bench_work_request *request, struct bench_work *work, struct bench_reason *reason)
{
	enum bench_outcome outcome;

	if (*session->lost)
		return bench_refuse(reason, BENCH_FAILED, "the device was lost earlier: %.200s", session->lost);
	session->preparing += session->live == 0;
	outcome = prepare_kind(session, request, work, reason);
	if (outcome == BENCH_OK) {
		((struct cuda_work *)work->state)->counted = true;
		session->live++;
	}
	return outcome;
}

/* Power, clocks and temperature are the board's; a slice has only its own memory figure. */
static enum bench_outcome cuda_sense(struct bench_session *session, struct bench_sensors *sensors, struct bench_reason *reason)
{
	struct nvml_memory memory;
	enum bench_outcome outcome;

	*sensors = (struct bench_sensors){.known = 0};
	if (!session->part)
		return bench_refuse(reason, BENCH_UNSUPPORTED,
			"no NVML (libnvidia-ml.so.1); in a container set "
			"NVIDIA_DRIVER_CAPABILITIES=compute,utility");
	outcome = nvml_sense(&session->nvml, session->board, sensors, reason);
	if (outcome != BENCH_OK || session->part == session->board)
		return outcome;
	sensors->known &= ~(1u << SENSOR_UTILIZATION | 1u << SENSOR_MEMORY_USED);
	if (session->nvml.memory(session->part, &memory) == NVML_OK) {
		sensors->memory_used_bytes = (double)memory.used_bytes;
		bench_sensors_note(sensors, SENSOR_MEMORY_USED);
	}
	return BENCH_OK;
}

const struct bench_backend bench_cuda_backend = {
	.name = "cuda",
	.list = cuda_devices_list,
	.open = cuda_open,
	.prepare = cuda_prepare,
	.sense = cuda_sense,
	.close = cuda_close,
};
