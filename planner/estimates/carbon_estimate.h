/* POST /v1/estimates/carbon: the footprint of accelerators held for hours, and what published figures imply (E69). */
#ifndef FLEETPLAN_PLANNER_ESTIMATES_CARBON_ESTIMATE_H
#define FLEETPLAN_PLANNER_ESTIMATES_CARBON_ESTIMATE_H

#include "base/failure.h"
#include "planner/plan/estimates.h"

/* Given: the request; its accelerator and site, resolved (calibration may be NULL). Returned: the estimate, all finite;
 * INVALID when hours are missing or a published figure is not positive. `findings` may hold notes already.
 *
 * Published figures are held against each other: hours x accelerators x mean power against energy, energy x grid x PUE against
 * carbon, mean power against idle and load power. What differs by more than 2 times is named. */
FALLIBLE enum status planner_carbon(const struct carbon_request *request, const struct accelerator *accelerator,
	const struct calibration *calibration, const struct site *site, struct carbon_estimate *estimate,
	struct failure *failure);

#endif
