#include "bench/busy.h"

#include <time.h>

enum { LOOKS_IDLE = 3, LOOKS_MAX = 30 };

#define LOOK_S            0.5
#define UTILIZATION_IDLE  0.05
#define MEMORY_OURS_BYTES 2e9 /* includes the context of our own session, some hundred megabytes, and a margin of 1 GiB */

static bool is_idle(const struct bench_sensors *sensors)
{
	if (bench_sensors_know(sensors, SENSOR_UTILIZATION) && sensors->utilization > UTILIZATION_IDLE)
		return false;
	return !bench_sensors_know(sensors, SENSOR_MEMORY_USED) || sensors->memory_used_bytes <= MEMORY_OURS_BYTES;
}

bool bench_wait_idle(const struct bench_backend *backend, struct bench_session *session, _Atomic uint64_t *alive, struct bench_reason *reason)
{
	struct timespec pause = {.tv_nsec = (long)(LOOK_S * 1e9)};
	struct bench_sensors sensors = {0};
	int idle = 0;

	if (backend->shared || !backend->sense)
		return true;
	for (int look = 0; look < LOOKS_MAX; look++) {
		sensors = (struct bench_sensors){0};
		if (backend->sense(session, &sensors, reason) != BENCH_OK ||
			(!bench_sensors_know(&sensors, SENSOR_UTILIZATION) && !bench_sensors_know(&sensors, SENSOR_MEMORY_USED)))
			return true;
		idle = is_idle(&sensors) ? idle + 1 : 0;
		if (idle == LOOKS_IDLE)
			return true;
		nanosleep(&pause, NULL);
		atomic_fetch_add_explicit(alive, 1, memory_order_relaxed);
	}
	bench_refuse(reason, BENCH_FAILED, "another program uses the device: %.0f %% busy, %.1f GB in use; try again later",
		sensors.utilization * 100, sensors.memory_used_bytes / 1e9);
	return false;
}
