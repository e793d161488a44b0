/* What an accelerator-hour costs: a given price, an offer, or one's own hardware (E67, E68). */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_COST_H
#define FLEETPLAN_PLANNER_FOOTPRINT_COST_H

#include "planner/findings.h"
#include "planner/plan/request.h"

/* E65: the life that embodied carbon is spread over. */
#define COST_LIFE_YEARS      4.0
#define COST_LIFE_LOW_YEARS  3.0
#define COST_LIFE_HIGH_YEARS 6.0
/* U.S. EIA 2025, Electric Power Monthly: industrial average of 2024. */
#define COST_ELECTRICITY_USD_PER_KWH 0.0815

/* The price of one accelerator for one hour, with its spread (p10..p90; equal where it was given). */
struct gpu_price {
	double usd_per_gpu_hour, low_usd_per_gpu_hour, high_usd_per_gpu_hour;
	enum provenance_status status;
	const char *source;
	bool has_offer; /* the candidate's offer is where it comes from */
};

/* E67. Total cost of owning, USD per accelerator-hour: capex / life + facility power x tariff + staff + space.
 * Given: own, with capex_usd_per_gpu; facility_w, power of one accelerator with its host share and PUE, W.
 * Absent members: life 4 years; tariff, staff and space as noted in `findings` (may be NULL). */
double cost_on_premises_usd_per_gpu_hour(const struct on_premises *own, double facility_w, struct findings *findings);

/* Whether the request says that the hardware is one's own. */
bool cost_is_owned(const struct pricing *pricing);

/* Whether the price comes from one of the candidate's offers. */
bool cost_is_by_offer(const struct pricing *pricing, const struct candidate *candidate);

/* E154. Servers and network over the accelerators of a purchase: Cottier et al. 2024, arXiv 2405.21015: of frontier models' costs 23 to 32 % are
 * accelerators, 15 to 22 % server components and 9 to 13 % cluster interconnect. */
#define COST_SERVERS_SHARE 0.67
#define COST_NETWORK_SHARE 0.40

/* E154. What buying one of `count` costs with its share of server and network: pricing.on_premises.capex_usd_per_gpu, else the candidate's own
 * price; usd_per_gpu 0 where neither is known. An accelerator's price alone is multiplied by 1 + servers, and beyond one node + network. */
struct own_price cost_own_price(const struct pricing *pricing, const struct candidate *candidate, int64_t count);

/* E68. Chosen in this order: pricing.usd_per_gpu_hour; pricing.on_premises; the candidate's offer, of which whole instances are
 * paid: the price of one of `count` accelerators that are used. False, and a price of 0, where there is none of them: cost is then
 * unknown, not free. */
bool cost_gpu_price(const struct pricing *pricing, const struct candidate *candidate, int64_t count, double facility_w,
	struct gpu_price *price, struct findings *findings);

/* E110. Hours that are paid of an accelerator that a run of `hours` takes. By use: those. A reservation is paid from its beginning to its end:
 * of a training that recurs from run to run (cadence_hours; absent: it does not), of one alone in whole terms of one or three years; unless
 * the commitment is there already (`committed`): then its other hours are somebody else's. */
double cost_paid_hours(enum term term, double hours, double cadence_hours, bool committed);

/* Whether the request names reserved terms alone: they are there already. */
bool cost_is_committed(const struct pricing *pricing);

/* Money beside the accelerators'. */
struct data_cost {
	double storage_usd, egress_usd; /* 0 where no price was given */
};

/* E104. Given: prices and amounts of the request; params, of the model; hours, wall clock of the run (>= 0). Returned: storage = GB x price
 * x hours / 730, egress = GB x price. Amounts left out: two checkpoints of 14 bytes a parameter (E46: the last one, and the one under way),
 * and the weights in 16 bits; noted in `findings` (may be NULL) where a price makes them count. */
struct data_cost cost_of_data(const struct pricing *pricing, double params, double hours, struct findings *findings);

/* E113. A month of a service, USD; absent where no price was given. Given: weights_bytes, as they are served (>= 0); output_tokens, of the
 * month (>= 0). Returned: storage = GB x price, of the weights once; egress = GB x price, of the answers' text at 4 bytes a token; both
 * unless the request says how many GB. What is not counted is noted in `findings` (may be NULL). */
struct data_cost cost_of_serving_data(const struct pricing *pricing, double weights_bytes, double output_tokens, struct findings *findings);

#endif
