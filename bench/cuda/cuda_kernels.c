#include "bench/cuda/cuda_kernels.h"

enum { LOG_BYTES = 4096, LEAST_CAPABILITY = 60, TENSOR_CAPABILITY = 80 };

/* Copies the first line of the compiler's log that contains "error", else its first line, without the line break. */
static void first_complaint(const char *log, char *out, size_t size)
{
	const char *at = strstr(log, "error");

	if (!at)
		at = log;
	snprintf(out, size, "%.*s", (int)strcspn(at, "\n"), at);
}

static enum bench_outcome refuse_load(
	const struct cuda_driver *driver, int code, const char *log, const char *target, struct bench_reason *reason)
{
	char complaint[120];

	first_complaint(log, complaint, sizeof(complaint));
	if (code == CUDA_UNSUPPORTED_PTX_VERSION || code == CUDA_JIT_COMPILER_NOT_FOUND || code == CUDA_NO_BINARY)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "the driver %d.%d does not accept PTX for %s: %s (%d); %s", driver->version / 1000,
			driver->version / 10 % 100, target, cuda_driver_code_name(driver, code), code,
			code == CUDA_JIT_COMPILER_NOT_FOUND ? "libnvidia-ptxjitcompiler.so.1 is missing" : "install a newer driver");
	return bench_refuse(reason, BENCH_FAILED, "the driver cannot compile the kernels for %s: %s (%d): %s", target,
		cuda_driver_code_name(driver, code), code, complaint);
}

enum bench_outcome cuda_kernels_load(
	struct cuda_kernels *kernels, const struct cuda_driver *driver, int capability, struct bench_reason *reason)
{
	enum kernel_blob blob = capability >= TENSOR_CAPABILITY ? KERNEL_PTX_80 : KERNEL_PTX_60;
	char log[LOG_BYTES] = "";
	int options[] = {CUDA_JIT_ERROR_LOG, CUDA_JIT_ERROR_LOG_BYTES};
	void *values[] = {log, (void *)(uintptr_t)LOG_BYTES};
	int code;

	*kernels = (struct cuda_kernels){.target = blob == KERNEL_PTX_80 ? "sm_80" : "sm_60"};
	if (capability < LEAST_CAPABILITY)
		return bench_refuse(reason, BENCH_UNSUPPORTED,
			"compute capability %d.%d is older than 6.0, the oldest that the kernels support: "
			"use the opencl backend",
			capability / 10, capability % 10);
	code = driver->module_load(&kernels->module, kernel_ptx(blob), COUNT_OF(options), options, values);
	log[sizeof(log) - 1] = '\0';
	if (code == CUDA_OK)
		return BENCH_OK;
	kernels->module = NULL;
	return refuse_load(driver, code, log, kernels->target, reason);
}

void cuda_kernels_unload(struct cuda_kernels *kernels, const struct cuda_driver *driver)
{
	if (kernels->module)
		(void)driver->module_unload(kernels->module);
	kernels->module = NULL;
}

enum bench_outcome cuda_kernels_find(const struct cuda_kernels *kernels, const struct cuda_driver *driver, enum kernel kernel,
	struct cuda_function **function, struct bench_reason *reason)
{
	int code;

	if (kernel >= KERNEL_COUNT)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "there is no own kernel for this precision");
	code = driver->module_function(function, kernels->module, kernel_entries[kernel].name);
	if (code == CUDA_NOT_FOUND)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "PTX for %s has no %s", kernels->target, kernel_entries[kernel].name);
	return cuda_driver_judge(driver, code, kernel_entries[kernel].name, reason);
}
