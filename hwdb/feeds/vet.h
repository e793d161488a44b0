/* The check of a feed's rows. Pure.
 *
 * A price is accepted when its accelerator is in the catalogue, it is 0.01 to 50 USD per hour for each accelerator, no
 * other price of the same offer in the same refresh contradicts it, and it is 0.2 to 5 times the median of the
 * catalogue's offers of that accelerator. An hour of a grid is accepted when it starts on the hour, is not years away,
 * and is 0 to 1500 g/kWh. A row outside of the bounds is rejected. A row that only differs from the median, or from
 * another price of the offer, is quarantined: kept with the difference for an admin to check. */
#ifndef FLEETPLAN_HWDB_FEEDS_VET_H
#define FLEETPLAN_HWDB_FEEDS_VET_H

#include "hwdb/feeds/feed.h"
#include "hwdb/feeds/feed_records.h"

#define FEED_PRICE_LEAST_USD 0.01
#define FEED_PRICE_MOST_USD  50.0
#define FEED_MEDIAN_LEAST    0.2
#define FEED_MEDIAN_MOST     5.0

enum { FEED_HELD_MAX = 1000 };

struct feed_vetted {
	struct catalogue_rows rows; /* prices with ids, origin "imported", source and date */
	struct grid_point *points;  /* by zone, signal and time; where an hour has both a forecast and a measurement, the measurement */
	size_t point_count;
	struct feed_change *held; /* the first FEED_HELD_MAX rows that were not accepted */
	size_t held_count;
	int64_t quarantined, rejected;
};

/* Checks walk->rows against walk->catalogue; all results are in the walk's arena. */
FALLIBLE enum status feed_vet(const struct feed_walk *walk, struct feed_vetted *vetted, struct failure *failure);

#endif
