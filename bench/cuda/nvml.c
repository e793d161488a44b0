#include "bench/cuda/nvml.h"

#define REQUIRED(member, name) DYNAMIC_REQUIRED(nvml, member, name)
#define OPTIONAL(member, name) DYNAMIC_OPTIONAL(nvml, member, name)

static const struct dynamic_symbol symbols[] = {
	REQUIRED(init, "nvmlInit_v2"),
	REQUIRED(shutdown, "nvmlShutdown"),
	REQUIRED(error_text, "nvmlErrorString"),
	REQUIRED(driver_version, "nvmlSystemGetDriverVersion"),
	REQUIRED(device_count, "nvmlDeviceGetCount_v2"),
	REQUIRED(device_at, "nvmlDeviceGetHandleByIndex_v2"),
	REQUIRED(device_of_uuid, "nvmlDeviceGetHandleByUUID"),
	REQUIRED(name, "nvmlDeviceGetName"),
	REQUIRED(uuid, "nvmlDeviceGetUUID"),
	REQUIRED(pci, "nvmlDeviceGetPciInfo_v3"),
	REQUIRED(memory, "nvmlDeviceGetMemoryInfo"),
	REQUIRED(power_mw, "nvmlDeviceGetPowerUsage"),
	REQUIRED(clock_mhz, "nvmlDeviceGetClockInfo"),
	OPTIONAL(temperature_c, "nvmlDeviceGetTemperature"),
	REQUIRED(utilization, "nvmlDeviceGetUtilizationRates"),
	OPTIONAL(energy_mj, "nvmlDeviceGetTotalEnergyConsumption"),
	OPTIONAL(clock_events, "nvmlDeviceGetCurrentClocksEventReasons"),
	OPTIONAL(throttle, "nvmlDeviceGetCurrentClocksThrottleReasons"),
	OPTIONAL(enforced_limit_mw, "nvmlDeviceGetEnforcedPowerLimit"),
	OPTIONAL(ecc, "nvmlDeviceGetEccMode"),
	OPTIONAL(persistence, "nvmlDeviceGetPersistenceMode"),
	OPTIONAL(mig_mode, "nvmlDeviceGetMigMode"),
	OPTIONAL(mig_count_max, "nvmlDeviceGetMaxMigDeviceCount"),
	OPTIONAL(mig_device_at, "nvmlDeviceGetMigDeviceHandleByIndex"),
	OPTIONAL(mig_parent, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle"),
	OPTIONAL(attributes, "nvmlDeviceGetAttributes_v2"),
	OPTIONAL(processes, "nvmlDeviceGetComputeRunningProcesses_v3"),
};

static const char *const sonames[] = {"libnvidia-ml.so.1", NULL};

static const struct dynamic_library library = {
	.what = "libnvidia-ml.so.1 (NVML)",
	.advice = "install the NVIDIA driver; in a container set NVIDIA_DRIVER_CAPABILITIES=compute,utility",
	.sonames = sonames,
	.folders = dynamic_driver_folders,
	.symbols = symbols,
	.symbol_count = COUNT_OF(symbols),
};

enum bench_outcome nvml_open(struct nvml *nvml, struct bench_reason *reason)
{
	enum bench_outcome outcome;
	int code;

	*nvml = (struct nvml){.handle = NULL};
	outcome = dynamic_library_open(&library, nvml, &nvml->handle, nvml->path, reason);
	if (outcome != BENCH_OK)
		return outcome;
	code = nvml->init();
	if (code == NVML_OK)
		return BENCH_OK;
	bench_refuse(reason, BENCH_UNSUPPORTED, "NVML does not start: %s (%d)", nvml->error_text(code), code);
	dynamic_library_close(&nvml->handle);
	return BENCH_UNSUPPORTED;
}

void nvml_close(struct nvml *nvml)
{
	if (nvml->handle)
		(void)nvml->shutdown();
	dynamic_library_close(&nvml->handle);
}

uint64_t nvml_throttle_reasons(unsigned long long reasons)
{
	static const struct {
		unsigned long long reasons;
		enum bench_throttle throttle;
	} meanings[] = {
		{NVML_REASON_POWER_CAP, THROTTLE_POWER},
		{NVML_REASON_SOFTWARE_HEAT | NVML_REASON_HARDWARE_HEAT, THROTTLE_HEAT},
		{NVML_REASON_POWER_BRAKE, THROTTLE_HARDWARE},
		{NVML_REASON_SYNC_BOOST, THROTTLE_SYNC},
	};
	unsigned long long named = NVML_REASON_IDLE | NVML_REASON_CLOCK_SETTING | NVML_REASON_DISPLAY_CLOCK | NVML_REASON_HARDWARE_SLOWDOWN;
	uint64_t bits = 0;

	for (size_t i = 0; i < COUNT_OF(meanings); i++) {
		named |= meanings[i].reasons;
		if (reasons & meanings[i].reasons)
			bits |= (uint64_t)1 << meanings[i].throttle;
	}
	/* NVML sets the general bit of a hardware slowdown together with one of the two specific bits. Alone, it is a
	 * hardware reason. */
	if (reasons & NVML_REASON_HARDWARE_SLOWDOWN && !(reasons & (NVML_REASON_HARDWARE_HEAT | NVML_REASON_POWER_BRAKE)))
		bits |= (uint64_t)1 << THROTTLE_HARDWARE;
	if (reasons & ~named)
		bits |= (uint64_t)1 << THROTTLE_OTHER;
	return bits;
}

static void sense_power(const struct nvml *nvml, struct nvml_device *device, struct bench_sensors *sensors)
{
	unsigned long long energy_mj;
	unsigned value;

	if (nvml->power_mw(device, &value) == NVML_OK) {
		sensors->power_w = value / 1e3;
		sensors->power_source = "nvml";
		bench_sensors_note(sensors, SENSOR_POWER);
	}
	if (nvml->energy_mj && nvml->energy_mj(device, &energy_mj) == NVML_OK) {
		sensors->energy_joules = (double)energy_mj / 1e3;
		sensors->energy_source = "nvml";
		bench_sensors_note(sensors, SENSOR_ENERGY);
	}
	if (nvml->enforced_limit_mw && nvml->enforced_limit_mw(device, &value) == NVML_OK) {
		sensors->power_limit_w = value / 1e3;
		bench_sensors_note(sensors, SENSOR_POWER_LIMIT);
	}
}

static void sense_clocks(const struct nvml *nvml, struct nvml_device *device, struct bench_sensors *sensors)
{
	unsigned long long reasons;
	unsigned value;

	if (nvml->clock_mhz(device, NVML_CLOCK_SM, &value) == NVML_OK) {
		sensors->sm_clock_hz = value * 1e6;
		bench_sensors_note(sensors, SENSOR_SM_CLOCK);
	}
	if (nvml->clock_mhz(device, NVML_CLOCK_MEMORY, &value) == NVML_OK) {
		sensors->memory_clock_hz = value * 1e6;
		bench_sensors_note(sensors, SENSOR_MEMORY_CLOCK);
	}
	if ((nvml->clock_events && nvml->clock_events(device, &reasons) == NVML_OK) ||
		(nvml->throttle && nvml->throttle(device, &reasons) == NVML_OK)) {
		sensors->throttle_reasons = nvml_throttle_reasons(reasons);
		bench_sensors_note(sensors, SENSOR_THROTTLE);
	}
}

static void sense_load(const struct nvml *nvml, struct nvml_device *device, struct bench_sensors *sensors)
{
	struct nvml_utilization utilization;
	struct nvml_memory memory;

	if (nvml->utilization(device, &utilization) == NVML_OK) {
		sensors->utilization = utilization.gpu_percent / 100.0;
		bench_sensors_note(sensors, SENSOR_UTILIZATION);
	}
	if (nvml->memory(device, &memory) == NVML_OK) {
		sensors->memory_used_bytes = (double)memory.used_bytes;
		bench_sensors_note(sensors, SENSOR_MEMORY_USED);
	}
}

enum bench_outcome nvml_sense(const struct nvml *nvml, struct nvml_device *device, struct bench_sensors *sensors, struct bench_reason *reason)
{
	struct nvml_memory memory;
	unsigned temperature_c = 0;
	int code;

	*sensors = (struct bench_sensors){.scope = "gpu_board"};
	code = nvml->memory(device, &memory);
	if (code == NVML_GPU_IS_LOST)
		return bench_refuse(reason, BENCH_FAILED, "NVML: %s (%d)", nvml->error_text(code), code);
	if (nvml->temperature_c && nvml->temperature_c(device, NVML_TEMPERATURE_BOARD, &temperature_c) == NVML_OK) {
		sensors->temperature_c = temperature_c;
		bench_sensors_note(sensors, SENSOR_TEMPERATURE);
	}
	sense_power(nvml, device, sensors);
	sense_clocks(nvml, device, sensors);
	sense_load(nvml, device, sensors);
	return sensors->known ? BENCH_OK : bench_refuse(reason, BENCH_UNSUPPORTED, "the board reports no sensor: %s", nvml->error_text(code));
}
