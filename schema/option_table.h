/* Tables of options: one row an option, from which flags, environment variables, the file's keys, --help, --check-config and
 * the error texts come. A command's table is made of an X-macro of its own (server/options.h, agent/agent_options.h).
 *
 * An option "listen" is --listen VALUE or --listen=VALUE, FLEETPLAN_LISTEN, or the line "listen = VALUE" of the file named by
 * --config or FLEETPLAN_CONFIG. A flag wins over the environment, that over the file, that over the default. Values are
 * checked wherever they come from; an error names the place, what would be accepted, and for an unknown name the nearest. */
#ifndef FLEETPLAN_SCHEMA_OPTION_TABLE_H
#define FLEETPLAN_SCHEMA_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/failure.h"

enum option_kind { OPTION_TEXT, OPTION_NUMBER, OPTION_FLAG, OPTION_CHOICE };

#define OPTION_TYPE_TEXT const char *
#define OPTION_TYPE_CHOICE const char *
#define OPTION_TYPE_NUMBER unsigned
#define OPTION_TYPE_FLAG bool

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
	{name, OPTION_##kind, offsetof(structure, member), standard, minimum, maximum, choices, doc}

struct option_table {
	const char *command; /* "serve" */
	const struct option_row *rows;
	size_t count;
	size_t config; /* the row that names the file */
};

/* What was given, beside the members. */
struct option_values {
	bool help, check_config;   /* asked for by --help, --check-config */
	unsigned char origins[64]; /* of each value, in the table's order */
	struct arena arena;        /* of all texts */
};

/* Reads file, environment and argv[1..] (argv[0] is the command). STATUS_INVALID with a sentence for a person. */
FALLIBLE enum status option_table_read(const struct option_table *table, void *members, struct option_values *values, int argc,
	char *const *argv, struct failure *failure);
void option_values_release(struct option_values *values);

void option_table_help(const struct option_table *table, struct buffer *out);
/* As a configuration file, with where each value came from. */
void option_table_effective(const struct option_table *table, const void *members, const struct option_values *values, struct buffer *out);

#endif
