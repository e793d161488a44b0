/* A stand-in for libnvidia-ml.so.1: boards, slices, sensors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/cuda/nvml.h"
#include "fake_gpu.h"

enum { BOARDS_MAX = 8, SLICES_MAX = 7 };

struct nvml_device {
	int board, slice; /* slice 0: the board */
};

static struct nvml_device devices[BOARDS_MAX][SLICES_MAX + 1];

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static struct nvml_device *device_of(int board, int slice)
{
	devices[board][slice] = (struct nvml_device){board, slice};
	return &devices[board][slice];
}

static int lost(void)
{
	return fake_number("vanish_after_s", 0) > 0 && fake_busy_s() > fake_number("vanish_after_s", 0);
}

FAKE_EXPORT int nvmlInit_v2(void)
{
	return (int)fake_number("nvml_init", 0);
}

FAKE_EXPORT int nvmlShutdown(void)
{
	return NVML_OK;
}

FAKE_EXPORT const char *nvmlErrorString(int code)
{
	return code == NVML_GPU_IS_LOST ? "GPU is lost" : code == NVML_DRIVER_NOT_LOADED ? "Driver Not Loaded" : "Not Supported";
}

FAKE_EXPORT int nvmlSystemGetDriverVersion(char *text, unsigned size)
{
	snprintf(text, size, "570.86.15");
	return NVML_OK;
}

FAKE_EXPORT int nvmlDeviceGetCount_v2(unsigned *count)
{
	*count = (unsigned)fake_number("devices", 1);
	return NVML_OK;
}

FAKE_EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, struct nvml_device **device)
{
	*device = device_of((int)index, 0);
	return NVML_OK;
}

FAKE_EXPORT int nvmlDeviceGetUUID(struct nvml_device *device, char *text, unsigned size)
{
	snprintf(text, size, "%s-a0a1a2a3-a4a5-a6a7-a8a9-aaabacad%02x%02x", device->slice ? "MIG" : "GPU", (unsigned)device->slice,
		(unsigned)device->board);
	return NVML_OK;
}

FAKE_EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, struct nvml_device **device)
{
	char text[NVML_TEXT_MAX];

	for (int board = 0; board < (int)fake_number("devices", 1); board++)
		for (int slice = 0; slice <= (int)fake_number("slices", 0); slice++) {
			*device = device_of(board, slice);
			nvmlDeviceGetUUID(*device, text, sizeof(text));
			if (!strcmp(text, uuid))
				return NVML_OK;
		}
	return NVML_NOT_FOUND;
}

FAKE_EXPORT int nvmlDeviceGetName(struct nvml_device *device, char *text, unsigned size)
{
	snprintf(text, size, device->slice ? "NVIDIA H200 MIG 1g.18gb" : "NVIDIA H200");
	return NVML_OK;
}

FAKE_EXPORT int nvmlDeviceGetPciInfo_v3(struct nvml_device *device, struct nvml_pci *pci)
{
	*pci = (struct nvml_pci){.bus = 0xf0u + (unsigned)device->board, .id = (unsigned)fake_number("pci_device", 0x2335) << 16 | 0x10de};
	return NVML_OK;
}

FAKE_EXPORT int nvmlDeviceGetMemoryInfo(struct nvml_device *device, struct nvml_memory *memory)
{
	*memory = (struct nvml_memory){
		.total_bytes = (unsigned long long)(fake_number("total_mib", 143771) * 0x1p20 * (device->slice ? 0.125 : 1)),
		.used_bytes = (unsigned long long)(fake_number("used_mib", 700) * 0x1p20)};
	memory->free_bytes = memory->total_bytes - memory->used_bytes;
	return lost() ? NVML_GPU_IS_LOST : NVML_OK;
}

/* Returns the busy power within 0.1 s of the last operation, else the idle power. Both rise by `ramp_w_per_s` from the
 * first call on. */
static double power_w(void)
{
	static double first_s;

	if (!(first_s > 0))
		first_s = now_s();
	return (fake_idle_for_s() < 0.1 ? fake_number("power_busy_w", 680) : fake_number("power_idle_w", 110)) +
		fake_number("ramp_w_per_s", 0) * (now_s() - first_s);
}

FAKE_EXPORT int nvmlDeviceGetPowerUsage(struct nvml_device *device, unsigned *power_mw)
{
	if (lost())
		return NVML_GPU_IS_LOST;
	if (device->slice)
		return NVML_NOT_SUPPORTED;
	*power_mw = (unsigned)(power_w() * 1e3);
	return NVML_OK;
}

/* The energy is the power over real time. Each call adds the time since the last one. */
FAKE_EXPORT int nvmlDeviceGetTotalEnergyConsumption(struct nvml_device *device, unsigned long long *energy_mj)
{
	static double energy_joules = 5000, last_s;
	double time_s = now_s();

	if (lost())
		return NVML_GPU_IS_LOST;
	if (device->slice || fake_number("energy_code", 0) > 0)
		return NVML_NOT_SUPPORTED;
	if (last_s > 0 && !(fake_number("energy_stuck", 0) > 0))
		energy_joules += power_w() * (time_s - last_s);
	last_s = time_s;
	*energy_mj = (unsigned long long)(energy_joules * 1e3);
	return NVML_OK;
}

FAKE_EXPORT int nvmlDeviceGetClockInfo(struct nvml_device *device, int domain, unsigned *clock_mhz)
{
	(void)device;
	*clock_mhz = domain == NVML_CLOCK_MEMORY ? 3201 : 1980;
	return lost() ? NVML_GPU_IS_LOST : NVML_OK;
}

FAKE_EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(struct nvml_device *device, unsigned long long *reasons)
{
	(void)device;
	*reasons = (unsigned long long)(fake_idle_for_s() < 0.1 ? fake_number("throttle", 0) : NVML_REASON_IDLE);
	return NVML_OK;
}

FAKE_EXPORT int nvmlDeviceGetTemperature(struct nvml_device *device, int sensor, unsigned *temperature_c)
{
	(void)device;
	(void)sensor;
	*temperature_c = 41;
	return lost() ? NVML_GPU_IS_LOST : NVML_OK;
}

FAKE_EXPORT int nvmlDeviceGetUtilizationRates(struct nvml_device *device, struct nvml_utilization *utilization)
{
	*utilization = (struct nvml_utilization){.gpu_percent = (unsigned)fake_number("utilization", 0)};
	return device->slice ? NVML_NOT_SUPPORTED : NVML_OK;
}

FAKE_EXPORT int nvmlDeviceGetEnforcedPowerLimit(struct nvml_device *device, unsigned *limit_mw)
{
	(void)device;
	*limit_mw = 700000;
	return NVML_OK;
}

FAKE_EXPORT int nvmlDeviceGetEccMode(struct nvml_device *device, int *now, int *pending)
{
	(void)device;
	*now = *pending = 1;
	return NVML_OK;
}

FAKE_EXPORT int nvmlDeviceGetMigMode(struct nvml_device *device, unsigned *now, unsigned *pending)
{
	(void)device;
	*now = *pending = fake_number("slices", 0) > 0;
	return NVML_OK;
}

FAKE_EXPORT int nvmlDeviceGetMaxMigDeviceCount(struct nvml_device *device, unsigned *count)
{
	(void)device;
	*count = SLICES_MAX;
	return NVML_OK;
}

FAKE_EXPORT int nvmlDeviceGetMigDeviceHandleByIndex(struct nvml_device *device, unsigned index, struct nvml_device **slice)
{
	if ((int)index >= (int)fake_number("slices", 0))
		return NVML_NOT_FOUND;
	*slice = device_of(device->board, (int)index + 1);
	return NVML_OK;
}

FAKE_EXPORT int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(struct nvml_device *slice, struct nvml_device **device)
{
	if (!slice->slice)
		return NVML_NOT_SUPPORTED;
	*device = device_of(slice->board, 0);
	return NVML_OK;
}

FAKE_EXPORT int nvmlDeviceGetAttributes_v2(struct nvml_device *slice, struct nvml_attributes *attributes)
{
	*attributes = (struct nvml_attributes){.multiprocessors = 16, .gpu_slices = 1, .compute_slices = 1, .memory_mib = 16384};
	return slice->slice ? NVML_OK : NVML_NOT_SUPPORTED;
}
