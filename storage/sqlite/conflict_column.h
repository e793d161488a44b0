/* Conflicting values of a row as one text: one line for each, its members separated by tabs (field, value, source,
 * date, note). No text of a row contains a tab or a newline. */
#ifndef FLEETPLAN_STORAGE_SQLITE_CONFLICT_COLUMN_H
#define FLEETPLAN_STORAGE_SQLITE_CONFLICT_COLUMN_H

#include "base/arena.h"
#include "hwdb/catalogue/catalogue.h"

/* Returns NULL if the arena is exhausted. */
const char *conflicts_join(const struct conflict_list *list, struct arena *arena);

/* Returns false if the arena is exhausted. Skips an invalid line. */
bool conflicts_split(const char *text, struct conflict_list *list, struct arena *arena);

bool conflicts_equal(const struct conflict_list *a, const struct conflict_list *b);

#endif
