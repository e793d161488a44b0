/* `fleetplan manual [PAGE]` prints a manual page, written from the tables of commands, options, flags and exit codes.
 * SOURCE_DATE_EPOCH gives the date of the page. */
#include <time.h>

#include "cli/commands.h"
#include "cli/exit_code.h"

enum { MANUAL_MAX_BYTES = 1024 * 1024, MANUAL_BREAK_COLUMN = 60 };

static size_t manual_column(const struct buffer *out)
{
	size_t column = 0;

	while (column < out->length && out->bytes[out->length - 1 - column] != '\n')
		column++;
	return column;
}

/* Writes text so that roff reads it as it is: a "-" of an option can be copied, and no line begins a request. Roff joins
 * the lines of a paragraph. */
static void manual_text(struct buffer *out, const char *text)
{
	for (; *text; text++) {
		if (*text == ' ' && manual_column(out) > MANUAL_BREAK_COLUMN)
			buffer_append_char(out, '\n');
		else if (*text == '\\')
			buffer_append_text(out, "\\e");
		else if (*text == '-')
			buffer_append_text(out, "\\-");
		else if ((*text == '.' || *text == '\'') && (!out->length || out->bytes[out->length - 1] == '\n'))
			buffer_printf(out, "\\&%c", *text);
		else
			buffer_append_char(out, *text);
	}
}

static void manual_heading(struct buffer *out, const char *page, const char *doc)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	time_t moment = epoch ? (time_t)strtoll(epoch, NULL, 10) : 0;
	char date[32] = "";
	struct tm day;

	if (epoch && gmtime_r(&moment, &day))
		strftime(date, sizeof date, "%Y-%m-%d", &day);
	buffer_append_text(out, ".\\\" Written by `fleetplan manual` from the program's tables.\n.TH ");
	for (const char *c = page; *c; c++)
		buffer_append_char(out, (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c));
	buffer_printf(out, " 1 \"%s\" \"Fleetplan " FLEETPLAN_VERSION "\" \"Fleetplan\"\n.SH NAME\n%s \\- ", date, page);
	manual_text(out, doc);
	buffer_append_char(out, '\n');
}

/* Writes one option: its name, and what it does with choices, range and default. */
static void manual_option(struct buffer *out, const char *name, const char *argument)
{
	buffer_append_text(out, ".TP\n\\fB\\-\\-");
	manual_text(out, name);
	buffer_append_text(out, "\\fR");
	if (argument) {
		buffer_append_text(out, " \\fI");
		manual_text(out, argument);
		buffer_append_text(out, "\\fR");
	}
	buffer_append_char(out, '\n');
}

static void manual_choices(struct buffer *out, const char *choices)
{
	for (buffer_append_text(out, ": "); *choices; choices++) {
		if (*choices == ' ')
			buffer_append_text(out, ", ");
		else
			buffer_append_char(out, *choices);
	}
}

static void manual_option_row(struct buffer *out, const struct option_row *row)
{
	static const char *const arguments[] = {[OPTION_TEXT] = "TEXT", [OPTION_CHOICE] = "CHOICE", [OPTION_NUMBER] = "N", [OPTION_FLAG] = NULL};

	manual_option(out, row->name, arguments[row->kind]);
	manual_text(out, row->doc);
	if (row->kind == OPTION_CHOICE)
		manual_choices(out, row->choices);
	buffer_append_text(out, ".\n");
	if (row->kind == OPTION_NUMBER)
		buffer_printf(out, "From %u to %u. ", row->minimum, row->maximum);
	if (*row->standard) {
		buffer_append_text(out, "Default: ");
		manual_text(out, row->standard);
		buffer_append_text(out, ".\n");
	}
}

static void manual_flag_rows(struct buffer *out, const struct flag_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct flag_row *row = &table->rows[i];

		manual_option(out, row->name, row->argument);
		manual_text(out, row->doc);
		if (row->choices)
			manual_choices(out, row->choices);
		buffer_printf(out, ".%s\n", row->repeats ? " It may be given several times." : "");
		if (row->standard && *row->standard) {
			buffer_append_text(out, "Default: ");
			manual_text(out, row->standard);
			buffer_append_text(out, ".\n");
		}
	}
}

/* Writes the options of serve whose names are in the list. */
static void manual_shared(struct buffer *out, const char *names)
{
	while (*names) {
		size_t length = strcspn(names, " ");

		for (size_t i = 0; i < serve_option_table.count; i++)
			if (strlen(serve_option_table.rows[i].name) == length && strncmp(serve_option_table.rows[i].name, names, length) == 0)
				manual_option_row(out, &serve_option_table.rows[i]);
		names += length + (names[length] == ' ');
	}
}

static void manual_exit_codes(struct buffer *out)
{
	buffer_append_text(out, ".SH EXIT STATUS\n");
#define X(name, code, meaning) \
	buffer_append_text(out, ".TP\n" #code "\n"); \
	manual_text(out, meaning); \
	buffer_append_text(out, ".\n");
	EXIT_CODE_TABLE(X)
#undef X
}

static void manual_program(struct buffer *out)
{
	size_t count;
	const struct command *commands = command_table(&count);
	const char *separator = "";

	manual_heading(out, "fleetplan", "plan accelerators, time, cost, energy and carbon of AI models");
	buffer_append_text(out,
		".SH SYNOPSIS\n.B fleetplan\n.I COMMAND\n.RI [ ARGUMENT ]...\n.SH DESCRIPTION\n"
		"Fleetplan answers what hardware a model needs, for how long, at what cost\nin money, energy and carbon.\n"
		"It is a daemon with a REST API, and a program with the commands below.\n.SH COMMANDS\n");
	for (size_t i = 0; i < count; i++) {
		const struct command *command = &commands[i];

		buffer_append_text(out, ".SS ");
		manual_text(out, command->name);
		buffer_append_text(out, "\n.B fleetplan\n");
		manual_text(out, command->usage);
		buffer_append_text(out, "\n.PP\n");
		manual_text(out, command->doc);
		buffer_append_text(out, ".\n");
		if (command->helps_itself)
			buffer_printf(out, "Its options are in\n.BR fleetplan\\-%s (1).\n", command->name);
		else if (command->flags)
			manual_flag_rows(out, command->flags);
		if (command->shared)
			manual_shared(out, command->shared);
	}
	buffer_append_text(out,
		".SH ENVIRONMENT\nEach option of serve and agent is also a variable:\n\\fB\\-\\-log\\-level\\fR is \\fBFLEETPLAN_LOG_LEVEL\\fR.\n"
		"A flag overrides the environment, and the environment overrides the file\nthat \\fB\\-\\-config\\fR names.\n");
	manual_exit_codes(out);
	buffer_append_text(out, ".SH SEE ALSO\n");
	for (size_t i = 0; i < count; i++) {
		if (!commands[i].helps_itself)
			continue;
		buffer_printf(out, "%s.BR fleetplan\\-%s (1)", separator, commands[i].name);
		separator = ",\n";
	}
	buffer_append_char(out, '\n');
}

/* The page of a command with many options. */
static void manual_command(struct buffer *out, const struct command *command)
{
	char page[64];

	snprintf(page, sizeof page, "fleetplan-%s", command->name);
	manual_heading(out, page, command->doc);
	buffer_append_text(out, ".SH SYNOPSIS\n.B fleetplan\n");
	manual_text(out, command->usage);
	buffer_append_text(out, "\n.SH DESCRIPTION\n");
	if (command->options)
		buffer_append_text(out,
			"Each option is also an environment variable\n(\\fB\\-\\-log\\-level\\fR: \\fBFLEETPLAN_LOG_LEVEL\\fR) and a line of the\n"
			"\\fB\\-\\-config\\fR file (log\\-level = info).\nA flag overrides the environment, and the environment overrides the file.\n"
			"The value of an option that is on or off follows an equals sign:\n\\fB\\-\\-option=no\\fR.\n");
	else
		buffer_append_text(out, "The options select the device and what is measured.\n");
	buffer_append_text(out, ".SH OPTIONS\n");
	for (size_t i = 0; command->options && i < command->options->count; i++)
		manual_option_row(out, &command->options->rows[i]);
	if (command->options) {
		manual_option(out, "check-config", NULL);
		buffer_append_text(out, "print the effective values and the source of each, and exit.\n");
	} else {
		manual_flag_rows(out, command->flags);
	}
	manual_option(out, "help", NULL);
	buffer_append_text(out, "print a list of the options and exit.\n.SH SEE ALSO\n.BR fleetplan (1)\n");
}

int manual_main(int argc, char **argv)
{
	const char *page = argc > 1 ? argv[1] : "fleetplan";
	const struct command *command = command_find(page);
	struct buffer text;
	bool written;

	if (argc > 2 || (strcmp(page, "fleetplan") != 0 && (!command || !command->helps_itself))) {
		fprintf(stderr, "usage: fleetplan %s\n", command_find("manual")->usage);
		return EXIT_CODE_USAGE;
	}
	buffer_init(&text, MANUAL_MAX_BYTES);
	if (command)
		manual_command(&text, command);
	else
		manual_program(&text);
	written = !text.failed && fwrite(text.bytes, 1, text.length, stdout) == text.length && fflush(stdout) == 0;
	buffer_release(&text);
	return written ? EXIT_CODE_OK : EXIT_CODE_FAILED;
}
