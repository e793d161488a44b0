/* Which rows of a feed are believed. Pure.
 *
 * A price counts when its accelerator is in the catalogue, it comes to 0.01 to 50 USD an hour for each accelerator, no other price
 * of the same offer contradicts it in the same refresh, and it lies between 0.2 and 5 times the median of what the catalogue has of
 * that accelerator; an hour of a grid when it lies on the hour, not years away, and between 0 and 1500 g/kWh. What fails the
 * bounds is rejected, what only differs from the median, or from itself, is quarantined: kept with the difference, to be looked at. */
#ifndef FLEETPLAN_HWDB_FEEDS_VET_H
#define FLEETPLAN_HWDB_FEEDS_VET_H

#include "hwdb/feeds/feed.h"
#include "hwdb/feeds/feed_records.h"

#define FEED_PRICE_LEAST_USD 0.01
#define FEED_PRICE_MOST_USD 50.0
#define FEED_MEDIAN_LEAST 0.2
#define FEED_MEDIAN_MOST 5.0

enum { FEED_HELD_MAX = 1000 };

struct feed_vetted {
	struct catalogue_rows rows; /* prices, with ids, origin imported, source and date */
	struct grid_point *points;  /* by zone, signal and time; of a time that was both foretold and measured the latter */
	size_t point_count;
	struct feed_change *held;   /* the first FEED_HELD_MAX of what is not believed */
	size_t held_count;
	int64_t quarantined, rejected;
};

/* Judges walk->rows by walk->catalogue; everything in the walk's arena. */
FALLIBLE enum status feed_vet(const struct feed_walk *walk, struct feed_vetted *vetted, struct failure *failure);

#endif
