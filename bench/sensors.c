#include "bench/sensors.h"

#include <stdio.h>

static const char *const throttle_names[THROTTLE_COUNT] = {
	[THROTTLE_POWER] = "power",
	[THROTTLE_HEAT] = "heat",
	[THROTTLE_HARDWARE] = "hardware",
	[THROTTLE_SYNC] = "sync",
	[THROTTLE_OTHER] = "other",
};

bool bench_sensors_know(const struct bench_sensors *sensors, enum bench_sensor sensor)
{
	return (sensors->known & 1u << sensor) != 0;
}

void bench_sensors_note(struct bench_sensors *sensors, enum bench_sensor sensor)
{
	sensors->known |= 1u << sensor;
}

const char *bench_throttle_name(enum bench_throttle throttle)
{
	return throttle_names[throttle];
}

void bench_throttle_text(uint64_t reasons, char *out, size_t size)
{
	size_t length = 0;

	out[0] = '\0';
	for (int reason = 0; reason < THROTTLE_COUNT && length < size; reason++)
		if (reasons & (uint64_t)1 << reason)
			length += (size_t)snprintf(out + length, size - length, "%s%s", length ? "," : "", throttle_names[reason]);
}

static void put(const struct bench_sensors *sensors, enum bench_sensor sensor, const char *key, double number, struct json_writer *writer)
{
	if (!bench_sensors_know(sensors, sensor))
		return;
	json_key(writer, key);
	json_double(writer, number);
}

void bench_sensors_encode(const struct bench_sensors *sensors, struct json_writer *writer)
{
	char reasons[64];

	put(sensors, SENSOR_POWER, "power_w", sensors->power_w, writer);
	put(sensors, SENSOR_ENERGY, "energy_j", sensors->energy_joules, writer);
	put(sensors, SENSOR_TEMPERATURE, "temperature_c", sensors->temperature_c, writer);
	put(sensors, SENSOR_SM_CLOCK, "sm_clock_hz", sensors->sm_clock_hz, writer);
	put(sensors, SENSOR_MEMORY_CLOCK, "memory_clock_hz", sensors->memory_clock_hz, writer);
	put(sensors, SENSOR_POWER_LIMIT, "power_limit_w", sensors->power_limit_w, writer);
	put(sensors, SENSOR_UTILIZATION, "utilization", sensors->utilization, writer);
	put(sensors, SENSOR_MEMORY_USED, "memory_used_bytes", sensors->memory_used_bytes, writer);
	if (!bench_sensors_know(sensors, SENSOR_THROTTLE))
		return;
	bench_throttle_text(sensors->throttle_reasons, reasons, sizeof(reasons));
	json_key(writer, "throttle");
	json_string(writer, reasons);
}
