/* Lists every change of one field that a request allows, from the request's field table. */
#ifndef FLEETPLAN_TESTS_EFFECTS_CHANGE_H
#define FLEETPLAN_TESTS_EFFECTS_CHANGE_H

#include <jansson.h>

#include "schema/field.h"

enum { VALUES_MAX = 64, FIELD_NAME_MAX = 128 };

/* One field of one base request: the reference request, and the request with each of the field's values. */
struct change {
	char field[FIELD_NAME_MAX]; /* dotted, without indexes: "stages.tokens" */
	const struct field *row;
	bool ordered;      /* values[0] is less than values[1]: a number that is decreased and increased */
	bool between;      /* ordered, and the reference's value lies between the two */
	json_t *reference; /* the base request; if the field's object is missing there, the base with that object and its required members */
	size_t count;
	json_t *values[VALUES_MAX], *requests[VALUES_MAX];
};

/* A change without values belongs to a field inside an object that the request may not have. */
typedef void change_function(const struct change *change, void *context);

/* True if the request is answered, not refused. */
typedef bool accepted_function(const json_t *request, void *context);

/* Calls `visit` for every field of the table. A number in the request is changed to its half and its double. A number
 * that the request lacks, a text or a list takes its values from `values`: a map of field name (full, or its last
 * words) to [value, ...]. An object's entry in that map is its initial value. Fields without values are printed and
 * counted.
 * Returns the number of fields without values. */
size_t changes_of(const struct field_table *table, const json_t *request, const json_t *values, accepted_function *accepted,
	change_function *visit, void *context);

#endif
