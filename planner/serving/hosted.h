/* A model of one's own fleet beside the same model by the token (E156). Pure. */
#ifndef FLEETPLAN_PLANNER_SERVING_HOSTED_H
#define FLEETPLAN_PLANNER_SERVING_HOSTED_H

#include "planner/plan/bill.h"

/* E156. Given: price, both parts >= 0 and one above 0; prompt_tokens, output_tokens, means of a request (>= 0, one above 0); own_usd_per_hour, of the fleet (>= 0);
 * requests_per_s, mean of the month (> 0); requests_per_s_max, what the fleet carries. Returned: usd = requests x (prompt x input + output x output price), k = own/hosted,
 * break-even prices = k x prices, break-even load = k x load, absent above requests_per_s_max. */
struct hosted hosted_beside(const struct hosted_price *price, double prompt_tokens, double output_tokens, double own_usd_per_hour, double requests_per_s,
	double requests_per_s_max);

#endif
