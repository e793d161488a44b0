/* The table of the program's commands. A command receives its own name as argv[0] and returns an exit code
 * (cli/exit_code.h). */
#ifndef FLEETPLAN_CLI_COMMANDS_H
#define FLEETPLAN_CLI_COMMANDS_H

#include "base/failure.h"
#include "server/options.h"

struct command {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *usage, *doc;
	bool helps_itself; /* the command handles --help itself; false: print usage and doc */
};

const struct command *command_find(const char *name); /* NULL: unknown command */
int command_help(int argc, char **argv);
int command_run(const struct command *command, int argc, char **argv);
int command_unknown(const char *name); /* prints the nearest commands and returns EXIT_CODE_USAGE */

int agent_main(int argc, char **argv);
int backup_main(int argc, char **argv);
int check_main(int argc, char **argv);
int diff_main(int argc, char **argv);
int healthcheck_main(int argc, char **argv);
int import_main(int argc, char **argv);
int keys_main(int argc, char **argv);
int openapi_main(int argc, char **argv);
int plan_main(int argc, char **argv);
int recover_main(int argc, char **argv);
int version_main(int argc, char **argv);

/* An argument of one command, beside the options of serve: "--role admin". */
struct command_flag {
	const char *name;
	const char *value;   /* the default; command_read() sets the given value */
	bool is_switch;      /* has no value of its own; if given, "true" */
	const char **values; /* of a flag that may be repeated: receives each value, up to value_most; NULL: the last value counts */
	size_t value_most, value_count;
};

/* Reads the command's flags and at most `operand_count` operands, and the other arguments as options of serve. Sets the
 * operands that are not given to NULL. Returns EXIT_CODE_OK, or prints the error and returns EXIT_CODE_USAGE. */
int command_read(int argc, char **argv, struct command_flag *flags, size_t flag_count, const char **operands, size_t operand_count,
	struct options *options);

#endif
