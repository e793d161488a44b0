/* The own kernels (bench/kernels.h) on an NVIDIA device: PTX for its compute capability, compiled by the driver when a session opens. */
#ifndef FLEETPLAN_BENCH_CUDA_CUDA_KERNELS_H
#define FLEETPLAN_BENCH_CUDA_CUDA_KERNELS_H

#include "bench/cuda/cuda_driver.h"
#include "bench/kernels.h"

struct cuda_kernels {
	struct cuda_module *module;
	const char *target; /* "sm_80": what the PTX was made for */
};

/* Needs a current context. BENCH_UNSUPPORTED for a device or driver older than any PTX here; BENCH_FAILED with the compiler's
 * first complaint when it refuses the text. */
enum bench_outcome cuda_kernels_load(struct cuda_kernels *kernels, const struct cuda_driver *driver, int capability,
	struct bench_reason *reason);
void cuda_kernels_unload(struct cuda_kernels *kernels, const struct cuda_driver *driver);

/* BENCH_UNSUPPORTED when the PTX of this device has no such kernel, or `kernel` is KERNEL_COUNT. */
enum bench_outcome cuda_kernels_find(const struct cuda_kernels *kernels, const struct cuda_driver *driver, enum kernel kernel,
	struct cuda_function **function, struct bench_reason *reason);

#endif
