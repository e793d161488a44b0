/* The daemon's own benchmark runner: a thread that claims queued benchmarks for this machine's devices, runs each in a
 * worker process and delivers the result.
 *
 * It uses the same storage operations as an agent on another node: claim, heartbeat, result or release, each with the
 * lease's token (storage/benchmarks.h). One benchmark runs at a time, because two on one node would disturb each other.
 * If a worker crashes or hangs, its benchmark returns to the queue until its attempts are used up. If the daemon dies,
 * the next daemon's first sweep does the same. The runner sweeps twelve times within the length of a lease, for the
 * agents' leases too.
 *
 * Handlers call bench_runner_wake after a benchmark was queued, and bench_runner_cancel after the storage accepted a
 * cancellation. Both are thread-safe and never block. Handlers read the list of devices from the storage. */
#ifndef FLEETPLAN_SERVER_BENCH_RUNNER_H
#define FLEETPLAN_SERVER_BENCH_RUNNER_H

#include "storage/storage.h"

struct bench_runner;

struct bench_runner_options {
	struct storage *storage;
	const char *program;         /* the program to run as `bench --worker`; NULL: this program */
	bool sweeps_only;            /* do not use this machine's devices; its stored devices become `gone` */
	unsigned audit_keep_days;    /* the sweep deletes older entries of the audit log; 0: keep all */
	double lease_s, heartbeat_s; /* 0: the lease is 60 s, the heartbeat a twelfth of the lease */
	double term_grace_s;         /* from SIGTERM to SIGKILL of a worker; 0: 5 */
	double silence_s;            /* a worker that sends nothing for this time is stopped; 0: 20 */
	void *context;
	/* Called after catalogue rows or calibrations were written: reload them. Runs on the runner's thread; may be
	 * NULL. */
	void (*catalogue_changed)(void *context);
};

struct bench_runner_counts {
	uint64_t claimed, succeeded, failed, cancelled, returned; /* returned: put back into the queue */
};

/* Starts the runner. Its thread first sweeps the benchmarks that an earlier daemon left running, and asks a worker for
 * the devices; this call returns at once. */
FALLIBLE enum status bench_runner_start(const struct bench_runner_options *options, struct bench_runner **runner, struct failure *failure);

/* Stops the running worker, returns its benchmark to the queue without counting the attempt, and joins the thread. Does
 * nothing for NULL. */
void bench_runner_stop(struct bench_runner *runner);

/* True until the runner has its first list of this machine's devices: until then a device may exist that is not listed.
 * False for NULL. */
bool bench_runner_is_looking(struct bench_runner *runner);

/* Wakes the runner. The commit of the benchmark may still be under way, so the runner looks again for a second. Does
 * nothing for NULL. */
void bench_runner_wake(struct bench_runner *runner);
void bench_runner_cancel(struct bench_runner *runner, const char *benchmark_id);

void bench_runner_counts_get(struct bench_runner *runner, struct bench_runner_counts *counts);

#endif
