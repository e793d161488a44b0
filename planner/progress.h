/* What a long computation tells whoever waits for it, and how it learns that nobody does any more.
 *
 * The planner is pure and has no clock: it asks after every few milliseconds of work (some thousand simulated requests, one
 * number of accelerators), and gives up with STATUS_CANCELLED when told so. An answer that is finished does not depend on it.
 * Both functions are called on the computing thread; `stop` must stay true once it was. */
#ifndef FLEETPLAN_PLANNER_PROGRESS_H
#define FLEETPLAN_PLANNER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
	void *context;
	bool (*stop)(void *context);
	void (*note)(void *context, double fraction, const char *what); /* 0..1, never falling; what is being done, for a person; NULL: as before */
};

/* A NULL progress is nobody who waits in particular: never stopped, told nothing. */
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
