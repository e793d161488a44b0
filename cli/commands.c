#include "cli/commands.h"

#include "agent/agent_options.h"
#include "base/spelling.h"
#include "bench/command/bench_command.h"
#include "cli/bench_entry.h"
#include "cli/exit_code.h"
#include "cli/serve.h"

static const char of_database[] = "database config";

static const struct command commands[] = {
	{"serve", serve_main, "serve [OPTION]...", "run the daemon with the REST API (serve --help lists the options)", true,
		.options = &serve_option_table},
	{"plan", plan_main, "plan training|inference FILE|- [--json | --memo]",
		"compute one plan without a daemon: a memo on a terminal (--memo), else JSON (--json)", .words = "training inference",
		.flags = &plan_flags},
	{"diff", diff_main,
		"diff BASE HEAD [--fail-if LIMIT]... [--as-of DATE] [--kind training|inference] [--format text|markdown|json] [--title TEXT] [--database FILE]",
		"compare the plans of two request files, and fail if the change exceeds a limit: cost>10%, carbon>+2t, gpus>64", .flags = &diff_flags},
	{"agent", agent_main, "agent --server URL --key-file FILE [OPTION]...",
		"run a daemon's benchmarks on this machine's accelerators (agent --help)", true, .options = &agent_option_table},
	{"bench", bench_entry, "bench [OPTION]...", "measure an accelerator of this machine", true, .flags = &bench_flags},
	{"import", import_main,
		"import accelerators|models|prices|regions FILE|- [--dry-run] [--replace] [--overwrite] [--server URL [--key-file FILE] [--ca-file FILE]]",
		"import the rows of a CSV or JSON file, all or none, into the catalogue of a running daemon (--server) or of a database that no daemon uses",
		.words = "accelerators models prices regions", .flags = &import_flags, .shared = of_database},
	{"backup", backup_main, "backup FILE", "copy the database to a new file, also while the daemon runs", .shared = of_database},
	{"check", check_main, "check [DATABASE]", "read all stored data and report damage, also while the daemon runs", .shared = of_database},
	{"recover", recover_main, "recover DATABASE FILE", "copy the intact rows of a damaged database to a new file", .shared = NULL},
	{"keys", keys_main,
		"keys create [--name TEXT] [--role ROLE] [--scope LABEL=VALUE] [--days N] | rotate ID [--overlap-hours N] [--days N] | list | revoke ID",
		"manage API keys; roles: viewer, planner, admin, agent", .words = "create rotate list revoke", .flags = &keys_flags,
		.shared = of_database},
	{"healthcheck", healthcheck_main, "healthcheck", "ask a running daemon whether it is ready", .shared = "listen config"},
	{"openapi", openapi_main, "openapi", "print the description of the API (OpenAPI 3.1)", .shared = NULL},
	{"manual", manual_main, "manual [fleetplan|serve|agent|bench]", "print a manual page, for man -l -",
		.words = "fleetplan serve agent bench"},
	{"completion", completion_main, "completion bash|zsh", "print the completion of this program's arguments for a shell",
		.words = "bash zsh"},
	{"version", version_main, "version", "print the version", .shared = NULL},
	{"help", command_help, "help", "print this help", .shared = NULL},
};

enum { COMMAND_ARGUMENTS_MAX = 64, HELP_MAX_BYTES = 64 * 1024 };

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

const struct command *command_table(size_t *count)
{
	*count = COUNT_OF(commands);
	return commands;
}

int command_help(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	puts("Fleetplan " FLEETPLAN_VERSION ": what hardware a model needs, for how long, at what cost in money, energy and carbon.\n");
	for (size_t i = 0; i < COUNT_OF(commands); i++)
		printf("  fleetplan %s\n      %s\n", commands[i].usage, commands[i].doc);
	puts("\nCommands that use the database accept --database FILE, --config FILE and the variables FLEETPLAN_..., as serve does.");
	return EXIT_CODE_OK;
}

static bool command_asks_for_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	}
	return false;
}

int command_run(const struct command *command, int argc, char **argv)
{
	if (command->helps_itself || !command_asks_for_help(argc, argv))
		return command->main(argc, argv);
	printf("usage: fleetplan %s\n\n%s\n", command->usage, command->doc);
	if (command->flags) {
		struct buffer text;

		buffer_init(&text, HELP_MAX_BYTES);
		flag_table_help(command->flags, &text);
		printf("\n%s", text.bytes);
		buffer_release(&text);
	}
	return EXIT_CODE_OK;
}

int command_unknown(const char *name)
{
	struct spelling spelling;
	char nearest[128];

	spelling_init(&spelling, name);
	for (size_t i = 0; i < COUNT_OF(commands); i++)
		spelling_offer(&spelling, commands[i].name);
	spelling_list(&spelling, nearest, sizeof nearest);
	fprintf(stderr, "fleetplan: %s is not a command%s%s (fleetplan help lists the commands)\n", name, nearest[0] ? "; did you mean " : "",
		nearest);
	return EXIT_CODE_USAGE;
}

/* Finds the row of an argument, "--role" or "--role=admin". NULL: it is not a flag of this command. */
static const struct flag_row *command_flag_row(const char *argument, const struct flag_table *table)
{
	size_t length = strcspn(argument, "=");

	for (size_t i = 0; table && i < table->count; i++) {
		const char *name = table->rows[i].name;

		if (strncmp(argument, "--", 2) == 0 && strlen(name) == length - 2 && strncmp(name, argument + 2, length - 2) == 0)
			return &table->rows[i];
	}
	return NULL;
}

/* Sets the value of a flag. Values of a repeated flag beyond its maximum are counted only. */
static void command_flag_set(struct command_flag *flag, const char *value)
{
	flag->value = value;
	if (flag->values && flag->value_count < flag->value_most)
		flag->values[flag->value_count] = value;
	flag->value_count++;
}

int command_read(int argc, char **argv, struct command_flag *flags, const char **operands, size_t operand_count, struct options *options)
{
	static struct failure failure;
	const struct command *command = command_find(argv[0]);
	const struct flag_table *table = flags && command ? command->flags : NULL;
	char *rest[COMMAND_ARGUMENTS_MAX] = {argv[0]};
	int rest_count = 1;
	size_t given = 0;
	const char *incomplete = NULL;

	for (size_t i = 0; table && i < table->count; i++)
		flags[i].value = table->rows[i].standard;
	for (size_t i = 0; i < operand_count; i++)
		operands[i] = NULL;
	for (int i = 1; i < argc && rest_count < COMMAND_ARGUMENTS_MAX; i++) {
		const struct flag_row *row = command_flag_row(argv[i], table);
		const char *equals = strchr(argv[i], '=');

		if (row && !row->argument && !equals)
			flags[row - table->rows].value = "true";
		else if (row && (equals || i + 1 < argc))
			command_flag_set(&flags[row - table->rows], equals ? equals + 1 : argv[++i]);
		else if (row)
			incomplete = argv[i];
		else if ((argv[i][0] != '-' || !argv[i][1]) && given < operand_count)
			operands[given++] = argv[i];
		else
			rest[rest_count++] = argv[i];
		if (rest[rest_count - 1] == argv[i] && strncmp(argv[i], "--", 2) == 0 && !equals && i + 1 < argc && rest_count < COMMAND_ARGUMENTS_MAX)
			rest[rest_count++] = argv[++i]; /* an option's value is not an operand */
	}
	if (options_read(options, rest_count, rest, &failure) != STATUS_OK)
		return exit_code_report(&failure, EXIT_CODE_USAGE);
	if (!incomplete)
		return EXIT_CODE_OK;
	fprintf(stderr, "fleetplan: %s needs a value: %s VALUE\n", incomplete, incomplete);
	return EXIT_CODE_USAGE;
}

int version_main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return puts("fleetplan " FLEETPLAN_VERSION) == EOF ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}
