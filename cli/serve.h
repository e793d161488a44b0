/* `fleetplan serve`: the daemon's life from its options to its last flush. */
#ifndef FLEETPLAN_CLI_SERVE_H
#define FLEETPLAN_CLI_SERVE_H

/* argv[0] is "serve". Answers the exit code (cli/exit_code.h).
 *
 * SIGTERM and SIGINT drain: readyz answers 503 for --quiet-seconds so that balancers look away, the door shuts, requests
 * under way have --drain-seconds, then the writer is flushed and the database closed. A second signal skips the waiting. */
int serve_main(int argc, char **argv);

#endif
