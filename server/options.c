#include "server/options.h"

enum option_index {
#define X(member, name, kind, standard, minimum, maximum, choices, doc) OPTION_##member,
	OPTION_TABLE(X)
#undef X
		OPTION_COUNT
};

static const struct option_row option_rows[OPTION_COUNT] = {
#define X(member, ...) [OPTION_##member] = OPTION_ROW(struct options, member, __VA_ARGS__),
	OPTION_TABLE(X)
#undef X
};

const struct option_table serve_option_table = {.command = "serve", .rows = option_rows, .count = OPTION_COUNT, .config = OPTION_config};

enum status options_read(struct options *options, int argc, char *const *argv, struct failure *failure)
{
	*options = (struct options){0};
	return option_table_read(&serve_option_table, options, &options->values, argc, argv, failure);
}

void options_release(struct options *options)
{
	option_values_release(&options->values);
}

void options_write_help(struct buffer *out)
{
	option_table_help(&serve_option_table, out);
}

void options_write_effective(const struct options *options, struct buffer *out)
{
	option_table_effective(&serve_option_table, options, &options->values, out);
}
