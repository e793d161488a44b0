/* Lists the NVIDIA devices, whole ones and slices (MIG), with what the driver and NVML report about them. */
#ifndef FLEETPLAN_BENCH_CUDA_CUDA_DEVICES_H
#define FLEETPLAN_BENCH_CUDA_CUDA_DEVICES_H

#include "bench/cuda/cuda_driver.h"
#include "bench/cuda/nvml.h"

/* bench_backend.list. Queries the driver in a child process: to open a slice later, this process must not have
 * started the driver yet. */
enum bench_outcome cuda_devices_list(struct bench_device *devices, size_t capacity, size_t *count, struct bench_reason *reason);

/* Writes "GPU-..." or, for a slice, "MIG-..." of a device that this process sees; false if the driver does not
 * report it. */
bool cuda_uuid_of(const struct cuda_driver *driver, int ordinal, char *out, size_t size);
int cuda_ordinal_of(const struct cuda_driver *driver, const char *uuid); /* -1: this process does not see it */

#endif
