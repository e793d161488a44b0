/* Cost, energy and carbon of a plan, and the alternatives that it is compared with. Pure data: footprint/ and the
 * resolver fill it. */
#ifndef FLEETPLAN_PLANNER_PLAN_BILL_H
#define FLEETPLAN_PLANNER_PLAN_BILL_H

#include "planner/plan/request.h"

struct cost {
	double total_usd, usd_per_gpu_hour;
	double storage_usd, egress_usd; /* parts of the total; absent: no price was given */
	bool has_offer;
	struct offer offer;
	struct {
		struct currency rate;
		double total, per_gpu_hour; /* the cost in that currency */
	} currency;
	bool has_currency;
};

/* E102, E110. Cost of a reservation instead of the recommended offer. */
struct reservation {
	struct offer offer;
	double on_demand_usd_per_gpu_hour;
	double break_even_utilization; /* fraction of its hours above which it costs less than by use */
	double utilization;            /* fraction of its hours that this training uses: of the cadence, or of whole terms */
	double total_usd;              /* of the training; the reservation is paid to its end */
};

enum { RESERVATIONS_MAX = 2 }; /* one year, three years */

struct energy {
	double total_kwh; /* facility: IT x PUE */
	double it_kwh, mean_gpu_w;
	double powered_gpu_hours; /* of accelerators that draw power: used, spare, and the rest of whole instances; x mean_gpu_w x (1 + host) = it_kwh */
};

struct carbon {
	double operational_kgco2e;                            /* location-based */
	double market_kgco2e, marginal_kgco2e;                /* NaN: the region has no such figure; left out of the answer */
	double embodied_kgco2e, total_kgco2e;                 /* total: operational + embodied */
	double embodied_low_kgco2e, embodied_high_kgco2e;     /* p10 and p90 of the embodied carbon (E65) */
	double gco2e_per_gpu_hour, gco2e_per_thousand_tokens; /* E105, of the total; absent: no hours, no tokens */
	double grid_gco2e_per_kwh; /* intensity of the operational figure: the site's mean, or the mean over the run's hours (E109) */
	double hourly_fraction;    /* part of the run that a series covers; absent: no series */
};

/* Rent of the same accelerators at one term, to compare with owning them. */
struct rent {
	bool known; /* true: an offer of that term is known */
	struct offer offer;
	double usd_per_gpu_hour;       /* of one accelerator in use: instances are paid whole */
	double break_even_hours;       /* hours of use of all accelerators after which buying has cost less; absent: never */
	double break_even_utilization; /* the same as a fraction of their life; above 1 they do not last long enough */
};

struct purchase {
	double accelerators_usd, hosts_usd, network_usd, capital_usd; /* capital_usd: the sum of the three */
	double capital_low_usd, capital_high_usd;
	double power_kw;               /* mean power of this work, building included */
	double running_usd_per_year;   /* electricity, staff and space, for a year of use */
	double life_hours, hours_left; /* hours_left: after this training; absent: a service */
	const char *source;
	struct rent on_demand, spot, reserved_1y, reserved_3y; /* the resolver fills these from the offers */
};

enum { FRONT_POINTS_MAX = 24, FRONT_KEPT_MAX = 256 };

/* A point of the front: an accelerator, a number of them, and an offer. */
struct front_point {
	const char *accelerator;
	int64_t gpu_count;
	bool has_offer;
	struct offer offer;
	double grid_gco2e_per_kwh, pue; /* of the site */
	double hours, usd, kwh, kgco2e;
	enum truth cheapest, cleanest, fastest; /* TRUTH_TRUE, else unset */
	int64_t index;                          /* for the caller; the front does not use it */
	double usd_per_t_saved; /* to the next cheaper point that emits more, of the points that nothing beats in cost and carbon; else absent */
};

/* A provider's price of a model by the token. */
struct hosted_price {
	const char *provider, *name, *as_of, *source; /* name: the provider's name of the model */
	double input_usd_per_million_tokens, output_usd_per_million_tokens;
};

struct hosted {
	struct hosted_price price;
	double usd_per_month;          /* of the plan's load, by the token */
	double usd_per_million_tokens; /* mean over the load's prompts and answers */
	double own_over_hosted;        /* the plan's cost over usd_per_month; below 1 the client's own fleet is cheaper */
	double break_even_input_usd_per_million_tokens,
		break_even_output_usd_per_million_tokens; /* prices at which both cost the same, in the provider's proportion */
	double break_even_requests_per_s; /* mean load of the same fleet at which both cost the same; absent: above the capacity of the fleet */
};

enum { HOSTED_MAX = 16 };

#endif
