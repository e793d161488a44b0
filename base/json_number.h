/* Formats numbers for JSON. Integers below 1e18 are exact. Other doubles have at most 15 significant digits
 * (DBL_DIG), correctly rounded, halves up. From 1e-6 up to 1e18 a number has no exponent.
 * An answer has more than a hundred numbers: snprintf takes 1,500 to 3,000 instructions for one, these functions
 * take about a hundred. */
#ifndef FLEETPLAN_BASE_JSON_NUMBER_H
#define FLEETPLAN_BASE_JSON_NUMBER_H

#include <stddef.h>
#include <stdint.h>

enum { JSON_NUMBER_SIZE = 40 }; /* of the longest number and a NUL */

/* Write to `out` of JSON_NUMBER_SIZE bytes and return the length. A double must be finite; a NUL follows its text.
 * From 1e18 on a double has an exponent: some readers parse digits alone as a 64-bit integer, and reject or cut more. */
size_t json_format_unsigned(char *out, uint64_t value);
size_t json_format_double(char *out, double value);
size_t json_format_exact(char *out, double value); /* 17 digits where 15 would be read as another number */

#endif
