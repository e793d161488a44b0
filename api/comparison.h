/* Stored plans side by side: their figures in rows, with the best of each marked, what was asked differently, and what to mind when they are
 * compared. Read out of their results as they were answered, perhaps by an older version: what one lacks is an empty cell. */
#ifndef FLEETPLAN_API_COMPARISON_H
#define FLEETPLAN_API_COMPARISON_H

#include "api/tables/pages.h"
#include "base/arena.h"
#include "base/failure.h"

/* Fills rows, differences and notes of a comparison whose items are set. Texts are borrowed from the arena and the items.
 * Returned: INTERNAL when an item's content is none, NO_MEMORY. */
FALLIBLE enum status api_compare_plans(struct plan_comparison *comparison, struct arena *arena, struct failure *failure);

/* "A", "B", ...: how a plan is called in a comparison. */
char api_comparison_letter(size_t index);

#endif
