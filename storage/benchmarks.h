/* The durable queue of benchmarks, and the devices that run them.
 *
 * One state machine (storage/lease.h) serves the daemon's own worker and remote agents: a claim returns a lease with a
 * token; heartbeats extend the lease; a result, a release or a sweep ends it. A stale token is rejected
 * (STATUS_STALE_LEASE). At most one benchmark runs on a device. Times are the daemon's wall clock, given by the caller;
 * clocks of other machines are not used. */
#ifndef FLEETPLAN_STORAGE_BENCHMARKS_H
#define FLEETPLAN_STORAGE_BENCHMARKS_H

#include "storage/idempotency.h"

struct benchmark_record; /* hwdb/catalogue/records.h */
struct device_record;    /* hwdb/catalogue/records.h */
struct catalogue_rows;   /* hwdb/catalogue/catalogue.h */
struct text_list;        /* base/given.h */

struct benchmark_put {
	struct storage_job job;
	const struct benchmark_record *benchmark; /* stored as `queued`, with attempt and token 0 */
	const struct idempotency *idempotency;
};

struct benchmark_cancel {
	struct storage_job job;
	const char *id;
	int64_t now_us;
	struct benchmark_record *benchmark; /* output, may be NULL */
};

/* The client that sends a lease's token, or asks for a lease. */
struct lease_bearer {
	const char *key_id; /* of the API key: must be the key with which the lease's agent registered, unless `any` */
	bool any;           /* true: the key may act for any agent */
};

/* Claims the next benchmark (by priority, then age) for this device: one that names the device's id, its accelerator's
 * id, or neither. STATUS_NOT_FOUND if there is none; STATUS_CONFLICT if a benchmark runs on the device.
 *
 * An agent (with a bearer) lists its free devices, and gets a benchmark for one of them. The list is trusted: a lease
 * on such a device ends as if it had expired, because its response was lost or the agent restarted. Devices of other
 * agents are ignored. STATUS_INVALID for a device that the agent has not registered, or no longer; the failure names
 * its devices with similar names. STATUS_NOT_FOUND also for an agent that never registered (`unregistered`). */
struct benchmark_claim {
	struct storage_job job;
	const char *device_id;             /* of the daemon's own worker */
	const char *agent_id;              /* NULL: the daemon's own worker */
	const struct lease_bearer *bearer; /* with the agent_id of a remote agent */
	const struct text_list *devices;   /* with a bearer; empty: all of the agent's devices that the store knows as free */
	int64_t now_us, lease_us;
	struct benchmark_record *benchmark; /* output, with the new token */
	bool found;                         /* output */
};

struct benchmark_heartbeat {
	struct storage_job job;
	const char *id;
	int64_t token, now_us, lease_us;
	const char *progress;              /* JSON, NULL: unchanged */
	const struct lease_bearer *bearer; /* NULL: the daemon's own worker */
	bool cancel_requested;             /* output */
};

enum benchmark_end { BENCHMARK_FAILED, BENCHMARK_SUCCEEDED, BENCHMARK_BROKEN /* BROKEN: another attempt follows, while any are left */ };

/* Delivers a result. It is accepted if the token is the last one and no later claim was made. A second delivery with
 * the same digest is STATUS_OK with `repeated`; with another digest it is STATUS_CONFLICT. */
struct benchmark_result {
	struct storage_job job;
	const char *id;
	int64_t token, now_us;
	enum benchmark_end end;
	const char *result; /* JSON; may be NULL for a failure */
	const char *failure_detail;
	unsigned char sha256[32];                  /* of the result as delivered */
	const struct catalogue_rows *calibrations; /* rows to put in the same transaction (and the device's own accelerator row); NULL: none */
	const struct lease_bearer *bearer;         /* NULL: the daemon's own worker */
	struct benchmark_record *benchmark;        /* output, after the operation; may be NULL */
	bool repeated, late;                       /* outputs */
};

/* Gives a benchmark back without penalty (drain, busy device): it is queued again, and the attempt does not count. */
struct benchmark_release {
	struct storage_job job;
	const char *id;
	int64_t token, now_us;
	const char *reason;
	const struct lease_bearer *bearer;  /* NULL: the daemon's own worker */
	struct benchmark_record *benchmark; /* output, after the operation; may be NULL */
};

/* Ends expired leases and queued benchmarks past their time, and deletes idempotency keys older than a day. (Of the
 * keys from before the start, the newest 10,000 stay for the first day: the clock may be ahead.) Runs every few
 * seconds, and at start with `restart`: leases of the daemon's own worker then end at once, as it died with the daemon.
 * Leases of agents start again, because the clock at their start is unknown. */
struct benchmark_sweep {
	struct storage_job job;
	int64_t now_us;
	bool restart;
	int64_t lease_us;                                     /* with `restart`: duration of agents' leases from now on; 0: unchanged */
	int64_t requeued, expired, cancelled, keys_forgotten; /* outputs */
};

struct device_put { /* adds or updates by id; a device that an agent reported becomes the daemon's own */
	struct storage_job job;
	const struct device_record *device;
};

struct benchmark_filter {
	const char *state, *device_id, *accelerator_id, *plan_id, *agent_id; /* NULL: any */
	const char *label_key, *label_value;                                 /* both or none */
	const char *scope_key,
		*scope_value; /* both or none: benchmarks of plans with this label, and benchmarks without a plan that have the label themselves */
};

struct benchmark_list {
	struct benchmark_record *items; /* without results */
	size_t count;
	const char *next_cursor;
};

struct device_list {
	struct device_record *items;
	size_t count;
	const char *next_cursor;
};

/* Changes whenever a further benchmark may be waiting. A claim that found none waits for a change. */
uint64_t storage_queue_changes(struct storage *storage);

FALLIBLE enum status storage_benchmark_get(
	struct storage *storage, const char *id, struct arena *arena, struct benchmark_record *benchmark, struct failure *failure);
FALLIBLE enum status storage_benchmark_list(struct storage *storage, const struct benchmark_filter *filter, const struct page_request *page,
	struct arena *arena, struct benchmark_list *list, struct failure *failure);
FALLIBLE enum status storage_device_list(
	struct storage *storage, const struct page_request *page, struct arena *arena, struct device_list *list, struct failure *failure);

#endif
