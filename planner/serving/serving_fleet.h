/* E59. How many replicas carry a demand and keep its promise, and what such a fleet is worth. */
#ifndef FLEETPLAN_PLANNER_SERVING_SERVING_FLEET_H
#define FLEETPLAN_PLANNER_SERVING_SERVING_FLEET_H

#include "planner/footprint/cost.h"
#include "planner/footprint/footprint.h"
#include "planner/replica/latency.h"
#include "planner/replica/replica_layout.h"
#include "planner/serving/serving_practice.h"

/* What kept a fleet from being possible. In order of how near it came. */
enum fleet_verdict { FLEET_OK, FLEET_LATENCY, FLEET_COUNT, FLEET_MEMORY, FLEET_LAYOUT };

struct trial; /* planner/queueing/trial.h */

/* Everything that ranks fleets; small, so that all of a search can be kept. */
struct fleet {
	const struct candidate *candidate;
	struct replica_layout layout;
	enum fleet_verdict verdict;
	bool promise_kept;
	bool overloaded; /* E203: of the accelerators given, which a trace overloads; requests_per_s is then what they serve of it */
	int64_t replicas, gpus_per_replica, gpu_count; /* spare replicas included */
	double active_needed; /* replicas that carry the load, before slices fill boards and spare ones are added */
	int64_t prefill_replicas; /* of the replicas, for prompts alone; 0: each does both */
	double requests_per_s; /* carried at peak */
	struct allowance allowance; /* that load and promise are kept with */
	double replica_requests_per_s; /* one replica of the plan at saturation, without the allowance */
	double ttft_s, tpot_s, e2e_s; /* at the promised percentile, spare replicas down, not exceeded with the request's confidence */
	double usd_per_hour, kgco2e_per_month, kwh_per_month; /* usd_per_hour absent: no price known */
	double requests_per_s_max; /* that it holds, simulated; absent: not looked for */
	double capacity_requests_per_s; /* that so many accelerators hold in this layout by formulas, whatever is asked of them; absent: their number is open */
	double it_kwh_per_month; /* of its own accelerators: the same at every offer */
	double grid_gco2e_per_kwh, rest_grid_gco2e_per_kwh; /* by the hour (E115): weighed by their power; alike in all hours. Absent: the site's */
	double data_usd_per_hour, spot_factor; /* storage and egress; hours over those that serve, at a spot offer */
	const struct trial *trial; /* its simulation with the allowance (fleet_simulation.h); NULL: sized by formulas alone */
	const struct trial *planned; /* the same of the plan's own replicas; NULL: not simulated, or no different */
	double it_log_sigma; /* of it_kwh_per_month */
	double usd_log_sigma, kwh_log_sigma, kgco2e_log_sigma; /* of what it costs, draws and emits at its offer; 0 where no cap asks for them */
	const struct supply *supply; /* of the candidate's, where it is had (fleet_cost.h); NULL: the candidate's own offer and site */
};

/* What a request fixes for all fleets. */
struct fleet_limits {
	int64_t gpu_count; /* absent: as many as it takes */
	bool enforce_memory;
	double throughput_tokens_per_s_per_gpu; /* measured; absent: modelled */
	const struct pricing *pricing;
	enum objective objective; /* what offers are chosen by, of those within the caps */
	double usd_cap_per_month, kgco2e_cap_per_month, kwh_cap_per_month; /* absent: none */
	bool mixes;      /* money is counted as the cheapest mix of terms over the daily profile (mix.h) */
	void *scratch;   /* for that, while nothing is simulated; NULL: none */
	size_t scratch_bytes;
	double prompt_tokens, output_tokens; /* of the demand, at the mean (E180); 0: not told */
	const struct inference_request *request; /* what is left open has its default where NULL */
	struct assurance assurance; /* practice, and the confidence with which load, promise and caps are kept */
};

/* Which of a fleet's replicas: those of the plan, at the recipe's speed; as they usually run (E136); or as slow as the request's confidence
 * makes it allow for (E137). */
enum replica_speed { REPLICA_PLANNED, REPLICA_PRACTISED, REPLICA_SURE };

/* The replica of a fleet, with a measured throughput taken over: its steps are scaled until saturation answers it. False for
 * an impossible layout. */
bool fleet_replica(const struct model *model, const struct candidate *candidate, const struct replica_layout *layout,
	const struct demand *demand, const struct fleet_limits *limits, enum replica_speed speed, struct replica *replica);

/* E181. Most output tokens/s of one accelerator: each token is an answer's own pass, and a step reads weights and cached sequences once.
 * Given: replica as prepared; accelerator; model; mean tokens of prompt and answer. Returned: min(peak / (2 active parameters), n bandwidth / (weights read +
 * cache of n)) over the accelerators, n sequences that memory holds. Not valid where sequences share a cache or a pass makes several tokens. */
double fleet_throughput_most(const struct replica *replica, const struct accelerator *accelerator, const struct model *model, double prompt_tokens, double output_tokens);

/* How far the model may be off for a candidate's layout; a throughput that the request gives is known. */
struct residuals fleet_residuals(const struct model *model, const struct candidate *candidate, const struct replica_layout *layout,
	const struct fleet_limits *limits);

/* E137. What the fleets of a candidate's layout allow for, and a demand whose promise has the part of it that slower steps do not make up. */
struct allowance fleet_allowance(const struct model *model, const struct candidate *candidate, const struct replica_layout *layout,
	const struct fleet_limits *limits);
struct demand fleet_sure_demand(const struct demand *demand, const struct allowance *allowance);

/* Sizes a fleet of replicas of one layout. `verdict` says what is wrong when it is not FLEET_OK; the figures are then those of
 * the nearest fleet. Cost and footprint are filled when it can stand. */
void fleet_size(const struct model *model, const struct candidate *candidate, const struct replica_layout *layout,
	const struct demand *demand, const struct fleet_limits *limits, struct fleet *fleet);

/* Replicas that carry the load when those of the spare accelerators are down. A slice's board goes down with all of its slices. */
double fleet_active_replicas(const struct fleet *fleet, const struct demand *demand);

/* Settles a fleet on so many of them: spare ones are added, and slices fill whole boards. */
void fleet_settle(struct fleet *fleet, const struct demand *demand, double active);

/* Requests/s that so many replicas (without the spare ones) hold: headroom and promise kept. Of sure replicas and a sure demand, with the
 * request's confidence. */
double fleet_response_s(const struct replica *replica, const struct demand *demand, double replicas, double requests_per_s); /* a whole request's, by formulas */
double fleet_requests_per_s_max(const struct replica *replica, const struct demand *demand, double replicas);

/* Whether so many replicas hold a load: within headroom, and the promise kept, by formulas. */
bool fleet_holds(const struct replica *replica, const struct demand *demand, double replicas, double requests_per_s);

#endif
