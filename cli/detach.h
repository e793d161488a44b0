/* Going to the background only once there is something to find there: the parent waits until the child says that it is
 * ready, and takes the child's exit code for its own when it is not. Single-threaded: before any thread is started. */
#ifndef FLEETPLAN_CLI_DETACH_H
#define FLEETPLAN_CLI_DETACH_H

#include <stdbool.h>

struct detach {
	int report_fd; /* -1: in the foreground */
};
#define DETACH_NONE {.report_fd = -1}

/* In the child: true. In the parent: waits, fills *code, and is false. */
bool detach_fork(struct detach *detach, int *code);

void detach_ready(struct detach *detach);            /* lets the parent go with 0, and lets go of the terminal */
void detach_failed(struct detach *detach, int code); /* with that code, unless it is gone already */

#endif
