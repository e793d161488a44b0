/* The estimate of POST /v1/diagnoses: judges timings, a trace and a training log, and compares them with a plan. */
#ifndef FLEETPLAN_SERVICE_DIAGNOSIS_ESTIMATE_H
#define FLEETPLAN_SERVICE_DIAGNOSIS_ESTIMATE_H

#include "planner/diagnosis/diagnosis.h"
#include "service/estimate.h"

/* True if the request describes a training to plan. */
bool diagnosis_has_training(const struct diagnosis_request *request);

/* Given: an estimate with computed_at_us whose request is a decoded struct diagnosis_request. With a trace, `traced` is
 * set. With a stored plan, `stored` is set and `training` is the plan's request.
 * Returned: the result, a struct diagnosis, and the request with defaults. INVALID: there is nothing to diagnose, or
 * figures contradict each other. Otherwise the planner's failure if the training cannot be planned. */
FALLIBLE enum status diagnosis_compute(struct estimate *estimate, const struct catalogue *catalogue);

#endif
