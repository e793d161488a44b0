#include "agent/agent_options.h"

enum option_index {
#define X(member, name, kind, standard, minimum, maximum, choices, doc) OPTION_##member,
	AGENT_OPTION_TABLE(X)
#undef X
		OPTION_COUNT
};

static const struct option_row option_rows[OPTION_COUNT] = {
#define X(member, ...) [OPTION_##member] = OPTION_ROW(struct agent_options, member, __VA_ARGS__),
	AGENT_OPTION_TABLE(X)
#undef X
};

const struct option_table agent_option_table = {.command = "agent", .rows = option_rows, .count = OPTION_COUNT, .config = OPTION_config};
