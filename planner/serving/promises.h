/* E137. Promises of a fleet: the probability that it keeps the request's limits, the cost of other confidences,
 * uncertainties. */
#ifndef FLEETPLAN_PLANNER_SERVING_PROMISES_H
#define FLEETPLAN_PLANNER_SERVING_PROMISES_H

#include "planner/serving/serving_search.h"

/* E137. Computes the probability of each promise: the load with its headroom, each member of the slo, each cap.
 * Given:    fleet: sized. Latencies come from formulas (latency.h), which are scaled until they agree with the fleet's
 *           simulation. With separate replicas for prompts there is no formula; the result is then the request's
 *           confidence.
 * Returned: promises; their number, at most SERVICE_PROMISES_MAX.
 * Case:     tests/planner/test_serving_practice.c, formulas_keep_promises_with_their_confidence. */
size_t service_promises(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct service_promise *promises);

/* E137. Computes the cost of the best fleet at 50, 80, 95 % and the request's own confidence, without the request's
 * caps. It searches and simulates again, so that `search` and `simulator` no longer contain the recommended fleet.
 * Returned: points, a confidence that no fleet keeps has none; their number, at most CONFIDENCES_MAX.
 * Case:     tests/planner/test_serving_practice.c, more_confidence_costs_more. */
size_t service_confidences(struct search *search, struct simulator *simulator, const struct fleet *best, struct service_confidence *points);

/* E137. Lists what each uncertainty costs, the costliest first. Returned: the number, at most
 * SERVICE_UNCERTAINTIES_MAX.
 * Case: tests/planner/test_serving_practice.c, the_costliest_uncertainty_comes_first_with_its_cure. */
size_t service_uncertainties(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct service_uncertainty *uncertainties);

/* E137. Finds by formulas the highest confidence (>= 0.5) at which the fleet's layout keeps its limits, and the
 * accelerators that it then needs. False if there is none.
 * Case: tests/planner/test_serving_practice.c, an_unreachable_confidence_names_the_highest. */
bool service_highest_confidence(const struct model *model, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct service_confidence *highest);

#endif
