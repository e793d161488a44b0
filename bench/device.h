/* What a backend tells of one device that benchmarks can run on.
 *
 * Devices differ in what they reveal: a field is meaningful only when its bit is set in `known`, and is left out of
 * everything printed otherwise; it is never 0 for "unknown". `id`, `backend` and `name` are always there. The same
 * struct serves a CPU, a GPU and a MIG slice. Plain data: copied freely, owns nothing. */
#ifndef FLEETPLAN_BENCH_DEVICE_H
#define FLEETPLAN_BENCH_DEVICE_H

#include <stdbool.h>

#include "base/json_writer.h"

enum bench_device_field {
	DEVICE_UUID,
	DEVICE_VENDOR,
	DEVICE_ACCELERATOR,
	DEVICE_DRIVER,
	DEVICE_INSTRUCTION_SET,
	DEVICE_MEMORY,
	DEVICE_CACHE,
	DEVICE_CLOCK,
	DEVICE_THREADS,
	DEVICE_LOAD,
	DEVICE_PCI_ID,
	DEVICE_PCI_BUS,
	DEVICE_ECC,
	DEVICE_POWER_LIMIT,
	DEVICE_MIG_PARENT,
	DEVICE_MIG_PROFILE,
	DEVICE_COMPUTE_CAPABILITY,
	DEVICE_UNITS,
	DEVICE_NUMA_NODE,
	DEVICE_FIELD_COUNT
};

enum { DEVICE_ID_MAX = 72, DEVICE_TEXT_MAX = 96 };

struct bench_device {
	unsigned known;                    /* bit 1 << enum bench_device_field */
	char id[DEVICE_ID_MAX];            /* stable for this device on this node: "cpu-1f0a99c2d4e8", a GPU's UUID */
	const char *backend;               /* static: "cpu", "opencl", "cuda" */
	char name[DEVICE_TEXT_MAX];        /* as marketed */
	char uuid[DEVICE_ID_MAX];          /* what its lock is named by */
	char vendor[DEVICE_TEXT_MAX];
	char accelerator[DEVICE_ID_MAX];   /* its row in the catalogue */
	char driver[DEVICE_TEXT_MAX];      /* a CPU's is the kernel */
	char instruction_set[DEVICE_ID_MAX]; /* the widest that the own kernels use */
	double memory_bytes;               /* that a program may use, limits of the container included */
	double cache_bytes;                /* last level, all of it */
	double clock_hz;                   /* as reported, not as sustained */
	double load_1m;                    /* runnable processes when listed: a busy device measures badly */
	int threads;                       /* that benchmarks use: affinity and quota */
	char pci_id[16];                   /* vendor and device in hexadecimal: "10de:2330" */
	char pci_bus[24];                  /* domain, bus, device: "0000:1b:00.0" */
	bool ecc;                          /* on now */
	double power_limit_w;              /* in force */
	char mig_parent[DEVICE_ID_MAX];    /* the UUID of the whole device that this is a slice of */
	char mig_profile[24];              /* "1g.10gb" */
	char compute_capability[8];        /* "9.0" */
	int unit_count;                    /* multiprocessors, compute units */
	int numa_node;
};

bool bench_device_knows(const struct bench_device *device, enum bench_device_field field);
void bench_device_note(struct bench_device *device, enum bench_device_field field); /* sets the bit */

/* Members of a JSON object that the caller has begun: what is known, each with its unit in the key. */
void bench_device_encode(const struct bench_device *device, struct json_writer *writer);

#endif
