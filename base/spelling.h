/* Finds the known names nearest to a misspelt one, for "did you mean". */
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
/* Offers a known name. Keeps it if it is among the nearest and within the limit: one edit, and one more for every four
 * characters of the longer name. A name that contains the wanted text (3 characters or more) counts as one edit away. */
void spelling_offer(struct spelling *spelling, const char *name);

/* Writes the nearest names as "a, b or c" into `out` of `size` bytes; "" if no name is near. */
void spelling_list(const struct spelling *spelling, char *out, size_t size);

/* Number of edits (insert, delete, replace, swap of neighbours) from a to b. Ignores case and all bytes after the
 * 64th. */
size_t spelling_distance(const char *a, const char *b);

#endif
