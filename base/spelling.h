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
/* A known name: kept if it is among the nearest, and near enough to be what was meant: one edit, and one more for every four
 * characters of the longer name. */
void spelling_offer(struct spelling *spelling, const char *name);

/* "a, b or c" of the nearest names (empty text when none is near), into `out` of `size` bytes. */
void spelling_list(const struct spelling *spelling, char *out, size_t size);

/* Edits (insert, delete, replace, swap of neighbours) from a to b, case ignored; names past 64 bytes count by
 * their first 64. A name that contains the wanted text (3 characters or more) is offered as if it were one edit away. */
size_t spelling_distance(const char *a, const char *b);

#endif
