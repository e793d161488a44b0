/* Devices of this machine, which a worker process lists: the daemon and the agent never load a device's library.
 *
 * The daemon stores them (server/bench_device_rows.h); an agent reports them to its server. One thread. */
#ifndef FLEETPLAN_AGENT_DEVICES_H
#define FLEETPLAN_AGENT_DEVICES_H

#include <stdatomic.h>
#include <sys/types.h>

#include "agent/worker.h"

enum { BENCH_DEVICES_MAX = 64, BENCH_DEVICE_ID_MAX = 200 };

enum bench_device_state { DEVICE_IDLE, DEVICE_IN_USE, DEVICE_SUSPECT, DEVICE_WEDGED, DEVICE_STATE_COUNT };
const char *bench_device_state_name(enum bench_device_state state); /* idle, busy, suspect, wedged */

struct bench_device_slot {
	char id[BENCH_DEVICE_ID_MAX];
	struct bench_line_device told; /* text in the list's arena */
	const char *properties;        /* the line itself */
	enum bench_device_state state;
	char reason[160];
	pid_t wedged;          /* the worker that survived SIGKILL; 0: none */
	int64_t not_before_ns; /* monotonic: other programs use the device; do not use it before */
};

struct bench_devices {
	struct arena arena;
	struct bench_device_slot slots[BENCH_DEVICES_MAX];
	size_t count;
	char node[64]; /* the host name */
};

void bench_devices_init(struct bench_devices *devices);
void bench_devices_release(struct bench_devices *devices);

/* Lists the devices with `program`. Known devices keep their state. False, with nothing changed: the worker failed, which
 * is logged, or *stopping is true, or there is no memory. */
bool bench_devices_probe(struct bench_devices *devices, const char *program, const _Atomic bool *stopping);

const struct bench_device_slot *bench_device_find(const struct bench_devices *devices, const char *id); /* NULL: none */

void bench_device_mark(struct bench_device_slot *slot, enum bench_device_state state, const char *reason); /* reason may be NULL */

/* True if the device is ready for work. A wedged device is ready when its worker has ended; *changed is then true. */
bool bench_device_ready(struct bench_device_slot *slot, bool *changed);

#endif
