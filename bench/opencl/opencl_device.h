/* Devices that the OpenCL drivers offer, and which of them benchmarks use.
 *
 * Benchmarks use GPUs and accelerators. They use CPUs only if FLEETPLAN_BENCH_OPENCL is "cpu": the cpu backend
 * measures CPUs properly; OpenCL on a CPU (PoCL) reaches a twentieth of its rate and serves to test this backend. A
 * device's id contains its UUID if the driver reports one (cl_khr_device_uuid), else its place on the PCI bus, else
 * a hash of platform and name, and its number. Its lock has the same name, so two backends that both know a device's
 * UUID exclude each other. */
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

/* Finds up to `capacity` devices. Returns BENCH_UNSUPPORTED with the reason if there is none. */
enum bench_outcome opencl_devices_find(
	const struct opencl_api *api, struct opencl_found *found, size_t capacity, size_t *count, struct bench_reason *reason);

/* Reads vendor, product and NUMA node of the device at pci_bus from sysfs (or a folder like it); notes each known
 * field. */
void opencl_device_pci(const char *sysfs, struct bench_device *device);

/* True if `extension` is a word of the device's extension list. */
bool opencl_device_has(const struct opencl_api *api, struct opencl_device *id, const char *extension);

#endif
