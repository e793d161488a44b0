/* Hours of grids that feeds have brought, as the series of a schedule that names only regions, or none. */
#ifndef FLEETPLAN_SERVICE_GRID_SERIES_H
#define FLEETPLAN_SERVICE_GRID_SERIES_H

#include "hwdb/catalogue/catalogue.h"
#include "planner/footprint/schedule.h"
#include "storage/storage.h"

/* Fills the series that have no figures from the store, without gaps from `earliest` (or now) on; without any series, all zones that
 * are known then. All of one signal: average where every zone has it, else marginal. A region is a zone of a feed, or a row of the
 * catalogue by its id whose em_zone is one. INVALID with a fault for what is not known, and for figures without start or step. */
FALLIBLE enum status grid_series_fill(struct storage *storage, const struct catalogue *catalogue, int64_t now_us, struct arena *arena,
	struct schedule_request *request, struct failure *failure);

#endif
