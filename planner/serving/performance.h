/* One replica at one operating point, for any set of constants. A fit and a sensitivity use it. */
#ifndef FLEETPLAN_PLANNER_SERVING_PERFORMANCE_H
#define FLEETPLAN_PLANNER_SERVING_PERFORMANCE_H

#include "planner/replica/operating.h"

/* Does the same as planner_performance(), with the given constants. Also fills `point`. */
FALLIBLE enum status performance_estimate(const struct performance_input *input, const struct serving_constants *constants,
	struct performance *performance, struct operating_point *point, struct failure *failure);

#endif
