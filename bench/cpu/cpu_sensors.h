/* Power, temperature and clocks of the CPU, read under /sys: RAPL's energy counters (powercap), hwmon, cpufreq.
 *
 * The energy is the sum of all packages, and of their memory if it has its own counter. Each read corrects
 * wrap-arounds, so two reads must be closer together than a counter takes to wrap: minutes at full load. If only
 * root may read the counters, the result is BENCH_UNSUPPORTED with that reason. FLEETPLAN_BENCH_SYSFS names another
 * root than /sys, for a container that mounts the host's. */
#ifndef FLEETPLAN_BENCH_CPU_CPU_SENSORS_H
#define FLEETPLAN_BENCH_CPU_CPU_SENSORS_H

#include "bench/backend.h"

struct cpu_sensors;

/* Returns NULL if out of memory. Detects the readable sensors once. */
struct cpu_sensors *cpu_sensors_new(const char *sysfs);
void cpu_sensors_free(struct cpu_sensors *sensors);

/* bench_backend.sense */
enum bench_outcome cpu_sensors_read(struct cpu_sensors *sensors, struct bench_sensors *told, struct bench_reason *reason);

#endif
