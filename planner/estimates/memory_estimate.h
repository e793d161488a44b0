/* POST /v1/estimates/memory: the memory that a model needs in training or serving on one accelerator of a layout (E5,
 * E6, E35-E38, E54). */
#ifndef FLEETPLAN_PLANNER_ESTIMATES_MEMORY_ESTIMATE_H
#define FLEETPLAN_PLANNER_ESTIMATES_MEMORY_ESTIMATE_H

#include "base/failure.h"
#include "planner/plan/estimates.h"

/* E35-E38, E54. Computes the memory of a model.
 * Given:    request; its model, resolved; its accelerator, NULL where the request has none (then the answer has no
 *           capacity, fits and count); estimate->findings may have notes already.
 * Returned: estimate, in bytes; members of the other purpose and unknown ones absent. INVALID when the degrees do not fit
 *           the model or the number of accelerators, or the accelerator has no rate in the precision.
 * Case:     tests/planner/test_training_estimates.c. */
FALLIBLE enum status planner_memory(const struct memory_request *request, const struct model *model, const struct accelerator *accelerator,
	struct memory_estimate *estimate, struct failure *failure);

#endif
