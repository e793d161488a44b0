/* A thread beside the work: tells the supervisor that it goes on, and ends the process when its time is over.
 *
 * It reports progress every second, but only while the work's counter moves: a worker that hangs falls silent, as it
 * should. At the deadline it ends the process at once with WATCHDOG_EXIT, also when the work never returns. */
#ifndef FLEETPLAN_BENCH_REPORT_WATCHDOG_H
#define FLEETPLAN_BENCH_REPORT_WATCHDOG_H

#include <pthread.h>

#include "bench/report/report.h"

enum { WATCHDOG_EXIT = 124 };

struct watchdog {
	struct bench_report *report;
	_Atomic uint64_t alive; /* the work's counter */
	int64_t deadline_ns; /* monotonic */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool stopping, started;
};

/* False when the thread cannot be had; the run may go on without, at the supervisor's mercy. */
bool watchdog_start(struct watchdog *watchdog, struct bench_report *report, double deadline_s);
void watchdog_stop(struct watchdog *watchdog);

#endif
