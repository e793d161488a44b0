#include "bench/device.h"

bool bench_device_knows(const struct bench_device *device, enum bench_device_field field)
{
	return (device->known & 1u << field) != 0;
}

void bench_device_note(struct bench_device *device, enum bench_device_field field)
{
	device->known |= 1u << field;
}

static void device_text(
	const struct bench_device *device, enum bench_device_field field, const char *key, const char *text, struct json_writer *writer)
{
	if (!bench_device_knows(device, field))
		return;
	json_key(writer, key);
	json_string(writer, text);
}

static void device_number(
	const struct bench_device *device, enum bench_device_field field, const char *key, double number, struct json_writer *writer)
{
	if (!bench_device_knows(device, field))
		return;
	json_key(writer, key);
	json_double(writer, number);
}

void bench_device_encode(const struct bench_device *device, struct json_writer *writer)
{
	json_key(writer, "id");
	json_string(writer, device->id);
	json_key(writer, "backend");
	json_string(writer, device->backend);
	json_key(writer, "name");
	json_string(writer, device->name);
	device_text(device, DEVICE_UUID, "uuid", device->uuid, writer);
	device_text(device, DEVICE_VENDOR, "vendor", device->vendor, writer);
	device_text(device, DEVICE_ACCELERATOR, "accelerator", device->accelerator, writer);
	device_text(device, DEVICE_DRIVER, "driver", device->driver, writer);
	device_text(device, DEVICE_INSTRUCTION_SET, "instruction_set", device->instruction_set, writer);
	device_number(device, DEVICE_MEMORY, "memory_bytes", device->memory_bytes, writer);
	device_number(device, DEVICE_CACHE, "cache_bytes", device->cache_bytes, writer);
	device_number(device, DEVICE_CLOCK, "clock_hz", device->clock_hz, writer);
	device_number(device, DEVICE_THREADS, "threads", device->threads, writer);
	device_number(device, DEVICE_LOAD, "load_1m", device->load_1m, writer);
	device_text(device, DEVICE_PCI_ID, "pci_id", device->pci_id, writer);
	device_text(device, DEVICE_PCI_BUS, "pci_bus", device->pci_bus, writer);
	if (bench_device_knows(device, DEVICE_ECC)) {
		json_key(writer, "ecc");
		json_bool(writer, device->ecc);
	}
	device_number(device, DEVICE_POWER_LIMIT, "power_limit_w", device->power_limit_w, writer);
	device_text(device, DEVICE_MIG_PARENT, "mig_parent", device->mig_parent, writer);
	device_text(device, DEVICE_MIG_PROFILE, "mig_profile", device->mig_profile, writer);
	device_text(device, DEVICE_COMPUTE_CAPABILITY, "compute_capability", device->compute_capability, writer);
	device_number(device, DEVICE_UNITS, "unit_count", device->unit_count, writer);
	device_number(device, DEVICE_NUMA_NODE, "numa_node", device->numa_node, writer);
}
