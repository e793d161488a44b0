/* Numbers as JSON writes them: integers exactly, other doubles with up to 15 significant digits (DBL_DIG), correctly rounded,
 * halves up; without an exponent between 1e-6 and 1e21. An answer has more than a hundred: snprintf takes 1,500 to
 * 3,000 instructions for one, these take about a hundred. */
#ifndef FLEETPLAN_BASE_JSON_NUMBER_H
#define FLEETPLAN_BASE_JSON_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum { JSON_NUMBER_SIZE = 40 }; /* of any of them, with a NUL */

/* From 1e18 on a double has an exponent: readers that take digits alone for a 64-bit integer refuse or cut longer ones.
 * Write to `out`, which holds JSON_NUMBER_SIZE bytes, and return the length. The double is finite, and its text ends in a NUL. */
size_t json_format_unsigned(char *out, uint64_t value);
size_t json_format_double(char *out, double value);
size_t json_format_exact(char *out, double value); /* up to 17 digits where 15 would be read as another number */

#endif
