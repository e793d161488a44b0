/* Hours of a site's grid that feeds have brought, for an estimate that says when it begins (E109). */
#ifndef FLEETPLAN_SERVICE_SITE_HOURS_H
#define FLEETPLAN_SERVICE_SITE_HOURS_H

#include "hwdb/catalogue/catalogue.h"
#include "storage/feeds.h"
#include "storage/storage.h"

/* How many hours follow each other without a gap, and were known at the catalogue's moment (of now: all). */
size_t site_hours_known(const struct catalogue *catalogue, const struct grid_hour_list *hours);

/* Fills site->series from site->start on, without gaps, where the request has a start, no series of its own, and names a place whose
 * zone has average intensities: with a catalogue of a past moment, what was known then. Otherwise the request stays as it is: the answer then warns that its hours are not known. */
FALLIBLE enum status site_hours_fill(struct storage *storage, const struct catalogue *catalogue, struct arena *arena, struct site_request *site,
	struct failure *failure);

#endif
