/* Whether somebody else uses a device now: a figure taken beside other work is a wrong one. */
#ifndef FLEETPLAN_BENCH_BUSY_H
#define FLEETPLAN_BENCH_BUSY_H

#include "bench/backend.h"

/* Waits until the device was idle three times, half a second apart: at most 5 % used, and not more memory in use than our own session takes.
 * Averages of drivers lag, so it asks for up to 15 s. False, with the reason, when it stays busy. A backend that is shared, or cannot tell,
 * is never busy. */
bool bench_wait_idle(const struct bench_backend *backend, struct bench_session *session, _Atomic uint64_t *alive, struct bench_reason *reason);

#endif
