/* CPU time that others used during a measurement: other processes, and other guests of the host (steal). */
#ifndef FLEETPLAN_BENCH_CPU_CPU_LOAD_H
#define FLEETPLAN_BENCH_CPU_CPU_LOAD_H

#include <stdbool.h>

/* CPU time since the machine started, summed over all CPUs. */
struct cpu_load {
	double all_s, busy_s,
		steal_s;  /* all includes idle time; busy is user and system time, including this machine's own guests, without steal */
	double own_s; /* of this process */
};

/* Reads the first line of /proc/stat ("cpu  57863 21864 ..."), in ticks of `ticks_per_s`. Returns false for other
 * text. Does not change own_s. */
bool cpu_load_parse(const char *text, double ticks_per_s, struct cpu_load *load);

/* Returns false if the system does not report it. FLEETPLAN_BENCH_PROC names another folder than /proc. */
bool cpu_load_read(struct cpu_load *load);

/* Between two times: seconds of all CPUs, and of those the seconds stolen and the seconds of other processes (at
 * least 0). */
struct cpu_shares {
	double all_s, steal_s, others_s;
};
void cpu_shares_add(struct cpu_shares *shares, const struct cpu_load *before, const struct cpu_load *after);

#endif
