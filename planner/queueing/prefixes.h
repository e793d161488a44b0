/* The shared prefixes in an engine's cache: the most recently used ones that fit (E96).
 *
 * There are `count` prefixes of one length. The cached ones form a list from the most to the least recently used. The
 * caller owns the memory.
 * Case: tests/planner/test_simulation_fleet.c, a_prefix_is_found_where_there_is_room. */
#ifndef FLEETPLAN_PLANNER_QUEUEING_PREFIXES_H
#define FLEETPLAN_PLANNER_QUEUEING_PREFIXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prefix_link {
	int32_t newer, older; /* PREFIX_NONE at the ends of the list; PREFIX_OUT: the prefix is not cached */
};

struct prefixes {
	struct prefix_link *links;
	int32_t newest, oldest, held;
};

enum { PREFIX_NONE = -1, PREFIX_OUT = -2 };

/* Starts with no cached prefix. `links` has `count` places. */
void prefixes_start(struct prefixes *prefixes, struct prefix_link *links, int32_t count);

/* True if the prefix is cached. */
bool prefixes_hold(const struct prefixes *prefixes, int32_t prefix);

/* Caches the prefix and marks it as the most recently used. */
void prefixes_touch(struct prefixes *prefixes, int32_t prefix);

/* Removes the least recently used prefixes until at most `most` remain. */
void prefixes_trim(struct prefixes *prefixes, int32_t most);

#endif
