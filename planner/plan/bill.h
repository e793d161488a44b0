/* What a plan costs: money, energy and carbon, and what it is compared with. Pure data: filled by footprint/ and by the resolver. */
#ifndef FLEETPLAN_PLANNER_PLAN_BILL_H
#define FLEETPLAN_PLANNER_PLAN_BILL_H

#include "planner/plan/request.h"

struct cost {
	double total_usd, usd_per_gpu_hour;
	double storage_usd, egress_usd; /* parts of the total; absent where no price was given */
	bool has_offer;
	struct offer offer;
	struct {
		struct currency rate;
		double total, per_gpu_hour; /* the same in it */
	} currency;
	bool has_currency;
};

/* E102, E110. What a reservation would cost instead of the recommended offer. */
struct reservation {
	struct offer offer;
	double on_demand_usd_per_gpu_hour;
	double break_even_utilization; /* of its hours, above which it costs less than by use */
	double utilization;            /* of its hours, that this training uses: of the cadence, or of whole terms */
	double total_usd;              /* of the training, paid to its end */
};

enum { RESERVATIONS_MAX = 2 }; /* one year, three years */

struct energy {
	double total_kwh; /* facility: IT x PUE */
	double it_kwh, mean_gpu_w;
	double powered_gpu_hours; /* of all that draw power: used, spare, and the rest of whole instances; x mean_gpu_w x (1 + host) = it_kwh */
};

struct carbon {
	double operational_kgco2e;                /* location-based */
	double market_kgco2e, marginal_kgco2e;    /* NaN where the region has no such figure: left out of the answer */
	double embodied_kgco2e, total_kgco2e;     /* total: operational + embodied */
	double embodied_low_kgco2e, embodied_high_kgco2e; /* published range */
	double gco2e_per_gpu_hour, gco2e_per_thousand_tokens; /* E105, of the total; absent where there are no hours, no tokens */
	double grid_gco2e_per_kwh; /* that the operational figure rests upon: the site's mean, or that of the run's hours (E109) */
	double hourly_fraction;    /* of the run, that a series covers; absent without one */
};

/* One term at which the same could be rented, beside owning it. */
struct rent {
	bool known; /* an offer of that term is */
	struct offer offer;
	double usd_per_gpu_hour;       /* of one that is used: instances are paid whole */
	double break_even_hours;       /* of use of all of them, after which buying has cost less; absent: never */
	double break_even_utilization; /* the same over their life; above 1 they do not last long enough */
};

struct purchase {
	double accelerators_usd, hosts_usd, network_usd, capital_usd; /* capital: the sum of the three */
	double capital_low_usd, capital_high_usd;
	double power_kw;             /* drawn in the mean of this work, the building's part included */
	double running_usd_per_year; /* electricity, staff and space, in use all year */
	double life_hours, hours_left; /* hours_left: after this training; absent of a service */
	const char *source;
	struct rent on_demand, spot, reserved_1y, reserved_3y; /* filled by the resolver, who knows the offers */
};

enum { FRONT_POINTS_MAX = 24, FRONT_KEPT_MAX = 256 };

/* A way to run it: an accelerator, a number of them, and an offer. */
struct front_point {
	const char *accelerator;
	int64_t gpu_count;
	bool has_offer;
	struct offer offer;
	double grid_gco2e_per_kwh, pue; /* where it stands */
	double hours, usd, kgco2e;
	enum truth cheapest, cleanest, fastest; /* TRUTH_TRUE, else unset */
	int64_t index; /* the caller's own */
	double usd_per_t_saved; /* against the next cheaper one that emits more, of those that nothing beats in money and carbon; else absent */
};

/* What a provider takes for a model by the token. */
struct hosted_price {
	const char *provider, *name, *as_of, *source; /* name: as the provider calls the model */
	double input_usd_per_million_tokens, output_usd_per_million_tokens;
};

struct hosted {
	struct hosted_price price;
	double usd_per_month;              /* of the plan's load, by the token */
	double usd_per_million_tokens;     /* of prompts and answers as the load mixes them */
	double own_over_hosted;            /* the plan's cost over it: below 1 one's own is cheaper */
	double break_even_input_usd_per_million_tokens, break_even_output_usd_per_million_tokens; /* at which both cost the same, in the provider's proportion */
	double break_even_requests_per_s;  /* mean load of the same fleet at which they do; absent: above what it carries */
};

enum { HOSTED_MAX = 16 };

#endif
