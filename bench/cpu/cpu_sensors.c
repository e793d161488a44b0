#include "bench/cpu/cpu_sensors.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

enum { ZONES_MAX = 32, ROOT_MAX = 200, PATH_SIZE = ROOT_MAX + 128, CPUS_MAX = 4096 };

/* One RAPL zone that is part of the total: a package, or its memory. Cores and other zones are within a package. */
struct zone {
	char path[PATH_SIZE]; /* of energy_uj */
	double range_uj;      /* the counter wraps to 0 here */
	double last_uj, total_joules;
};

struct cpu_sensors {
	char root[ROOT_MAX];
	struct zone zones[ZONES_MAX];
	size_t zone_count;
	bool forbidden;             /* a counter exists, but this user may not read it */
	double limit_w;             /* 0: unknown */
	char power_path[PATH_SIZE]; /* hwmon's power, in microwatts; "": none */
	char heat_path[PATH_SIZE];  /* hwmon's temperature, in millidegrees; "": none */
	double throttled;           /* events counted at the last read */
	bool counts_throttling;
};

static bool read_text(const char *path, char *out, size_t size)
{
	FILE *file = fopen(path, "re");
	bool ok = file && fgets(out, (int)size, file);

	if (file)
		fclose(file);
	if (ok)
		out[strcspn(out, "\n")] = '\0';
	return ok;
}

static bool read_figure(const char *path, double *figure)
{
	char text[64], *end;

	if (!read_text(path, text, sizeof(text)))
		return false;
	*figure = strtod(text, &end);
	return end != text;
}

/* Joins a path; false if it is too long. */
static bool join(char *out, const char *folder, const char *entry, const char *file)
{
	return snprintf(out, PATH_SIZE, "%s/%s/%s", folder, entry, file) < PATH_SIZE;
}

/* True for the zones that add up to the total: packages and their memory. intel-rapl:0 is a package, intel-rapl:0:2
 * is within it; "psys", the whole platform, would count them twice. */
static bool zone_counts(const char *name)
{
	return !strncmp(name, "package", 7) || !strcmp(name, "dram");
}

static void add_zone(struct cpu_sensors *sensors, const char *folder, const char *entry)
{
	struct zone *zone = &sensors->zones[sensors->zone_count];
	char path[PATH_SIZE], name[64];
	double limit_uw;

	if (sensors->zone_count == ZONES_MAX || !join(path, folder, entry, "name") || !read_text(path, name, sizeof(name)) || !zone_counts(name))
		return;
	if (!join(zone->path, folder, entry, "energy_uj") || !join(path, folder, entry, "max_energy_range_uj"))
		return;
	if (!read_figure(zone->path, &zone->last_uj)) {
		sensors->forbidden = sensors->forbidden || access(zone->path, F_OK) == 0;
		return;
	}
	if (!read_figure(path, &zone->range_uj))
		zone->range_uj = 0;
	zone->total_joules = 0;
	sensors->zone_count++;
	if (join(path, folder, entry, "constraint_0_power_limit_uw") && !strncmp(name, "package", 7) && read_figure(path, &limit_uw))
		sensors->limit_w += limit_uw * 1e-6;
}

/* Calls `found` for each entry of a folder whose name begins with `begins`. */
static void each_entry(struct cpu_sensors *sensors, const char *folder, const char *begins,
	void (*found)(struct cpu_sensors *, const char *folder, const char *entry))
{
	DIR *entries = opendir(folder);
	const struct dirent *entry;

	while (entries && (entry = readdir(entries)) != NULL)
		if (!strncmp(entry->d_name, begins, strlen(begins)))
			found(sensors, folder, entry->d_name);
	if (entries)
		closedir(entries);
}

/* Adds an hwmon chip if it is the CPU: its temperature, and its power if it reports power. */
static void add_chip(struct cpu_sensors *sensors, const char *folder, const char *entry)
{
	static const char *const chips[] = {"coretemp", "k10temp", "zenpower", "fam15h_power", "amd_energy"};
	char path[PATH_SIZE], name[64];
	double figure;
	bool ours = false;

	if (!join(path, folder, entry, "name") || !read_text(path, name, sizeof(name)))
		return;
	for (size_t i = 0; i < COUNT_OF(chips); i++)
		ours = ours || !strcmp(name, chips[i]);
	if (!ours)
		return;
	if (join(path, folder, entry, "power1_average") && read_figure(path, &figure))
		snprintf(sensors->power_path, sizeof(sensors->power_path), "%s", path);
	else if (join(path, folder, entry, "power1_input") && read_figure(path, &figure))
		snprintf(sensors->power_path, sizeof(sensors->power_path), "%s", path);
	if (join(path, folder, entry, "temp1_input") && read_figure(path, &figure))
		snprintf(sensors->heat_path, sizeof(sensors->heat_path), "%s", path);
}

/* Sums the throttling events of all CPUs; false if the kernel does not count them. */
static bool count_throttling(const struct cpu_sensors *sensors, double *events)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	bool any = false;

	*events = 0;
	for (long cpu = 0; cpu < cpus && cpu < CPUS_MAX; cpu++) {
		char path[PATH_SIZE];
		double figure;

		if (snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%ld/thermal_throttle/core_throttle_count", sensors->root, cpu) >=
				(int)sizeof(path) ||
			!read_figure(path, &figure))
			break; /* either all CPUs have it or none */
		*events += figure;
		any = true;
	}
	return any;
}

struct cpu_sensors *cpu_sensors_new(const char *sysfs)
{
	struct cpu_sensors *sensors = calloc(1, sizeof(*sensors));
	char folder[PATH_SIZE];

	if (!sensors)
		return NULL;
	snprintf(sensors->root, sizeof(sensors->root), "%s", sysfs);
	snprintf(folder, sizeof(folder), "%s/class/powercap", sensors->root);
	each_entry(sensors, folder, "intel-rapl:", add_zone);
	snprintf(folder, sizeof(folder), "%s/class/hwmon", sensors->root);
	each_entry(sensors, folder, "hwmon", add_chip);
	sensors->counts_throttling = count_throttling(sensors, &sensors->throttled);
	return sensors;
}

void cpu_sensors_free(struct cpu_sensors *sensors)
{
	free(sensors);
}

/* Returns joules since the first read; false if a counter cannot be read any more. */
static bool read_energy(struct cpu_sensors *sensors, double *joules)
{
	*joules = 0;
	for (size_t i = 0; i < sensors->zone_count; i++) {
		struct zone *zone = &sensors->zones[i];
		double now_uj, step_uj;

		if (!read_figure(zone->path, &now_uj))
			return false;
		step_uj = now_uj - zone->last_uj;
		if (step_uj < 0)
			step_uj += zone->range_uj;
		zone->last_uj = now_uj;
		zone->total_joules += step_uj > 0 ? step_uj * 1e-6 : 0; /* still negative: the counter was reset, so skip this step */
		*joules += zone->total_joules;
	}
	return sensors->zone_count > 0;
}

static void read_throttling(struct cpu_sensors *sensors, struct bench_sensors *told)
{
	double events;

	if (!sensors->counts_throttling || !count_throttling(sensors, &events))
		return;
	told->throttle_reasons = events > sensors->throttled ? (uint64_t)1 << THROTTLE_HEAT : 0;
	sensors->throttled = events;
	bench_sensors_note(told, SENSOR_THROTTLE);
}

enum bench_outcome cpu_sensors_read(struct cpu_sensors *sensors, struct bench_sensors *told, struct bench_reason *reason)
{
	char path[PATH_SIZE];
	double figure;

	*told = (struct bench_sensors){.scope = "cpu_package"};
	if (read_energy(sensors, &told->energy_joules)) {
		told->energy_source = "rapl";
		bench_sensors_note(told, SENSOR_ENERGY);
	}
	if (sensors->power_path[0] && read_figure(sensors->power_path, &figure)) {
		told->power_w = figure * 1e-6;
		told->power_source = "hwmon";
		bench_sensors_note(told, SENSOR_POWER);
	}
	if (sensors->heat_path[0] && read_figure(sensors->heat_path, &figure)) {
		told->temperature_c = figure * 1e-3;
		bench_sensors_note(told, SENSOR_TEMPERATURE);
	}
	if (sensors->limit_w > 0) {
		told->power_limit_w = sensors->limit_w;
		bench_sensors_note(told, SENSOR_POWER_LIMIT);
	}
	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", sensors->root);
	if (read_figure(path, &figure)) {
		told->sm_clock_hz = figure * 1e3;
		bench_sensors_note(told, SENSOR_SM_CLOCK);
	}
	read_throttling(sensors, told);
	if (told->known & (1u << SENSOR_ENERGY | 1u << SENSOR_POWER))
		return BENCH_OK;
	if (sensors->forbidden)
		return bench_refuse(reason, BENCH_UNSUPPORTED, "only root may read RAPL's counters: %.80s/class/powercap/*/energy_uj", sensors->root);
	return bench_refuse(reason, BENCH_UNSUPPORTED, "neither RAPL nor hwmon reports the CPU's power");
}
