/* Progress of a long computation, and its cancellation.
 *
 * The planner is pure and has no clock. It calls `stop` after every few milliseconds of work (some thousand simulated
 * requests, one number of accelerators) and returns STATUS_CANCELLED if the result is true. `stop` does not change the
 * answer of a computation that completes. Both functions are called on the computing thread. Once `stop` has returned
 * true it must keep returning true. */
#ifndef FLEETPLAN_PLANNER_PROGRESS_H
#define FLEETPLAN_PLANNER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
	void *context;
	bool (*stop)(void *context);
	void (*note)(void *context, double fraction,
		const char *what); /* fraction: 0..1, never decreases; what: the current activity in words, NULL: unchanged */
};

/* A NULL progress is allowed: the computation is never stopped and reports no progress. */
static inline bool progress_stopped(const struct progress *progress)
{
	return progress && progress->stop(progress->context);
}

static inline void progress_note(const struct progress *progress, double fraction, const char *what)
{
	if (progress)
		progress->note(progress->context, fraction, what);
}

#endif
