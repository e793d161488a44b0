#include "bench/cuda/cuda_devices.h"

#include <ctype.h>

#include "bench/list_apart.h"
#include "bench/pci.h"

struct listing {
	struct bench_device *devices;
	size_t count, capacity;
};

static void uuid_text(const char *prefix, const struct cuda_uuid *uuid, char *out, size_t size)
{
	static const bool hyphen_after[16] = {[3] = true, [5] = true, [7] = true, [9] = true};
	size_t length = (size_t)snprintf(out, size, "%s-", prefix);

	for (size_t i = 0; i < sizeof(uuid->bytes) && length + 4 < size; i++)
		length += (size_t)snprintf(out + length, size - length, "%02x%s", (unsigned char)uuid->bytes[i], hyphen_after[i] ? "-" : "");
}

/* A slice's UUID differs from its board's. Drivers without slices lack device_uuid_v2. */
bool cuda_uuid_of(const struct cuda_driver *driver, int ordinal, char *out, size_t size)
{
	struct cuda_uuid whole = {{0}}, part = {{0}};
	int device = 0;

	if (driver->device_get(&device, ordinal) != CUDA_OK || driver->device_uuid(&whole, device) != CUDA_OK)
		return false;
	if (!driver->device_uuid_v2 || driver->device_uuid_v2(&part, device) != CUDA_OK)
		part = whole;
	uuid_text(memcmp(&whole, &part, sizeof(whole)) ? "MIG" : "GPU", &part, out, size);
	return true;
}

int cuda_ordinal_of(const struct cuda_driver *driver, const char *uuid)
{
	char text[DEVICE_ID_MAX];
	int count = 0;

	if (driver->device_count(&count) != CUDA_OK)
		return -1;
	for (int ordinal = 0; ordinal < count; ordinal++)
		if (cuda_uuid_of(driver, ordinal, text, sizeof(text)) && !strcmp(text, uuid))
			return ordinal;
	return -1;
}

/* Reads a one-line file under /sys/bus/pci/devices/BUS/. */
static bool sysfs_line(const struct bench_device *device, const char *file, char *out, size_t size)
{
	char path[128];
	FILE *stream;
	bool read;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", device->pci_bus, file);
	stream = fopen(path, "re");
	if (!stream)
		return false;
	read = fgets(out, (int)size, stream) != NULL;
	fclose(stream);
	return read;
}

static void note_bus(struct bench_device *device)
{
	char vendor[16], id[16], node[16];
	long numa;

	for (char *at = device->pci_bus; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	bench_device_note(device, DEVICE_PCI_BUS);
	if (!bench_device_knows(device, DEVICE_PCI_ID) && sysfs_line(device, "vendor", vendor, sizeof(vendor)) &&
		sysfs_line(device, "device", id, sizeof(id))) {
		snprintf(device->pci_id, sizeof(device->pci_id), "%04lx:%04lx", strtoul(vendor, NULL, 16) & 0xffff, strtoul(id, NULL, 16) & 0xffff);
		bench_device_note(device, DEVICE_PCI_ID);
	}
	if (!sysfs_line(device, "numa_node", node, sizeof(node)))
		return;
	numa = strtol(node, NULL, 10);
	if (numa >= 0) { /* -1: the machine has one node */
		device->numa_node = (int)numa;
		bench_device_note(device, DEVICE_NUMA_NODE);
	}
}

static void note_memory(struct bench_device *device, double memory_bytes)
{
	device->memory_bytes = memory_bytes;
	bench_device_note(device, DEVICE_MEMORY);
}

/* Finds the catalogue's row by the board's id and its whole memory. NVML reports the whole memory; CUDA reports it
 * without the driver's part. */
static void match(struct bench_device *device, double memory_bytes)
{
	const struct pci_accelerator *row = bench_device_knows(device, DEVICE_PCI_ID) && !bench_device_knows(device, DEVICE_MIG_PARENT)
		? pci_accelerator_named(device->pci_id, memory_bytes)
		: NULL;

	if (!row)
		return;
	snprintf(device->accelerator, sizeof(device->accelerator), "%s", row->accelerator);
	bench_device_note(device, DEVICE_ACCELERATOR);
}

static void begin(struct bench_device *device, const char *uuid, const struct cuda_driver *driver, const struct nvml *nvml)
{
	char version[48] = "";

	*device = (struct bench_device){.backend = "cuda"};
	snprintf(device->id, sizeof(device->id), "%s", uuid);
	snprintf(device->uuid, sizeof(device->uuid), "%s", uuid);
	snprintf(device->vendor, sizeof(device->vendor), "nvidia");
	if (nvml->handle && nvml->driver_version(version, sizeof(version)) == NVML_OK)
		snprintf(device->driver, sizeof(device->driver), "%s, CUDA %d.%d", version, driver->version / 1000, driver->version / 10 % 100);
	else
		snprintf(device->driver, sizeof(device->driver), "CUDA %d.%d", driver->version / 1000, driver->version / 10 % 100);
	bench_device_note(device, DEVICE_UUID);
	bench_device_note(device, DEVICE_VENDOR);
	bench_device_note(device, DEVICE_DRIVER);
}

static void note_board(struct bench_device *device, const struct nvml *nvml, struct nvml_device *board)
{
	struct nvml_pci pci = {.id = 0};
	unsigned limit_mw;
	int current, pending;

	if (nvml->pci(board, &pci) == NVML_OK) {
		snprintf(device->pci_id, sizeof(device->pci_id), "%04x:%04x", pci.id & 0xffff, pci.id >> 16);
		snprintf(device->pci_bus, sizeof(device->pci_bus), "%04x:%02x:%02x.0", pci.domain & 0xffff, pci.bus & 0xff, pci.device & 0x1f);
		bench_device_note(device, DEVICE_PCI_ID);
		note_bus(device);
	}
	if (nvml->ecc && nvml->ecc(board, &current, &pending) == NVML_OK) {
		device->ecc = current != 0;
		bench_device_note(device, DEVICE_ECC);
	}
	if (nvml->enforced_limit_mw && nvml->enforced_limit_mw(board, &limit_mw) == NVML_OK) {
		device->power_limit_w = limit_mw / 1e3;
		bench_device_note(device, DEVICE_POWER_LIMIT);
	}
}

/* "NVIDIA H100 80GB HBM3 MIG 1g.10gb" ends with its profile. If the name has none, builds it from the attributes. */
static void note_slice(struct bench_device *device, const struct nvml *nvml, struct nvml_device *board, struct nvml_device *slice)
{
	const char *profile = strstr(device->name, " MIG ");
	struct nvml_attributes attributes;

	if (nvml->uuid(board, device->mig_parent, sizeof(device->mig_parent)) != NVML_OK)
		snprintf(device->mig_parent, sizeof(device->mig_parent), "unknown");
	bench_device_note(device, DEVICE_MIG_PARENT);
	if (profile) {
		snprintf(device->mig_profile, sizeof(device->mig_profile), "%.23s", profile + strlen(" MIG "));
		bench_device_note(device, DEVICE_MIG_PROFILE);
	}
	if (!nvml->attributes || nvml->attributes(slice, &attributes) != NVML_OK)
		return;
	device->unit_count = (int)attributes.multiprocessors;
	bench_device_note(device, DEVICE_UNITS);
	if (!profile) {
		snprintf(device->mig_profile, sizeof(device->mig_profile), "%ug.%.0fgb", attributes.gpu_slices, (double)attributes.memory_mib / 1024);
		bench_device_note(device, DEVICE_MIG_PROFILE);
	}
}

/* Adds what NVML reports about a device that CUDA listed. */
static void enrich(struct bench_device *device, const struct nvml *nvml)
{
	struct nvml_device *part, *board = NULL;
	struct nvml_memory memory = {.total_bytes = 0};

	if (nvml->handle && nvml->device_of_uuid(device->uuid, &part) == NVML_OK) {
		board = part;
		if (!strncmp(device->uuid, "MIG-", 4)) {
			(void)nvml->name(part, device->name, sizeof(device->name)); /* this name includes the profile, which CUDA's may lack */
			if (!nvml->mig_parent || nvml->mig_parent(part, &board) != NVML_OK)
				board = part;
			note_slice(device, nvml, board, part);
		}
		note_board(device, nvml, board);
		if (nvml->memory(part, &memory) != NVML_OK)
			memory.total_bytes = 0;
	} else if (!strncmp(device->uuid, "MIG-", 4)) {
		snprintf(device->mig_parent, sizeof(device->mig_parent), "unknown");
		bench_device_note(device, DEVICE_MIG_PARENT);
	}
	match(device, memory.total_bytes ? (double)memory.total_bytes : device->memory_bytes);
}

static bool attribute(const struct cuda_driver *driver, enum cuda_attribute which, int device, int *value)
{
	return driver->device_attribute(value, (int)which, device) == CUDA_OK && *value > 0;
}

static void note_cuda(struct bench_device *device, const struct cuda_driver *driver, int ordinal)
{
	size_t memory_bytes = 0;
	int value, minor = 0;

	if (driver->device_name(device->name, (int)sizeof(device->name), ordinal) != CUDA_OK)
		snprintf(device->name, sizeof(device->name), "NVIDIA device %d", ordinal);
	if (driver->device_memory(&memory_bytes, ordinal) == CUDA_OK && memory_bytes)
		note_memory(device, (double)memory_bytes);
	if (attribute(driver, CUDA_ATTRIBUTE_L2_BYTES, ordinal, &value)) {
		device->cache_bytes = value;
		bench_device_note(device, DEVICE_CACHE);
	}
	if (attribute(driver, CUDA_ATTRIBUTE_CLOCK_KHZ, ordinal, &value)) {
		device->clock_hz = value * 1e3;
		bench_device_note(device, DEVICE_CLOCK);
	}
	if (attribute(driver, CUDA_ATTRIBUTE_MULTIPROCESSORS, ordinal, &value)) {
		device->unit_count = value;
		bench_device_note(device, DEVICE_UNITS);
	}
	if (attribute(driver, CUDA_ATTRIBUTE_CAPABILITY_MAJOR, ordinal, &value)) {
		(void)driver->device_attribute(&minor, CUDA_ATTRIBUTE_CAPABILITY_MINOR, ordinal);
		snprintf(device->compute_capability, sizeof(device->compute_capability), "%d.%d", value % 100, minor % 100);
		bench_device_note(device, DEVICE_COMPUTE_CAPABILITY);
	}
	if (driver->device_pci_bus(device->pci_bus, (int)sizeof(device->pci_bus), ordinal) == CUDA_OK)
		note_bus(device);
}

static void list_visible(struct listing *listing, const struct cuda_driver *driver, const struct nvml *nvml, int count)
{
	for (int ordinal = 0; ordinal < count && listing->count < listing->capacity; ordinal++) {
		struct bench_device *device = &listing->devices[listing->count];
		char uuid[DEVICE_ID_MAX];
		int handle = 0;

		if (!cuda_uuid_of(driver, ordinal, uuid, sizeof(uuid)) || driver->device_get(&handle, ordinal) != CUDA_OK)
			continue;
		begin(device, uuid, driver, nvml);
		note_cuda(device, driver, handle);
		enrich(device, nvml);
		listing->count++;
	}
}

static bool listed(const struct listing *listing, const char *uuid)
{
	for (size_t i = 0; i < listing->count; i++)
		if (!strcmp(listing->devices[i].uuid, uuid))
			return true;
	return false;
}

/* A process sees one slice. Only NVML reports the others; a later process opens one by its name. */
static void list_slices(struct listing *listing, const struct cuda_driver *driver, const struct nvml *nvml, struct nvml_device *board)
{
	unsigned current = 0, pending = 0, most = 0;

	if (nvml->mig_mode(board, &current, &pending) != NVML_OK || !current || nvml->mig_count_max(board, &most) != NVML_OK)
		return;
	for (unsigned i = 0; i < most && listing->count < listing->capacity; i++) {
		struct bench_device *device = &listing->devices[listing->count];
		struct nvml_device *slice;
		struct nvml_memory memory;
		char uuid[NVML_TEXT_MAX];

		if (nvml->mig_device_at(board, i, &slice) != NVML_OK || nvml->uuid(slice, uuid, sizeof(uuid)) != NVML_OK ||
			strlen(uuid) >= DEVICE_ID_MAX || listed(listing, uuid))
			continue;
		begin(device, uuid, driver, nvml);
		if (nvml->name(slice, device->name, sizeof(device->name)) != NVML_OK)
			snprintf(device->name, sizeof(device->name), "NVIDIA MIG device");
		if (nvml->memory(slice, &memory) == NVML_OK)
			note_memory(device, (double)memory.total_bytes);
		note_slice(device, nvml, board, slice);
		note_board(device, nvml, board);
		listing->count++;
	}
}

static void list_hidden(struct listing *listing, const struct cuda_driver *driver, const struct nvml *nvml)
{
	const char *chosen = getenv("CUDA_VISIBLE_DEVICES");
	unsigned count = 0;

	if ((chosen && *chosen) || !nvml->handle || !nvml->mig_mode || !nvml->mig_count_max || !nvml->mig_device_at ||
		nvml->device_count(&count) != NVML_OK)
		return;
	for (unsigned i = 0; i < count; i++) {
		struct nvml_device *board;

		if (nvml->device_at(i, &board) == NVML_OK)
			list_slices(listing, driver, nvml, board);
	}
}

static enum bench_outcome list_here(struct bench_device *devices, size_t capacity, size_t *count, struct bench_reason *reason)
{
	struct listing listing = {.devices = devices, .capacity = capacity};
	struct cuda_driver driver;
	struct nvml nvml;
	struct bench_reason unused;
	int visible = 0;
	enum bench_outcome outcome = cuda_driver_open(&driver, reason);

	if (outcome == BENCH_OK)
		outcome = cuda_driver_judge(&driver, driver.device_count(&visible), "counting the devices", reason);
	if (outcome != BENCH_OK)
		return outcome;
	(void)nvml_open(&nvml, &unused);
	list_visible(&listing, &driver, &nvml, visible);
	list_hidden(&listing, &driver, &nvml);
	nvml_close(&nvml);
	*count = listing.count;
	return listing.count ? BENCH_OK
						 : bench_refuse(reason, BENCH_UNSUPPORTED, "no device: the NVIDIA driver is installed but reports no device");
}

enum bench_outcome cuda_devices_list(struct bench_device *devices, size_t capacity, size_t *count, struct bench_reason *reason)
{
	return bench_list_apart(list_here, "the NVIDIA driver", devices, capacity, count, reason);
}
