#include "bench/device.h"

#include "planner/measurement/bench_tables.h"

bool bench_device_knows(const struct bench_device *device, enum bench_device_field field)
{
	return (device->known & 1u << field) != 0;
}

void bench_device_note(struct bench_device *device, enum bench_device_field field)
{
	device->known |= 1u << field;
}

static const char *known_text(const struct bench_device *device, enum bench_device_field field, const char *text)
{
	return bench_device_knows(device, field) ? text : NULL;
}

static double known_number(const struct bench_device *device, enum bench_device_field field, double number)
{
	return bench_device_knows(device, field) ? number : ABSENT_NUMBER;
}

void bench_device_encode(const struct bench_device *device, struct json_writer *writer)
{
	const struct bench_line_device line = {
		.id = device->id,
		.backend = device->backend,
		.name = device->name,
		.uuid = known_text(device, DEVICE_UUID, device->uuid),
		.vendor = known_text(device, DEVICE_VENDOR, device->vendor),
		.accelerator = known_text(device, DEVICE_ACCELERATOR, device->accelerator),
		.driver = known_text(device, DEVICE_DRIVER, device->driver),
		.instruction_set = known_text(device, DEVICE_INSTRUCTION_SET, device->instruction_set),
		.memory_bytes = known_number(device, DEVICE_MEMORY, device->memory_bytes),
		.cache_bytes = known_number(device, DEVICE_CACHE, device->cache_bytes),
		.clock_hz = known_number(device, DEVICE_CLOCK, device->clock_hz),
		.threads = known_number(device, DEVICE_THREADS, device->threads),
		.load_1m = known_number(device, DEVICE_LOAD, device->load_1m),
		.pci_id = known_text(device, DEVICE_PCI_ID, device->pci_id),
		.pci_bus = known_text(device, DEVICE_PCI_BUS, device->pci_bus),
		.ecc = !bench_device_knows(device, DEVICE_ECC) ? TRUTH_UNSET
			: device->ecc                              ? TRUTH_TRUE
													   : TRUTH_FALSE,
		.power_limit_w = known_number(device, DEVICE_POWER_LIMIT, device->power_limit_w),
		.mig_parent = known_text(device, DEVICE_MIG_PARENT, device->mig_parent),
		.mig_profile = known_text(device, DEVICE_MIG_PROFILE, device->mig_profile),
		.compute_capability = known_text(device, DEVICE_COMPUTE_CAPABILITY, device->compute_capability),
		.unit_count = known_number(device, DEVICE_UNITS, device->unit_count),
		.numa_node = known_number(device, DEVICE_NUMA_NODE, device->numa_node),
	};

	record_encode_members(&table_bench_line_device, &line, writer);
}
