/* Finds the differences of two JSON texts, by JSON pointer: the values of a plan that a new computation changes.
 *
 * Members are matched by their keys, elements by their positions. Numbers differ if their doubles differ, to the bit.
 * The duration of a search (`elapsed_ms`) is ignored. Thread-safe. */
#ifndef FLEETPLAN_API_DIFFERENCE_H
#define FLEETPLAN_API_DIFFERENCE_H

#include "base/arena.h"
#include "base/failure.h"
#include "hwdb/catalogue/records.h"

/* Fills at most `most` differences, in the order of `before`, and counts all of them. Texts in the arena. Errors:
 * INTERNAL if one of the texts is not JSON, NO_MEMORY. */
FALLIBLE enum status api_json_differences(const struct json_text *before, const struct json_text *after, struct arena *arena,
	struct json_difference *differences, size_t most, size_t *count, struct failure *failure);

#endif
