/* NVML (libnvidia-ml.so.1), opened with dlopen: what the driver reports about a board in addition to CUDA, and its
 * sensors.
 *
 * The declarations follow the public documentation. Any function may return NVML_NOT_SUPPORTED; the field is then
 * unknown. Containers have the library only with the `utility` capability; without it there are no sensors and no
 * slices. Struct layouts are the library's. Thread-safe, as the library is. */
#ifndef FLEETPLAN_BENCH_CUDA_NVML_H
#define FLEETPLAN_BENCH_CUDA_NVML_H

#include "bench/dynamic_library.h"

struct nvml_device; /* the library's handle of a board, or of a slice */

enum nvml_code {
	NVML_OK = 0,
	NVML_UNINITIALIZED = 1,
	NVML_NOT_SUPPORTED = 3,
	NVML_NOT_FOUND = 6,
	NVML_INSUFFICIENT_SIZE = 7,
	NVML_DRIVER_NOT_LOADED = 9,
	NVML_GPU_IS_LOST = 15,
	NVML_DRIVER_MISMATCH = 18
};

enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEMORY = 2, NVML_TEMPERATURE_BOARD = 0, NVML_TEXT_MAX = 96 };

enum nvml_reason {
	NVML_REASON_IDLE = 0x1,
	NVML_REASON_CLOCK_SETTING = 0x2,
	NVML_REASON_POWER_CAP = 0x4,
	NVML_REASON_HARDWARE_SLOWDOWN = 0x8,
	NVML_REASON_SYNC_BOOST = 0x10,
	NVML_REASON_SOFTWARE_HEAT = 0x20,
	NVML_REASON_HARDWARE_HEAT = 0x40,
	NVML_REASON_POWER_BRAKE = 0x80,
	NVML_REASON_DISPLAY_CLOCK = 0x100
};

struct nvml_pci {
	char bus_short[16];
	unsigned domain, bus, device;
	unsigned id; /* device in the upper half, vendor in the lower */
	unsigned subsystem;
	char bus_id[32]; /* "00000000:1B:00.0" */
};

struct nvml_memory {
	unsigned long long total_bytes, free_bytes, used_bytes;
};

struct nvml_utilization {
	unsigned gpu_percent, memory_percent;
};

struct nvml_attributes { /* of a slice */
	unsigned multiprocessors, copy_engines, decoders, encoders, jpeg_engines, optical_flow_engines;
	unsigned gpu_slices, compute_slices;
	unsigned long long memory_mib;
};

struct nvml_process {
	unsigned pid;
	unsigned long long used_bytes;
	unsigned gpu_instance, compute_instance;
};

struct nvml {
	void *handle;
	char path[DEVICE_TEXT_MAX];

	int (*init)(void);
	int (*shutdown)(void);
	const char *(*error_text)(int code);
	int (*driver_version)(char *text, unsigned size);
	int (*device_count)(unsigned *count);
	int (*device_at)(unsigned index, struct nvml_device **device);
	int (*device_of_uuid)(const char *uuid, struct nvml_device **device);
	int (*name)(struct nvml_device *device, char *text, unsigned size);
	int (*uuid)(struct nvml_device *device, char *text, unsigned size);
	int (*pci)(struct nvml_device *device, struct nvml_pci *pci);
	int (*memory)(struct nvml_device *device, struct nvml_memory *memory);
	int (*power_mw)(struct nvml_device *device, unsigned *power_mw);
	int (*clock_mhz)(struct nvml_device *device, int domain, unsigned *clock_mhz);
	int (*utilization)(struct nvml_device *device, struct nvml_utilization *utilization);
	/* Optional: not in every version. */
	int (*temperature_c)(struct nvml_device *device, int sensor, unsigned *temperature_c);
	int (*energy_mj)(struct nvml_device *device, unsigned long long *energy_mj);
	int (*clock_events)(struct nvml_device *device, unsigned long long *reasons); /* the name of `throttle` since driver 535 */
	int (*throttle)(struct nvml_device *device, unsigned long long *reasons);
	int (*enforced_limit_mw)(struct nvml_device *device, unsigned *limit_mw);
	int (*ecc)(struct nvml_device *device, int *current, int *pending);
	int (*persistence)(struct nvml_device *device, int *mode);
	int (*mig_mode)(struct nvml_device *device, unsigned *current, unsigned *pending);
	int (*mig_count_max)(struct nvml_device *device, unsigned *count);
	int (*mig_device_at)(struct nvml_device *device, unsigned index, struct nvml_device **slice);
	int (*mig_parent)(struct nvml_device *slice, struct nvml_device **device);
	int (*attributes)(struct nvml_device *slice, struct nvml_attributes *attributes);
	int (*processes)(struct nvml_device *device, unsigned *count, struct nvml_process *processes);
};

enum bench_outcome nvml_open(struct nvml *nvml, struct bench_reason *reason);
void nvml_close(struct nvml *nvml);

/* Reads the sensors of `device`, which is a board or the board of a slice. Returns BENCH_UNSUPPORTED if it reports
 * none, BENCH_FAILED if the device is lost. */
enum bench_outcome nvml_sense(
	const struct nvml *nvml, struct nvml_device *device, struct bench_sensors *sensors, struct bench_reason *reason);

/* Converts bits of enum nvml_reason to bits of enum bench_throttle. Idle and a requested clock setting are not
 * throttling. */
uint64_t nvml_throttle_reasons(unsigned long long reasons);

#endif
