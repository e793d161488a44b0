/* Detaching: moves the daemon to the background. The parent waits until the child reports that it is ready, and exits
 * with the child's exit code if the start fails. Call detach_fork() before any thread starts. */
#ifndef FLEETPLAN_CLI_DETACH_H
#define FLEETPLAN_CLI_DETACH_H

#include <stdbool.h>

struct detach {
	int report_fd; /* the pipe to the parent; -1: in the foreground, or already reported */
};
#define DETACH_NONE \
	{ \
		.report_fd = -1 \
	}

/* Returns true in the child. In the parent it waits for the child, sets *code and returns false. */
bool detach_fork(struct detach *detach, int *code);

void detach_ready(struct detach *detach);            /* the parent exits with 0; redirects descriptors 0 to 2 to /dev/null */
void detach_failed(struct detach *detach, int code); /* the parent exits with `code`, unless it has exited */

#endif
