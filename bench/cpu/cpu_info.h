/* What this machine says of its CPU, and how much of it this process may use. */
#ifndef FLEETPLAN_BENCH_CPU_CPU_INFO_H
#define FLEETPLAN_BENCH_CPU_CPU_INFO_H

#include "bench/device.h"

/* Threads for benchmarks: CPUs in the affinity mask, at most the cgroup's CPU quota rounded up (v2 cpu.max, v1
 * cpu.cfs_quota_us), at least 1. A pod with a quota of 2 on 64 cores is stopped for most of each period otherwise. */
int cpu_info_threads(void);

/* Quota in CPUs from the text of cpu.max ("200000 100000", "max 100000"), or 0 for none. */
double cpu_info_quota(const char *cpu_max);

double cpu_info_memory_bytes(void);    /* MemTotal or the cgroup's limit, whichever is less */
double cpu_info_available_bytes(void); /* MemAvailable, or what the cgroup's limit leaves */
double cpu_info_cache_bytes(void);     /* last level, of all CPUs that may be used; 0: not told */

/* Fills the whole device. */
void cpu_info_device(struct bench_device *device);

/* Lower case, every run of other characters one hyphen, without what stands in parentheses or after an @:
 * "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz" -> "intel-xeon-platinum-8481c-cpu". */
void cpu_info_slug(const char *text, char *out, size_t size);

#endif
