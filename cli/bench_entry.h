/* The command `fleetplan bench`: connects the worker of bench/ to the JSON decoder of api/. Neither includes the other. */
#ifndef FLEETPLAN_CLI_BENCH_ENTRY_H
#define FLEETPLAN_CLI_BENCH_ENTRY_H

int bench_entry(int argc, char **argv);

#endif
