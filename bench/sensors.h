/* Readings of a device's sensors at one moment: power, energy, temperature, clocks, and reasons for throttling.
 *
 * A field is valid only if its bit is set in `known`. Energy is a counter that only grows: the energy of a window is
 * the difference of the counter, whatever its start value. The backend corrects wrap-arounds before it reports the
 * counter. */
#ifndef FLEETPLAN_BENCH_SENSORS_H
#define FLEETPLAN_BENCH_SENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bench_sensor {
	SENSOR_POWER,
	SENSOR_ENERGY,
	SENSOR_TEMPERATURE,
	SENSOR_SM_CLOCK,
	SENSOR_MEMORY_CLOCK,
	SENSOR_POWER_LIMIT,
	SENSOR_UTILIZATION,
	SENSOR_MEMORY_USED,
	SENSOR_THROTTLE,
	SENSOR_COUNT
};

/* Why a device runs below its possible speed, independent of the vendor's name for it. */
enum bench_throttle {
	THROTTLE_POWER, /* its power limit */
	THROTTLE_HEAT,
	THROTTLE_HARDWARE, /* brake signals, failing power supplies */
	THROTTLE_SYNC,     /* limited to the slowest device of a group */
	THROTTLE_OTHER,
	THROTTLE_COUNT
};

struct bench_sensors {
	unsigned known; /* bit 1 << enum bench_sensor */
	double power_w;
	double energy_joules;
	double temperature_c;
	double sm_clock_hz, memory_clock_hz;
	double power_limit_w;
	double utilization; /* 0 to 1 */
	double memory_used_bytes;
	uint64_t throttle_reasons; /* bit 1 << enum bench_throttle */
	const char *power_source;  /* static: "nvml", "hwmon", "rapl" */
	const char *energy_source;
	const char *scope; /* static; the part whose power is measured: "gpu_board", "cpu_package" */
};

bool bench_sensors_know(const struct bench_sensors *sensors, enum bench_sensor sensor);
void bench_sensors_note(struct bench_sensors *sensors, enum bench_sensor sensor); /* sets the bit */
const char *bench_throttle_name(enum bench_throttle throttle);                    /* "power" */

/* "power,heat"; "" for none. */
void bench_throttle_text(uint64_t reasons, char *out, size_t size);

#endif
