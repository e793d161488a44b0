/* POST /v1/estimates/carbon: the footprint of accelerators that are held for hours, and a check of published figures
 * (E69). */
#ifndef FLEETPLAN_PLANNER_ESTIMATES_CARBON_ESTIMATE_H
#define FLEETPLAN_PLANNER_ESTIMATES_CARBON_ESTIMATE_H

#include "base/failure.h"
#include "planner/plan/estimates.h"

/* E69. Computes the footprint, and compares published figures with each other: hours x accelerators x mean power with
 * energy, energy x grid x PUE with carbon, mean power with idle and load power. It names figures more than 2 times apart.
 * Given:    request; its accelerator and site, resolved; calibration, may be NULL; estimate->findings may have notes
 *           already.
 * Returned: estimate, all finite or absent: kWh, kg CO2e, litres, and what the published figures imply. INVALID when
 *           hours are missing or negative, or a published figure is not positive.
 * Case:     tests/planner/test_footprint.c. */
FALLIBLE enum status planner_carbon(const struct carbon_request *request, const struct accelerator *accelerator,
	const struct calibration *calibration, const struct site *site, struct carbon_estimate *estimate, struct failure *failure);

#endif
