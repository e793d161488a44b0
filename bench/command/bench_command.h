/* `fleetplan bench`: measures a device, for a user or as the daemon's worker. */
#ifndef FLEETPLAN_BENCH_COMMAND_BENCH_COMMAND_H
#define FLEETPLAN_BENCH_COMMAND_BENCH_COMMAND_H

#include "base/arena.h"
#include "base/failure.h"
#include "planner/measurement/bench_spec.h"
#include "schema/flag_table.h"

/* Reads the specification of a plan's measurements from JSON; its lists and texts live in the arena. */
typedef enum status bench_spec_reader(const char *json, size_t length, struct arena *arena, struct bench_spec *spec, struct failure *failure);

/* argv[0] is "bench". Returns the exit code: 0 if the suite ran and nothing failed, 1 failed, 2 bad arguments, 75
 * the device is busy (try again). With --worker it writes the lines of bench/report/report.h to fd 3. */
int bench_main(int argc, char **argv, bench_spec_reader *read_spec);

extern const struct flag_table bench_flags;

enum { BENCH_EXIT_OK = 0, BENCH_EXIT_FAILED = 1, BENCH_EXIT_USAGE = 2, BENCH_EXIT_BUSY = 75, BENCH_WORKER_FD = 3 };

#endif
