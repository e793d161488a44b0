/* E59. The number of replicas that carries a demand and keeps its promise, and the value of such a fleet. */
#ifndef FLEETPLAN_PLANNER_SERVING_SERVING_FLEET_H
#define FLEETPLAN_PLANNER_SERVING_SERVING_FLEET_H

#include "planner/footprint/cost.h"
#include "planner/footprint/footprint.h"
#include "planner/replica/latency.h"
#include "planner/replica/replica_layout.h"
#include "planner/serving/serving_practice.h"

/* Why a fleet is not possible. The order is that of nearness: an earlier verdict came nearer. */
enum fleet_verdict { FLEET_OK, FLEET_LATENCY, FLEET_COUNT, FLEET_MEMORY, FLEET_LAYOUT };

struct trial; /* planner/queueing/trial.h */

/* A fleet with the figures that rank it. It is small, so that a search can store all of them. */
struct fleet {
	const struct candidate *candidate;
	struct replica_layout layout;
	enum fleet_verdict verdict;
	bool promise_kept;
	bool overloaded; /* E203: the trace overloads the given accelerators; requests_per_s is then the part that they serve */
	int64_t replicas, gpus_per_replica, gpu_count; /* spare replicas included */
	double active_needed;                          /* replicas that carry the load, before slices fill boards and spare ones are added */
	int64_t prefill_replicas;                      /* replicas for prompts only; 0: every replica does prompts and decoding */
	double requests_per_s;                         /* carried at peak */
	struct allowance allowance;                    /* with which load and promise are kept */
	double replica_requests_per_s;                 /* one replica of the plan at saturation, without the allowance */
	double ttft_s, tpot_s, e2e_s; /* at the promised percentile, spare replicas down, not exceeded with the request's confidence */
	double usd_per_hour, kgco2e_per_month, kwh_per_month; /* usd_per_hour absent: no price known */
	double requests_per_s_max;                            /* largest load, simulated; absent: not computed */
	double capacity_requests_per_s; /* largest load of the given accelerators in this layout by formulas; absent: their number is open */
	double it_kwh_per_month;        /* of its own accelerators; the same at every offer */
	double grid_gco2e_per_kwh, rest_grid_gco2e_per_kwh; /* E115: hourly mean, weighted by power; unweighted. Absent: that of the site */
	double data_usd_per_hour, spot_factor;              /* storage and egress; paid over serving hours at a spot offer */
	const struct trial *trial;   /* its simulation with the allowance (fleet_simulation.h); NULL: sized by formulas only */
	const struct trial *planned; /* simulation of the plan's own replicas; NULL: not simulated, or the same */
	double it_log_sigma;         /* of it_kwh_per_month */
	double usd_log_sigma, kwh_log_sigma, kgco2e_log_sigma; /* of cost, energy and carbon at its offer; 0 without caps */
	const struct supply *supply; /* chosen one of the candidate's (fleet_cost.h); NULL: the candidate's own offer and site */
};

/* Limits of a request that hold for all fleets. */
struct fleet_limits {
	int64_t gpu_count; /* absent: open */
	bool enforce_memory;
	double throughput_tokens_per_s_per_gpu; /* measured; absent: modelled */
	const struct pricing *pricing;
	enum objective objective;                                          /* by which an offer within the caps is chosen */
	double usd_cap_per_month, kgco2e_cap_per_month, kwh_cap_per_month; /* absent: none */
	bool mixes;    /* cost is that of the cheapest mix of terms over the daily profile (mix.h) */
	void *scratch; /* workspace for mixes, while nothing is simulated; NULL: none */
	size_t scratch_bytes;
	double prompt_tokens, output_tokens;     /* means of the demand (E180); 0: not known */
	const struct inference_request *request; /* NULL: defaults for everything that it would give */
	struct assurance assurance;              /* practice, and the confidence with which load, promise and caps are kept */
};

/* The speed of a fleet's replica: that of the plan, at the recipe's speed; as it usually runs (E136); as slow as the
 * request's confidence requires (E137). */
enum replica_speed { REPLICA_PLANNED, REPLICA_PRACTISED, REPLICA_SURE };

/* Prepares the replica of a fleet. If the request gives a measured throughput, steps are scaled until saturation has
 * it. False for an impossible layout. */
bool fleet_replica(const struct model *model, const struct candidate *candidate, const struct replica_layout *layout,
	const struct demand *demand, const struct fleet_limits *limits, enum replica_speed speed, struct replica *replica);

/* E181. Computes an upper bound of the output tokens/s of one accelerator: each token takes one pass of its sequence,
 * and a step reads weights and cached sequences once.
 * Given:    replica: prepared; accelerator; model; prompt_tokens, output_tokens: means of a request (> 0).
 * Returned: tokens/s: min(peak / (2 active parameters), n bandwidth / (weights read + cache of n)), per accelerator,
 *           where n is the number of sequences that fit into memory.
 * Valid:    where sequences do not share a cache and a pass makes one token.
 * Source:   roofline (Williams et al. 2009).
 * Case:     tests/planner/test_serving_fleet.c, a_given_throughput_is_held_against_the_roofline. */
double fleet_throughput_most(const struct replica *replica, const struct accelerator *accelerator, const struct model *model,
	double prompt_tokens, double output_tokens);

/* E180, E193. Returns the model's log standard deviations for a candidate's layout. That of a given throughput is 0. */
struct residuals fleet_residuals(
	const struct model *model, const struct candidate *candidate, const struct replica_layout *layout, const struct fleet_limits *limits);

/* E137. Returns the allowance of a candidate's layout. fleet_sure_demand() returns the demand with the part of the
 * allowance that is beyond slower steps: log_ttft and log_tpot of its promise. */
struct allowance fleet_allowance(
	const struct model *model, const struct candidate *candidate, const struct replica_layout *layout, const struct fleet_limits *limits);
struct demand fleet_sure_demand(const struct demand *demand, const struct allowance *allowance);

/* E59. Sizes a fleet of replicas of one layout. If `verdict` is not FLEET_OK, it is the reason of the failure, and the
 * figures are those of the nearest fleet. Cost and footprint are filled only with FLEET_OK.
 * Case: tests/planner/test_serving_fleet.c, more_load_never_needs_fewer. */
void fleet_size(const struct model *model, const struct candidate *candidate, const struct replica_layout *layout,
	const struct demand *demand, const struct fleet_limits *limits, struct fleet *fleet);

/* Returns the replicas that carry the load while the spare ones are down. A board that fails takes all of its slices
 * with it. */
double fleet_active_replicas(const struct fleet *fleet, const struct demand *demand);

/* Sets the size of a fleet from its active replicas: spare ones are added, and slices fill whole boards. */
void fleet_settle(struct fleet *fleet, const struct demand *demand, double active);

/* fleet_response_s() returns the time of a whole request at the promised percentile by formulas, s.
 * fleet_requests_per_s_max() returns the largest load of a number of replicas (without spare ones) within headroom and
 * promise, requests/s. With a sure replica and a sure demand the result has the request's confidence. */
double fleet_response_s(const struct replica *replica, const struct demand *demand, double replicas, double requests_per_s);
double fleet_requests_per_s_max(const struct replica *replica, const struct demand *demand, double replicas);

/* True if a number of replicas carries a load within headroom and keeps the promise, by formulas. */
bool fleet_holds(const struct replica *replica, const struct demand *demand, double replicas, double requests_per_s);

#endif
