/* POST /v1/estimates/memory: what a model takes, trained or served, on one accelerator of a layout (E5, E6, E35-E38, E54). */
#ifndef FLEETPLAN_PLANNER_ESTIMATES_MEMORY_ESTIMATE_H
#define FLEETPLAN_PLANNER_ESTIMATES_MEMORY_ESTIMATE_H

#include "base/failure.h"
#include "planner/plan/estimates.h"

/* Given: the request; its model, resolved; its accelerator, NULL where none was given (then memory is answered without a
 * capacity, fits and count). Returned: the estimate; members of the other purpose, and what is not known, absent.
 * INVALID when the degrees do not fit the model or the number of accelerators. `findings` may hold notes already. */
FALLIBLE enum status planner_memory(const struct memory_request *request, const struct model *model, const struct accelerator *accelerator,
	struct memory_estimate *estimate, struct failure *failure);

#endif
