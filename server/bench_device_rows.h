/* The daemon's own devices as rows of its storage, where GET /v1/devices finds them beside those of the agents. */
#ifndef FLEETPLAN_SERVER_BENCH_DEVICE_ROWS_H
#define FLEETPLAN_SERVER_BENCH_DEVICE_ROWS_H

#include "agent/devices.h"
#include "storage/storage.h"

/* Stores one with its state; a storage that cannot take it is logged. */
void bench_device_store(const struct bench_devices *devices, const struct bench_device_slot *slot, struct storage *storage);

/* Stores all; local ones that are stored and not there any more become `gone`. */
void bench_devices_store(const struct bench_devices *devices, struct storage *storage);

#endif
