/* Who else had this machine's CPUs while something was measured: other processes, and other guests of the host (steal). */
#ifndef FLEETPLAN_BENCH_CPU_CPU_LOAD_H
#define FLEETPLAN_BENCH_CPU_CPU_LOAD_H

#include <stdbool.h>

/* CPU time since the machine started, all CPUs together. */
struct cpu_load {
	double all_s, busy_s, steal_s; /* all: idle time too; busy: user and system, guests of this machine among them; steal apart */
	double own_s;                  /* of this process */
};

/* From the first line of /proc/stat ("cpu  57863 21864 ..."), in ticks of `ticks_per_s`. False when it is none. own_s is left alone. */
bool cpu_load_parse(const char *text, double ticks_per_s, struct cpu_load *load);

/* False where the system does not tell it; FLEETPLAN_BENCH_PROC names another folder than /proc. */
bool cpu_load_read(struct cpu_load *load);

/* Between two moments: seconds of all CPUs, and of those what was stolen and what other processes had (at least 0). */
struct cpu_shares {
	double all_s, steal_s, others_s;
};
void cpu_shares_add(struct cpu_shares *shares, const struct cpu_load *before, const struct cpu_load *after);

#endif
