/* Site hours: the hours of a site's grid from feeds, for an estimate with a start time (E109). */
#ifndef FLEETPLAN_SERVICE_SITE_HOURS_H
#define FLEETPLAN_SERVICE_SITE_HOURS_H

#include "hwdb/catalogue/catalogue.h"
#include "storage/feeds.h"
#include "storage/storage.h"

/* Counts the first hours that have no gap and were known at the catalogue's as_of (the current catalogue: all). */
size_t site_hours_known(const struct catalogue *catalogue, const struct grid_hour_list *hours);

/* Fills site->series from site->start on, without gaps, if the request has a start, no series of its own, and a place
 * whose zone has average intensities. With a past catalogue it uses the hours that were known then. Otherwise the
 * request stays unchanged, and the answer warns that its hours are not known. */
FALLIBLE enum status site_hours_fill(
	struct storage *storage, const struct catalogue *catalogue, struct arena *arena, struct site_request *site, struct failure *failure);

#endif
