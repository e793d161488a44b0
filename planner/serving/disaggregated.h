/* E59. Prompts on replicas of their own: how many of each kind a load needs, by formula (the simulation decides). */
#ifndef FLEETPLAN_PLANNER_SERVING_DISAGGREGATED_H
#define FLEETPLAN_PLANNER_SERVING_DISAGGREGATED_H

#include "planner/serving/serving_fleet.h"

/* Requests a second that one replica takes when it does nothing else. */
struct disaggregated_rates {
	double prompts_per_s, answers_per_s;
};

struct disaggregated_rates disaggregated_rates_of(const struct replica *replica, const struct request_shape *shape);

/* Sizes a fleet as fleet_size() does, of prompt and decoding replicas; `fleet` is filled but for size and latencies. */
void disaggregated_size(
	const struct replica *replica, const struct demand *demand, const struct fleet_limits *limits, struct fleet *fleet);

/* Seconds of a handoff that no transfer layer by layer hides, whatever the prompt's length. */
extern const double handoff_s;

/* Seconds that the cache of one prompt token takes from replica to replica: each accelerator sends its share over its own
 * network adapter. 0 where that is unknown. */
double handoff_token_s(const struct replica *replica, const struct candidate *candidate);

#endif
