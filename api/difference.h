/* Where two JSON texts differ, by JSON pointer: what a plan that is computed again answers otherwise than before.
 *
 * Members are told apart by their keys, elements by their places. Numbers differ when their doubles do, to the bit; how long a
 * search took (`elapsed_ms`) is no part of an answer. Thread-safe. */
#ifndef FLEETPLAN_API_DIFFERENCE_H
#define FLEETPLAN_API_DIFFERENCE_H

#include "base/arena.h"
#include "base/failure.h"
#include "hwdb/catalogue/records.h"

/* Fills at most `most` differences, in the order of `before`, and counts all of them. Texts in the arena.
 * Returned: INTERNAL when one of the texts is not JSON, NO_MEMORY. */
FALLIBLE enum status api_json_differences(const struct json_text *before, const struct json_text *after, struct arena *arena,
	struct json_difference *differences, size_t most, size_t *count, struct failure *failure);

#endif
