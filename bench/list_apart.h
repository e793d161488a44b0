/* A backend's devices, listed in a process of its own. */
#ifndef FLEETPLAN_BENCH_LIST_APART_H
#define FLEETPLAN_BENCH_LIST_APART_H

#include "bench/backend.h"

/* Calls `list` in a child process. A driver that crashes, aborts or hangs costs the list of this backend and nothing else: it is BENCH_FAILED
 * after at most 20 s, and the reason names `driver`. */
enum bench_outcome bench_list_apart(
	enum bench_outcome (*list)(struct bench_device *devices, size_t capacity, size_t *count, struct bench_reason *reason), const char *driver,
	struct bench_device *devices, size_t capacity, size_t *count, struct bench_reason *reason);

#endif
