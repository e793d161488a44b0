/* The log's file, and the signals of a command that runs until it is stopped. */
#ifndef FLEETPLAN_BASE_LOG_FILE_H
#define FLEETPLAN_BASE_LOG_FILE_H

#include <signal.h>
#include <stdbool.h>

#include "base/failure.h"

/* Sets the log's level and opens its file. `path` must live as long as the process; NULL or "": stderr.
 * False with a failure when the file cannot be opened. */
bool log_file_open(const char *path, const char *level, struct failure *failure);

/* Starts the log's thread. Call it after the last fork and after signals_block(). At exit the process waits at most
 * half a second until all lines are written. */
void log_file_start(void);

/* Blocks SIGTERM, SIGINT and SIGHUP in this thread and in the threads that it starts later. Fills `ends` with SIGTERM
 * and SIGINT. Ignores signals that would end the process without need: SIGPIPE, SIGXFSZ (at a file size limit the
 * write fails), SIGUSR1 and SIGUSR2. */
void signals_block(sigset_t *ends);

/* Waits for one of `ends` and returns it. Reopens the log's file at each SIGHUP: log rotation renames the file first. */
int signals_wait(const sigset_t *ends);

#endif
