/* The table of the program's commands. A command receives its own name as argv[0] and returns an exit code
 * (cli/exit_code.h). */
#ifndef FLEETPLAN_CLI_COMMANDS_H
#define FLEETPLAN_CLI_COMMANDS_H

#include "base/failure.h"
#include "schema/flag_table.h"
#include "server/options.h"

struct command {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *usage, *doc;
	bool helps_itself; /* the command handles --help itself, and has a manual page of its own; false: print usage, doc and flags */
	const char *words; /* choices of the first operand, separated by spaces; NULL: any */
	const struct flag_table *flags;     /* of this command; NULL: none */
	const struct option_table *options; /* of serve and agent; NULL: the command has flags */
	const char *shared;                 /* options of serve that the command uses too, separated by spaces; NULL: none */
};

const struct command *command_find(const char *name); /* NULL: unknown command */
const struct command *command_table(size_t *count);
int command_help(int argc, char **argv);
int command_run(const struct command *command, int argc, char **argv);
int command_unknown(const char *name); /* prints the nearest commands and returns EXIT_CODE_USAGE */

int agent_main(int argc, char **argv);
int backup_main(int argc, char **argv);
int check_main(int argc, char **argv);
int completion_main(int argc, char **argv);
int diff_main(int argc, char **argv);
int healthcheck_main(int argc, char **argv);
int import_main(int argc, char **argv);
int keys_main(int argc, char **argv);
int manual_main(int argc, char **argv);
int openapi_main(int argc, char **argv);
int plan_main(int argc, char **argv);
int recover_main(int argc, char **argv);
int version_main(int argc, char **argv);

extern const struct flag_table diff_flags, import_flags, keys_flags, plan_flags;

/* The value of one row of the command's flag table. */
struct command_flag {
	const char *value;   /* command_read() sets it to the given value, or to the default; "true" for a switch that is given */
	const char **values; /* of a flag that may be repeated: receives each value, up to value_most; NULL: the last value counts */
	size_t value_most, value_count;
};

/* Reads the command's flags (one element of `flags` for each row of its table; NULL without a table) and at most
 * `operand_count` operands, and the other arguments as options of serve. Sets the operands that are not given to NULL.
 * argv[0] is the command. Returns EXIT_CODE_OK, or prints the error and returns EXIT_CODE_USAGE. */
int command_read(int argc, char **argv, struct command_flag *flags, const char **operands, size_t operand_count, struct options *options);

#endif
