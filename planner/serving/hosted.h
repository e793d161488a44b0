/* A model of one's own fleet beside the same model by the token (E156). Pure. */
#ifndef FLEETPLAN_PLANNER_SERVING_HOSTED_H
#define FLEETPLAN_PLANNER_SERVING_HOSTED_H

#include "base/given.h"

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

/* E156. Given: price, both parts >= 0 and one above 0; prompt_tokens, output_tokens, means of a request (>= 0, one above 0); own_usd_per_hour, of the fleet (>= 0);
 * requests_per_s, mean of the month (> 0); requests_per_s_max, what the fleet carries. Returned: usd = requests x (prompt x input + output x output price), k = own/hosted,
 * break-even prices = k x prices, break-even load = k x load, absent above requests_per_s_max. */
struct hosted hosted_beside(const struct hosted_price *price, double prompt_tokens, double output_tokens, double own_usd_per_hour, double requests_per_s,
	double requests_per_s_max);

#endif
