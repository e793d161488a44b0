/* Checks that no other program uses a device: a figure that is measured beside other work is wrong. */
#ifndef FLEETPLAN_BENCH_BUSY_H
#define FLEETPLAN_BENCH_BUSY_H

#include "bench/backend.h"

/* Waits until three checks, half a second apart, find the device idle: utilization is at most 5 %, and at most 2 GB
 * of memory are in use, which includes our own session's context. Drivers report averages that lag, so the function
 * waits up to 15 s. Returns false, with the reason, if the device stays busy. A shared backend, or one without these
 * sensors, is never busy. */
bool bench_wait_idle(
	const struct bench_backend *backend, struct bench_session *session, _Atomic uint64_t *alive, struct bench_reason *reason);

#endif
