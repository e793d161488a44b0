/* One request answered as the product does it, as a flat map of figures: what the sweep compares. */
#ifndef FLEETPLAN_TESTS_EFFECTS_ANSWER_H
#define FLEETPLAN_TESTS_EFFECTS_ANSWER_H

#include <jansson.h>

#include "schema/field.h"

/* A kind of request, and the figures of its answer that stand in columns of their own. */
struct kind {
	const char *name;
	const struct field_table *table;
	struct {
		const char *name, *path;
	} figures[16];
};

const struct kind *kind_find(const char *name); /* NULL: there is none */

struct answer {
	bool ok;         /* false: refused, with `refusal` */
	json_t *figures; /* "recommended.cost.total_usd" -> number, word or truth; what only repeats the request is left out */
	json_t *texts;   /* what the answer says about itself: each an array of the field (or null) and the text */
	char refusal[700];
};

/* The answer to a request, from the built-in catalogue of a fixed day. It is kept: the same request is computed once. */
const struct answer *answer_to(const struct kind *kind, const json_t *request);

size_t answers_computed(void);
void answers_release(void);

#endif
