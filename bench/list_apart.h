/* Lists a backend's devices in a separate process. */
#ifndef FLEETPLAN_BENCH_LIST_APART_H
#define FLEETPLAN_BENCH_LIST_APART_H

#include "bench/backend.h"

/* Calls `list` in a child process. If a driver crashes, aborts or hangs, only the list of this backend is lost: the
 * function returns BENCH_FAILED after at most 20 s, and the reason names `driver`. */
enum bench_outcome bench_list_apart(
	enum bench_outcome (*list)(struct bench_device *devices, size_t capacity, size_t *count, struct bench_reason *reason),
	const char *driver, struct bench_device *devices, size_t capacity, size_t *count, struct bench_reason *reason);

#endif
