/* Computes the answer to one request as the product does, as a flat map of figures. The sweep compares these maps. */
#ifndef FLEETPLAN_TESTS_EFFECTS_ANSWER_H
#define FLEETPLAN_TESTS_EFFECTS_ANSWER_H

#include <jansson.h>

#include "schema/field.h"

/* A kind of request, and the figures of its answer that have columns of their own. */
struct kind {
	const char *name;
	const struct field_table *table;
	struct {
		const char *name, *path;
	} figures[16];
};

const struct kind *kind_find(const char *name); /* NULL: there is no such kind */

struct answer {
	bool ok;         /* false: refused, with `refusal` */
	json_t *figures; /* "recommended.cost.total_usd" -> number, word or boolean; members that only repeat the request are left out */
	json_t *texts;   /* warnings and assumptions of the answer: each an array of the field (or null) and the text */
	char refusal[700];
};

/* Returns the answer to a request, computed from the built-in catalogue of a fixed day. Answers are cached: the same
 * request is computed once. */
const struct answer *answer_to(const struct kind *kind, const json_t *request);

size_t answers_computed(void);
void answers_release(void);

#endif
