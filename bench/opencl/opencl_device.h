/* Devices that OpenCL's drivers offer, and which of them benchmarks run on.
 *
 * GPUs and accelerators. CPUs only where FLEETPLAN_BENCH_OPENCL is "cpu": the cpu backend measures those honestly, OpenCL on a CPU
 * (PoCL) reaches a twentieth of it and serves to test this backend. A device is named by its UUID where the driver tells it
 * (cl_khr_device_uuid), else by its place on the PCI bus, else by platform, name and number; its lock likewise, so that two
 * backends that see one device exclude each other wherever both know its UUID. */
#ifndef FLEETPLAN_BENCH_OPENCL_OPENCL_DEVICE_H
#define FLEETPLAN_BENCH_OPENCL_OPENCL_DEVICE_H

#include "bench/opencl/opencl_api.h"

enum { OPENCL_DEVICES_MAX = 64 };

struct opencl_found {
	struct opencl_platform *platform;
	struct opencl_device *id;
	uint64_t type; /* CL_TYPE_... */
	struct bench_device device;
};

/* Up to `capacity` of them. None is BENCH_UNSUPPORTED with the reason. */
enum bench_outcome opencl_devices_find(const struct opencl_api *api, struct opencl_found *found, size_t capacity, size_t *count,
	struct bench_reason *reason);

/* What sysfs (or a folder like it) tells of the device at pci_bus: vendor, product and NUMA node, each noted when known. */
void opencl_device_pci(const char *sysfs, struct bench_device *device);

/* True when `extension` is one of the words of the device's list. */
bool opencl_device_has(const struct opencl_api *api, struct opencl_device *id, const char *extension);

#endif
