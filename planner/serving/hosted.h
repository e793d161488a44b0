/* Comparison of the user's own fleet with a hosted API of the same model that is paid by the token (E156). Pure. */
#ifndef FLEETPLAN_PLANNER_SERVING_HOSTED_H
#define FLEETPLAN_PLANNER_SERVING_HOSTED_H

#include "planner/plan/bill.h"

/* E156. Computes what the load would cost at a hosted API, and the prices and the load at which both cost the same.
 * Given:    price: USD per million tokens, both parts >= 0 and one above 0; prompt_tokens, output_tokens: means of a
 *           request (>= 0, one above 0); own_usd_per_hour: of the fleet, USD (>= 0); requests_per_s: mean of the month
 *           (> 0); requests_per_s_max: the most that the fleet carries.
 * Returned: hosted USD = requests x (prompt tokens x input price + output tokens x output price); k = own cost / hosted
 *           cost; break-even prices = k x prices; break-even load = k x load, absent above requests_per_s_max.
 * Case:     tests/planner/golden/serving.txt (E156). */
struct hosted hosted_beside(const struct hosted_price *price, double prompt_tokens, double output_tokens, double own_usd_per_hour,
	double requests_per_s, double requests_per_s_max);

#endif
