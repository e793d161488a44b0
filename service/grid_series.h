/* Grid series: hours of grids from feeds, as the series of a schedule request without figures. */
#ifndef FLEETPLAN_SERVICE_GRID_SERIES_H
#define FLEETPLAN_SERVICE_GRID_SERIES_H

#include "hwdb/catalogue/catalogue.h"
#include "planner/footprint/schedule.h"
#include "storage/storage.h"

/* Fills the series without figures with stored hours, without gaps from `earliest` (or now) on. A request without series
 * gets a series for each zone with such hours. All series have one signal: average if every zone has it, else marginal.
 * A region is a zone of a feed, or the id of a catalogue row whose em_zone is a zone. INVALID with a fault for each
 * unknown region, and for figures without start or step. */
FALLIBLE enum status grid_series_fill(struct storage *storage, const struct catalogue *catalogue, int64_t now_us, struct arena *arena,
	struct schedule_request *request, struct failure *failure);

#endif
