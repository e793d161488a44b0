/* The estimate behind POST /v1/diagnoses: timings, trace and log judged, and the plan that they are put beside. */
#ifndef FLEETPLAN_SERVICE_DIAGNOSIS_ESTIMATE_H
#define FLEETPLAN_SERVICE_DIAGNOSIS_ESTIMATE_H

#include "planner/diagnosis/diagnosis.h"
#include "service/estimate.h"

/* Whether the request describes a training to plan. */
bool diagnosis_has_training(const struct diagnosis_request *request);

/* Given: an estimate whose request is a struct diagnosis_request as decoded (and `traced`, of a trace, `stored`, of a stored
 * plan, whose request `training` then is), computed_at_us set.
 * Returned: its result, a struct diagnosis, and the request as understood; INVALID when there is nothing to diagnose, or
 * figures contradict each other; what the planner answers where a training beside it cannot be planned. */
FALLIBLE enum status diagnosis_compute(struct estimate *estimate, const struct catalogue *catalogue);

#endif
