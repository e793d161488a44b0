/* Where the log goes, and the signals of a command that runs until it is stopped. */
#ifndef FLEETPLAN_BASE_LOG_FILE_H
#define FLEETPLAN_BASE_LOG_FILE_H

#include <signal.h>
#include <stdbool.h>

#include "base/failure.h"

/* Sets the log's level and opens its file: `path`, which must live as long as the process; NULL or empty: stderr. False with a failure. */
bool log_file_open(const char *path, const char *level, struct failure *failure);

/* Starts the log's thread, after the last fork and signals_block(). At its exit the process waits half a second at most for lines to be written. */
void log_file_start(void);

/* Blocks SIGTERM, SIGINT and SIGHUP in this thread and those that it will start; ends: the first two. Ignores signals that would end the process
 * for nothing: SIGPIPE, SIGXFSZ (a file size limit is an error of the write), SIGUSR1 and SIGUSR2. */
void signals_block(sigset_t *ends);

/* Waits for one of `ends`. Meanwhile SIGHUP opens the log's file anew, for who has renamed it. Returned: the signal. */
int signals_wait(const sigset_t *ends);

#endif
