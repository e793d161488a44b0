/* E101 in the objective: the hourly cost of a fleet whose terms of payment are mixed over the daily profile. */
#ifndef FLEETPLAN_PLANNER_SERVING_MIX_H
#define FLEETPLAN_PLANNER_SERVING_MIX_H

#include "planner/serving/fleet_cost.h"

/* True if the request has a daily profile, and terms of which some commit and some do not. */
bool mix_is_wanted(const struct inference_request *request);

/* E101. Computes the cheapest mix of the candidate's offers of one provider in one region.
 * Given:    fleet: sized; demand: with a daily profile; limits: its scratch is the workspace; place: an offer of the
 *           provider and the region.
 * Returned: USD per hour, mean over the profile. Hours are sized in proportion to the peak, without starts: enough for
 *           a choice; the answer (resolve_commitment) follows the schedule. Without an offer to commit to, every hour
 *           pays for what it needs. Absent if there is no such offer, or if the workspace or the limit on units is too
 *           small.
 * Case:     tests/planner/test_serving_front.c, commitments_count_in_the_objective. */
double mix_usd_per_hour(
	const struct fleet *fleet, const struct demand *demand, const struct fleet_limits *limits, const struct supply *place);

#endif
