/* `fleetplan serve`: starts the daemon, runs it, and stops it after a signal. */
#ifndef FLEETPLAN_CLI_SERVE_H
#define FLEETPLAN_CLI_SERVE_H

/* argv[0] is "serve". Returns the exit code (cli/exit_code.h).
 *
 * SIGTERM and SIGINT drain the daemon. For --quiet-seconds /readyz returns 503, so that load balancers use other
 * servers. Then the daemon accepts no more connections, and waits at most --drain-seconds for requests and jobs to
 * finish. At last it flushes the writer and closes the database. A second signal ends the waiting. */
int serve_main(int argc, char **argv);

#endif
