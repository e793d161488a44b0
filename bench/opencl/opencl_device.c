#include "bench/opencl/opencl_device.h"

#include "bench/pci.h"

enum { PLATFORMS_MAX = 16 };

static bool info(const struct opencl_api *api, struct opencl_device *id, unsigned what, void *out, size_t size)
{
	size_t used = 0;

	return api->device_info(id, what, size, out, &used) == CL_SUCCESS && used == size;
}

static bool info_text(const struct opencl_api *api, struct opencl_device *id, unsigned what, char *out, size_t size)
{
	char text[1024] = "";
	size_t used = 0, start;

	if (api->device_info(id, what, sizeof(text) - 1, text, &used) != CL_SUCCESS)
		return false;
	text[sizeof(text) - 1] = '\0';
	start = strspn(text, " "); /* NVIDIA and Intel pad with spaces */
	snprintf(out, size, "%s", text + start);
	for (size_t end = strlen(out); end > 0 && out[end - 1] == ' ';)
		out[--end] = '\0';
	return out[0] != '\0';
}

bool opencl_device_has(const struct opencl_api *api, struct opencl_device *id, const char *extension)
{
	char text[8192] = "";
	size_t used = 0, length = strlen(extension);

	if (api->device_info(id, CL_DEVICE_EXTENSIONS, sizeof(text) - 1, text, &used) != CL_SUCCESS)
		return false;
	for (const char *at = text; (at = strstr(at, extension)) != NULL; at += length)
		if ((at == text || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

struct pci_place {
	unsigned domain, bus, device, function;
};

/* Reads the PCI address in each vendor's form. AMD's struct is a type (1: PCI Express), 17 unused bytes, bus,
 * device, function. */
static bool pci_place(const struct opencl_api *api, struct opencl_device *id, struct pci_place *place)
{
	unsigned char topology[24];
	unsigned slot, type = 0;

	if (info(api, id, CL_DEVICE_PCI_BUS_INFO_KHR, place, sizeof(*place)))
		return true;
	if (info(api, id, CL_DEVICE_PCI_BUS_NV, &place->bus, sizeof(place->bus)) && info(api, id, CL_DEVICE_PCI_SLOT_NV, &slot, sizeof(slot))) {
		if (!info(api, id, CL_DEVICE_PCI_DOMAIN_NV, &place->domain, sizeof(place->domain)))
			place->domain = 0;
		place->device = slot >> 3;
		place->function = slot & 7;
		return true;
	}
	if (info(api, id, CL_DEVICE_TOPOLOGY_AMD, topology, sizeof(topology)))
		memcpy(&type, topology, sizeof(type));
	if (type == 1)
		*place = (struct pci_place){0, topology[21], topology[22], topology[23]};
	return type == 1;
}

/* Reads the number in a sysfs file; false if there is none. */
static bool sysfs_number(const char *sysfs, const char *bus, const char *name, int base, long *number)
{
	char path[256], text[32] = "", *end = text;
	FILE *file;

	snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/%s", sysfs, bus, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	*number = fgets(text, sizeof(text), file) ? strtol(text, &end, base) : -1;
	fclose(file);
	return end != text;
}

void opencl_device_pci(const char *sysfs, struct bench_device *device)
{
	long vendor, product, node;

	if (sysfs_number(sysfs, device->pci_bus, "vendor", 16, &vendor) && sysfs_number(sysfs, device->pci_bus, "device", 16, &product)) {
		snprintf(device->pci_id, sizeof(device->pci_id), "%04lx:%04lx", (unsigned long)vendor & 0xffff, (unsigned long)product & 0xffff);
		bench_device_note(device, DEVICE_PCI_ID);
	}
	if (sysfs_number(sysfs, device->pci_bus, "numa_node", 10, &node) && node >= 0) {
		device->numa_node = (int)node;
		bench_device_note(device, DEVICE_NUMA_NODE);
	}
}

static void tell_pci(const struct opencl_api *api, struct opencl_found *found)
{
	struct bench_device *device = &found->device;
	const struct pci_accelerator *known;
	struct pci_place place = {0};

	if (!pci_place(api, found->id, &place))
		return;
	snprintf(device->pci_bus, sizeof(device->pci_bus), "%04x:%02x:%02x.%x", place.domain & 0xffff, place.bus & 0xff, place.device & 0x1f,
		place.function & 7);
	bench_device_note(device, DEVICE_PCI_BUS);
	opencl_device_pci("/sys", device);
	known = bench_device_knows(device, DEVICE_PCI_ID) ? pci_accelerator_named(device->pci_id, device->memory_bytes) : NULL;
	if (known) {
		snprintf(device->accelerator, sizeof(device->accelerator), "%s", known->accelerator);
		bench_device_note(device, DEVICE_ACCELERATOR);
	}
}

static void tell_number(const struct opencl_api *api, struct opencl_found *found, unsigned what, enum bench_device_field field, double *out)
{
	uint64_t number;

	if (!info(api, found->id, what, &number, sizeof(number)) || !number)
		return;
	*out = (double)number;
	bench_device_note(&found->device, field);
}

static void tell_text(
	const struct opencl_api *api, struct opencl_found *found, unsigned what, enum bench_device_field field, char *out, size_t size)
{
	if (info_text(api, found->id, what, out, size))
		bench_device_note(&found->device, field);
}

/* Writes the UUID in the form of NVIDIA's tools; other vendors' tools print none. */
static bool tell_uuid(const struct opencl_api *api, struct opencl_device *id, char *out, size_t size)
{
	unsigned char u[16];

	if (!info(api, id, CL_DEVICE_UUID_KHR, u, sizeof(u)))
		return false;
	snprintf(out, size, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2], u[3], u[4], u[5],
		u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
	return true;
}

/* FNV-1a: the same device has the same name at every start. */
static unsigned text_hash(const char *text, unsigned hash)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

static void name_device(const struct opencl_api *api, struct opencl_found *found, size_t number)
{
	struct bench_device *device = &found->device;
	char platform[96] = "";

	(void)api->platform_info(found->platform, CL_PLATFORM_NAME, sizeof(platform) - 1, platform, NULL);
	if (found->type != CL_TYPE_CPU && tell_uuid(api, found->id, device->uuid, sizeof(device->uuid)))
		;
	else if (bench_device_knows(device, DEVICE_PCI_BUS))
		snprintf(device->uuid, sizeof(device->uuid), "pci-%s", device->pci_bus);
	else
		snprintf(device->uuid, sizeof(device->uuid), "%08x-%zu", text_hash(device->name, text_hash(platform, 2166136261u)), number);
	bench_device_note(device, DEVICE_UUID);
	snprintf(device->id, sizeof(device->id), "opencl-%.60s", device->uuid);
}

static void tell_units(const struct opencl_api *api, struct opencl_found *found)
{
	struct bench_device *device = &found->device;
	unsigned units = 0, major = 0, minor = 0, megahertz = 0;
	int ecc = 0;

	if (info(api, found->id, CL_DEVICE_COMPUTE_UNITS, &units, sizeof(units)) && units) {
		device->unit_count = (int)units;
		bench_device_note(device, DEVICE_UNITS);
	}
	if (info(api, found->id, CL_DEVICE_CLOCK_MHZ, &megahertz, sizeof(megahertz)) && megahertz) {
		device->clock_hz = (double)megahertz * 1e6;
		bench_device_note(device, DEVICE_CLOCK);
	}
	if (found->type != CL_TYPE_CPU && info(api, found->id, CL_DEVICE_ERROR_CORRECTION, &ecc, sizeof(ecc))) {
		device->ecc = ecc != 0;
		bench_device_note(device, DEVICE_ECC);
	}
	if (info(api, found->id, CL_DEVICE_CAPABILITY_MAJOR_NV, &major, sizeof(major)) &&
		info(api, found->id, CL_DEVICE_CAPABILITY_MINOR_NV, &minor, sizeof(minor)) && major && major < 100 && minor < 100) {
		snprintf(device->compute_capability, sizeof(device->compute_capability), "%u.%u", major, minor);
		bench_device_note(device, DEVICE_COMPUTE_CAPABILITY);
	}
}

static void describe_device(const struct opencl_api *api, struct opencl_found *found, size_t number)
{
	struct bench_device *device = &found->device;

	*device = (struct bench_device){.backend = "opencl", .name = "device without a name"};
	(void)info_text(api, found->id, CL_DEVICE_NAME, device->name, sizeof(device->name));
	/* AMD reports the architecture ("gfx942") as the name, and the product name here. */
	(void)info_text(api, found->id, CL_DEVICE_BOARD_NAME_AMD, device->name, sizeof(device->name));
	tell_text(api, found, CL_DEVICE_VENDOR, DEVICE_VENDOR, device->vendor, sizeof(device->vendor));
	tell_text(api, found, CL_DEVICE_DRIVER, DEVICE_DRIVER, device->driver, sizeof(device->driver));
	tell_text(api, found, CL_DEVICE_VERSION, DEVICE_INSTRUCTION_SET, device->instruction_set, sizeof(device->instruction_set));
	tell_number(api, found, CL_DEVICE_MEMORY_BYTES, DEVICE_MEMORY, &device->memory_bytes);
	tell_number(api, found, CL_DEVICE_CACHE_BYTES, DEVICE_CACHE, &device->cache_bytes);
	tell_units(api, found);
	tell_pci(api, found);
	name_device(api, found, number);
}

/* True if the device has a wanted type, is available, and has a compiler. */
static bool is_usable(const struct opencl_api *api, struct opencl_found *found, uint64_t types, struct bench_reason *reason)
{
	int available = 0, compiler = 0;

	if (!info(api, found->id, CL_DEVICE_TYPE, &found->type, sizeof(found->type)) || !(found->type & types))
		return false;
	found->type &= types;
	if (!info(api, found->id, CL_DEVICE_AVAILABLE, &available, sizeof(available)) || !available ||
		!info(api, found->id, CL_DEVICE_COMPILER, &compiler, sizeof(compiler)) || !compiler) {
		bench_refuse(reason, BENCH_UNSUPPORTED, "an OpenCL device is not available, or its driver has no compiler");
		return false;
	}
	return true;
}

static uint64_t wanted_types(void)
{
	const char *wanted = getenv("FLEETPLAN_BENCH_OPENCL");
	bool cpus = wanted && !strcmp(wanted, "cpu");

	return CL_TYPE_GPU | CL_TYPE_ACCELERATOR | (cpus ? (uint64_t)CL_TYPE_CPU : 0);
}

enum bench_outcome opencl_devices_find(
	const struct opencl_api *api, struct opencl_found *found, size_t capacity, size_t *count, struct bench_reason *reason)
{
	struct opencl_platform *platforms[PLATFORMS_MAX];
	unsigned platform_count = 0, device_count;
	uint64_t types = wanted_types();
	int code = api->platforms(PLATFORMS_MAX, platforms, &platform_count);

	*count = 0;
	if (code == CL_NO_PLATFORM || (code == CL_SUCCESS && !platform_count))
		return bench_refuse(reason, BENCH_UNSUPPORTED, "OpenCL has no platform: install the device's OpenCL driver (/etc/OpenCL/vendors)");
	if (code != CL_SUCCESS) {
		(void)opencl_refuse(reason, "clGetPlatformIDs", code);
		return BENCH_UNSUPPORTED;
	}
	bench_refuse(reason, BENCH_UNSUPPORTED, "OpenCL has no GPU or accelerator; the cpu backend measures CPUs");
	for (unsigned p = 0; p < platform_count && p < PLATFORMS_MAX; p++) {
		struct opencl_device *ids[OPENCL_DEVICES_MAX];

		device_count = 0;
		code = api->devices(platforms[p], types, OPENCL_DEVICES_MAX, ids, &device_count);
		if (code != CL_SUCCESS && code != CL_DEVICE_NOT_FOUND)
			(void)opencl_refuse(reason, "clGetDeviceIDs", code);
		for (unsigned d = 0; code == CL_SUCCESS && d < device_count && d < OPENCL_DEVICES_MAX && *count < capacity; d++) {
			struct opencl_found *next = &found[*count];

			*next = (struct opencl_found){.platform = platforms[p], .id = ids[d]};
			if (!is_usable(api, next, types, reason))
				continue;
			describe_device(api, next, *count);
			++*count;
		}
	}
	return *count ? BENCH_OK : BENCH_UNSUPPORTED;
}
