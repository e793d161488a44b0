/* Which NVIDIA devices there are, whole ones and slices (MIG), and what the driver and NVML tell of them. */
#ifndef FLEETPLAN_BENCH_CUDA_CUDA_DEVICES_H
#define FLEETPLAN_BENCH_CUDA_CUDA_DEVICES_H

#include "bench/cuda/cuda_driver.h"
#include "bench/cuda/nvml.h"

/* bench_backend.list. The driver is asked in a process of its own: a slice can be opened later, which only a driver that has not started yet can do. */
enum bench_outcome cuda_devices_list(struct bench_device *devices, size_t capacity, size_t *count, struct bench_reason *reason);

/* "GPU-..." or, for a slice, "MIG-..." of a device that this process sees; false when it does not tell. */
bool cuda_uuid_of(const struct cuda_driver *driver, int ordinal, char *out, size_t size);
int cuda_ordinal_of(const struct cuda_driver *driver, const char *uuid); /* -1: this process does not see it */

#endif
