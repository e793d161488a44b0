/* What providers take for models of the catalogue by the token, as their price pages had it. Private to hwdb/. */
#ifndef FLEETPLAN_HWDB_RESOLVE_HOSTED_PRICES_H
#define FLEETPLAN_HWDB_RESOLVE_HOSTED_PRICES_H

#include <stddef.h>

#include "planner/serving/hosted.h"

/* Fills `prices` with those of a model's row, at most `most`. Returns how many; 0 for a model that nobody lists, or NULL. */
size_t hosted_prices_of(const char *model, struct hosted_price *prices, size_t most);

#endif
