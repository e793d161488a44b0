#include "schema/option_table.h"

#include <ctype.h>
#include <errno.h>

#include "base/spelling.h"

enum option_origin { ORIGIN_DEFAULT, ORIGIN_FILE, ORIGIN_ENVIRONMENT, ORIGIN_FLAG, ORIGIN_COUNT };

enum { OPTIONS_ARENA_BYTES = 1024 * 1024 };

static const char *const option_origin_names[ORIGIN_COUNT] = {"default", "file", "environment", "flag"};

/* One call of option_table_read(). */
struct option_reading {
	const struct option_table *table;
	void *members;
	struct option_values *values;
};

static void *option_member(const struct option_reading *reading, const struct option_row *row)
{
	return (char *)reading->members + row->offset;
}

static const struct option_row *option_find(const struct option_table *table, const char *name, size_t length)
{
	for (size_t i = 0; i < table->count; i++) {
		if (strlen(table->rows[i].name) == length && strncmp(table->rows[i].name, name, length) == 0)
			return &table->rows[i];
	}
	return NULL;
}

static enum status option_unknown(const struct option_table *table, const char *place, const char *name, struct failure *failure)
{
	struct spelling spelling;
	char nearest[128], listed[64];

	spelling_init(&spelling, name);
	for (size_t i = 0; i < table->count; i++)
		spelling_offer(&spelling, table->rows[i].name);
	spelling_list(&spelling, nearest, sizeof nearest);
	snprintf(listed, sizeof listed, "fleetplan %s --help lists the options", table->command);
	return failure_set(
		failure, STATUS_INVALID, "%s: %s is not a known option; %s%s", place, name, nearest[0] ? "did you mean " : listed, nearest);
}

static bool option_parse_flag(const char *text, bool *value)
{
	static const char *const yes[] = {"yes", "true", "on", "1"}, *const no[] = {"no", "false", "off", "0"};

	for (size_t i = 0; i < COUNT_OF(yes); i++) {
		if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
			*value = strcmp(text, yes[i]) == 0;
			return true;
		}
	}
	return false;
}

static bool option_is_choice(const char *choices, const char *text)
{
	size_t length = strlen(text);

	while (*choices) {
		size_t item = strcspn(choices, " ");
		if (item == length && strncmp(choices, text, length) == 0)
			return true;
		choices += item + strspn(choices + item, " ");
	}
	return false;
}

static enum status option_set_number(
	unsigned *member, const struct option_row *row, const char *text, const char *place, struct failure *failure)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || !isdigit((unsigned char)text[0]) || value < row->minimum || value > row->maximum)
		return failure_set(failure, STATUS_INVALID, "%s: %s must be a whole number from %u to %u, not \"%s\"", place, row->name,
			row->minimum, row->maximum, text);
	*member = (unsigned)value;
	return STATUS_OK;
}

static enum status option_set(
	const struct option_reading *reading, const struct option_row *row, const char *text, const char *place, struct failure *failure)
{
	void *member = option_member(reading, row);
	char *copy;

	switch (row->kind) {
	case OPTION_NUMBER:
		return option_set_number(member, row, text, place, failure);
	case OPTION_FLAG:
		if (option_parse_flag(text, member))
			return STATUS_OK;
		return failure_set(failure, STATUS_INVALID, "%s: %s must be yes or no, not \"%s\"", place, row->name, text);
	case OPTION_CHOICE:
		if (!option_is_choice(row->choices, text))
			return failure_set(failure, STATUS_INVALID, "%s: %s must be one of %s, not \"%s\"", place, row->name, row->choices, text);
		break;
	case OPTION_TEXT:
		break;
	}
	copy = arena_strdup(&reading->values->arena, text);
	if (!copy)
		return failure_set(failure, STATUS_NO_MEMORY, "%s: no memory", place);
	*(const char **)member = copy;
	return STATUS_OK;
}

static enum status options_set(const struct option_reading *reading, const struct option_row *row, const char *text,
	enum option_origin origin, const char *place, struct failure *failure)
{
	enum status status = option_set(reading, row, text, place, failure);

	if (status == STATUS_OK)
		reading->values->origins[row - reading->table->rows] = (unsigned char)origin;
	return status;
}

static enum status options_defaults(const struct option_reading *reading, struct failure *failure)
{
	const struct option_table *table = reading->table;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < table->count && status == STATUS_OK; i++)
		status = options_set(reading, &table->rows[i], table->rows[i].standard, ORIGIN_DEFAULT, "default", failure);
	return status;
}

/* Splits "  name = value # comment" into name and value. False for an empty line or a comment. The value may be empty,
 * also before a comment. */
static bool options_split_line(char *line, char **name, char **value)
{
	char *end, *equals;

	line[strcspn(line, "\r\n")] = '\0';
	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return false;
	equals = strchr(line, '=');
	*name = line;
	*value = line + strlen(line);
	if (equals) {
		*equals = '\0';
		*value = equals + 1 + strspn(equals + 1, " \t");
		for (end = *value; *end; end++) {
			if (*end == '#' && (end[-1] == ' ' || end[-1] == '\t')) /* end[-1] exists: a "=" precedes the value */
				*end-- = '\0';
		}
	}
	for (end = *value + strlen(*value); end > *value && (end[-1] == ' ' || end[-1] == '\t'); end--)
		end[-1] = '\0';
	for (end = *name + strlen(*name); end > *name && (end[-1] == ' ' || end[-1] == '\t'); end--)
		end[-1] = '\0';
	return true;
}

static enum status options_file(const struct option_reading *reading, const char *path, struct failure *failure)
{
	FILE *file = fopen(path, "re");
	enum status status = STATUS_OK;
	char *line = NULL, place[256];
	size_t room = 0;
	ssize_t length;

	if (!file)
		return failure_set(failure, STATUS_INVALID, "config: %s: %s", path, strerror(errno));
	for (int number = 1; status == STATUS_OK && (length = getline(&line, &room, file)) >= 0; number++) {
		bool whole = strlen(line) == (size_t)length;
		const struct option_row *row;
		char *name, *value;

		snprintf(place, sizeof place, "%s:%d", path, number);
		if (whole && !options_split_line(line, &name, &value))
			continue;
		row = whole ? option_find(reading->table, name, strlen(name)) : NULL;
		if (!whole)
			status = failure_set(failure, STATUS_INVALID, "%s: the line has a NUL byte", place);
		else if (!row || row == &reading->table->rows[reading->table->config])
			status = option_unknown(reading->table, place, name, failure);
		else
			status = options_set(reading, row, value, ORIGIN_FILE, place, failure);
	}
	free(line);
	fclose(file);
	return status;
}

static void options_variable(const struct option_row *row, char *out, size_t size)
{
	snprintf(out, size, "FLEETPLAN_%s", row->name);
	for (char *c = out; *c; c++)
		*c = (char)(*c == '-' ? '_' : toupper((unsigned char)*c));
}

static enum status options_environment(const struct option_reading *reading, struct failure *failure)
{
	const struct option_table *table = reading->table;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < table->count && status == STATUS_OK; i++) {
		char variable[64];
		const char *value;

		options_variable(&table->rows[i], variable, sizeof variable);
		value = getenv(variable);
		if (value)
			status = options_set(reading, &table->rows[i], value, ORIGIN_ENVIRONMENT, variable, failure);
	}
	return status;
}

/* Reads one flag. Sets *used to the number of arguments that it used. */
static enum status options_flag(const struct option_reading *reading, int argc, char *const *argv, int *used, struct failure *failure)
{
	const char *name = argv[0] + 2, *equals = strchr(argv[0], '='), *value;
	const struct option_row *row;

	*used = 1;
	if (strcmp(argv[0], "-h") == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "--check-config") == 0) {
		*(argv[0][2] == 'c' ? &reading->values->check_config : &reading->values->help) = true;
		return STATUS_OK;
	}
	if (strncmp(argv[0], "--", 2) != 0 || !*name)
		return failure_set(failure, STATUS_INVALID, "%s: options must begin with --; see --help", argv[0]);
	row = option_find(reading->table, name, equals ? (size_t)(equals - name) : strlen(name));
	if (!row)
		return option_unknown(reading->table, argv[0], name, failure);
	value = equals ? equals + 1 : row->kind == OPTION_FLAG ? "yes" : argc > 1 ? argv[1] : NULL;
	if (!value)
		return failure_set(failure, STATUS_INVALID, "%s: a value is missing: %s", argv[0], row->doc);
	*used = equals || row->kind == OPTION_FLAG ? 1 : 2;
	return options_set(reading, row, value, ORIGIN_FLAG, argv[0], failure);
}

static enum status options_flags(const struct option_reading *reading, int argc, char *const *argv, struct failure *failure)
{
	enum status status = STATUS_OK;

	for (int i = 1, used; i < argc && status == STATUS_OK; i += used)
		status = options_flag(reading, argc - i, argv + i, &used, failure);
	return status;
}

enum status option_table_read(
	const struct option_table *table, void *members, struct option_values *values, int argc, char *const *argv, struct failure *failure)
{
	const struct option_reading reading = {table, members, values};
	const char *path;
	enum status status;

	CHECK(table->count <= sizeof values->origins);
	*values = (struct option_values){0};
	arena_init(&values->arena, OPTIONS_ARENA_BYTES);
	/* The first pass over environment and flags finds the file's name. The second lets them override the file. */
	status = options_defaults(&reading, failure);
	if (status == STATUS_OK)
		status = options_environment(&reading, failure);
	if (status == STATUS_OK)
		status = options_flags(&reading, argc, argv, failure);
	path = *(const char *const *)option_member(&reading, &table->rows[table->config]);
	if (status != STATUS_OK || !*path)
		return status;
	status = options_defaults(&reading, failure);
	if (status == STATUS_OK)
		status = options_file(&reading, path, failure);
	if (status == STATUS_OK)
		status = options_environment(&reading, failure);
	return status == STATUS_OK ? options_flags(&reading, argc, argv, failure) : status;
}

void option_values_release(struct option_values *values)
{
	arena_release(&values->arena);
}

void option_table_help(const struct option_table *table, struct buffer *out)
{
	buffer_printf(out, "usage: fleetplan %s [OPTION]...\n\n", table->command);
	buffer_append_text(out,
		"Each option is also an environment variable (--log-level: FLEETPLAN_LOG_LEVEL) and a line of the --config file\n"
		"(log-level = info). A flag overrides the environment, and the environment overrides the file.\n\n");
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		char name[64];

		snprintf(name, sizeof name, "--%s%s", row->name, row->kind == OPTION_FLAG ? "" : row->kind == OPTION_NUMBER ? " N" : " TEXT");
		buffer_printf(out, "  %-26s %s", name, row->doc);
		if (row->kind == OPTION_CHOICE)
			buffer_printf(out, ": %s", row->choices);
		if (*row->standard && row->kind != OPTION_FLAG)
			buffer_printf(out, " (%s)", row->standard);
		buffer_append_char(out, '\n');
	}
	buffer_append_text(out,
		"  --check-config             print the effective values and the source of each, and exit\n"
		"  --help                     print this help and exit\n");
}

void option_table_effective(const struct option_table *table, const void *members, const struct option_values *values, struct buffer *out)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct option_row *row = &table->rows[i];
		const char *member = (const char *)members + row->offset;
		bool text = row->kind == OPTION_TEXT || row->kind == OPTION_CHOICE;

		buffer_printf(out, "%s%s =%s", i == table->config ? "# " : "", row->name,
			text && **(const char *const *)(const void *)member == '#' ? "" : " "); /* after a blank "#" would begin a comment */
		switch (row->kind) {
		case OPTION_NUMBER:
			buffer_printf(out, "%u", *(const unsigned *)(const void *)member);
			break;
		case OPTION_FLAG:
			buffer_append_text(out, *(const bool *)member ? "yes" : "no");
			break;
		case OPTION_TEXT:
		case OPTION_CHOICE:
			buffer_append_text(out, *(const char *const *)(const void *)member);
			break;
		}
		buffer_printf(out, " # %s\n", option_origin_names[values->origins[i]]);
	}
}
