#include "bench/cuda/cuda_driver.h"

#define REQUIRED(member, name) DYNAMIC_REQUIRED(cuda_driver, member, name)
#define OPTIONAL(member, name) DYNAMIC_OPTIONAL(cuda_driver, member, name)

static const struct dynamic_symbol symbols[] = {
	REQUIRED(init, "cuInit"),
	REQUIRED(driver_version, "cuDriverGetVersion"),
	REQUIRED(error_name, "cuGetErrorName"),
	REQUIRED(error_string, "cuGetErrorString"),
	REQUIRED(device_count, "cuDeviceGetCount"),
	REQUIRED(device_get, "cuDeviceGet"),
	REQUIRED(device_name, "cuDeviceGetName"),
	REQUIRED(device_uuid, "cuDeviceGetUuid"),
	OPTIONAL(device_uuid_v2, "cuDeviceGetUuid_v2"),
	REQUIRED(device_memory, "cuDeviceTotalMem_v2"),
	REQUIRED(device_attribute, "cuDeviceGetAttribute"),
	REQUIRED(device_pci_bus, "cuDeviceGetPCIBusId"),
	REQUIRED(primary_retain, "cuDevicePrimaryCtxRetain"),
	REQUIRED(primary_release, "cuDevicePrimaryCtxRelease"),
	OPTIONAL(primary_flags, "cuDevicePrimaryCtxSetFlags"),
	REQUIRED(context_set, "cuCtxSetCurrent"),
	REQUIRED(context_synchronize, "cuCtxSynchronize"),
	REQUIRED(memory_info, "cuMemGetInfo_v2"),
	REQUIRED(memory_new, "cuMemAlloc_v2"),
	REQUIRED(memory_free, "cuMemFree_v2"),
	REQUIRED(host_new, "cuMemHostAlloc"),
	REQUIRED(host_free, "cuMemFreeHost"),
	REQUIRED(copy_in, "cuMemcpyHtoD_v2"),
	REQUIRED(copy_out, "cuMemcpyDtoH_v2"),
	REQUIRED(copy_in_async, "cuMemcpyHtoDAsync_v2"),
	REQUIRED(copy_out_async, "cuMemcpyDtoHAsync_v2"),
	REQUIRED(copy_within_async, "cuMemcpyDtoDAsync_v2"),
	OPTIONAL(copy_peer_async, "cuMemcpyPeerAsync"),
	REQUIRED(fill_bytes_async, "cuMemsetD8Async"),
	OPTIONAL(can_access_peer, "cuDeviceCanAccessPeer"),
	OPTIONAL(enable_peer, "cuCtxEnablePeerAccess"),
	REQUIRED(module_load, "cuModuleLoadDataEx"),
	REQUIRED(module_function, "cuModuleGetFunction"),
	REQUIRED(module_unload, "cuModuleUnload"),
	OPTIONAL(function_set, "cuFuncSetAttribute"),
	REQUIRED(launch, "cuLaunchKernel"),
	REQUIRED(stream_new, "cuStreamCreate"),
	REQUIRED(stream_free, "cuStreamDestroy_v2"),
	REQUIRED(stream_synchronize, "cuStreamSynchronize"),
	REQUIRED(stream_wait_event, "cuStreamWaitEvent"),
	REQUIRED(event_new, "cuEventCreate"),
	REQUIRED(event_free, "cuEventDestroy_v2"),
	REQUIRED(event_record, "cuEventRecord"),
	REQUIRED(event_synchronize, "cuEventSynchronize"),
	REQUIRED(event_elapsed_ms, "cuEventElapsedTime"),
	OPTIONAL(capture_begin, "cuStreamBeginCapture_v2"),
	OPTIONAL(capture_end, "cuStreamEndCapture"),
	OPTIONAL(graph_instantiate, "cuGraphInstantiateWithFlags"),
	OPTIONAL(graph_launch, "cuGraphLaunch"),
	OPTIONAL(graph_exec_free, "cuGraphExecDestroy"),
	OPTIONAL(graph_free, "cuGraphDestroy"),
};

static const char *const sonames[] = {"libcuda.so.1", NULL};

static const struct dynamic_library library = {
	.what = "libcuda.so.1 (the NVIDIA driver)",
	.advice = "install the driver on the node; in a container use the NVIDIA runtime with NVIDIA_DRIVER_CAPABILITIES=compute,utility",
	.sonames = sonames,
	.folders = dynamic_driver_folders,
	.symbols = symbols,
	.symbol_count = COUNT_OF(symbols),
};

/* Advice for codes of cuInit that mean that no device is usable here. */
static const struct {
	enum cuda_code code;
	const char *advice;
} no_device[] = {
	{CUDA_STUB_LIBRARY, "this libcuda.so.1 is the toolkit's stub; remove its folder from LD_LIBRARY_PATH and use the driver's own"},
	{CUDA_NO_DEVICE, "no NVIDIA GPU is attached or given to this container"},
	{CUDA_INVALID_DEVICE, "no NVIDIA GPU is attached or given to this container"},
	{CUDA_SYSTEM_NOT_READY, "start nvidia-fabricmanager: boards with NVSwitch need it"},
	{CUDA_DRIVER_MISMATCH, "libcuda.so.1 and the kernel module differ: load the module of the installed driver, or restart the node"},
	{CUDA_COMPAT_NOT_SUPPORTED, "the compatibility libcuda.so.1 does not serve this GPU: use the driver's own"},
	{CUDA_UNKNOWN, "the kernel module does not answer: see dmesg, then load the module (modprobe nvidia_uvm) or restart the node"},
};

const char *cuda_driver_code_name(const struct cuda_driver *driver, int code)
{
	const char *name = NULL;

	if (driver->error_name(code, &name) != CUDA_OK || !name)
		name = "an unknown code";
	return name;
}

enum bench_outcome cuda_driver_judge(const struct cuda_driver *driver, int code, const char *what, struct bench_reason *reason)
{
	const char *text = NULL;

	if (code == CUDA_OK)
		return BENCH_OK;
	if (driver->error_string(code, &text) != CUDA_OK || !text)
		text = "the driver has no text for it";
	return bench_refuse(reason, BENCH_FAILED, "%s: %s (%d): %s", what, cuda_driver_code_name(driver, code), code, text);
}

static enum bench_outcome start(struct cuda_driver *driver, struct bench_reason *reason)
{
	int code = driver->init(0);

	for (size_t i = 0; i < COUNT_OF(no_device); i++)
		if (code == (int)no_device[i].code)
			return bench_refuse(reason, BENCH_UNSUPPORTED, "no device: cuInit: %s (%d): %s", cuda_driver_code_name(driver, code), code,
				no_device[i].advice);
	if (code == CUDA_OK)
		code = driver->driver_version(&driver->version);
	return cuda_driver_judge(driver, code, "cuInit", reason);
}

enum bench_outcome cuda_driver_open(struct cuda_driver *driver, struct bench_reason *reason)
{
	enum bench_outcome outcome;

	*driver = (struct cuda_driver){.handle = NULL};
	outcome = dynamic_library_open(&library, driver, &driver->handle, driver->path, reason);
	return outcome == BENCH_OK ? start(driver, reason) : outcome;
}
