/* Agents: machines that lease benchmarks for their devices. What they tell of themselves is kept here; leases are of
 * storage/benchmarks.h, which hears of an agent by each of its calls. */
#ifndef FLEETPLAN_STORAGE_AGENTS_H
#define FLEETPLAN_STORAGE_AGENTS_H

#include "storage/benchmarks.h"

struct agent_record; /* hwdb/catalogue/records.h */

/* An agent that was not heard of for so long is silent, and its devices are gone. More than a long poll and a heartbeat. */
#define AGENT_SILENCE_US INT64_C(90000000)

/* What one key and one agent may leave here. Of devices that are gone and of results the newest stay; an older result keeps its state and its
 * digest. */
enum { AGENTS_PER_KEY_MAX = 1024, AGENT_GONE_DEVICES_MAX = 64, AGENT_RESULTS_MAX = 1000 };

/* Adds or updates by id, with its devices: those told before and not now are gone. A device that another agent which is
 * heard of, or the daemon itself, has attached is not taken, and told in `registered->refused_devices`.
 * STATUS_FORBIDDEN when the agent has registered with another key that still holds; STATUS_CONFLICT for one more than a key may have. */
struct agent_put {
	struct storage_job job;
	const struct agent_record *agent; /* key_id: NULL where the bearer may act for any */
	const struct device_record *devices; /* agent_id and node are taken from the agent */
	size_t device_count;
	const struct lease_bearer *bearer;
	struct agent_record *registered; /* output */
};

/* Forgets an agent and its devices. STATUS_NOT_FOUND; STATUS_CONFLICT while a lease of it stands: a worker may be at work on its
 * device, and the benchmark must not be given to another before that is over. */
struct agent_remove {
	struct storage_job job;
	const char *id;
};

struct agent_list {
	struct agent_record *items;
	size_t count;
	const char *next_cursor;
};

/* As it is at `now_us`. */
FALLIBLE enum status storage_agent_list(struct storage *storage, int64_t now_us, const struct page_request *page, struct arena *arena,
	struct agent_list *list, struct failure *failure);

/* For who watches the service. */
struct queue_counts {
	int64_t queued, running;             /* benchmarks */
	int64_t agents_online, agents_silent;
};
FALLIBLE enum status storage_queue_counts(struct storage *storage, int64_t now_us, struct queue_counts *counts, struct failure *failure);

#endif
