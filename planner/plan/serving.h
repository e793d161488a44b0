/* Inference plans: the request as decoded, the input as resolved, and the answer. Pure, like training.h. */
#ifndef FLEETPLAN_PLANNER_PLAN_SERVING_H
#define FLEETPLAN_PLANNER_PLAN_SERVING_H

#include "planner/plan/training.h"

enum engine { ENGINE_UNSET, ENGINE_GENERIC, ENGINE_VLLM, ENGINE_TENSORRT_LLM, ENGINE_SGLANG, ENGINE_COUNT };
enum routing { ROUTING_UNSET, ROUTING_ROUND_ROBIN, ROUTING_LEAST_OUTSTANDING, ROUTING_PREFIX_AWARE };
enum redundancy { REDUNDANCY_UNSET, REDUNDANCY_NONE, REDUNDANCY_N_PLUS_1, REDUNDANCY_N_PLUS_2 };

/* A number (bare: `mean`), or a distribution, or samples. */
struct token_distribution {
	double mean, p50, p95, cv;
	struct number_list samples;
};

struct serving_parallelism {
	int64_t tensor, pipeline, expert, attention_data, max_batch, chunk_tokens;
	enum truth disaggregated;
};

/* A request trace after streaming: its statistics and digest; arrivals sorted by time, arena-owned. */
struct trace_arrival {
	double t_s;
	double prompt_tokens, output_tokens;
};

struct request_trace {
	struct trace_arrival *arrivals;
	size_t count;
	char sha256[65];
};

/* A stretch of time and its mean load. */
struct rate_piece {
	double duration_s, requests_per_s; /* > 0, >= 0 */
};

struct rate_profile {
	struct rate_piece *items;
	size_t count;
};

struct inference_request {
	struct request_common common;
	struct text_list precisions; /* allowed for the weights, instead of one */
	enum precision kv_precision;
	enum engine engine;
	const char *engine_release;
	double queries_per_minute, requests_per_s;
	struct token_distribution prompt_tokens, output_tokens;
	struct request_trace trace;
	struct {
		double ttft_ms, tpot_ms, e2e_ms, percentile;
	} slo;
	double throughput_tokens_per_s_per_gpu;
	struct serving_parallelism parallelism;
	double prefix_cache_hit_rate;
	struct {
		double draft_tokens, acceptance;
	} speculative;
	double burstiness_cv;
	struct number_list daily_profile;
	struct rate_profile rate_profile;
	enum routing routing;
	double priority_share;
	struct {
		double prefixes, tokens;
	} shared_prefix;
	double startup_s; /* of a replica */
	enum redundancy redundancy;
	double headroom;
	enum truth mig; /* unset: slices are alternatives and never recommended */
	const char *mig_profile; /* slices of this profile alone; NULL: not asked for */
	double budget_usd_per_month;
	struct {
		double input_usd_per_million_tokens, output_usd_per_million_tokens;
	} hosted_api; /* what the same model costs by the token; absent: not given */
	double utc_offset_hours; /* of the clock by which the profile's hours count */
};

struct inference_input {
	struct inference_request request;
	struct model model;
	const struct candidate *candidates;
	size_t candidate_count;
	const struct candidate *slices; /* of the candidates (MIG), which may serve instead of them whole */
	size_t slice_count;
	size_t hosted_count;
	struct hosted_price hosted[HOSTED_MAX]; /* of the model, by the catalogue */
	const struct progress *progress; /* NULL: nobody looks on */
	void *workspace; /* for simulations, of simulator_workspace_bytes(); NULL: latencies by formulas alone */
	size_t workspace_bytes;
};

struct latency {
	double p50, p95, p99;
};

struct latencies {
	struct latency ttft_ms, tpot_ms, e2e_ms;
};

struct serving_memory {
	double weights_bytes, kv_cache_bytes, activations_bytes, overhead_bytes, total_bytes, capacity_bytes,
		kv_tokens_capacity;
};

struct autoscaling_hour {
	int64_t hour;
	int64_t replicas; /* that run when it begins, spare ones included */
	int64_t starting; /* further ones that start in it, to be ready for the next */
	int64_t prefill_replicas; /* of the replicas; absent: each does both */
	double requests_per_s;
};

/* An hour of the clock, with what all of a month's such hours take. */
struct service_hour {
	int64_t hour;
	double requests_per_s, kwh_per_month, grid_gco2e_per_kwh, operational_kgco2e_per_month;
};

/* Instances of one offer in the cheapest mix. */
struct committed_offer {
	struct offer offer;
	int64_t instances;      /* committed to, paid every hour */
	int64_t peak_instances; /* paid by use, in the hour with the highest demand */
	double usd_per_hour;    /* of one instance; of spot with the hours that interruptions cost (E106) */
	double break_even_utilization; /* E102, of a commitment; absent: paid by use */
};

enum { COMMITTED_OFFERS_MAX = 32 };

/* E101. What to commit to and what to pay by use over the daily profile. */
struct commitment {
	double usd_per_hour, committed_usd_per_hour, used_usd_per_hour; /* means over the profile */
	double usd_per_month, uncommitted_usd_per_month, saved_usd_per_month; /* against paying all of it by use, hour by hour; absent: there is no such offer */
	double committed_utilization;
	size_t offer_count;
	struct committed_offer offers[COMMITTED_OFFERS_MAX];
};

/* A limit of the request, and the probability with which an option keeps it. */
struct service_promise {
	const char *what;   /* load, slo, budget, energy_cap, carbon_cap */
	const char *member; /* of the slo: ttft_ms, tpot_ms, e2e_ms; NULL: of the others */
	double limit, probability;
};

/* What a confidence costs: accelerators, or of a given number the load that they hold; and money that is not exceeded with it. */
struct service_confidence {
	double confidence;
	int64_t gpu_count;
	double requests_per_s, usd_per_month; /* usd_per_month absent: no price is known */
};

/* What is not known: what it adds to the capacity that is bought and to the money that is not exceeded with the request's confidence. */
struct service_uncertainty {
	const char *field, *cure;
	double gpu_count, usd_per_month; /* accelerators, not rounded to whole replicas */
};

enum { SERVICE_PROMISES_MAX = 8, SERVICE_UNCERTAINTIES_MAX = 8 };

struct inference_option {
	struct accelerator accelerator;
	int64_t gpu_count, replicas, gpus_per_replica;
	int64_t gpus_paid; /* of whole instances: the rest idles, and counts in money, energy and carbon */
	int64_t prefill_replicas; /* of the replicas, for prompts alone; absent: each does both */
	const char *mig_profile; /* NULL: whole accelerators; else a replica is a board of slices, each with an engine of its own */
	int64_t slices_per_gpu; /* absent: whole */
	enum precision precision, kv_precision;
	struct serving_parallelism parallelism;
	struct serving_memory memory; /* per accelerator; kv_tokens_capacity per replica */
	struct {
		double mean, max;
	} batch;
	struct latencies latency, latency_of_rest; /* of_rest: of requests that others go ahead of */
	bool has_rest;
	bool slo_met;
	struct {
		double output_tokens_per_s, output_tokens_per_s_per_gpu, total_tokens_per_s, requests_per_s_max;
	} throughput;
	double utilization;
	struct practice practice;
	size_t promise_count;
	struct service_promise promises[SERVICE_PROMISES_MAX];
	struct {
		double usd_per_hour, usd_per_month, usd_per_million_output_tokens, usd_per_million_tokens;
		double input_usd_per_million_tokens, output_usd_per_million_tokens; /* prices that cover it, each for its share of the time */
		double accelerators_usd_per_month, storage_usd_per_month, egress_usd_per_month; /* parts of usd_per_month; absent: not counted */
		bool has_offer;
		struct offer offer;
		struct {
			struct currency rate;
			double per_month, per_million_output_tokens, per_million_tokens;
		} currency; /* the same at the rate of the request */
		bool has_currency;
	} cost;
	struct {
		double mean_w, mean_gpu_w; /* of the fleet, building included; of one accelerator alone */
		double kwh_per_month, it_kwh_per_month, wh_per_request, joules_per_output_token, joules_per_token;
	} energy;
	struct {
		double kgco2e_per_month; /* operational (location-based) + embodied; what follows per request, token and hour is of it */
		double operational_kgco2e_per_month, embodied_kgco2e_per_month;
		double market_kgco2e_per_month, marginal_kgco2e_per_month; /* other ways of counting the operational part; absent: not known there */
		double embodied_low_kgco2e_per_month, embodied_high_kgco2e_per_month;
		double gco2e_per_request, gco2e_per_million_tokens, gco2e_per_thousand_tokens, gco2e_per_thousand_output_tokens, gco2e_per_gpu_hour;
		double grid_gco2e_per_kwh; /* that the operational figure rests upon: the site's mean, or by the hour, weighed by power (E115) */
		double hourly_fraction;    /* of the hours of the clock, that a series tells; absent without one */
	} carbon;
	double water_l_per_month, water_l_per_request;
	size_t autoscaling_count;
	struct autoscaling_hour autoscaling[168];
	bool has_autoscaled;
	struct {
		double startup_s, gpu_hours_per_month; /* followed hour by hour, starts included; so the next three */
		double usd_per_month, kwh_per_month, kgco2e_per_month; /* usd: accelerators alone; absent: no price is known */
		double saved_gpu_hours_per_month, saved_usd_per_month, saved_kwh_per_month, saved_kgco2e_per_month;
		bool has_latency, has_cold; /* simulated; of a schedule in which replicas start */
		enum truth slo_met;
		struct latencies latency, latency_cold_start; /* of a day; of who comes while replicas start, were they not started ahead */
	} autoscaled;
	bool has_hosted; /* the cheapest hosted price is known, and the option's own cost */
	struct hosted hosted;
	bool has_purchase; /* pricing.on_premises */
	struct purchase purchase;
	bool has_commitment; /* where offers of more than one term can be had */
	struct commitment commitment;
	struct bottleneck_use bottleneck;
	struct figures inputs; /* that cost, energy, carbon and water rest upon */
	struct {
		int64_t requests, replications, seed, warmup_requests; /* all 0: analytic, not simulated */
		double ttft_half_width_ms, tpot_half_width_ms, e2e_half_width_ms; /* 95 % confidence, at the promised percentile */
		double prefix_hit_rate; /* of the tokens of prompts, found in a cache; absent: no prefixes were simulated */
	} simulated;
	size_t provenance_count;
	struct provenance provenance[PROVENANCES_MAX];
	struct {
		struct interval output_tokens_per_s, ttft_ms, tpot_ms, usd_per_month, kwh_per_month, kgco2e_per_month,
			gpu_count;
	} interval;
};

/* A way to serve: a fleet at an offer. */
struct service_point {
	const char *accelerator, *mig_profile; /* mig_profile NULL: whole accelerators */
	int64_t gpu_count, replicas, gpus_per_replica;
	enum precision precision;
	bool has_offer;
	struct offer offer;
	double grid_gco2e_per_kwh, pue; /* where it stands */
	double requests_per_s; /* carried at peak */
	double usd_per_hour, usd_per_month, kgco2e_per_month, kwh_per_month;
	double usd_per_million_output_tokens, gco2e_per_request;
	double e2e_ms; /* of a request, at the percentile of the slo */
	enum truth simulated; /* latency, and with it the number of replicas; false: by formulas */
	enum truth cheapest, cleanest, fastest; /* TRUTH_TRUE, else unset */
	double usd_per_t_saved; /* as in struct front_point */
};

enum { INFERENCE_OPTIONS_MAX = 32 };

struct inference_plan {
	struct {
		double params_total, params_active, weights_bytes, kv_bytes_per_token, flops_per_output_token, flops_per_prompt;
	} workload;
	struct inference_option recommended;
	size_t confidence_count;
	struct service_confidence confidence_curve[CONFIDENCES_MAX];
	size_t uncertainty_count;
	struct service_uncertainty uncertainties[SERVICE_UNCERTAINTIES_MAX]; /* of the recommended option, the costliest first */
	size_t alternative_count;
	struct inference_option alternatives[INFERENCE_OPTIONS_MAX];
	size_t hour_count; /* of the recommended option; 0: neither load nor grid is told by the hour */
	struct service_hour hours[168];
	size_t hosted_count;
	struct hosted hosted[HOSTED_MAX + 1]; /* beside the recommended option, the cheapest first */
	size_t front_count; /* 0: no price is known */
	struct service_point front[FRONT_POINTS_MAX];
	struct {
		double gpu_count_exact, gpu_count;
		char formula[320];
		double throughput_tokens_per_s_per_gpu;
	} rule_of_thumb;
	struct findings findings;
};

/* STATUS_CANCELLED when the input's `progress` said stop. */
FALLIBLE enum status planner_inference(
	const struct inference_input *input, struct inference_plan *plan, struct failure *failure);

/* One replica at one operating point. */
#define CONCURRENCY_MAX (-2.0) /* the word "max": saturation */

struct performance_request {
	struct request_common common; /* model, precision, accelerator, gpu_count; the rest absent */
	enum precision kv_precision;
	enum engine engine;
	const char *engine_release;
	struct serving_parallelism parallelism;
	struct token_distribution prompt_tokens, output_tokens;
	double concurrency; /* closed loop; CONCURRENCY_MAX; or absent */
	double requests_per_s;
	int64_t requests;
	enum truth static_batch;
	double prefix_cache_hit_rate; /* share of prompt tokens, 0..1; absent: 0 */
};

struct performance_input {
	struct performance_request request;
	struct model model;
	const struct candidate *candidate;
};

struct performance {
	double output_tokens_per_s, output_tokens_per_s_per_gpu, total_tokens_per_s, requests_per_s, ttft_ms, tpot_ms,
		max_concurrency;
	struct serving_memory memory;
	struct practice practice;
	struct { /* joules_per_output_token = decode + prefill x prompt/output tokens + idle */
		double mean_w, joules_per_output_token;
		double decode_joules_per_output_token, prefill_joules_per_prompt_token, idle_joules_per_output_token;
	} energy;
	struct {
		struct interval output_tokens_per_s, ttft_ms, tpot_ms;
	} interval;
	struct findings findings;
};

FALLIBLE enum status planner_performance(
	const struct performance_input *input, struct performance *performance, struct failure *failure);

#endif
