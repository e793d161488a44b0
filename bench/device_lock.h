/* One benchmark a device: an flock on a file named by the device's UUID, in a folder that all on this node share.
 *
 * The folder is FLEETPLAN_RUN_DIR, else /run/fleetplan where it can be written, else XDG_RUNTIME_DIR, else a private
 * /tmp/fleetplan-UID. The lock is gone with the process that holds it, however it dies. */
#ifndef FLEETPLAN_BENCH_DEVICE_LOCK_H
#define FLEETPLAN_BENCH_DEVICE_LOCK_H

#include "bench/backend.h"

/* That folder; false where none can be had. */
bool bench_run_folder(char *out, size_t size);

enum device_lock { DEVICE_LOCKED, DEVICE_BUSY, DEVICE_LOCK_FAILED };

/* DEVICE_LOCKED: *fd holds the lock until it is closed. Else the reason is filled. */
enum device_lock bench_device_lock(const char *uuid, int *fd, struct bench_reason *reason);

#endif
