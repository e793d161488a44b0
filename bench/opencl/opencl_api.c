#include "bench/opencl/opencl_api.h"

#include <limits.h>

#include "bench/device_lock.h"
#include "bench/dynamic_library.h"

static const struct dynamic_symbol symbols[] = {
	DYNAMIC_REQUIRED(opencl_api, platforms, "clGetPlatformIDs"),
	DYNAMIC_REQUIRED(opencl_api, platform_info, "clGetPlatformInfo"),
	DYNAMIC_REQUIRED(opencl_api, devices, "clGetDeviceIDs"),
	DYNAMIC_REQUIRED(opencl_api, device_info, "clGetDeviceInfo"),
	DYNAMIC_REQUIRED(opencl_api, context_create, "clCreateContext"),
	DYNAMIC_REQUIRED(opencl_api, context_release, "clReleaseContext"),
	DYNAMIC_REQUIRED(opencl_api, queue_create, "clCreateCommandQueue"),
	DYNAMIC_REQUIRED(opencl_api, queue_release, "clReleaseCommandQueue"),
	DYNAMIC_REQUIRED(opencl_api, program_create, "clCreateProgramWithSource"),
	DYNAMIC_REQUIRED(opencl_api, program_build, "clBuildProgram"),
	DYNAMIC_REQUIRED(opencl_api, program_build_info, "clGetProgramBuildInfo"),
	DYNAMIC_REQUIRED(opencl_api, program_release, "clReleaseProgram"),
	DYNAMIC_REQUIRED(opencl_api, kernel_create, "clCreateKernel"),
	DYNAMIC_REQUIRED(opencl_api, kernel_argument, "clSetKernelArg"),
	DYNAMIC_REQUIRED(opencl_api, kernel_release, "clReleaseKernel"),
	DYNAMIC_REQUIRED(opencl_api, buffer_create, "clCreateBuffer"),
	DYNAMIC_REQUIRED(opencl_api, buffer_release, "clReleaseMemObject"),
	DYNAMIC_REQUIRED(opencl_api, launch, "clEnqueueNDRangeKernel"),
	DYNAMIC_REQUIRED(opencl_api, read, "clEnqueueReadBuffer"),
	DYNAMIC_REQUIRED(opencl_api, write, "clEnqueueWriteBuffer"),
	DYNAMIC_OPTIONAL(opencl_api, map, "clEnqueueMapBuffer"), /* for pinned transfers */
	DYNAMIC_OPTIONAL(opencl_api, unmap, "clEnqueueUnmapMemObject"),
	DYNAMIC_REQUIRED(opencl_api, flush, "clFlush"),
	DYNAMIC_REQUIRED(opencl_api, finish, "clFinish"),
	DYNAMIC_REQUIRED(opencl_api, event_profile, "clGetEventProfilingInfo"),
	DYNAMIC_REQUIRED(opencl_api, event_release, "clReleaseEvent"),
};

static const char *const sonames[] = {"libOpenCL.so.1", NULL};
static const char *const folders[] = {"/opt/rocm/lib", "/opt/rocm*/lib", "/usr/local/cuda/lib64", NULL};

static const struct dynamic_library library = {
	.what = "libOpenCL.so.1 (OpenCL)",
	.advice = "install an OpenCL loader (Debian: ocl-icd-libopencl1) and the device's driver, or set FLEETPLAN_BENCH_LIB_DIR",
	.sonames = sonames,
	.folders = folders,
	.symbols = symbols,
	.symbol_count = COUNT_OF(symbols),
};

/* PoCL stores compiled kernels below HOME. Without HOME it uses /tmp/pocl, a name that any user can create first, so
 * this function sets a private folder. */
static void keep_caches_private(void)
{
	const char *home = getenv("HOME"), *caches = getenv("XDG_CACHE_HOME");
	char folder[PATH_MAX / 2], path[PATH_MAX];

	if ((home && *home) || (caches && *caches) || !bench_run_folder(folder, sizeof(folder)))
		return;
	snprintf(path, sizeof(path), "%s/pocl", folder);
	(void)setenv("POCL_CACHE_DIR", path, 0);
}

enum bench_outcome opencl_api_open(const struct opencl_api **api, struct bench_reason *reason)
{
	static struct opencl_api opened;
	static void *handle;
	char path[DEVICE_TEXT_MAX];

	if (!handle)
		keep_caches_private();
	if (!handle && dynamic_library_open(&library, &opened, &handle, path, reason) != BENCH_OK)
		return BENCH_UNSUPPORTED;
	*api = &opened;
	return BENCH_OK;
}

static const struct {
	int code;
	const char *name;
} errors[] = {
	{CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
	{-2, "CL_DEVICE_NOT_AVAILABLE"},
	{-3, "CL_COMPILER_NOT_AVAILABLE"},
	{CL_OUT_OF_MEMORY, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
	{-5, "CL_OUT_OF_RESOURCES"},
	{-6, "CL_OUT_OF_HOST_MEMORY"},
	{-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
	{CL_BUILD_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
	{-12, "CL_MAP_FAILURE"},
	{-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
	{-30, "CL_INVALID_VALUE"},
	{-34, "CL_INVALID_CONTEXT"},
	{-36, "CL_INVALID_COMMAND_QUEUE"},
	{-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
	{-46, "CL_INVALID_KERNEL_NAME"},
	{-52, "CL_INVALID_KERNEL_ARGS"},
	{-54, "CL_INVALID_WORK_GROUP_SIZE"},
	{-61, "CL_INVALID_BUFFER_SIZE"},
	{CL_NO_PLATFORM, "CL_PLATFORM_NOT_FOUND_KHR"},
};

const char *opencl_error_text(int code, char out[48])
{
	const char *name = "error";

	for (size_t i = 0; i < COUNT_OF(errors); i++)
		if (errors[i].code == code)
			name = errors[i].name;
	snprintf(out, 48, "%.36s (%d)", name, code);
	return out;
}

enum bench_outcome opencl_refuse(struct bench_reason *reason, const char *tried, int code)
{
	char text[48];

	return bench_refuse(
		reason, code == CL_OUT_OF_MEMORY || code == -61 ? BENCH_UNSUPPORTED : BENCH_FAILED, "%s: %s", tried, opencl_error_text(code, text));
}
