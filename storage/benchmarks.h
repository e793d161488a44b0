/* The durable queue of benchmarks, and the devices that run them.
 *
 * One state machine (storage/lease.h) for the daemon's own worker and for remote agents: a claim gives a lease with a token;
 * heartbeats extend it; a result, a release or a sweep ends it. A stale token is refused (STATUS_STALE_LEASE). Never two
 * running on one device. Times are the daemon's wall clock, given by the caller: no other machine's clock counts. */
#ifndef FLEETPLAN_STORAGE_BENCHMARKS_H
#define FLEETPLAN_STORAGE_BENCHMARKS_H

#include "storage/idempotency.h"

struct benchmark_record; /* hwdb/catalogue/records.h */
struct device_record; /* hwdb/catalogue/records.h */
struct catalogue_rows; /* hwdb/catalogue/catalogue.h */
struct text_list; /* base/given.h */

struct benchmark_put {
	struct storage_job job;
	const struct benchmark_record *benchmark; /* stored as `queued`, attempt and token 0 */
	const struct idempotency *idempotency;
};

struct benchmark_cancel {
	struct storage_job job;
	const char *id;
	int64_t now_us;
	struct benchmark_record *benchmark; /* output, may be NULL */
};

/* Who shows a lease's token, or asks for one, from outside. */
struct lease_bearer {
	const char *key_id; /* of the API key; it must be the one that the lease's agent registered with, */
	bool any;           /* unless this one may act for any agent */
};

/* Takes the next benchmark (priority, then age) that wants this device: by its id, or by its accelerator id, or neither.
 * STATUS_NOT_FOUND when there is none; STATUS_CONFLICT when one is running on the device.
 *
 * An agent (with a bearer) names the devices that are free, and gets a benchmark for one of them. It is believed: a
 * lease that stands on such a device ends like one that is over, as its answer was lost, or the agent started anew. Devices
 * that another has are left out; STATUS_INVALID for one that the agent has not told, or not any more, with those of its devices that
 * are near in name. STATUS_NOT_FOUND also for an agent that never registered (`unregistered`). */
struct benchmark_claim {
	struct storage_job job;
	const char *device_id;                 /* of the daemon's own worker */
	const char *agent_id;                  /* NULL: the daemon's own worker */
	const struct lease_bearer *bearer;     /* with an agent_id of the outside */
	const struct text_list *devices;       /* then; empty: all of the agent's that are free as far as is known here */
	int64_t now_us, lease_us;
	struct benchmark_record *benchmark; /* output, with the new token */
	bool found;                         /* output */
};

struct benchmark_heartbeat {
	struct storage_job job;
	const char *id;
	int64_t token, now_us, lease_us;
	const char *progress; /* JSON, NULL: unchanged */
	const struct lease_bearer *bearer; /* NULL: the daemon's own worker */
	bool cancel_requested; /* output */
};

enum benchmark_end { BENCHMARK_FAILED, BENCHMARK_SUCCEEDED, BENCHMARK_BROKEN /* another attempt, while there are any left */ };

/* Delivers. Accepted when the token is the last one and nobody claimed again; a second delivery with the same digest is
 * STATUS_OK with `repeated`, with another one STATUS_CONFLICT. */
struct benchmark_result {
	struct storage_job job;
	const char *id;
	int64_t token, now_us;
	enum benchmark_end end;
	const char *result; /* JSON; may be NULL for a failure */
	const char *failure_detail;
	unsigned char sha256[32]; /* of the result as delivered */
	const struct catalogue_rows *calibrations; /* rows to put in the same transaction (and the device's own accelerator row); NULL: none */
	const struct lease_bearer *bearer; /* NULL: the daemon's own worker */
	struct benchmark_record *benchmark; /* output, as it is then; may be NULL */
	bool repeated, late; /* outputs */
};

/* Gives back without penalty (drain, busy device): queued again, the attempt not counted. */
struct benchmark_release {
	struct storage_job job;
	const char *id;
	int64_t token, now_us;
	const char *reason;
	const struct lease_bearer *bearer; /* NULL: the daemon's own worker */
	struct benchmark_record *benchmark; /* output, as it is then; may be NULL */
};

/* Ends leases that are over and queued ones past their time, forgets idempotency keys older than a day (of those of former
 * lives the 10,000 newest not within a day from the start: the clock may be ahead). Every few
 * seconds, and at start with `restart`: leases of the daemon's own worker are then over at once, as it died with us, and those of agents begin anew:
 * what the clock showed to the daemon that gave them is not known. */
struct benchmark_sweep {
	struct storage_job job;
	int64_t now_us;
	bool restart;
	int64_t lease_us; /* with `restart`: how long an agent's lease holds from now on; 0: as it was */
	int64_t requeued, expired, cancelled, keys_forgotten; /* outputs */
};

struct device_put { /* adds or updates by id; what was told by an agent is the daemon's own from then on */
	struct storage_job job;
	const struct device_record *device;
};

struct benchmark_filter {
	const char *state, *device_id, *accelerator_id, *plan_id, *agent_id; /* NULL: any */
	const char *label_key, *label_value; /* both or none */
	const char *scope_key, *scope_value; /* both or none: of plans with this label, and those without a plan that have it themselves */
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

/* Changes whenever a benchmark may wait that did not wait before: what a claim that found none waits for. */
uint64_t storage_queue_changes(struct storage *storage);

FALLIBLE enum status storage_benchmark_get(struct storage *storage, const char *id, struct arena *arena,
	struct benchmark_record *benchmark, struct failure *failure);
FALLIBLE enum status storage_benchmark_list(struct storage *storage, const struct benchmark_filter *filter,
	const struct page_request *page, struct arena *arena, struct benchmark_list *list, struct failure *failure);
FALLIBLE enum status storage_device_list(struct storage *storage, const struct page_request *page, struct arena *arena,
	struct device_list *list, struct failure *failure);

#endif
