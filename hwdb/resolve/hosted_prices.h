/* Providers' prices per token for models of the catalogue, from their price pages. Private to hwdb/. */
#ifndef FLEETPLAN_HWDB_RESOLVE_HOSTED_PRICES_H
#define FLEETPLAN_HWDB_RESOLVE_HOSTED_PRICES_H

#include <stddef.h>

#include "planner/serving/hosted.h"

/* Fills `prices` with at most `most` prices of a model's row. Returns their number; 0 for a model without listed
 * prices, or NULL. */
size_t hosted_prices_of(const char *model, struct hosted_price *prices, size_t most);

#endif
