/* E59. Separate replicas for prompts: the number of each kind for a load, by formulas. The simulation decides
 * afterwards. */
#ifndef FLEETPLAN_PLANNER_SERVING_DISAGGREGATED_H
#define FLEETPLAN_PLANNER_SERVING_DISAGGREGATED_H

#include "planner/serving/serving_fleet.h"

/* Requests per second of one replica that computes only prompts, or only answers. */
struct disaggregated_rates {
	double prompts_per_s, answers_per_s;
};

struct disaggregated_rates disaggregated_rates_of(const struct replica *replica, const struct request_shape *shape);

/* Sizes a fleet of prompt and decoding replicas, as fleet_size() does. The caller has filled `fleet` except size and
 * latencies. */
void disaggregated_size(const struct replica *replica, const struct demand *demand, const struct fleet_limits *limits, struct fleet *fleet);

/* Visible time of a handoff, s: the part that a transfer layer by layer does not hide. It does not depend on the
 * prompt's length. */
extern const double handoff_s;

/* Returns the time to transfer the cache of one prompt token between replicas, s. Each accelerator sends its share over
 * its own network adapter. 0 where the adapter's rate is unknown.
 * Case: tests/planner/test_serving_operating.c, a_prompts_cache_goes_over_its_own_adapters. */
double handoff_token_s(const struct replica *replica, const struct candidate *candidate);

#endif
