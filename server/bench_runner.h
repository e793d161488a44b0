/* The daemon's own benchmark worker: a thread that takes queued benchmarks for this machine's devices from the storage,
 * runs each in a worker process, and delivers what it measured.
 *
 * It goes the way that an agent on another node goes: claim, heartbeat, result or release, each with the lease's token
 * (storage/benchmarks.h). One benchmark runs at a time: two on one node would disturb each other. A worker that
 * crashes or hangs gives its benchmark back to the queue until its attempts are used up; so does a daemon that dies,
 * since the next one begins with a sweep. Also sweeps twelve times a lease, for the agents' as well.
 *
 * Handlers call bench_runner_wake after a benchmark was queued, and bench_runner_cancel after storage has accepted a
 * cancellation; lists of devices come from the storage. Both are thread-safe and never block. */
#ifndef FLEETPLAN_SERVER_BENCH_RUNNER_H
#define FLEETPLAN_SERVER_BENCH_RUNNER_H

#include "storage/storage.h"

struct bench_runner;

struct bench_runner_options {
	struct storage *storage;
	const char *program;     /* that understands `bench --worker`; NULL: this very program */
	bool sweeps_only;        /* has no devices: whatever was this machine's is gone */
	unsigned audit_keep_days; /* older entries of the audit log are ended by the sweep; 0: none are */
	double lease_s, heartbeat_s; /* 0: 60 and a twelfth of that */
	double term_grace_s;     /* from SIGTERM to SIGKILL of a worker; 0: 5 */
	double silence_s;        /* a worker unheard for so long is stopped; 0: 20 */
	void *context;
	/* Catalogue rows or calibrations were written: read them again. On the runner's thread; may be NULL. */
	void (*catalogue_changed)(void *context);
};

struct bench_runner_counts {
	uint64_t claimed, succeeded, failed, cancelled, returned; /* returned: to the queue */
};

/* Begins by sweeping what an earlier daemon left running, and by asking a worker for the devices; both on the runner's
 * thread, so this answers at once. */
FALLIBLE enum status bench_runner_start(const struct bench_runner_options *options, struct bench_runner **runner, struct failure *failure);

/* Ends the worker under way, gives its benchmark back without penalty, and joins the thread. NULL is fine. */
void bench_runner_stop(struct bench_runner *runner);

/* Whether it has not yet been told for the first time which devices this machine has: what is not listed may still be there. Of NULL: no. */
bool bench_runner_is_looking(struct bench_runner *runner);

/* Of NULL: nothing. The benchmark may still be on its way to the disk: the runner looks again for a second. */
void bench_runner_wake(struct bench_runner *runner);
void bench_runner_cancel(struct bench_runner *runner, const char *benchmark_id);

void bench_runner_counts_get(struct bench_runner *runner, struct bench_runner_counts *counts);

#endif
