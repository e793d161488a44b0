/* Reads what this machine reports about its CPU, and how much of it this process may use. */
#ifndef FLEETPLAN_BENCH_CPU_CPU_INFO_H
#define FLEETPLAN_BENCH_CPU_CPU_INFO_H

#include "bench/device.h"

/* Threads for benchmarks: the CPUs in the affinity mask, at most the cgroup's CPU quota rounded up (v2 cpu.max, v1
 * cpu.cfs_quota_us), at least 1. Without this limit, the kernel would stop a pod with a quota of 2 on 64 cores for
 * most of each period. */
int cpu_info_threads(void);

/* Returns the quota in CPUs from the text of cpu.max ("200000 100000", "max 100000"); 0: no quota. */
double cpu_info_quota(const char *cpu_max);

double cpu_info_memory_bytes(void);    /* MemTotal or the cgroup's limit, the lesser */
double cpu_info_available_bytes(void); /* MemAvailable or the rest of the cgroup's limit, the lesser */
double cpu_info_cache_bytes(void);     /* last level, of all usable CPUs; 0: unknown */

/* Fills all of the device. */
void cpu_info_device(struct bench_device *device);

/* Writes the text in lower case, with each run of other characters as one hyphen, without text in parentheses or
 * after an @: "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz" -> "intel-xeon-platinum-8481c-cpu". */
void cpu_info_slug(const char *text, char *out, size_t size);

#endif
