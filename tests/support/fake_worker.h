/* A benchmark worker that follows a script: all the ways in which a real one can end. */
#ifndef FLEETPLAN_TESTS_FAKE_WORKER_H
#define FLEETPLAN_TESTS_FAKE_WORKER_H

/* Plays `script` on descriptor 3 and returns the exit code, if it returns at all:
 *   ok               a device, figures that calibrate, one result
 *   failed           orderly, with exit code 1
 *   busy             orderly, with exit code 75
 *   crash            SIGSEGV after a measure
 *   hang             ignores SIGTERM, but writes a line ten times a second
 *   silent           writes hello and then nothing
 *   talking          longer than the longest allowed silence, but never silent, then ok
 *   sampling         writes only what its sensors show
 *   no_result        exit 0 without a result
 *   two_results, after_result, truncated, oversized, garbage, blind_measure
 *   grandchild       ok, but a child in its process group holds the pipe for an hour; the child's id is on stdout
 *   ok_but_failed    an ok result and exit code 1
 *   loud             2 MiB on stdout, then ok */
int fake_worker(const char *script);

#endif
