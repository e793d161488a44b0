/* The command line of `fleetplan bench`. */
#ifndef FLEETPLAN_BENCH_COMMAND_BENCH_ARGUMENTS_H
#define FLEETPLAN_BENCH_COMMAND_BENCH_ARGUMENTS_H

#include <sys/types.h>

#include "bench/command/bench_command.h"
#include "bench/suite/suite.h"

enum { BENCH_SPEC_BYTES_MAX = 64 * 1024 };

struct bench_arguments {
	const char *device, *suite;
	struct bench_storage storage;
	struct bench_spec spec;
	struct bench_spec_product products[BENCH_PRODUCTS_MAX]; /* of --shape; spec then points to them */
	bool list, json, worker, has_spec;
	pid_t parent;
	double deadline_s;  /* 0: bench_deadline_s() of the budget */
	struct arena arena; /* owns the spec's data */
};

/* Returns false after printing an error to stderr. --help prints the help and exits. */
bool bench_arguments_parse(int argc, char **argv, bench_spec_reader *read_spec, struct bench_arguments *arguments);
void bench_arguments_release(struct bench_arguments *arguments);

#endif
