#include "schema/flag_table.h"

enum { FLAG_NAME_COLUMNS = 26 };

void flag_table_help(const struct flag_table *table, struct buffer *out)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct flag_row *row = &table->rows[i];
		char name[96];

		snprintf(name, sizeof name, "--%s%s%s", row->name, row->argument ? " " : "", row->argument ? row->argument : "");
		if (strlen(name) > FLAG_NAME_COLUMNS)
			buffer_printf(out, "  %s\n  %-26s %s", name, "", row->doc);
		else
			buffer_printf(out, "  %-26s %s", name, row->doc);
		if (row->choices)
			buffer_printf(out, ": %s", row->choices);
		if (row->standard && *row->standard)
			buffer_printf(out, " (%s)", row->standard);
		buffer_append_char(out, '\n');
	}
}
