/* A libOpenCL.so.1 for tests: one GPU of 1 GiB that stores buffers and runs no kernels. The environment variable
 * FAKE_OPENCL contains the faults as words: no_platform, platform_code, no_device, device_code, unavailable,
 * small_groups, build, memory, launch, clock, hang, abort. same_board gives the device the PCI address of the device in
 * the stand-in for CUDA's driver. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The device's clock. Each launch begins a microsecond after the one before and takes 700 ns. */
static uint64_t clock_ns;

static int wants(const char *what)
{
	const char *script = getenv("FAKE_OPENCL");

	return script && !strcmp(script, what);
}

static int answer(const void *value, size_t bytes, size_t size, void *out, size_t *used)
{
	if (used)
		*used = bytes;
	if (out && size < bytes)
		return -30;
	if (out)
		memcpy(out, value, bytes);
	return 0;
}

static int answer_text(const char *text, size_t size, void *out, size_t *used)
{
	return answer(text, strlen(text) + 1, size, out, used);
}

static int answer_number(uint64_t value, size_t bytes, size_t size, void *out, size_t *used)
{
	return answer(&value, bytes, size, out, used);
}

int clGetPlatformIDs(unsigned capacity, void **platforms, unsigned *count)
{
	if (wants("abort"))
		abort();
	if (wants("no_platform"))
		return -1001;
	if (wants("platform_code"))
		return -6;
	if (platforms && capacity)
		platforms[0] = &clock_ns;
	if (count)
		*count = 1;
	return 0;
}

int clGetPlatformInfo(void *platform, unsigned what, size_t size, void *out, size_t *used)
{
	(void)platform;
	(void)what;
	return answer_text("Fake platform", size, out, used);
}

int clGetDeviceIDs(void *platform, uint64_t types, unsigned capacity, void **devices, unsigned *count)
{
	(void)platform;
	if (wants("no_device") || !(types & 4))
		return -1;
	if (wants("device_code"))
		return -30;
	if (devices && capacity)
		devices[0] = &clock_ns;
	if (count)
		*count = 1;
	return 0;
}

int clGetDeviceInfo(void *device, unsigned what, size_t size, void *out, size_t *used)
{
	const unsigned char topology[24] = {
		1, [21] = wants("same_board") ? 0xf0 : 0x83, [22] = wants("same_board") ? 0 : 0x1b, [23] = wants("same_board") ? 0 : 1};

	(void)device;
	switch (what) {
	case 0x1000:
		return answer_number(4, 8, size, out, used);
	case 0x1002:
		return answer_number(304, 4, size, out, used);
	case 0x1004:
		return answer_number(wants("small_groups") ? 64 : 1024, 8, size, out, used);
	case 0x100C:
		return answer_number(2100, 4, size, out, used);
	case 0x1010:
		return answer_number(1 << 28, 8, size, out, used);
	case 0x101E:
		return answer_number(16384, 8, size, out, used);
	case 0x101F:
		return answer_number(1 << 30, 8, size, out, used);
	case 0x1024:
		return answer_number(1, 4, size, out, used);
	case 0x1027:
		return answer_number(!wants("unavailable"), 4, size, out, used);
	case 0x1028:
		return answer_number(1, 4, size, out, used);
	case 0x102B:
		return answer_text("gfx942", size, out, used);
	case 0x102C:
		return answer_text("Advanced Micro Devices, Inc.", size, out, used);
	case 0x102D:
		return answer_text("3625.0 (HSA1.1,LC)", size, out, used);
	case 0x102F:
		return answer_text("OpenCL 2.0", size, out, used);
	case 0x1030:
		return answer_text("cl_khr_fp64 cl_khr_fp16_not", size, out, used);
	case 0x4037:
		return answer(topology, sizeof(topology), size, out, used);
	case 0x4038:
		return answer_text("AMD Instinct MI300X", size, out, used);
	default:
		return -30;
	}
}

void *clCreateContext(const intptr_t *properties, unsigned count, void *const *devices, void (*notify)(void), void *context, int *code)
{
	(void)properties;
	(void)count;
	(void)devices;
	(void)notify;
	(void)context;
	*code = 0;
	return malloc(1);
}

static int discard(void *object)
{
	free(object);
	return 0;
}

int clReleaseContext(void *object)
{
	return discard(object);
}
int clReleaseCommandQueue(void *object)
{
	return discard(object);
}
int clReleaseProgram(void *object)
{
	return discard(object);
}
int clReleaseKernel(void *object)
{
	return discard(object);
}
int clReleaseMemObject(void *object)
{
	return discard(object);
}

void *clCreateCommandQueue(void *context, void *device, uint64_t properties, int *code)
{
	(void)context;
	(void)device;
	(void)properties;
	*code = 0;
	return malloc(1);
}

void *clCreateProgramWithSource(void *context, unsigned count, const char **texts, const size_t *lengths, int *code)
{
	(void)context;
	(void)count;
	(void)texts;
	(void)lengths;
	*code = 0;
	return malloc(1);
}

int clBuildProgram(void *program, unsigned count, void *const *devices, const char *options, void (*notify)(void), void *context)
{
	(void)program;
	(void)count;
	(void)devices;
	(void)options;
	(void)notify;
	(void)context;
	return wants("build") ? -11 : 0;
}

int clGetProgramBuildInfo(void *program, void *device, unsigned what, size_t size, void *out, size_t *used)
{
	(void)program;
	(void)device;
	(void)what;
	return answer_text("warning: something\n<kernel>:7:3: error: use of undeclared identifier\nmore\n", size, out, used);
}

void *clCreateKernel(void *program, const char *name, int *code)
{
	(void)program;
	(void)name;
	*code = 0;
	return malloc(1);
}

int clSetKernelArg(void *kernel, unsigned index, size_t size, const void *value)
{
	(void)kernel;
	(void)index;
	(void)size;
	(void)value;
	return 0;
}

void *clCreateBuffer(void *context, uint64_t flags, size_t bytes, void *host, int *code)
{
	(void)context;
	(void)flags;
	(void)host;
	*code = wants("memory") ? -4 : 0;
	return *code ? NULL : calloc(1, bytes);
}

int clEnqueueNDRangeKernel(void *queue, void *kernel, unsigned dimensions, const size_t *offset, const size_t *global, const size_t *local,
	unsigned waits, void *const *wait, void **event)
{
	(void)queue;
	(void)kernel;
	(void)dimensions;
	(void)offset;
	(void)global;
	(void)local;
	(void)waits;
	(void)wait;
	if (wants("launch"))
		return -5;
	clock_ns += 1000;
	if (event && (*event = malloc(sizeof(clock_ns))) != NULL)
		memcpy(*event, &clock_ns, sizeof(clock_ns));
	return 0;
}

int clEnqueueReadBuffer(
	void *queue, void *buffer, unsigned blocking, size_t offset, size_t bytes, void *out, unsigned waits, void *const *wait, void **event)
{
	(void)queue;
	(void)blocking;
	(void)waits;
	(void)wait;
	(void)event;
	memcpy(out, (char *)buffer + offset, bytes);
	return 0;
}

int clEnqueueWriteBuffer(void *queue, void *buffer, unsigned blocking, size_t offset, size_t bytes, const void *in, unsigned waits,
	void *const *wait, void **event)
{
	(void)queue;
	(void)blocking;
	(void)waits;
	(void)wait;
	(void)event;
	memcpy((char *)buffer + offset, in, bytes);
	return 0;
}

int clFlush(void *queue)
{
	(void)queue;
	return 0;
}

int clFinish(void *queue)
{
	(void)queue;
	while (wants("hang"))
		sleep(1);
	return 0;
}

#ifndef FAKE_TOO_OLD
int clGetEventProfilingInfo(void *event, unsigned what, size_t size, void *out, size_t *used)
{
	uint64_t at_ns;

	memcpy(&at_ns, event, sizeof(at_ns));
	return answer_number(at_ns + (what == 0x1283 && !wants("clock") ? 700 : 0), sizeof(at_ns), size, out, used);
}
#endif

int clReleaseEvent(void *event)
{
	return discard(event);
}
