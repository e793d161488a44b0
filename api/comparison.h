/* Compares stored plans: their figures in rows, with the best of each marked; request fields that differ; and notes on
 * what limits the comparison. Reads stored results, perhaps of an older version: a missing figure is an empty cell. */
#ifndef FLEETPLAN_API_COMPARISON_H
#define FLEETPLAN_API_COMPARISON_H

#include "api/tables/pages.h"
#include "base/arena.h"
#include "base/failure.h"

/* Fills rows, differences and notes of a comparison whose items are set. Texts are borrowed from the arena and the
 * items. Errors: INTERNAL if the content of an item is not a plan's, NO_MEMORY. */
FALLIBLE enum status api_compare_plans(struct plan_comparison *comparison, struct arena *arena, struct failure *failure);

/* "A", "B", ...: a plan's letter in a comparison. */
char api_comparison_letter(size_t index);

#endif
