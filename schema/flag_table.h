/* Flag tables: one row for each flag of a command that has no option table (schema/option_table.h). The parser, --help,
 * the manual pages and the completions of shells use it. */
#ifndef FLEETPLAN_SCHEMA_FLAG_TABLE_H
#define FLEETPLAN_SCHEMA_FLAG_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

struct flag_row {
	const char *name;     /* "role": the flag is --role */
	const char *argument; /* word for its value, "ROLE"; NULL: a switch without a value */
	const char *choices;  /* allowed values, separated by spaces; NULL: any */
	const char *standard; /* the default; NULL: none */
	const char *doc;
	bool repeats; /* may be given several times */
};

struct flag_table {
	const struct flag_row *rows;
	size_t count;
};

/* Writes a line for each flag, as option_table_help() does. */
void flag_table_help(const struct flag_table *table, struct buffer *out);

#endif
