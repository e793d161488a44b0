/* Stores the daemon's own devices as rows. GET /v1/devices lists them together with the agents' devices. */
#ifndef FLEETPLAN_SERVER_BENCH_DEVICE_ROWS_H
#define FLEETPLAN_SERVER_BENCH_DEVICE_ROWS_H

#include "agent/devices.h"
#include "storage/storage.h"

/* Stores one device with its state. A failure of the storage is logged. */
void bench_device_store(const struct bench_devices *devices, const struct bench_device_slot *slot, struct storage *storage);

/* Stores all devices. Stored devices of this machine that are not in the list become `gone`. */
void bench_devices_store(const struct bench_devices *devices, struct storage *storage);

#endif
