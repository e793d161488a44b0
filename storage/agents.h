/* Agents: machines that lease benchmarks for their devices. Stores what they report about themselves. Leases are in
 * storage/benchmarks.h; each lease call of an agent also counts as a report. */
#ifndef FLEETPLAN_STORAGE_AGENTS_H
#define FLEETPLAN_STORAGE_AGENTS_H

#include "storage/benchmarks.h"

struct agent_record; /* hwdb/catalogue/records.h */

/* An agent that has not reported for this time is silent, and its devices are gone. Longer than a long poll and a
 * heartbeat. */
#define AGENT_SILENCE_US INT64_C(90000000)

/* Limits on the agents of one key and on the data of one agent. The newest gone devices and the newest results are
 * kept; older results keep their state and their digest. */
enum { AGENTS_PER_KEY_MAX = 1024, AGENT_GONE_DEVICES_MAX = 64, AGENT_RESULTS_MAX = 1000 };

/* Adds or updates an agent by id, with its devices: a device that it listed before and does not list now is gone. A
 * device that belongs to another online agent or to the daemon itself is refused and listed in
 * `registered->refused_devices`. STATUS_FORBIDDEN if the agent has registered with another key that is still valid;
 * STATUS_CONFLICT if the key has AGENTS_PER_KEY_MAX agents already. */
struct agent_put {
	struct storage_job job;
	const struct agent_record *agent;    /* key_id: NULL if the bearer may act for any agent */
	const struct device_record *devices; /* agent_id and node come from the agent */
	size_t device_count;
	const struct lease_bearer *bearer;
	struct agent_record *registered; /* output */
};

/* Deletes an agent and its devices. STATUS_NOT_FOUND; STATUS_CONFLICT while the agent has a lease: a worker may still
 * run on its device, and no other agent may get the benchmark before that ends. */
struct agent_remove {
	struct storage_job job;
	const char *id;
};

struct agent_list {
	struct agent_record *items;
	size_t count;
	const char *next_cursor;
};

/* Lists agents with their state at `now_us`. */
FALLIBLE enum status storage_agent_list(struct storage *storage, int64_t now_us, const struct page_request *page, struct arena *arena,
	struct agent_list *list, struct failure *failure);

/* Counts for metrics. */
struct queue_counts {
	int64_t queued, running; /* benchmarks */
	int64_t agents_online, agents_silent;
};
FALLIBLE enum status storage_queue_counts(struct storage *storage, int64_t now_us, struct queue_counts *counts, struct failure *failure);

#endif
