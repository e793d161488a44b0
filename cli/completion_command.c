/* `fleetplan completion bash|zsh` prints the completion of the program's arguments, written from the tables of commands,
 * options and flags. Both scripts complete the name of a file where no word is known. */
#include "cli/commands.h"
#include "cli/exit_code.h"

enum { COMPLETION_MAX_BYTES = 1024 * 1024 };

/* An option as the shells complete it: from an option table or a flag table. */
struct completed {
	const char *name, *argument, *choices, *doc;
	bool flag; /* on or off: its value follows an equals sign */
	bool repeats;
};

typedef void completed_writer(struct buffer *out, const char *command, const struct completed *option);

static struct completed completed_of_row(const struct option_row *row)
{
	bool flag = row->kind == OPTION_FLAG;

	return (struct completed){.name = row->name,
		.argument = flag                 ? NULL
			: row->kind == OPTION_NUMBER ? "N"
										 : "TEXT",
		.choices = flag ? "yes no" : row->choices,
		.doc = row->doc,
		.flag = flag};
}

static bool is_listed(const char *names, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = names; at; at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL)
		if (strncmp(at, name, length) == 0 && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

/* Calls the writer for each option of the command. */
static void each_option(struct buffer *out, const struct command *command, completed_writer *write)
{
	const struct option_table *shared = command->shared ? &serve_option_table : command->options;
	struct completed option;

	for (size_t i = 0; command->flags && i < command->flags->count; i++) {
		const struct flag_row *row = &command->flags->rows[i];

		option = (struct completed){
			.name = row->name, .argument = row->argument, .choices = row->choices, .doc = row->doc, .repeats = row->repeats};
		write(out, command->name, &option);
	}
	for (size_t i = 0; shared && i < shared->count; i++) {
		if (command->shared && !is_listed(command->shared, shared->rows[i].name))
			continue;
		option = completed_of_row(&shared->rows[i]);
		write(out, command->name, &option);
	}
	if (command->options) {
		option = (struct completed){.name = "check-config", .doc = "print the effective values and the source of each, and exit"};
		write(out, command->name, &option);
	}
	option = (struct completed){.name = "help", .doc = "print a help text and exit"};
	write(out, command->name, &option);
}

static void bash_name(struct buffer *out, const char *command, const struct completed *option)
{
	(void)command;
	buffer_printf(out, " --%s", option->name);
}

/* A pattern of "command:--option", and "=" if the value follows it, with the words that can follow. */
static void bash_values(struct buffer *out, const char *command, const struct completed *option)
{
	if (!option->argument && !option->flag)
		return;
	if (option->flag)
		buffer_printf(out, "\t%s:--%s=) words='%s' ;;\n", command, option->name, option->choices);
	else
		buffer_printf(out, "\t%s:--%s | %s:--%s=) words='%s' ;;\n", command, option->name, command, option->name,
			option->choices ? option->choices : "");
}

static void bash_write(struct buffer *out, const struct command *commands, size_t count)
{
	buffer_append_text(out,
		"# Completion of fleetplan for bash, written by `fleetplan completion bash`.\n"
		"_fleetplan()\n{\n"
		"\tlocal current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=\n\n"
		"\t# The shell makes a word of an equals sign.\n"
		"\tif [ \"$current\" = = ]; then\n\t\tprevious=$previous= current=\n"
		"\telif [ \"$previous\" = = ]; then\n\t\tprevious=${COMP_WORDS[COMP_CWORD - 2]}=\n\tfi\n"
		"\tCOMPREPLY=()\n"
		"\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W '");
	for (size_t i = 0; i < count; i++)
		buffer_printf(out, "%s%s", i ? " " : "", commands[i].name);
	buffer_append_text(out, "' -- \"$current\"))\n\t\treturn\n\tfi\n\tcase $command:$previous in\n");
	for (size_t i = 0; i < count; i++)
		each_option(out, &commands[i], bash_values);
	buffer_append_text(out, "\t*)\n\t\tcase $command in\n");
	for (size_t i = 0; i < count; i++) {
		buffer_printf(out, "\t\t%s)\n", commands[i].name);
		if (commands[i].words)
			buffer_printf(out, "\t\t\t[ \"$COMP_CWORD\" -ne 2 ] || words='%s'\n", commands[i].words);
		buffer_append_text(out, "\t\t\tcase $current in -*) words='");
		each_option(out, &commands[i], bash_name);
		buffer_append_text(out, "' ;; esac ;;\n");
	}
	buffer_append_text(out,
		"\t\tesac ;;\n\tesac\n"
		"\t[ -z \"$words\" ] || COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
		"}\ncomplete -o default -F _fleetplan fleetplan\n");
}

/* Writes text between single quotes, with a "\" before what _arguments would interpret. */
static void zsh_text(struct buffer *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			buffer_append_text(out, "'\\''");
		else if (strchr("[]:\\", *text))
			buffer_printf(out, "\\%c", *text);
		else
			buffer_append_char(out, *text);
	}
}

static void zsh_option(struct buffer *out, const char *command, const struct completed *option)
{
	(void)command;
	buffer_printf(out, " \\\n\t\t\t\t'%s--%s%s[", option->repeats ? "*" : "", option->name,
		option->argument   ? "="
			: option->flag ? "=-"
						   : "");
	zsh_text(out, option->doc);
	buffer_append_char(out, ']');
	if (option->argument || option->flag) {
		buffer_append_text(out, option->flag ? "::" : ":");
		zsh_text(out, option->argument ? option->argument : "yes or no");
		if (option->choices)
			buffer_printf(out, ":(%s)", option->choices);
		else
			buffer_append_text(out, ":_files");
	}
	buffer_append_char(out, '\'');
}

static void zsh_write(struct buffer *out, const struct command *commands, size_t count)
{
	buffer_append_text(out,
		"#compdef fleetplan\n# Completion of fleetplan for zsh, written by `fleetplan completion zsh`.\n"
		"_fleetplan()\n{\n"
		"\tlocal context state state_descr line\n\ttypeset -A opt_args\n\tlocal -a commands=(");
	for (size_t i = 0; i < count; i++) {
		buffer_printf(out, "\n\t\t'%s:", commands[i].name);
		zsh_text(out, commands[i].doc);
		buffer_append_char(out, '\'');
	}
	buffer_append_text(out,
		")\n\n\t_arguments -C '1:command:->command' '*::argument:->argument'\n"
		"\tcase $state in\n\tcommand)\n\t\t_describe command commands ;;\n\targument)\n\t\tcase $words[1] in\n");
	for (size_t i = 0; i < count; i++) {
		buffer_printf(out, "\t\t%s)\n\t\t\t_arguments", commands[i].name);
		each_option(out, &commands[i], zsh_option);
		if (commands[i].words)
			buffer_printf(out, " \\\n\t\t\t\t'1:what:(%s)'", commands[i].words);
		buffer_append_text(out, " \\\n\t\t\t\t'*:file:_files' ;;\n");
	}
	buffer_append_text(out, "\t\tesac ;;\n\tesac\n}\n_fleetplan \"$@\"\n");
}

int completion_main(int argc, char **argv)
{
	bool bash = argc == 2 && strcmp(argv[1], "bash") == 0, zsh = argc == 2 && strcmp(argv[1], "zsh") == 0;
	size_t count;
	const struct command *commands = command_table(&count);
	struct buffer text;
	bool written;

	if (!bash && !zsh) {
		fprintf(stderr, "usage: fleetplan %s\n", command_find("completion")->usage);
		return EXIT_CODE_USAGE;
	}
	buffer_init(&text, COMPLETION_MAX_BYTES);
	if (bash)
		bash_write(&text, commands, count);
	else
		zsh_write(&text, commands, count);
	written = !text.failed && fwrite(text.bytes, 1, text.length, stdout) == text.length && fflush(stdout) == 0;
	buffer_release(&text);
	return written ? EXIT_CODE_OK : EXIT_CODE_FAILED;
}
