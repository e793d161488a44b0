/* One replica at one operating point, for any set of constants: what a fit and a sensitivity call. */
#ifndef FLEETPLAN_PLANNER_SERVING_PERFORMANCE_H
#define FLEETPLAN_PLANNER_SERVING_PERFORMANCE_H

#include "planner/replica/operating.h"

/* planner_performance() with these constants in place of the shipped ones; where it settles goes to `point`. */
FALLIBLE enum status performance_estimate(const struct performance_input *input, const struct serving_constants *constants,
	struct performance *performance, struct operating_point *point, struct failure *failure);

#endif
