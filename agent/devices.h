/* The devices of this machine, as a worker listed them: neither the daemon nor an agent ever loads a device's library.
 *
 * Whoever probes tells others: the daemon its storage (server/bench_device_rows.h), an agent its server. One thread. */
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
	pid_t wedged;         /* the worker that would not die; 0: none */
	int64_t not_before_ns; /* monotonic: busy for somebody else until then */
};

struct bench_devices {
	struct arena arena;
	struct bench_device_slot slots[BENCH_DEVICES_MAX];
	size_t count;
	char node[64]; /* this host's name */
};

void bench_devices_init(struct bench_devices *devices);
void bench_devices_release(struct bench_devices *devices);

/* Asks `program` for its devices. States of known ones stay. False, and everything as it was, when no worker could answer,
 * which is logged, or when *stopping. */
bool bench_devices_probe(struct bench_devices *devices, const char *program, const _Atomic bool *stopping);

const struct bench_device_slot *bench_device_find(const struct bench_devices *devices, const char *id); /* NULL: none */

void bench_device_mark(struct bench_device_slot *slot, enum bench_device_state state, const char *reason); /* reason may be NULL */

/* Whether it may be given work now. A wedged one may again once its worker is gone: its state is then *changed. */
bool bench_device_ready(struct bench_device_slot *slot, bool *changed);

#endif
