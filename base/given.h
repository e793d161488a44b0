/* Absent values. A request leaves most fields out; an absent field is not zero.
 *
 * double: NaN. Integers (int64_t, int): -1. Enums: 0, the _UNSET member. Text: NULL. Lists: count 0.
 * truth: TRUTH_UNSET. Field tables decode an absent member to these values and do not encode them. */
#ifndef FLEETPLAN_BASE_GIVEN_H
#define FLEETPLAN_BASE_GIVEN_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ABSENT_NUMBER ((double)NAN)
#define ABSENT_COUNT  (-1)

enum truth { TRUTH_UNSET, TRUTH_FALSE, TRUTH_TRUE };

struct text_list {
	const char **items;
	size_t count;
};

struct number_list {
	double *items;
	size_t count;
};

/* JSON text that is stored and returned unchanged (a Hugging Face config, a label map). */
struct json_text {
	const char *text; /* a complete JSON value; NULL when absent */
	size_t length;
};

static inline bool is_given(double value)
{
	return !isnan(value);
}

static inline double given_or(double value, double otherwise)
{
	return isnan(value) ? otherwise : value;
}

#endif
