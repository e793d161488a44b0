/* Every change of one field that a request can be asked with: taken from the request's field table. */
#ifndef FLEETPLAN_TESTS_EFFECTS_CHANGE_H
#define FLEETPLAN_TESTS_EFFECTS_CHANGE_H

#include <jansson.h>

#include "schema/field.h"

enum { VALUES_MAX = 64, FIELD_NAME_MAX = 128 };

/* One field of one base request: what it is compared with, and the request with each of the field's values. */
struct change {
	char field[FIELD_NAME_MAX]; /* dotted, without indexes: "stages.tokens" */
	const struct field *row;
	bool ordered;      /* values[0] is less than values[1]: a number moved down and up */
	bool between;      /* so ordered, and the reference's value lies between them */
	json_t *reference; /* the base; where the field's object is not in it, with what that object needs */
	size_t count;
	json_t *values[VALUES_MAX], *requests[VALUES_MAX];
};

/* A change with no values is of a field inside an object that the request may not have. */
typedef void change_function(const struct change *change, void *context);

/* Whether a request is answered. */
typedef bool accepted_function(const json_t *request, void *context);

/* Calls `visit` for every field of the table. A number that the request has goes to its half and its double; one that it lacks takes
 * its values, as texts and lists do, from `values`: a map of field name, whole or its last words, to [value, ...]; an object's entry is
 * what it is begun with. Fields for which there are no values are counted and printed.
 * Returned: how many those are. */
size_t changes_of(const struct field_table *table, const json_t *request, const json_t *values, accepted_function *accepted,
	change_function *visit, void *context);

#endif
