/* Power, heat and clocks of the CPU, as the kernel tells them under /sys: RAPL's counters of energy (powercap), hwmon, cpufreq.
 *
 * The energy is that of all packages (and their memory where it is counted apart), with wrap-arounds undone at each look, so that looks must
 * be closer together than a counter takes to wrap, minutes at full load. Counters that only root may read are told as unsupported, with
 * what to do. FLEETPLAN_BENCH_SYSFS names another root than /sys, as a container has the host's. */
#ifndef FLEETPLAN_BENCH_CPU_CPU_SENSORS_H
#define FLEETPLAN_BENCH_CPU_CPU_SENSORS_H

#include "bench/backend.h"

struct cpu_sensors;

/* NULL without memory. What can be read is found out once. */
struct cpu_sensors *cpu_sensors_new(const char *sysfs);
void cpu_sensors_free(struct cpu_sensors *sensors);

/* bench_backend.sense */
enum bench_outcome cpu_sensors_read(struct cpu_sensors *sensors, struct bench_sensors *told, struct bench_reason *reason);

#endif
