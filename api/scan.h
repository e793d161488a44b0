/* A look over JSON text before and beside the parser: how deep it nests, and which keys an object holds twice.
 *
 * Tolerant of malformed text, which the parser refuses afterwards; one pass, no recursion. */
#ifndef FLEETPLAN_API_SCAN_H
#define FLEETPLAN_API_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/failure.h"

/* Whether brackets nest deeper than `maximum`. */
bool scan_too_deep(const char *json, size_t length, size_t maximum);

/* Adds a fault "duplicate_key" for every key that its object had before, compared as it is written. The text is well
 * formed and no deeper than API_JSON_DEPTH_MAX. False when the arena is exhausted. */
bool scan_duplicates(const char *json, size_t length, struct arena *arena, struct failure *failure);

#endif
