/* fleetplan COMMAND [ARGUMENT]...: finds the command and runs it. */
#include "cli/commands.h"
#include "cli/exit_code.h"

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "help";
	const struct command *command;

	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
		name = "help";
	if (strcmp(name, "--version") == 0)
		name = "version";
	command = command_find(name);
	if (!command)
		return command_unknown(name);
	if (argc > 1)
		return command_run(command, argc - 1, argv + 1);
	command->main(argc, argv);
	return EXIT_CODE_USAGE;
}
