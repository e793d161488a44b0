/* Buying the hardware instead of renting it (E154, E155). Pure. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_PURCHASE_H
#define FLEETPLAN_PLANNER_FOOTPRINT_PURCHASE_H

#include "planner/plan/bill.h"

/* E154. Given: pricing, of owned hardware; candidate; count, accelerators that are bought (>= 1); facility_w, power of one with its host share and PUE,
 * W (>= 0); run_hours, wall clock of the training (absent: a service). Returned: false where it is not owned, or its price is not known; else
 *   capital = count x capex, of which servers and network are 0.67 and, beyond one node, 0.40 of the accelerators' part;
 *   running = 8,760 x (hourly price of E67 less capex / life hours) x count; hours_left = life hours - run_hours, at least 0.
 * Valid: the shares are those of large clusters of NVIDIA and TPU. Source: Cottier et al. 2024, arXiv 2405.21015, abstract and section on costs. */
bool purchase_of(const struct pricing *pricing, const struct candidate *candidate, int64_t count, double facility_w, double run_hours,
	struct purchase *purchase);

/* E155. Given: a purchase; count as bought; usd_per_hour, rent of all of them (> 0). Returned: hours of use h after which capital + h x running = h x rent, so
 * h = capital / (rent - running an hour), absent where rent is no more than running; and h over the life. */
void purchase_against(const struct purchase *purchase, int64_t count, double usd_per_hour, struct rent *rent);

#endif
