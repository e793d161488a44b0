/* The command `fleetplan bench`: the worker of bench/ with the JSON of api/, which do not know each other. */
#ifndef FLEETPLAN_CLI_BENCH_ENTRY_H
#define FLEETPLAN_CLI_BENCH_ENTRY_H

int bench_entry(int argc, char **argv);

#endif
