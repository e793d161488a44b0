/* Starts the process of a worker (agent/worker.h): own process group, default signals, two pipes, no other descriptors. */
#ifndef FLEETPLAN_AGENT_SPAWN_H
#define FLEETPLAN_AGENT_SPAWN_H

#include <sys/types.h>

struct bench_process {
	pid_t pid;    /* also its group */
	int lines_fd; /* read end of its descriptor 3, non-blocking */
	int log_fd;   /* read end of its stdout and stderr, non-blocking */
};

/* Returns 0, or the errno of the failure; nothing stays open then. */
int bench_spawn(const char *program, char *const *arguments, struct bench_process *process);

#endif
