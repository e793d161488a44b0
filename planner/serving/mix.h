/* E101 in the objective: what a fleet costs an hour when its terms may be mixed over the daily profile. */
#ifndef FLEETPLAN_PLANNER_SERVING_MIX_H
#define FLEETPLAN_PLANNER_SERVING_MIX_H

#include "planner/serving/fleet_cost.h"

/* Whether it is to be counted so: a profile, and terms asked for of which some commit and some do not. */
bool mix_is_wanted(const struct inference_request *request);

/* The cheapest mix of the candidate's offers by the provider and in the region of one of them, USD per hour over the profile. Hours are sized
 * in proportion to the peak, without starts: good enough to choose by; what is answered (resolve_commitment) has the schedule. Where
 * nothing can be committed to, every hour pays for what it needs. Absent where the workspace is too small. */
double mix_usd_per_hour(const struct fleet *fleet, const struct demand *demand, const struct fleet_limits *limits, const struct supply *place);

#endif
