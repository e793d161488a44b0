/* The own kernels (bench/kernels.h) on an NVIDIA device: PTX for its compute capability, which the driver compiles
 * when a session opens. */
#ifndef FLEETPLAN_BENCH_CUDA_CUDA_KERNELS_H
#define FLEETPLAN_BENCH_CUDA_CUDA_KERNELS_H

#include "bench/cuda/cuda_driver.h"
#include "bench/kernels.h"

struct cuda_kernels {
	struct cuda_module *module;
	const char *target; /* "sm_80": the target of the PTX */
};

/* Needs a current context. Returns BENCH_UNSUPPORTED for a device or driver older than all PTX here; BENCH_FAILED,
 * with the compiler's first error, if it rejects the PTX. */
enum bench_outcome cuda_kernels_load(
	struct cuda_kernels *kernels, const struct cuda_driver *driver, int capability, struct bench_reason *reason);
void cuda_kernels_unload(struct cuda_kernels *kernels, const struct cuda_driver *driver);

/* Returns BENCH_UNSUPPORTED if the PTX of this device has no such kernel, or `kernel` is KERNEL_COUNT. */
enum bench_outcome cuda_kernels_find(const struct cuda_kernels *kernels, const struct cuda_driver *driver, enum kernel kernel,
	struct cuda_function **function, struct bench_reason *reason);

#endif
