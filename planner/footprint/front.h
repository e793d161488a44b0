/* E107. What nothing beats in money, carbon and time together, and what a tonne costs from one to the next. Pure. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_FRONT_H
#define FLEETPLAN_PLANNER_FOOTPRINT_FRONT_H

#include "planner/accelerator.h"

enum { FRONT_POINTS_MAX = 24, FRONT_KEPT_MAX = 256 };

/* A way to run it: an accelerator, a number of them, and an offer. */
struct front_point {
	const char *accelerator;
	int64_t gpu_count;
	bool has_offer;
	struct offer offer;
	double grid_gco2e_per_kwh, pue; /* where it stands */
	double hours, usd, kgco2e;
	enum truth cheapest, cleanest, fastest; /* TRUTH_TRUE, else unset */
	int64_t index; /* the caller's own */
	double usd_per_t_saved; /* against the next cheaper one that emits more, of those that nothing beats in money and carbon; else absent */
};

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
