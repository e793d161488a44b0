/* What a backend reports about one device that benchmarks can run on.
 *
 * Devices report different fields. A field is valid only if its bit is set in `known`; other fields are left out of
 * all output. 0 never means "unknown". `id`, `backend` and `name` are always set. The same struct describes a CPU, a
 * GPU and a MIG slice. It is plain data: copy it freely; it owns nothing. */
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
	unsigned known;             /* bit 1 << enum bench_device_field */
	char id[DEVICE_ID_MAX];     /* stable for this device on this node: "cpu-1f0a99c2d4e8", a GPU's UUID */
	const char *backend;        /* static: "cpu", "opencl", "cuda" */
	char name[DEVICE_TEXT_MAX]; /* marketing name */
	char uuid[DEVICE_ID_MAX];   /* names the device's lock file */
	char vendor[DEVICE_TEXT_MAX];
	char accelerator[DEVICE_ID_MAX];     /* its row in the catalogue */
	char driver[DEVICE_TEXT_MAX];        /* for a CPU: the kernel */
	char instruction_set[DEVICE_ID_MAX]; /* the widest that the own kernels use */
	double memory_bytes;                 /* usable by a program; includes the limits of the container */
	double cache_bytes;                  /* last level, all of it */
	double clock_hz;                     /* as reported, not the sustained clock */
	double load_1m;                      /* runnable processes at listing; measurements on a busy device are wrong */
	int threads;                         /* used by benchmarks; follows affinity and quota */
	char pci_id[16];                     /* vendor and device in hexadecimal: "10de:2330" */
	char pci_bus[24];                    /* domain, bus, device: "0000:1b:00.0" */
	bool ecc;                            /* currently on */
	double power_limit_w;                /* currently enforced */
	char mig_parent[DEVICE_ID_MAX];      /* the UUID of the whole device that contains this slice */
	char mig_profile[24];                /* "1g.10gb" */
	char compute_capability[8];          /* "9.0" */
	int unit_count;                      /* multiprocessors, compute units */
	int numa_node;
};

bool bench_device_knows(const struct bench_device *device, enum bench_device_field field);
void bench_device_note(struct bench_device *device, enum bench_device_field field); /* sets the bit */

/* Writes the known fields as members of a JSON object that the caller has begun. Each key names its unit. */
void bench_device_encode(const struct bench_device *device, struct json_writer *writer);

#endif
