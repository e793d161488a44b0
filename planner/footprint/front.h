/* E107. What nothing beats in money, carbon and time together, and what a tonne costs from one to the next. Pure. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_FRONT_H
#define FLEETPLAN_PLANNER_FOOTPRINT_FRONT_H

#include "planner/plan/bill.h"

/* Keeps of `count` points those that no other equals or beats in hours, usd and kgco2e at once (of equal ones the first), cheapest first, names the
 * ends and fills the prices of carbon. Of more than `most` (at least 4) the ends stay, then those that
 * save carbon, and of the others the cheapest. Returned: how many. */
size_t front_of_points(struct front_point *points, size_t count, size_t most);

/* Whether one of `count` points equals or beats `point`, so that front_keep() would not take it, nor anything that is no better. */
bool front_beats(const struct front_point *points, size_t count, const struct front_point *point);

/* Adds a point to `count` that nothing among them beats, unless one of them beats it (of equal ones the first stays). Where more than `most`
 * would be kept, a quarter of those between the ends goes. Returned: how many. */
size_t front_keep(struct front_point *points, size_t count, size_t most, const struct front_point *point);

#endif
