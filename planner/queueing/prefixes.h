/* Which shared prefixes an engine's cache holds: those used last, as far as there is room (E96).
 *
 * Of `count` prefixes, all of one length, the ones held form a list from the latest used to the longest unused. Memory is the
 * caller's. */
#ifndef FLEETPLAN_PLANNER_QUEUEING_PREFIXES_H
#define FLEETPLAN_PLANNER_QUEUEING_PREFIXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct prefix_link {
	int32_t newer, older; /* PREFIX_NONE at the ends, PREFIX_OUT of one that is not held */
};

struct prefixes {
	struct prefix_link *links;
	int32_t newest, oldest, held;
};

enum { PREFIX_NONE = -1, PREFIX_OUT = -2 };

/* Holds none; `links` has `count` places. */
void prefixes_start(struct prefixes *prefixes, struct prefix_link *links, int32_t count);

bool prefixes_hold(const struct prefixes *prefixes, int32_t prefix);

/* It was used just now, and is held from here on. */
void prefixes_touch(struct prefixes *prefixes, int32_t prefix);

/* Forgets the longest unused until at most `most` are held. */
void prefixes_trim(struct prefixes *prefixes, int32_t most);

#endif
