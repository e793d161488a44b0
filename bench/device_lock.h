/* Allows one benchmark per device: an flock on a file named after the device's UUID, in a folder that all processes of
 * this node share.
 *
 * The folder is FLEETPLAN_RUN_DIR, else /run/fleetplan if it is writable, else XDG_RUNTIME_DIR, else a private
 * /tmp/fleetplan-UID. The kernel releases the lock when the process ends, also after a crash. */
#ifndef FLEETPLAN_BENCH_DEVICE_LOCK_H
#define FLEETPLAN_BENCH_DEVICE_LOCK_H

#include "bench/backend.h"

/* Writes the path of that folder; false if none is usable. */
bool bench_run_folder(char *out, size_t size);

enum device_lock { DEVICE_LOCKED, DEVICE_BUSY, DEVICE_LOCK_FAILED };

/* DEVICE_LOCKED: *fd holds the lock until the caller closes it. For the other results the reason is filled. */
enum device_lock bench_device_lock(const char *uuid, int *fd, struct bench_reason *reason);

#endif
