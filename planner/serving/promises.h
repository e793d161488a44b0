/* E137. What a fleet promises: with which probability it keeps the request's limits, what other confidences cost, and what is not known. */
#ifndef FLEETPLAN_PLANNER_SERVING_PROMISES_H
#define FLEETPLAN_PLANNER_SERVING_PROMISES_H

#include "planner/serving/serving_search.h"

/* The load with its headroom, each member of the slo, and each cap. Latencies by formulas (latency.h), which are moved until they agree with the
 * fleet's simulation where there is one; of prompts on replicas of their own no formula is known, and the request's confidence stands.
 * Returned: how many of SERVICE_PROMISES_MAX. */
size_t service_promises(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand, const struct fleet_limits *limits,
	struct service_promise *promises);

/* 50, 80, 95 % and the request's own: what the best fleet at each costs, without the request's caps. Searches and simulates again, so that `search` and
 * `simulator` hold nothing of the recommended fleet afterwards. A confidence that no fleet keeps has no point. Returned: how many of CONFIDENCES_MAX. */
size_t service_confidences(struct search *search, struct simulator *simulator, const struct fleet *best, struct service_confidence *points);

/* The costliest first. Returned: how many of SERVICE_UNCERTAINTIES_MAX. */
size_t service_uncertainties(const struct inference_input *input, const struct fleet *fleet, const struct demand *demand,
	const struct fleet_limits *limits, struct service_uncertainty *uncertainties);

/* The highest confidence, 0.5 and more, at which formulas let the fleet's layout stand, and the accelerators that it then takes. False: none. */
bool service_highest_confidence(const struct model *model, const struct fleet *fleet, const struct demand *demand, const struct fleet_limits *limits,
	struct service_confidence *highest);

#endif
