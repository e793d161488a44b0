/* Durable storage as domain operations: plans, catalogue rows, keys, benchmarks. Callers see no SQL, so that another
 * engine can implement the same headers (storage/plans.h, catalogue_rows.h, keys.h, benchmarks.h).
 *
 * Reads are plain calls: they use a reader connection of a small pool, copy the result into the caller's arena and
 * never wait for the writer. Writes are jobs: an operation struct whose first member is a `struct storage_job`. One
 * writer thread takes all queued jobs, runs them in one transaction (a failed operation undoes only itself), commits to
 * disk, and only then reports to the callers: acknowledged writes are durable.
 *
 * Every status is one of: OK, NOT_FOUND, CONFLICT, PRECONDITION_FAILED, STALE_LEASE, MALFORMED (a cursor), INVALID (a
 * row outside the ranges that the store checks), IN_FLIGHT, IDEMPOTENCY_MISMATCH, OVERLOADED (queue full),
 * STORAGE_FULL, UNAVAILABLE (disk cannot be read or written, damaged content), NO_MEMORY. When the disk is full or
 * failing, reads continue, and writes work again once the disk does. All functions are thread-safe. `failure` is never
 * NULL. */
#ifndef FLEETPLAN_STORAGE_STORAGE_H
#define FLEETPLAN_STORAGE_STORAGE_H

#include "base/arena.h"
#include "base/failure.h"

#include <stdbool.h>
#include <stdint.h>

struct audit_record; /* hwdb/catalogue/records.h */
struct storage;

enum storage_use {
	STORAGE_DAEMON, /* the only daemon of this file: fails if another daemon has the file */
	STORAGE_TOOL,   /* a command beside a running daemon (keys, backup): short writes */
};

struct storage_options {
	const char *path; /* path of the database file; created, and migrated to the current schema, if needed */
	enum storage_use use;
	size_t queue_maximum;   /* jobs that may wait, 0: 4096 */
	size_t readers_maximum; /* reader connections, opened when first needed, 0: 16 */
	bool checks_beside;     /* a separate thread checks a file that needs no migration; storage_checked returns its result */
};

/* Opens, checks and migrates. Refuses, with what to do: a damaged file, a file of another application or of a newer
 * version, a file that another daemon has open. *storage is NULL unless STATUS_OK. */
FALLIBLE enum status storage_open(const struct storage_options *options, struct storage **storage, struct failure *failure);

/* Waits for that check and returns its result, as storage_open would have. Before this, write nothing and answer no
 * request. STATUS_OK without `checks_beside`, or on a second call. */
FALLIBLE enum status storage_checked(struct storage *storage, struct failure *failure);

/* Finishes queued jobs, writes the log back into the file and closes. No call may be running. NULL is allowed. */
void storage_close(struct storage *storage);

/* Kinds of jobs. The comment names the operation struct of each kind. */
enum storage_kind {
	STORAGE_PLAN_PUT,
	STORAGE_PLAN_PATCH,
	STORAGE_PLAN_REFRESH,
	STORAGE_PLAN_DELETE,     /* plans.h: plan_put, ... */
	STORAGE_IDEMPOTENCY_PUT, /* idempotency.h: idempotency_put */
	STORAGE_ROW_PUT,
	STORAGE_ROW_REMOVE,
	STORAGE_ROWS_IMPORT,
	STORAGE_BUILTIN_UPDATE, /* catalogue_rows.h: row_put, ... */
	STORAGE_CALIBRATION_DECISION,
	STORAGE_KEY_PUT,
	STORAGE_KEY_ROTATE,
	STORAGE_KEY_REVOKE, /* keys.h */
	STORAGE_DEVICE_PUT, /* benchmarks.h */
	STORAGE_BENCHMARK_PUT,
	STORAGE_BENCHMARK_CANCEL,
	STORAGE_BENCHMARK_CLAIM,
	STORAGE_BENCHMARK_HEARTBEAT,
	STORAGE_BENCHMARK_RESULT,
	STORAGE_BENCHMARK_RELEASE,
	STORAGE_BENCHMARK_SWEEP,
	STORAGE_AGENT_PUT,
	STORAGE_AGENT_REMOVE, /* agents.h */
	STORAGE_OBSERVATION_PUT,
	STORAGE_OBSERVATION_DELETE, /* observations.h */
	STORAGE_SETTING_PUT,        /* below */
	STORAGE_AUDIT_PUT,
	STORAGE_AUDIT_PRUNE,      /* audit.h */
	STORAGE_FEED_REFRESH_PUT, /* feeds.h */
	STORAGE_IMPORT_BEGIN,
	STORAGE_IMPORT_ROWS,
	STORAGE_IMPORT_ENDS,
	STORAGE_IMPORT_END,
	STORAGE_IMPORT_TIDY, /* internal to the store: imports.h */
	STORAGE_KIND_COUNT
};

/* First member of every operation struct. The caller sets the first six members. The storage owns the operation's
 * inputs and the arena from the submit until it calls `done` or storage_run returns. */
struct storage_job {
	enum storage_kind kind;
	void (*done)(struct storage_job *job); /* called on the writer thread: hand the job over and return soon. Unused by storage_run */
	void *context;                         /* for the caller */
	struct arena *arena;                   /* outputs are copied here; may be NULL for operations without text outputs */
	struct failure *failure;               /* filled unless STATUS_OK; may be NULL */
	const struct audit_record *audit;      /* audit entry, written in the same commit if the job succeeds; NULL: none */
	enum status status;                    /* output */
	struct storage_job *next;              /* internal to the storage */
	int64_t checksum;                      /* internal to the storage: computed before queueing */
};

/* Queues the job and returns. STATUS_OVERLOADED (with the failure filled, `done` not called) if the queue is full. */
FALLIBLE enum status storage_submit(struct storage *storage, struct storage_job *job);

/* Queues the job, waits until it is durable, and returns its status. */
FALLIBLE enum status storage_run(struct storage *storage, struct storage_job *job);

/* A page of a list. Lists are newest first for plans and benchmarks, by id for everything else. */
struct page_request {
	size_t limit;       /* 1..1000; 0: 50 */
	const char *cursor; /* next_cursor of the previous page; NULL: the first page. STATUS_MALFORMED if it is invalid */
};

/* A name and a value that survive restarts: "calibration_note", ... Names of the store itself begin with a dot. */
struct setting_put {
	struct storage_job job;
	const char *name, *value; /* value NULL removes it */
};
FALLIBLE enum status storage_setting_get(
	struct storage *storage, const char *name, struct arena *arena, const char **value, struct failure *failure);

/* Copies the whole database consistently into a new file, while the daemon works. The copy is written beside `path`,
 * checked, synced to disk and renamed. STATUS_CONFLICT if `path` exists. Runs on the calling thread; does not block the
 * writer. */
FALLIBLE enum status storage_backup(struct storage *storage, const char *path, int64_t *size_bytes, struct failure *failure);

struct storage_state {
	int schema_version;
	bool writable;           /* the last writing commit succeeded, or the probe after a failed one */
	enum status last_status; /* status of the last failed commit; STATUS_OK: none failed */
	char last_detail[FAULT_DETAIL_MAX];
	uint64_t commits, jobs, failed_commits, rejected; /* since start; rejected: the queue was full */
	uint64_t largest_batch, queued;                   /* in jobs; queued: now */
	int64_t commit_ns_total, commit_ns_maximum;       /* from begin to durable */
	size_t readers_open, readers_busy;
	int64_t file_bytes, log_bytes; /* the file, and the write-ahead log beside it */
	bool network_file_system;      /* the file is on a network file system, where write-ahead logging is not safe */
	uint64_t damaged_rows;         /* catalogue rows skipped at the last read */
	int64_t lost_commits;          /* acknowledged commits that were missing at the start */
	uint64_t scrubs, scrub_faults; /* passes since the start, and faults that the last pass found (storage/check.h) */
	bool scrub_failed;             /* the last pass could not read the whole file */
};

/* Version of the SQLite that is linked. */
const char *storage_library_version(void);

/* Returns the state, for readyz and metrics. While the store is not writable, this also tries a small write, at most
 * once a second. */
void storage_state_get(struct storage *storage, struct storage_state *state);

#endif
