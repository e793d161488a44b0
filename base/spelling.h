/* "Did you mean": the names nearest to a misspelt one. */
#ifndef FLEETPLAN_BASE_SPELLING_H
#define FLEETPLAN_BASE_SPELLING_H

#include <stddef.h>

enum { SPELLING_NEAREST_MAX = 4 };

struct spelling {
	const char *wanted;
	const char *nearest[SPELLING_NEAREST_MAX]; /* best first; borrowed from the caller */
	size_t distance[SPELLING_NEAREST_MAX];
	size_t count;
};

void spelling_init(struct spelling *spelling, const char *wanted);
void spelling_offer(struct spelling *spelling, const char *name); /* a known name; kept if it is among the nearest */

/* "a, b or c" of the nearest names (empty text when none was offered), into `out` of `size` bytes. */
void spelling_list(const struct spelling *spelling, char *out, size_t size);

/* Edits (insert, delete, replace, swap of neighbours) from a to b, case ignored; names past 64 bytes count by
 * their first 64. A name that contains the wanted text is never further than 1. */
size_t spelling_distance(const char *a, const char *b);

#endif
