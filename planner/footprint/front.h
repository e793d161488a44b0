/* E107. The Pareto front over cost, carbon and time, and the price of a tonne from one point to the next. Pure. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_FRONT_H
#define FLEETPLAN_PLANNER_FOOTPRINT_FRONT_H

#include "planner/plan/bill.h"

/* E107. Keeps the points that no other point equals or beats in hours, usd and kgco2e at once (of equal points the
 * first), cheapest first. Marks the cheapest, the cleanest and the fastest, and computes the price of a tonne.
 *
 * Given:    points  hours, USD, kgCO2e; rearranged in place
 *           count   number of points, >= 0
 *           most    number of points to keep at most, >= 4. Beyond it the three ends stay, then the points that save
 *             carbon, then the cheapest of the others.
 * Returned: number of points kept; usd_per_t_saved = difference of USD over difference of tonnes to the next cheaper
 *             point that nothing beats in cost and carbon, absent for the others
 * Case:     tests/planner/test_front.c */
size_t front_of_points(struct front_point *points, size_t count, size_t most);

/* True if one of `count` points equals or beats `point`. front_keep() then rejects `point`, and every point that is
 * not better than it. */
bool front_beats(const struct front_point *points, size_t count, const struct front_point *point);

/* Adds `point` to `count` points unless one of them equals or beats it, and removes the points that it beats. If
 * `most` points are kept already, first removes a quarter of them; the ends stay. Returns the number of points kept. */
size_t front_keep(struct front_point *points, size_t count, size_t most, const struct front_point *point);

#endif
