#include "bench/cpu/cpu_load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

bool cpu_load_parse(const char *text, double ticks_per_s, struct cpu_load *load)
{
	unsigned long long user, nice, system, idle, wait, hard, soft, steal;

	if (sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle, &wait, &hard, &soft, &steal) != 8 ||
		!(ticks_per_s > 0))
		return false;
	load->busy_s = (double)(user + nice + system + hard + soft) / ticks_per_s;
	load->steal_s = (double)steal / ticks_per_s;
	load->all_s = load->busy_s + load->steal_s + (double)(idle + wait) / ticks_per_s;
	return true;
}

bool cpu_load_read(struct cpu_load *load)
{
	const char *folder = getenv("FLEETPLAN_BENCH_PROC");
	char path[512], text[512];
	struct rusage own;
	FILE *file;
	bool read;

	snprintf(path, sizeof path, "%s/stat", folder ? folder : "/proc");
	file = fopen(path, "re");
	read = file && fgets(text, sizeof text, file) && cpu_load_parse(text, (double)sysconf(_SC_CLK_TCK), load) &&
		getrusage(RUSAGE_SELF, &own) == 0;
	if (read)
		load->own_s = (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) + (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec) * 1e-6;
	if (file)
		fclose(file);
	return read;
}

void cpu_shares_add(struct cpu_shares *shares, const struct cpu_load *before, const struct cpu_load *after)
{
	shares->all_s += fmax(0, after->all_s - before->all_s);
	shares->steal_s += fmax(0, after->steal_s - before->steal_s);
	shares->others_s += fmax(0, after->busy_s - before->busy_s - (after->own_s - before->own_s));
}
