/* A stand-in for libcuda.so.1: devices, contexts, memory, streams, events, modules, graphs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memory.h"

enum { OK = 0, INVALID_VALUE = 1, NOT_INITIALIZED = 3, INVALID_DEVICE = 101, INVALID_PTX = 218, NOT_FOUND = 500, DEVICES_MAX = 8 };

struct context {
	int device;
	struct fake_stream stream; /* the default stream */
};
struct event {
	double time_s;
};
struct function {
	char name[40];
};
enum { FUNCTIONS_MAX = 64 };

struct module {
	const char *ptx;
	struct function functions[FUNCTIONS_MAX]; /* valid as long as the module */
	int function_count;
};
struct recorded {
	struct function *function;
	unsigned groups[3];
	uint64_t arguments[10];
};
struct graph {
	struct recorded *launches;
	size_t count;
};

static struct context contexts[DEVICES_MAX];
static struct context *current;
static struct graph *recording;
static bool started;
static double busy_s;
static struct timespec last_use;

#define GUARD(point) \
	do { \
		int fault_code = fake_fault(point); \
		if (fault_code) \
			return fault_code; \
	} while (0)

static int device_count(void)
{
	return (int)fake_number("devices", 1);
}

FAKE_EXPORT double fake_bytes_per_s(void)
{
	return fake_number("bytes_per_s", 4.3e12);
}

/* Approximately the rate of an H200. `peak` multiplies it. */
FAKE_EXPORT double fake_flops(enum cuda_format format, bool library)
{
	double rate = format == FORMAT_FP32 ? 50e12 : format == FORMAT_FP8 || format == FORMAT_INT8 ? 1450e12 : 780e12;

	return rate * fake_number("peak", 1) * (library ? 1 : 0.1);
}

static double seconds_of(const struct timespec *time)
{
	return (double)time->tv_sec + (double)time->tv_nsec * 1e-9;
}

FAKE_EXPORT void fake_advance(struct fake_stream *stream, double seconds)
{
	double slow = fake_number("slow", 1);

	if (!stream && current)
		stream = &current->stream;
	if (stream)
		stream->clock_s += seconds * slow;
	busy_s += seconds * slow;
	clock_gettime(CLOCK_MONOTONIC, &last_use);
}

FAKE_EXPORT double fake_busy_s(void)
{
	return busy_s;
}

FAKE_EXPORT double fake_idle_for_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return seconds_of(&last_use) > 0 ? seconds_of(&now) - seconds_of(&last_use) : 1e9;
}

FAKE_EXPORT int cuInit(unsigned flags)
{
	(void)flags;
	GUARD("init");
	started = true;
	return OK;
}

FAKE_EXPORT int cuDriverGetVersion(int *version)
{
	*version = (int)fake_number("cuda", 12080);
	return OK;
}

FAKE_EXPORT int cuGetErrorName(int code, const char **name)
{
	static const struct {
		int code;
		const char *name;
	} names[] = {{0, "CUDA_SUCCESS"}, {1, "CUDA_ERROR_INVALID_VALUE"}, {2, "CUDA_ERROR_OUT_OF_MEMORY"}, {34, "CUDA_ERROR_STUB_LIBRARY"},
		{100, "CUDA_ERROR_NO_DEVICE"}, {218, "CUDA_ERROR_INVALID_PTX"}, {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
		{500, "CUDA_ERROR_NOT_FOUND"}, {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {719, "CUDA_ERROR_LAUNCH_FAILED"},
		{803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"}, {999, "CUDA_ERROR_UNKNOWN"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].code == code) {
			*name = names[i].name;
			return OK;
		}
	*name = NULL;
	return INVALID_VALUE;
}

FAKE_EXPORT int cuGetErrorString(int code, const char **text)
{
	(void)code;
	*text = "as the script says";
	return OK;
}

FAKE_EXPORT int cuDeviceGetCount(int *count)
{
	if (!started)
		return NOT_INITIALIZED;
	*count = device_count();
	return OK;
}

FAKE_EXPORT int cuDeviceGet(int *device, int ordinal)
{
	if (!started || ordinal < 0 || ordinal >= device_count())
		return INVALID_DEVICE;
	*device = ordinal;
	return OK;
}

FAKE_EXPORT int cuDeviceGetName(char *name, int size, int device)
{
	(void)device;
	if (!fake_text("name", name, (size_t)size))
		snprintf(name, (size_t)size, "NVIDIA H200");
	return OK;
}

static void uuid_of(char *bytes, int device, int slice)
{
	for (int i = 0; i < 16; i++)
		bytes[i] = (char)(0xa0 + i);
	bytes[14] = (char)slice;
	bytes[15] = (char)device;
}

FAKE_EXPORT int cuDeviceGetUuid(char *bytes, int device)
{
	uuid_of(bytes, device, 0);
	return OK;
}

/* With slices, the device is the slice that CUDA_VISIBLE_DEVICES names, else the first. */
FAKE_EXPORT int cuDeviceGetUuid_v2(char *bytes, int device)
{
	const char *chosen = getenv("CUDA_VISIBLE_DEVICES");
	size_t length = chosen ? strlen(chosen) : 0;

	uuid_of(bytes, device,
		fake_number("slices", 0) > 0 ? length > 4 ? (int)strtol((char[]){chosen[length - 4], chosen[length - 3], 0}, NULL, 16) : 1 : 0);
	return OK;
}

static double slice_share(void)
{
	return fake_number("slices", 0) > 0 ? 0.125 : 1;
}

FAKE_EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
	(void)device;
	*bytes = (size_t)((fake_number("total_mib", 143771) - 600) * 0x1p20 * slice_share());
	return OK;
}

FAKE_EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	int capability = (int)fake_number("capability", 90);

	(void)device;
	*value = attribute == 13 ? 1980000
		: attribute == 16    ? (int)fake_number("units", 132)
		: attribute == 32    ? 1
		: attribute == 38    ? (int)(fake_number("l2_mib", 4) * 0x1p20)
		: attribute == 75    ? capability / 10
		: attribute == 76    ? capability % 10
							 : 0;
	return OK;
}

FAKE_EXPORT int cuDeviceGetPCIBusId(char *text, int size, int device)
{
	snprintf(text, (size_t)size, "0000:F%X:00.0", (unsigned)device);
	return OK;
}

FAKE_EXPORT int cuDevicePrimaryCtxRetain(struct context **context, int device)
{
	GUARD("context");
	if (device < 0 || device >= device_count() || device >= DEVICES_MAX)
		return INVALID_DEVICE;
	contexts[device].device = contexts[device].stream.device = device;
	*context = &contexts[device];
	return OK;
}

FAKE_EXPORT int cuDevicePrimaryCtxRelease(int device)
{
	(void)device;
	return OK;
}

FAKE_EXPORT int cuCtxSetCurrent(struct context *context)
{
	current = context;
	return OK;
}

FAKE_EXPORT int cuCtxSynchronize(void)
{
	return OK;
}

FAKE_EXPORT int cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes)
{
	*free_bytes = (size_t)(fake_number("free_mib", 640) * 0x1p20 - fake_memory_used(current->device));
	return cuDeviceTotalMem_v2(total_bytes, current->device);
}

FAKE_EXPORT int cuMemAlloc_v2(uint64_t *at, size_t bytes)
{
	GUARD("alloc");
	return fake_memory_new(at, bytes, current->device);
}

FAKE_EXPORT int cuMemFree_v2(uint64_t at)
{
	return fake_memory_free(at);
}

FAKE_EXPORT int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
	(void)flags;
	GUARD("pinned");
	*memory = malloc(bytes);
	return *memory ? OK : 2;
}

FAKE_EXPORT int cuMemFreeHost(void *memory)
{
	free(memory);
	return OK;
}

static int copy_in(uint64_t to, const void *from, size_t bytes, struct fake_stream *stream)
{
	GUARD("copy");
	if (!fake_memory_holds(to, bytes))
		return 700;
	fake_memory_written(to, bytes);
	memcpy((void *)(uintptr_t)to, from, bytes);
	if (fake_number("wrong", 0) > 0 && bytes > 64)
		((unsigned char *)(uintptr_t)to)[bytes - 1] ^= 1;
	fake_advance(stream, 5e-6 + (double)bytes / fake_number("link_bytes_per_s", 55e9));
	return OK;
}

FAKE_EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, struct fake_stream *stream)
{
	return copy_in(to, from, bytes, stream);
}

FAKE_EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
	return copy_in(to, from, bytes, NULL);
}

FAKE_EXPORT int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, struct fake_stream *stream)
{
	GUARD("copy");
	if (!fake_memory_holds(from, bytes))
		return 700;
	fake_memory_settle(from, bytes);
	memcpy(to, (const void *)(uintptr_t)from, bytes);
	fake_advance(stream, 5e-6 + (double)bytes / fake_number("link_bytes_per_s", 55e9));
	return OK;
}

FAKE_EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
	return cuMemcpyDtoHAsync_v2(to, from, bytes, NULL);
}

static int copy_within(uint64_t to, uint64_t from, size_t bytes, struct fake_stream *stream, double bytes_per_s)
{
	GUARD("copy");
	if (!fake_memory_holds(from, bytes) || !fake_memory_holds(to, bytes))
		return 700;
	fake_memory_settle(from, bytes);
	fake_memory_written(to, bytes);
	memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
	fake_advance(stream, 5e-6 + (double)bytes / bytes_per_s);
	return OK;
}

FAKE_EXPORT int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, struct fake_stream *stream)
{
	return copy_within(to, from, bytes, stream, fake_bytes_per_s() / 2);
}

FAKE_EXPORT int cuMemcpyPeerAsync(
	uint64_t to, struct context *to_context, uint64_t from, struct context *from_context, size_t bytes, struct fake_stream *stream)
{
	if (to_context == from_context)
		return INVALID_VALUE;
	return copy_within(to, from, bytes, stream, fake_number("peer_bytes_per_s", 376e9));
}

FAKE_EXPORT int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, struct fake_stream *stream)
{
	GUARD("memset");
	if (!fake_memory_holds(to, count))
		return 700;
	fake_memory_written(to, count);
	memset((void *)(uintptr_t)to, value, count);
	fake_advance(stream, (double)count / fake_bytes_per_s());
	return OK;
}

FAKE_EXPORT int cuDeviceCanAccessPeer(int *yes, int device, int peer)
{
	*yes = device != peer && fake_number("peers", 1) > 0;
	return OK;
}

FAKE_EXPORT int cuCtxEnablePeerAccess(struct context *peer, unsigned flags)
{
	static bool enabled[DEVICES_MAX];
	bool before = enabled[peer->device];

	(void)flags;
	enabled[peer->device] = true;
	return before ? 704 : OK;
}

/* Checks the text as the driver's compiler would. What it cannot read goes to the log. */
FAKE_EXPORT int cuModuleLoadDataEx(struct module **module, const void *image, unsigned count, int *options, void **values)
{
	GUARD("module");
	if (fake_number("bad_ptx", 0) > 0 || !strstr(image, ".target sm_")) {
		for (unsigned i = 0; i < count; i++)
			if (options[i] == 5)
				snprintf(values[i], 128, "ptxas application ptx input, line 7; error   : Unknown symbol 'x'\nptxas fatal");
		return INVALID_PTX;
	}
	*module = calloc(1, sizeof(**module));
	(*module)->ptx = image;
	return *module ? OK : 2;
}

FAKE_EXPORT int cuModuleGetFunction(struct function **function, struct module *module, const char *name)
{
	char entry[80], without[40];

	snprintf(entry, sizeof(entry), ".entry %s(", name);
	if (!strstr(module->ptx, entry) || (fake_text("without", without, sizeof(without)) && !strncmp(name, without, strlen(without))))
		return NOT_FOUND;
	if (module->function_count == FUNCTIONS_MAX)
		return 2;
	*function = &module->functions[module->function_count++];
	snprintf((*function)->name, sizeof((*function)->name), "%s", name);
	return OK;
}

FAKE_EXPORT int cuModuleUnload(struct module *module)
{
	free(module);
	return OK;
}

static int run(struct function *function, const unsigned groups[3], void **arguments, struct fake_stream *stream)
{
	double seconds = 0;
	int code = fake_kernel_run(function->name, groups, arguments, &seconds);

	fake_advance(stream, seconds);
	return code;
}

/* Records a launch by value. Each argument gets eight bytes; the kernel reads as many as its type has. */
static int record(struct function *function, const unsigned groups[3], void **arguments)
{
	struct recorded *launches = realloc(recording->launches, (recording->count + 1) * sizeof(*launches));

	if (!launches || strcmp(function->name, "launch_empty") != 0)
		return 900;
	recording->launches = launches;
	launches += recording->count++;
	*launches = (struct recorded){.function = function, .groups = {groups[0], groups[1], groups[2]}};
	memcpy(&launches->arguments[0], arguments[0], sizeof(uint64_t));
	memcpy(&launches->arguments[1], arguments[1], sizeof(uint32_t));
	return OK;
}

FAKE_EXPORT int cuLaunchKernel(struct function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
	unsigned block_y, unsigned block_z, unsigned shared_bytes, struct fake_stream *stream, void **arguments, void **extra)
{
	const unsigned groups[3] = {grid_x, grid_y, grid_z};

	GUARD("launch");
	if (extra || shared_bytes || block_x != 256 || block_y != 1 || block_z != 1 || !grid_x || !grid_y || !grid_z)
		return INVALID_VALUE;
	return recording ? record(function, groups, arguments) : run(function, groups, arguments, stream);
}

FAKE_EXPORT int cuStreamCreate(struct fake_stream **stream, unsigned flags)
{
	(void)flags;
	*stream = calloc(1, sizeof(**stream));
	(*stream)->device = current->device;
	return OK;
}

FAKE_EXPORT int cuStreamDestroy_v2(struct fake_stream *stream)
{
	free(stream);
	return OK;
}

FAKE_EXPORT int cuStreamSynchronize(struct fake_stream *stream)
{
	(void)stream;
	GUARD("sync");
	return OK;
}

FAKE_EXPORT int cuStreamWaitEvent(struct fake_stream *stream, struct event *event, unsigned flags)
{
	(void)flags;
	stream->clock_s = fmax(stream->clock_s, event->time_s);
	return OK;
}

FAKE_EXPORT int cuEventCreate(struct event **event, unsigned flags)
{
	(void)flags;
	*event = calloc(1, sizeof(**event));
	return *event ? OK : 2;
}

FAKE_EXPORT int cuEventDestroy_v2(struct event *event)
{
	free(event);
	return OK;
}

FAKE_EXPORT int cuEventRecord(struct event *event, struct fake_stream *stream)
{
	event->time_s = stream ? stream->clock_s : current->stream.clock_s;
	return OK;
}

FAKE_EXPORT int cuEventSynchronize(struct event *event)
{
	(void)event;
	GUARD("sync");
	return OK;
}

FAKE_EXPORT int cuEventElapsedTime(float *elapsed_ms, struct event *from, struct event *to)
{
	*elapsed_ms = (float)((to->time_s - from->time_s) * 1e3);
	return OK;
}

#ifndef FAKE_WITHOUT_GRAPHS
FAKE_EXPORT int cuStreamBeginCapture_v2(struct fake_stream *stream, int mode)
{
	(void)stream;
	(void)mode;
	recording = calloc(1, sizeof(*recording));
	return recording ? OK : 2;
}

FAKE_EXPORT int cuStreamEndCapture(struct fake_stream *stream, struct graph **graph)
{
	(void)stream;
	*graph = recording;
	recording = NULL;
	return OK;
}

FAKE_EXPORT int cuGraphInstantiateWithFlags(struct graph **exec, struct graph *graph, unsigned long long flags)
{
	(void)flags;
	*exec = graph;
	return OK;
}

FAKE_EXPORT int cuGraphLaunch(struct graph *exec, struct fake_stream *stream)
{
	int code = OK;

	GUARD("graph");
	for (size_t i = 0; i < exec->count && !code; i++) {
		void *arguments[] = {&exec->launches[i].arguments[0], &exec->launches[i].arguments[1]};

		code = run(exec->launches[i].function, exec->launches[i].groups, arguments, stream);
	}
	return code;
}

FAKE_EXPORT int cuGraphExecDestroy(struct graph *exec)
{
	(void)exec; /* the graph itself, which cuGraphDestroy frees */
	return OK;
}

FAKE_EXPORT int cuGraphDestroy(struct graph *graph)
{
	free(graph->launches);
	free(graph);
	return OK;
}
#endif
