/* Option tables: one row for each option. Flags, environment variables, the keys of the configuration file, --help,
 * --check-config and the error texts use it. Each command has a table from its own X-macro (server/options.h,
 * agent/agent_options.h).
 *
 * An option "listen" is --listen VALUE or --listen=VALUE, FLEETPLAN_LISTEN, or the line "listen = VALUE" of the file
 * that --config or FLEETPLAN_CONFIG names. A flag overrides the environment, the environment overrides the file, the
 * file overrides the default. Values of all sources are checked. An error names the source and says what is allowed;
 * for an unknown option it names the nearest ones. */
#ifndef FLEETPLAN_SCHEMA_OPTION_TABLE_H
#define FLEETPLAN_SCHEMA_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/failure.h"

enum option_kind { OPTION_TEXT, OPTION_NUMBER, OPTION_FLAG, OPTION_CHOICE };

#define OPTION_TYPE_TEXT   const char *
#define OPTION_TYPE_CHOICE const char *
#define OPTION_TYPE_NUMBER unsigned
#define OPTION_TYPE_FLAG   bool

struct option_row {
	const char *name;
	enum option_kind kind;
	size_t offset; /* of its member */
	const char *standard;
	unsigned minimum, maximum; /* of numbers */
	const char *choices, *doc;
};

/* The row of X(member, name, kind, standard, minimum, maximum, choices, doc) for a member of `structure`. */
#define OPTION_ROW(structure, member, name, kind, standard, minimum, maximum, choices, doc) \
	{ \
		name, OPTION_##kind, offsetof(structure, member), standard, minimum, maximum, choices, doc \
	}

struct option_table {
	const char *command; /* "serve" */
	const struct option_row *rows;
	size_t count;
	size_t config; /* the row that names the file */
};

/* The result of option_table_read() beside the members. */
struct option_values {
	bool help, check_config;   /* --help, --check-config was given */
	unsigned char origins[64]; /* source of each value, in the order of the table */
	struct arena arena;        /* owns all texts */
};

/* Reads the file, the environment and argv[1..] (argv[0] is the command). STATUS_INVALID with a detail; NO_MEMORY. */
FALLIBLE enum status option_table_read(
	const struct option_table *table, void *members, struct option_values *values, int argc, char *const *argv, struct failure *failure);
void option_values_release(struct option_values *values);

void option_table_help(const struct option_table *table, struct buffer *out);
/* Writes the values as a configuration file, with the source of each value. */
void option_table_effective(const struct option_table *table, const void *members, const struct option_values *values, struct buffer *out);

#endif
