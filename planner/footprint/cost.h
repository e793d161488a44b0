/* Price of an accelerator-hour: a given price, an offer, or the client's own hardware (E67, E68); prices of data
 * (E104, E113). */
#ifndef FLEETPLAN_PLANNER_FOOTPRINT_COST_H
#define FLEETPLAN_PLANNER_FOOTPRINT_COST_H

#include "planner/findings.h"
#include "planner/plan/request.h"

/* E65: years over which embodied carbon and capital are spread. */
#define COST_LIFE_YEARS              4.0
#define COST_LIFE_LOW_YEARS          3.0
#define COST_LIFE_HIGH_YEARS         6.0
/* U.S. EIA 2025, Electric Power Monthly: industrial average of 2024. */
#define COST_ELECTRICITY_USD_PER_KWH 0.0815

/* Price of one accelerator for one hour, with its range (p10 and p90; equal to the price if the client gave it). */
struct gpu_price {
	double usd_per_gpu_hour, low_usd_per_gpu_hour, high_usd_per_gpu_hour;
	enum provenance_status status;
	const char *source;
	bool has_offer; /* the price comes from the candidate's offer */
};

/* E67. Computes the total cost of owning one accelerator, per hour.
 *
 * Given:    own         capex_usd_per_gpu, USD; life_years (absent: 4); electricity_usd_per_kwh (absent: 0.0815);
 *             staff_usd_per_gpu_month and space_usd_per_kw_month (absent: 0)
 *           facility_w  power of one accelerator with its share of the host and PUE, W, >= 0
 *           findings    receives an assumption for each absent member; may be NULL
 * Returned: USD per accelerator-hour = capex / life hours + facility kW x tariff + (staff + facility kW x space) / 730
 * Source:   tariff: U.S. EIA 2025
 * Case:     tests/planner/golden/footprint.txt */
double cost_on_premises_usd_per_gpu_hour(const struct on_premises *own, double facility_w, struct findings *findings);

/* True if the request says that the client owns the hardware. */
bool cost_is_owned(const struct pricing *pricing);

/* True if the price comes from one of the candidate's offers. */
bool cost_is_by_offer(const struct pricing *pricing, const struct candidate *candidate);

/* E154. Cost of servers and of network over the cost of the accelerators of a purchase. Of the costs of frontier
 * models 23 to 32 % are accelerators, 15 to 22 % server components, 9 to 13 % cluster interconnect (Cottier et al.
 * 2024, arXiv 2405.21015). */
#define COST_SERVERS_SHARE 0.67
#define COST_NETWORK_SHARE 0.40

/* E154. Computes the price of one accelerator of a purchase, with its share of server and network.
 *
 * Given:    pricing    on_premises.capex_usd_per_gpu, USD, which holds that share already; absent: the candidate's own
 *             price
 *           candidate  own_price; gpus_per_node
 *           count      accelerators bought, >= 1
 * Returned: the price with its range, USD per accelerator; usd_per_gpu is 0 if no price is known. A price of the
 *             accelerator alone is multiplied by 1 + 0.67 (servers), and beyond one node by 1 + 0.67 + 0.40 (servers
 *             and network).
 * Source:   Cottier et al. 2024, arXiv 2405.21015
 * Case:     tests/planner/golden/footprint.txt */
struct own_price cost_own_price(const struct pricing *pricing, const struct candidate *candidate, int64_t count);

/* E68. Chooses the price of an accelerator-hour: pricing.usd_per_gpu_hour; else E67 for pricing.on_premises; else the
 * candidate's offer.
 *
 * Given:    pricing     of the request
 *           candidate   its offer; whole instances of it are paid
 *           count       accelerators in use, >= 1
 *           facility_w  power of one accelerator with its share of the host and PUE, W, >= 0
 *           findings    receives the assumptions of E67; may be NULL
 * Returned: true and the price of one of the accelerators in use, USD per hour, with its range; false and a price of 0
 *             if no price is known: the cost is then unknown, not zero
 * Source:   range of an offer without one: 0.52 to 1.68 of its price, the median over the catalogue's seventeen
 *             accelerators with eight or more on-demand offers */
bool cost_gpu_price(const struct pricing *pricing, const struct candidate *candidate, int64_t count, double facility_w,
	struct gpu_price *price, struct findings *findings);

/* E110. Computes the hours that are paid for an accelerator.
 *
 * Given:    term           of the offer
 *           hours          that the run uses the accelerator, >= 0
 *           cadence_hours  from one run to the next of a recurring training; absent: the training does not recur
 *           committed      the client holds the commitment already, and other work uses its other hours
 * Returned: hours. On demand and spot: `hours`. Reservation: max(hours, cadence_hours) of a recurring training; else
 *             `hours` if `committed`; else whole terms of 8,760 h or 26,280 h, at least one
 * Case:     tests/planner/golden/footprint.txt */
double cost_paid_hours(enum term term, double hours, double cadence_hours, bool committed);

/* True if the request names only reserved terms: the client then holds the commitment already. */
bool cost_is_committed(const struct pricing *pricing);

/* Cost of data, beside the accelerators. */
struct data_cost {
	double storage_usd, egress_usd; /* a training's: 0 without a price; a service's: absent without a price */
};

/* E104. Computes the cost of storage and egress of a training.
 *
 * Given:    pricing   storage_usd_per_gb_month and egress_usd_per_gb; storage_gb (absent: two checkpoints of 14 bytes
 *             a parameter, E46: the last one and the next one); egress_gb (absent: the weights in 16 bits)
 *           params    parameters of the model, >= 0
 *           hours     wall clock of the run, h, >= 0
 *           findings  receives an assumption for each absent amount that has a price; may be NULL
 * Returned: storage_usd = GB x price x hours / 730; egress_usd = GB x price; USD, 0 without a price
 * Case:     tests/planner/test_training_money.c */
struct data_cost cost_of_data(const struct pricing *pricing, double params, double hours, struct findings *findings);

/* E113. Computes the cost of storage and egress of a service for one month.
 *
 * Given:    pricing        storage_usd_per_gb_month and egress_usd_per_gb; storage_gb and egress_gb replace the
 *             amounts below
 *           weights_bytes  of the weights as the service stores them, bytes, >= 0
 *           output_tokens  generated in the month, >= 0
 *           findings       receives the assumptions, also about what is not counted; may be NULL
 * Returned: storage_usd = GB x price, one copy of the weights; egress_usd = GB x price, the answers' text at 4 bytes a
 *             token; USD a month, absent without a price
 * Source:   OpenAI 2023, What are tokens (4 characters a token)
 * Case:     tests/planner/golden/serving.txt */
struct data_cost cost_of_serving_data(const struct pricing *pricing, double weights_bytes, double output_tokens, struct findings *findings);

#endif
