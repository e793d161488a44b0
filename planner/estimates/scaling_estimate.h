/* POST /v1/estimates/scaling: what a budget of compute buys, or the verdict on a pair (E12-E19). */
#ifndef FLEETPLAN_PLANNER_ESTIMATES_SCALING_ESTIMATE_H
#define FLEETPLAN_PLANNER_ESTIMATES_SCALING_ESTIMATE_H

#include "base/failure.h"
#include "planner/plan/estimates.h"

/* Given: a request with any one of compute_flops, tokens and params, or params and tokens together (then compute_flops, if
 * given too, must be 6 x params x tokens within 1 %); law absent: epoch. Returned: the estimate, all finite but absent members;
 * INVALID when none is given, one is not positive, they contradict each other, or the law is unknown. */
FALLIBLE enum status planner_scaling(const struct scaling_request *request, struct scaling_estimate *estimate, struct failure *failure);

#endif
