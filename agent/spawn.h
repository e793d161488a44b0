/* Starts a process for agent/worker.h: own group, clean signals, pipes, nothing inherited. */
#ifndef FLEETPLAN_AGENT_SPAWN_H
#define FLEETPLAN_AGENT_SPAWN_H

#include <sys/types.h>

struct bench_process {
	pid_t pid;    /* also its group */
	int lines_fd; /* read end of its descriptor 3, non-blocking */
	int log_fd;   /* read end of its stdout and stderr, non-blocking */
};

/* 0, or the errno of what failed; then nothing is left open. */
int bench_spawn(const char *program, char *const *arguments, struct bench_process *process);

#endif
