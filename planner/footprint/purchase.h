/* Purchase of the hardware, and its break-even against renting (E154, E155). Pure. */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_PURCHASE_H
#define FLEETPLAN_PLANNER_FOOTPRINT_PURCHASE_H

#include "planner/plan/bill.h"

/* E154. Computes the capital, the running cost and the remaining life of a purchase.
 *
 * Given:    pricing     of hardware that the client owns
 *           candidate   own_price; gpus_per_node
 *           count       accelerators bought, >= 1
 *           facility_w  power of one accelerator with its share of the host and PUE, W, >= 0
 *           run_hours   wall clock of the training, h; absent: a service
 * Returned: false if the client does not own the hardware, gives a price of an hour, or no price is known; else true
 *             and
 *             capital_usd = count x capex, USD, with its range; of it servers are 0.67 and, beyond one node, the
 *             network 0.40 of the accelerators' part
 *             power_kw = count x facility kW
 *             running_usd_per_year = 8,760 x (price of E67 - capex / life hours) x count, USD
 *             hours_left = life hours - run_hours, at least 0; absent of a service
 * Valid:    the shares are those of large clusters of NVIDIA accelerators and TPUs
 * Source:   Cottier et al. 2024, arXiv 2405.21015, abstract and section on costs
 * Case:     tests/planner/golden/footprint.txt */
bool purchase_of(const struct pricing *pricing, const struct candidate *candidate, int64_t count, double facility_w, double run_hours,
	struct purchase *purchase);

/* E155. Computes the break-even of a purchase against renting.
 *
 * Given:    purchase      of purchase_of()
 *           count         accelerators bought, >= 1
 *           usd_per_hour  rent of all of them, USD per hour, > 0
 * Returned: break_even_hours h of use with capital + h x running = h x rent, so h = capital / (rent - running per
 *             hour); break_even_utilization, h over the life; both absent if the rent is not above the running cost
 * Case:     tests/planner/golden/footprint.txt */
void purchase_against(const struct purchase *purchase, int64_t count, double usd_per_hour, struct rent *rent);

#endif
