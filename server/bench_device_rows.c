#include "server/bench_device_rows.h"

#include "base/clock.h"
#include "base/log.h"
#include "hwdb/catalogue/records.h"
#include "storage/benchmarks.h"

enum { ROWS_ARENA_BYTES = 8 * 1024 * 1024 };

static void store_record(const struct device_record *record, struct storage *storage)
{
	struct failure failure;
	struct device_put put = {.job = {.kind = STORAGE_DEVICE_PUT, .failure = &failure}, .device = record};

	failure_clear(&failure);
	if (storage_run(storage, &put.job) != STATUS_OK)
		log_event(LOG_WARNING, "device_not_stored", LOG_TEXT("device", record->id), LOG_TEXT("detail", failure.detail));
}

void bench_device_store(const struct bench_devices *devices, const struct bench_device_slot *slot, struct storage *storage)
{
	struct device_record record = {.id = slot->id,
		.node = devices->node,
		.backend = slot->told.backend,
		.name = slot->told.name,
		.accelerator = slot->told.accelerator,
		.driver = slot->told.driver,
		.memory_bytes = slot->told.memory_bytes,
		.state = bench_device_state_name(slot->state),
		.seen_at_us = clock_even_us(),
		.state_reason = *slot->reason ? slot->reason : NULL,
		.properties = {slot->properties, strlen(slot->properties)}};

	store_record(&record, storage);
}

/* Marks devices of this node as gone that are stored but were not listed now. */
static void mark_gone(const struct bench_devices *devices, struct storage *storage)
{
	struct page_request page = {.limit = 1000};
	struct device_list list;
	struct failure failure;
	struct arena arena;

	arena_init(&arena, ROWS_ARENA_BYTES);
	failure_clear(&failure);
	if (storage_device_list(storage, &page, &arena, &list, &failure) != STATUS_OK)
		list.count = 0;
	for (size_t i = 0; i < list.count; i++) {
		struct device_record record = list.items[i];

		if (record.agent_id || !strcmp(record.state, "gone") || bench_device_find(devices, record.id))
			continue;
		record.state = "gone";
		record.state_reason = "not found when the devices were last listed";
		store_record(&record, storage);
	}
	arena_release(&arena);
}

void bench_devices_store(const struct bench_devices *devices, struct storage *storage)
{
	for (size_t i = 0; i < devices->count; i++)
		bench_device_store(devices, &devices->slots[i], storage);
	mark_gone(devices, storage);
}
