#include "server/options.h"

#include <ctype.h>
#include <errno.h>

#include "base/spelling.h"

enum option_kind { OPTION_TEXT, OPTION_NUMBER, OPTION_FLAG, OPTION_CHOICE };
enum option_origin { ORIGIN_DEFAULT, ORIGIN_FILE, ORIGIN_ENVIRONMENT, ORIGIN_FLAG, ORIGIN_COUNT };

enum option_index {
#define X(member, name, kind, standard, minimum, maximum, choices, doc) OPTION_##member,
	OPTION_TABLE(X)
#undef X
	OPTION_COUNT
};

static const struct option_row {
	const char *name;
	enum option_kind kind;
	size_t offset;
	const char *standard;
	unsigned minimum, maximum;
	const char *choices, *doc;
} option_rows[OPTION_COUNT] = {
#define X(member, name, kind, standard, minimum, maximum, choices, doc) \
	[OPTION_##member] = {name, OPTION_##kind, offsetof(struct options, member), standard, minimum, maximum, choices, doc},
	OPTION_TABLE(X)
#undef X
};

enum { OPTIONS_ARENA_BYTES = 1024 * 1024 };
_Static_assert(OPTION_COUNT <= sizeof ((struct options *)0)->origins, "an origin for each");

static const char *const option_origin_names[ORIGIN_COUNT] = {"default", "file", "environment", "flag"};

static void *option_member(struct options *options, const struct option_row *row)
{
	return (char *)options + row->offset;
}

static const struct option_row *option_find(const char *name, size_t length)
{
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		if (strlen(option_rows[i].name) == length && strncmp(option_rows[i].name, name, length) == 0)
			return &option_rows[i];
	}
	return NULL;
}

static enum status option_unknown(const char *place, const char *name, struct failure *failure)
{
	struct spelling spelling;
	char nearest[128];

	spelling_init(&spelling, name);
	for (size_t i = 0; i < OPTION_COUNT; i++)
		spelling_offer(&spelling, option_rows[i].name);
	spelling_list(&spelling, nearest, sizeof nearest);
	return failure_set(failure, STATUS_INVALID, "%s: there is no option %s; %s%s", place, name,
		nearest[0] ? "near it: " : "fleetplan serve --help lists them", nearest);
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

static enum status option_set_number(unsigned *member, const struct option_row *row, const char *text, const char *place,
	struct failure *failure)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || !isdigit((unsigned char)text[0]) || value < row->minimum || value > row->maximum)
		return failure_set(failure, STATUS_INVALID, "%s: %s is a whole number from %u to %u, not \"%s\"", place, row->name, row->minimum,
			row->maximum, text);
	*member = (unsigned)value;
	return STATUS_OK;
}

static enum status option_set(struct options *options, const struct option_row *row, const char *text, const char *place,
	struct failure *failure)
{
	void *member = option_member(options, row);
	char *copy;

	switch (row->kind) {
	case OPTION_NUMBER:
		return option_set_number(member, row, text, place, failure);
	case OPTION_FLAG:
		if (option_parse_flag(text, member))
			return STATUS_OK;
		return failure_set(failure, STATUS_INVALID, "%s: %s is yes or no, not \"%s\"", place, row->name, text);
	case OPTION_CHOICE:
		if (!option_is_choice(row->choices, text))
			return failure_set(failure, STATUS_INVALID, "%s: %s is one of %s, not \"%s\"", place, row->name, row->choices, text);
		break;
	case OPTION_TEXT:
		break;
	}
	copy = arena_strdup(&options->arena, text);
	if (!copy)
		return failure_set(failure, STATUS_NO_MEMORY, "%s: no memory", place);
	*(const char **)member = copy;
	return STATUS_OK;
}

static enum status options_set(struct options *options, const struct option_row *row, const char *text, enum option_origin origin,
	const char *place, struct failure *failure)
{
	enum status status = option_set(options, row, text, place, failure);

	if (status == STATUS_OK)
		options->origins[row - option_rows] = (unsigned char)origin;
	return status;
}

static enum status options_defaults(struct options *options, struct failure *failure)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < OPTION_COUNT && status == STATUS_OK; i++)
		status = options_set(options, &option_rows[i], option_rows[i].standard, ORIGIN_DEFAULT, "default", failure);
	return status;
}

/* "  name = value # comment" without its surroundings; false for an empty line. */
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
			if (*end == '#' && end > *value && (end[-1] == ' ' || end[-1] == '\t'))
				*end-- = '\0';
		}
	}
	for (end = *value + strlen(*value); end > *value && (end[-1] == ' ' || end[-1] == '\t'); end--)
		end[-1] = '\0';
	for (end = *name + strlen(*name); end > *name && (end[-1] == ' ' || end[-1] == '\t'); end--)
		end[-1] = '\0';
	return true;
}

static enum status options_file(struct options *options, const char *path, struct failure *failure)
{
	FILE *file = fopen(path, "re");
	enum status status = STATUS_OK;
	char line[4096], place[256];

	if (!file)
		return failure_set(failure, STATUS_INVALID, "config: %s: %s", path, strerror(errno));
	for (int number = 1; status == STATUS_OK && fgets(line, sizeof line, file); number++) {
		const struct option_row *row;
		char *name, *value;

		snprintf(place, sizeof place, "%s:%d", path, number);
		if (!options_split_line(line, &name, &value))
			continue;
		row = option_find(name, strlen(name));
		if (!row || row == &option_rows[OPTION_config])
			status = option_unknown(place, name, failure);
		else
			status = options_set(options, row, value, ORIGIN_FILE, place, failure);
	}
	fclose(file);
	return status;
}

static void options_variable(const struct option_row *row, char *out, size_t size)
{
	snprintf(out, size, "FLEETPLAN_%s", row->name);
	for (char *c = out; *c; c++)
		*c = (char)(*c == '-' ? '_' : toupper((unsigned char)*c));
}

static enum status options_environment(struct options *options, struct failure *failure)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < OPTION_COUNT && status == STATUS_OK; i++) {
		char variable[64];
		const char *value;

		options_variable(&option_rows[i], variable, sizeof variable);
		value = getenv(variable);
		if (value)
			status = options_set(options, &option_rows[i], value, ORIGIN_ENVIRONMENT, variable, failure);
	}
	return status;
}

/* One flag; *used becomes how many arguments it took. */
static enum status options_flag(struct options *options, int argc, char *const *argv, int *used, struct failure *failure)
{
	const char *name = argv[0] + 2, *equals = strchr(argv[0], '='), *value;
	const struct option_row *row;

	*used = 1;
	if (strcmp(argv[0], "-h") == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "--check-config") == 0) {
		*(argv[0][2] == 'c' ? &options->check_config : &options->help) = true;
		return STATUS_OK;
	}
	if (strncmp(argv[0], "--", 2) != 0 || !*name)
		return failure_set(failure, STATUS_INVALID, "%s: options begin with --; see --help", argv[0]);
	row = option_find(name, equals ? (size_t)(equals - name) : strlen(name));
	if (!row)
		return option_unknown(argv[0], name, failure);
	value = equals ? equals + 1 : row->kind == OPTION_FLAG ? "yes" : argc > 1 ? argv[1] : NULL;
	if (!value)
		return failure_set(failure, STATUS_INVALID, "%s: a value is missing: %s", argv[0], row->doc);
	*used = equals || row->kind == OPTION_FLAG ? 1 : 2;
	return options_set(options, row, value, ORIGIN_FLAG, argv[0], failure);
}

static enum status options_flags(struct options *options, int argc, char *const *argv, struct failure *failure)
{
	enum status status = STATUS_OK;

	for (int i = 1, used; i < argc && status == STATUS_OK; i += used)
		status = options_flag(options, argc - i, argv + i, &used, failure);
	return status;
}

enum status options_read(struct options *options, int argc, char *const *argv, struct failure *failure)
{
	const char *path;
	enum status status;

	*options = (struct options){0};
	arena_init(&options->arena, OPTIONS_ARENA_BYTES);
	/* The first pass over environment and flags only finds the file's name; the second lets them win over it. */
	status = options_defaults(options, failure);
	if (status == STATUS_OK)
		status = options_environment(options, failure);
	if (status == STATUS_OK)
		status = options_flags(options, argc, argv, failure);
	if (status != STATUS_OK || !*options->config)
		return status;
	path = options->config;
	status = options_defaults(options, failure);
	if (status == STATUS_OK)
		status = options_file(options, path, failure);
	if (status == STATUS_OK)
		status = options_environment(options, failure);
	return status == STATUS_OK ? options_flags(options, argc, argv, failure) : status;
}

void options_release(struct options *options)
{
	arena_release(&options->arena);
}

void options_write_help(struct buffer *out)
{
	buffer_append_text(out, "usage: fleetplan serve [OPTION]...\n\n"
		"Each option is also an environment variable (--idle-seconds: FLEETPLAN_IDLE_SECONDS) and a line of the --config file\n"
		"(idle-seconds = 60). A flag wins over the environment, that over the file.\n\n");
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		const struct option_row *row = &option_rows[i];
		char name[64];

		snprintf(name, sizeof name, "--%s%s", row->name, row->kind == OPTION_FLAG ? "" : row->kind == OPTION_NUMBER ? " N" : " TEXT");
		buffer_printf(out, "  %-26s %s", name, row->doc);
		if (row->kind == OPTION_CHOICE)
			buffer_printf(out, ": %s", row->choices);
		if (*row->standard && row->kind != OPTION_FLAG)
			buffer_printf(out, " (%s)", row->standard);
		buffer_append_char(out, '\n');
	}
	buffer_append_text(out, "  --check-config             print the effective values and where each came from, and exit\n"
		"  --help                     print this and exit\n");
}

void options_write_effective(const struct options *options, struct buffer *out)
{
	for (size_t i = 0; i < OPTION_COUNT; i++) {
		const struct option_row *row = &option_rows[i];
		const char *member = (const char *)options + row->offset;
		char value[512] = "";

		switch (row->kind) {
		case OPTION_NUMBER:
			snprintf(value, sizeof value, "%u", *(const unsigned *)(const void *)member);
			break;
		case OPTION_FLAG:
			snprintf(value, sizeof value, "%s", *(const bool *)member ? "yes" : "no");
			break;
		case OPTION_TEXT:
		case OPTION_CHOICE:
			snprintf(value, sizeof value, "%s", *(const char *const *)(const void *)member);
			break;
		}
		buffer_printf(out, "%s%s = %s # %s\n", i == OPTION_config ? "# " : "", row->name, value, option_origin_names[options->origins[i]]);
	}
}
