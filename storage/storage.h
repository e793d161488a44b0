/* Durable storage as domain operations: plans, catalogue rows, keys, benchmarks. No SQL shows through, so that another
 * engine can stand behind the same headers (storage/plans.h, catalogue_rows.h, keys.h, benchmarks.h).
 *
 * Reading is a plain call: it uses a reader connection of a small pool, copies what it found into the caller's arena
 * and never waits for the writer. Changing goes through jobs: an operation struct whose first member is a
 * `struct storage_job`. One writer thread takes all that has queued up, runs it in one transaction (an operation that
 * fails undoes only itself), commits to the disk, and only then tells every caller: what was acknowledged is durable.
 *
 * Every status is one of: OK, NOT_FOUND, CONFLICT, PRECONDITION_FAILED, STALE_LEASE, MALFORMED (a cursor),
 * INVALID (a row outside the ranges that the store checks), IN_FLIGHT, IDEMPOTENCY_MISMATCH, OVERLOADED (queue full),
 * STORAGE_FULL, UNAVAILABLE (disk cannot be read or written, damaged content), NO_MEMORY. After a full or failing
 * disk the store goes on reading and heals by itself. All functions are thread-safe. `failure` is never NULL. */
#ifndef FLEETPLAN_STORAGE_STORAGE_H
#define FLEETPLAN_STORAGE_STORAGE_H

#include "base/arena.h"
#include "base/failure.h"

#include <stdbool.h>
#include <stdint.h>

struct audit_record; /* hwdb/catalogue/records.h */
struct storage;

enum storage_use {
	STORAGE_DAEMON, /* the one daemon of this file: refuses when another holds it */
	STORAGE_TOOL,   /* a command beside a running daemon (keys, backup): short writes of its own */
};

struct storage_options {
	const char *path;       /* of the database file; made, and brought to the current schema, when it is not there */
	enum storage_use use;
	size_t queue_maximum;   /* jobs that may wait, 0: 4096 */
	size_t readers_maximum; /* reader connections, opened when first needed, 0: 16 */
	bool checks_beside;     /* a file that needs no migration is checked by a thread of its own: storage_checked says what it found */
};

/* Opens, checks and migrates. Refuses, saying what to do: a damaged file, a file of another application, one of a newer
 * version, one that another daemon holds. NULL in *storage unless STATUS_OK. */
FALLIBLE enum status storage_open(const struct storage_options *options, struct storage **storage, struct failure *failure);

/* Waits for that check. Its refusal is what storage_open would have said: nothing may be written and nothing answered before. STATUS_OK without
 * `checks_beside`, or when asked again. */
FALLIBLE enum status storage_checked(struct storage *storage, struct failure *failure);

/* Finishes what is queued, writes the log back into the file and closes. No call may be under way. NULL is fine. */
void storage_close(struct storage *storage);

/* What a job does. The operation struct of each kind is named beside it. */
enum storage_kind {
	STORAGE_PLAN_PUT, STORAGE_PLAN_PATCH, STORAGE_PLAN_REFRESH, STORAGE_PLAN_DELETE, /* plans.h: plan_put, ... */
	STORAGE_IDEMPOTENCY_PUT,                                                         /* idempotency.h: idempotency_put */
	STORAGE_ROW_PUT, STORAGE_ROW_REMOVE, STORAGE_ROWS_IMPORT, STORAGE_BUILTIN_UPDATE,  /* catalogue_rows.h: row_put, ... */
	STORAGE_CALIBRATION_DECISION,
	STORAGE_KEY_PUT, STORAGE_KEY_ROTATE, STORAGE_KEY_REVOKE,                                             /* keys.h */
	STORAGE_DEVICE_PUT,                                                              /* benchmarks.h */
	STORAGE_BENCHMARK_PUT, STORAGE_BENCHMARK_CANCEL, STORAGE_BENCHMARK_CLAIM, STORAGE_BENCHMARK_HEARTBEAT,
	STORAGE_BENCHMARK_RESULT, STORAGE_BENCHMARK_RELEASE, STORAGE_BENCHMARK_SWEEP,
	STORAGE_AGENT_PUT, STORAGE_AGENT_REMOVE,                                         /* agents.h */
	STORAGE_OBSERVATION_PUT, STORAGE_OBSERVATION_DELETE,                             /* observations.h */
	STORAGE_SETTING_PUT,                                                             /* below */
	STORAGE_AUDIT_PUT, STORAGE_AUDIT_PRUNE,                                          /* audit.h */
	STORAGE_FEED_REFRESH_PUT,                                                        /* feeds.h */
	STORAGE_IMPORT_BEGIN, STORAGE_IMPORT_ROWS, STORAGE_IMPORT_ENDS, STORAGE_IMPORT_END, STORAGE_IMPORT_TIDY, /* the store's: imports.h */
	STORAGE_KIND_COUNT
};

/* First member of every operation struct. The caller sets the first six; the operation's inputs and the arena belong
 * to the storage from the submit until `done` is called or storage_run returns. */
struct storage_job {
	enum storage_kind kind;
	void (*done)(struct storage_job *job); /* on the writer thread, briefly: hand over and return. Unused by storage_run */
	void *context;                         /* the caller's */
	struct arena *arena;                   /* outputs are copied here; may be NULL for operations without text outputs */
	struct failure *failure;               /* filled when status is not STATUS_OK; may be NULL */
	const struct audit_record *audit;      /* what the audit log keeps of it when it succeeds, in the same commit; NULL: nothing */
	enum status status;                    /* output */
	struct storage_job *next;              /* the storage's */
	int64_t checksum;                      /* the storage's: made before queueing */
};

/* Queues the job and returns. STATUS_OVERLOADED (with the failure filled, `done` not called) when the queue is full. */
FALLIBLE enum status storage_submit(struct storage *storage, struct storage_job *job);

/* Queues the job, waits until it is durable, and answers its status. */
FALLIBLE enum status storage_run(struct storage *storage, struct storage_job *job);

/* A page of a list. Lists are newest first for plans and benchmarks, by id for everything else. */
struct page_request {
	size_t limit;       /* 1..1000; 0: 50 */
	const char *cursor; /* of the page before; NULL: the first. STATUS_MALFORMED when it is none of ours */
};

/* A key and its value that survive restarts: "calibration_note", ... Names of the store itself begin with a dot. */
struct setting_put {
	struct storage_job job;
	const char *name, *value; /* value NULL removes it */
};
FALLIBLE enum status storage_setting_get(struct storage *storage, const char *name, struct arena *arena, const char **value,
	struct failure *failure);

/* A consistent copy of everything into a new file, while the daemon works: written beside `path`, checked, brought to the
 * disk, renamed. STATUS_CONFLICT when `path` exists. Runs on the calling thread; the writer is not held up. */
FALLIBLE enum status storage_backup(struct storage *storage, const char *path, int64_t *size_bytes, struct failure *failure);

struct storage_state {
	int schema_version;
	bool writable;              /* the last commit that wrote, or the probe after a failed one, succeeded */
	enum status last_status;    /* of the last failed commit; STATUS_OK when there was none */
	char last_detail[FAULT_DETAIL_MAX];
	uint64_t commits, jobs, failed_commits, rejected; /* since start; rejected: queue was full */
	uint64_t largest_batch, queued; /* jobs; queued: right now */
	int64_t commit_ns_total, commit_ns_maximum; /* begin to durable */
	size_t readers_open, readers_busy;
	int64_t file_bytes, log_bytes; /* the file, and the write-ahead log beside it */
	bool network_file_system;   /* write-ahead logging is not safe there */
	uint64_t damaged_rows;      /* of the catalogue: left out when it was read last */
	int64_t lost_commits;       /* acknowledged, and not there at the start */
	uint64_t scrubs, scrub_faults; /* passes since the start, and what the last one found (storage/check.h) */
	bool scrub_failed;          /* the last one could not read the file to its end */
};

/* Version of the SQLite that is linked. */
const char *storage_library_version(void);

/* For readyz and metrics. While the store is not writable, this also tries a harmless write, at most once a second. */
void storage_state_get(struct storage *storage, struct storage_state *state);

#endif
