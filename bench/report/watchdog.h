/* A thread beside the work: sends the heartbeat to the supervisor, and ends the process at the deadline.
 *
 * It reports progress every second, but only while the work's counter changes: a worker that hangs stops reporting,
 * so the supervisor notices. At the deadline the thread ends the process at once with WATCHDOG_EXIT, even if the
 * work never returns. */
#ifndef FLEETPLAN_BENCH_REPORT_WATCHDOG_H
#define FLEETPLAN_BENCH_REPORT_WATCHDOG_H

#include <pthread.h>

#include "bench/report/report.h"

enum { WATCHDOG_EXIT = 124 };

struct watchdog {
	struct bench_report *report;
	_Atomic uint64_t alive; /* the work's counter */
	int64_t deadline_ns;    /* monotonic */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool stopping, started;
};

/* Returns false if the thread cannot start. The run may continue without it; then only the supervisor can end a
 * worker that hangs. */
bool watchdog_start(struct watchdog *watchdog, struct bench_report *report, double deadline_s);
void watchdog_stop(struct watchdog *watchdog);

#endif
