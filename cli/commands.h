/* The program's commands, one table. Each takes its own name as argv[0] and answers the exit code (cli/exit_code.h). */
#ifndef FLEETPLAN_CLI_COMMANDS_H
#define FLEETPLAN_CLI_COMMANDS_H

#include "base/failure.h"
#include "server/options.h"

struct command {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *usage, *doc;
	bool helps_itself; /* it answers --help with more than usage and doc */
};

const struct command *command_find(const char *name); /* NULL: none */
int command_help(int argc, char **argv);
int command_run(const struct command *command, int argc, char **argv);
int command_unknown(const char *name); /* says which is near, and answers EXIT_CODE_USAGE */

int agent_main(int argc, char **argv);
int backup_main(int argc, char **argv);
int check_main(int argc, char **argv);
int healthcheck_main(int argc, char **argv);
int import_main(int argc, char **argv);
int keys_main(int argc, char **argv);
int openapi_main(int argc, char **argv);
int plan_main(int argc, char **argv);
int recover_main(int argc, char **argv);
int version_main(int argc, char **argv);

/* One argument that a command has beside the options of serve: "--role admin". */
struct command_flag {
	const char *name;
	const char *value; /* its default; filled with what was given */
	bool is_switch;    /* stands alone: its value is then "true" */
};

/* Takes the command's own flags and up to `operand_count` operands out of the arguments and reads what is left as options.
 * Fills operands[]; those not given are NULL. Answers EXIT_CODE_OK, or an exit code after having said why. */
int command_read(int argc, char **argv, struct command_flag *flags, size_t flag_count, const char **operands, size_t operand_count,
	struct options *options);

#endif
