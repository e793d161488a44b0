/* Conflicting values of a row as one text: a line each, its members between tabs (field, value, source, date, note), which no text of a
 * row holds. */
#ifndef FLEETPLAN_STORAGE_SQLITE_CONFLICT_COLUMN_H
#define FLEETPLAN_STORAGE_SQLITE_CONFLICT_COLUMN_H

#include "base/arena.h"
#include "hwdb/catalogue/catalogue.h"

/* NULL when the arena is exhausted. */
const char *conflicts_join(const struct conflict_list *list, struct arena *arena);

/* False when the arena is exhausted. A line that is none is left out. */
bool conflicts_split(const char *text, struct conflict_list *list, struct arena *arena);

bool conflicts_equal(const struct conflict_list *a, const struct conflict_list *b);

#endif
