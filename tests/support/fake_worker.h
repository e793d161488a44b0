/* A benchmark worker that follows a script: every way in which a real one can end. */
#ifndef FLEETPLAN_TESTS_FAKE_WORKER_H
#define FLEETPLAN_TESTS_FAKE_WORKER_H

/* Plays `script` on descriptor 3 and returns the exit code, where it returns at all:
 *   ok               a device, figures that calibrate, one result
 *   failed           orderly, with exit code 1
 *   busy             orderly, with exit code 75
 *   crash            SIGSEGV after a measure
 *   hang             deaf to SIGTERM, but heard of ten times a second
 *   silent           says hello and then nothing
 *   sampling         silent but for its sensors
 *   no_result        exit 0 without a result
 *   two_results, after_result, truncated, oversized, garbage, blind_measure
 *   grandchild       ok, but a child in its group, whose id stands on stdout, holds the pipe for a minute
 *   ok_but_failed    an ok result and exit code 1
 *   loud             2 MiB on stdout, then ok */
int fake_worker(const char *script);

#endif
