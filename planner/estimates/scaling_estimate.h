/* POST /v1/estimates/scaling: the model and data that a compute budget allows, or the verdict on a pair (E12-E19). */
#ifndef FLEETPLAN_PLANNER_ESTIMATES_SCALING_ESTIMATE_H
#define FLEETPLAN_PLANNER_ESTIMATES_SCALING_ESTIMATE_H

#include "base/failure.h"
#include "planner/plan/estimates.h"

/* E12-E19. Computes the compute-optimal model and data of a budget, or judges a given pair (E145).
 * Given:    request with one of compute_flops, tokens and params, or with params and tokens (then compute_flops, if given
 *           too, must be 6 x params x tokens x epochs within 1 %); law absent: epoch.
 * Returned: estimate, all finite except absent members: FLOP, parameters, tokens, nats. INVALID when none is given, one
 *           is not positive, they contradict each other, or the law is unknown.
 * Case:     tests/planner/test_training_estimates.c. */
FALLIBLE enum status planner_scaling(const struct scaling_request *request, struct scaling_estimate *estimate, struct failure *failure);

#endif
