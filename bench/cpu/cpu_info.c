#include "bench/cpu/cpu_info.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bench/cpu/cpu_kernels.h"

enum { LINE_MAX_BYTES = 512 };

/* Reads the first line of a small file without its newline; false if there is none. */
static bool read_line(const char *path, char *out, size_t size)
{
	FILE *file = fopen(path, "re");
	bool ok = file && fgets(out, (int)size, file);

	if (file)
		fclose(file);
	if (ok)
		out[strcspn(out, "\n")] = '\0';
	return ok;
}

/* Reads the value of `key` in a file of "key : value" lines. */
static bool read_field(const char *path, const char *key, char *out, size_t size)
{
	char line[LINE_MAX_BYTES];
	FILE *file = fopen(path, "re");
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		char *value = strchr(line, ':');

		if (!value || strncmp(line, key, strlen(key)) != 0)
			continue;
		value += 1 + strspn(value + 1, " \t");
		snprintf(out, size, "%.*s", (int)strcspn(value, "\n"), value);
		found = true;
	}
	if (file)
		fclose(file);
	return found;
}

static bool read_number(const char *path, double *value)
{
	char line[LINE_MAX_BYTES], *end;

	if (!read_line(path, line, sizeof(line)))
		return false;
	*value = strtod(line, &end);
	return end != line && isfinite(*value);
}

double cpu_info_quota(const char *cpu_max)
{
	char *end;
	double quota_us = strtod(cpu_max, &end), period_us = strtod(end, NULL);

	return end != cpu_max && quota_us > 0 && isfinite(quota_us) && period_us > 0 ? quota_us / period_us : 0;
}

int cpu_info_threads(void)
{
	char line[LINE_MAX_BYTES];
	double quota = 0, quota_us, period_us;
	cpu_set_t allowed;
	int threads = 1;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0 && CPU_COUNT(&allowed) > 0)
		threads = CPU_COUNT(&allowed);
	if (read_line("/sys/fs/cgroup/cpu.max", line, sizeof(line)))
		quota = cpu_info_quota(line);
	else if (read_number("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", &quota_us) && quota_us > 0 &&
		read_number("/sys/fs/cgroup/cpu/cpu.cfs_period_us", &period_us) && period_us > 0)
		quota = quota_us / period_us;
	if (quota > 0 && ceil(quota) < threads)
		threads = (int)ceil(quota);
	return threads;
}

static double memory_field_bytes(const char *key)
{
	char text[LINE_MAX_BYTES];

	return read_field("/proc/meminfo", key, text, sizeof(text)) ? strtod(text, NULL) * 1024 : 0;
}

/* Reads the cgroup's memory limit and use; false if there is no limit. */
static bool memory_limit(double *limit_bytes, double *used_bytes)
{
	if (read_number("/sys/fs/cgroup/memory.max", limit_bytes))
		return read_number("/sys/fs/cgroup/memory.current", used_bytes) && *limit_bytes > 0;
	return read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes", limit_bytes) &&
		read_number("/sys/fs/cgroup/memory/memory.usage_in_bytes", used_bytes) && *limit_bytes > 0;
}

double cpu_info_memory_bytes(void)
{
	double total = memory_field_bytes("MemTotal"), limit, used;

	return memory_limit(&limit, &used) && limit < total ? limit : total;
}

double cpu_info_available_bytes(void)
{
	double available = memory_field_bytes("MemAvailable"), limit, used;

	return memory_limit(&limit, &used) && limit - used < available ? fmax(limit - used, 0) : available;
}

/* Returns the size of the highest cache level of CPU `cpu`; *first_sharer is the first CPU that shares it. */
static double cache_of(int cpu, int *first_sharer)
{
	double best_bytes = 0, best_level = 0;

	for (int index = 0; index < 8; index++) {
		char path[128], text[LINE_MAX_BYTES], *unit;
		double level, bytes;

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index%d/level", cpu, index);
		if (!read_number(path, &level))
			break;
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index%d/size", cpu, index);
		if (level < best_level || !read_line(path, text, sizeof(text)))
			continue;
		bytes = strtod(text, &unit) * (*unit == 'M' ? 1024.0 * 1024 : *unit == 'K' ? 1024.0 : 1);
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list", cpu, index);
		if (bytes <= 0 || !read_line(path, text, sizeof(text)))
			continue;
		best_level = level;
		best_bytes = bytes;
		*first_sharer = (int)strtol(text, NULL, 10);
	}
	return best_bytes;
}

double cpu_info_cache_bytes(void)
{
	double total = 0;
	cpu_set_t allowed, counted;

	CPU_ZERO(&counted);
	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return 0;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		int first = -1;
		double bytes;

		if (!CPU_ISSET((size_t)cpu, &allowed))
			continue;
		bytes = cache_of(cpu, &first);
		if (first < 0 || first >= CPU_SETSIZE || CPU_ISSET((size_t)first, &counted))
			continue;
		CPU_SET((size_t)first, &counted);
		total += bytes;
	}
	return total;
}

void cpu_info_slug(const char *text, char *out, size_t size)
{
	size_t length = 0;

	for (; *text && *text != '@' && length + 1 < size; text++) {
		if (*text == '(' && strchr(text, ')'))
			text = strchr(text, ')');
		if (isalnum((unsigned char)*text))
			out[length++] = (char)tolower((unsigned char)*text);
		else if (length && out[length - 1] != '-')
			out[length++] = '-';
	}
	while (length && out[length - 1] == '-')
		length--;
	out[length] = '\0';
}

/* Hashes (FNV-1a) the identity of this machine: the machine id if there is one, else the host's name. */
static uint64_t machine_hash(const char *host)
{
	char text[LINE_MAX_BYTES];
	uint64_t hash = 0xcbf29ce484222325u;

	if (!read_line("/etc/machine-id", text, sizeof(text)) || !*text)
		snprintf(text, sizeof(text), "%s", host);
	for (const char *byte = text; *byte; byte++)
		hash = (hash ^ (unsigned char)*byte) * 0x100000001b3u;
	return hash;
}

static void device_clock(struct bench_device *device)
{
	char text[LINE_MAX_BYTES];
	double khz;

	if (read_number("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", &khz) && khz > 0)
		device->clock_hz = khz * 1e3;
	else if (read_field("/proc/cpuinfo", "cpu MHz", text, sizeof(text)) && strtod(text, NULL) > 0)
		device->clock_hz = strtod(text, NULL) * 1e6;
	else
		return;
	bench_device_note(device, DEVICE_CLOCK);
}

static void device_names(struct bench_device *device, const struct utsname *system)
{
	char slug[DEVICE_TEXT_MAX], set[13];

	if (!read_field("/proc/cpuinfo", "model name", device->name, sizeof(device->name)))
		snprintf(device->name, sizeof(device->name), "%.64s CPU", system->machine);
	if (read_field("/proc/cpuinfo", "vendor_id", slug, sizeof(slug))) {
		snprintf(device->vendor, sizeof(device->vendor), "%s",
			!strcmp(slug, "AuthenticAMD")       ? "amd"
				: !strcmp(slug, "GenuineIntel") ? "intel"
												: slug);
		bench_device_note(device, DEVICE_VENDOR);
	}
	cpu_info_slug(device->name, slug, 40);
	cpu_info_slug(device->instruction_set, set, sizeof(set));
	snprintf(device->accelerator, sizeof(device->accelerator), "cpu-%.38s-%dt-%.12s", slug, device->threads, set);
	bench_device_note(device, DEVICE_ACCELERATOR);
}

void cpu_info_device(struct bench_device *device)
{
	struct utsname system;
	double load[1];

	*device = (struct bench_device){.backend = "cpu"};
	if (uname(&system))
		memset(&system, 0, sizeof(system));
	device->threads = cpu_info_threads();
	bench_device_note(device, DEVICE_THREADS);
	snprintf(device->instruction_set, sizeof(device->instruction_set), "%s", cpu_kernels_best()->instruction_set);
	bench_device_note(device, DEVICE_INSTRUCTION_SET);
	device_names(device, &system);
	snprintf(device->id, sizeof(device->id), "cpu-%012" PRIx64, machine_hash(system.nodename) & 0xffffffffffffu);
	snprintf(device->uuid, sizeof(device->uuid), "%s", device->id);
	bench_device_note(device, DEVICE_UUID);
	snprintf(device->driver, sizeof(device->driver), "%.15s %.75s", system.sysname, system.release);
	bench_device_note(device, DEVICE_DRIVER);
	device->memory_bytes = cpu_info_memory_bytes();
	if (device->memory_bytes > 0)
		bench_device_note(device, DEVICE_MEMORY);
	device->cache_bytes = cpu_info_cache_bytes();
	if (device->cache_bytes > 0)
		bench_device_note(device, DEVICE_CACHE);
	device_clock(device);
	if (getloadavg(load, 1) == 1) {
		device->load_1m = load[0];
		bench_device_note(device, DEVICE_LOAD);
	}
}
