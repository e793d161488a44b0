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
