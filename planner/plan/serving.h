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

/* A request trace after streaming: its digest, and its arrivals sorted by time. The arena owns the arrivals. */
struct trace_arrival {
	double t_s;
	double prompt_tokens, output_tokens;
};

struct request_trace {
	struct trace_arrival *arrivals;
	size_t count;
	char sha256[65];
};

/* A period and its mean load. */
struct rate_piece {
	double duration_s, requests_per_s; /* > 0, >= 0 */
};

struct rate_profile {
	struct rate_piece *items;
	size_t count;
};

struct inference_request {
	struct request_common common;
	struct text_list precisions; /* formats allowed for the weights, instead of one */
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
	enum truth mig;          /* unset: slices are alternatives and never recommended */
	const char *mig_profile; /* only slices of this profile; NULL: any profile */
	double budget_usd_per_month;
	struct {
		double input_usd_per_million_tokens, output_usd_per_million_tokens;
	} hosted_api;            /* a provider's price of the same model; absent: not given */
	double utc_offset_hours; /* of the clock of the profile's hours */
};

struct inference_input {
	struct inference_request request;
	struct model model;
	const struct candidate *candidates;
	size_t candidate_count;
	const struct candidate *slices; /* slices of the candidates (MIG), which may serve instead of whole accelerators */
	size_t slice_count;
	size_t hosted_count;
	struct hosted_price hosted[HOSTED_MAX]; /* of the model, from the catalogue */
	const struct progress *progress;        /* NULL: no progress is reported, and the computation is never stopped */
	void *workspace;                        /* for simulations, simulator_workspace_bytes(); NULL: latencies by formulas only */
	size_t workspace_bytes;
	unsigned omitted; /* parts that the answer leaves out; those that cost time are not computed */
};

struct latency {
	double p50, p95, p99;
};

struct latencies {
	struct latency ttft_ms, tpot_ms, e2e_ms;
};

struct serving_memory {
	double weights_bytes, kv_cache_bytes, activations_bytes, overhead_bytes, total_bytes, capacity_bytes, kv_tokens_capacity;
};

struct autoscaling_hour {
	int64_t hour;
	int64_t replicas;         /* replicas that run when the hour begins, spare ones included */
	int64_t starting;         /* replicas that start in this hour for the next one */
	int64_t prefill_replicas; /* replicas for prompts only; absent: each replica does prompts and answers */
	double requests_per_s;
};

/* An hour of the clock, with the sums over all such hours of a month. */
struct service_hour {
	int64_t hour;
	double requests_per_s, kwh_per_month, grid_gco2e_per_kwh, operational_kgco2e_per_month;
};

/* Instances of one offer in the cheapest mix. */
struct committed_offer {
	struct offer offer;
	int64_t instances;             /* committed instances, paid in every hour */
	int64_t peak_instances;        /* instances paid by use in the hour with the highest demand */
	double usd_per_hour;           /* of one instance; of a spot instance including the hours that interruptions cost (E106) */
	double break_even_utilization; /* E102, of a commitment; absent: paid by use */
};

enum { COMMITTED_OFFERS_MAX = 32 };

/* E101. The cheapest mix of committed instances and instances paid by use over the daily profile. */
struct commitment {
	double usd_per_hour, committed_usd_per_hour, used_usd_per_hour; /* means over the profile */
	double usd_per_month, uncommitted_usd_per_month,
		saved_usd_per_month; /* saved: uncommitted (all paid by use, hour by hour) less usd_per_month; absent: no such offer */
	double committed_utilization;
	size_t offer_count;
	struct committed_offer offers[COMMITTED_OFFERS_MAX];
};

/* A limit of the request, and the probability that an option keeps it. */
struct service_promise {
	const char *what;   /* load, slo, budget, energy_cap, carbon_cap */
	const char *member; /* of the slo: ttft_ms, tpot_ms, e2e_ms; NULL: another limit */
	double limit, probability;
};

/* Effect of a confidence: the accelerators, or the load that a given number of them holds, and the cost that is not
 * exceeded with it. */
struct service_confidence {
	double confidence;
	int64_t gpu_count;
	double requests_per_s, usd_per_month; /* usd_per_month absent: no price is known */
};

/* An uncertainty: the capacity and the cost that it adds at the request's confidence, and how to reduce it. */
struct service_uncertainty {
	const char *field, *cure;
	double gpu_count, usd_per_month; /* accelerators, not rounded to whole replicas */
};

enum { SERVICE_PROMISES_MAX = 8, SERVICE_UNCERTAINTIES_MAX = 8 };

struct inference_option {
	struct accelerator accelerator;
	int64_t gpu_count, replicas, gpus_per_replica;
	int64_t gpus_paid;        /* accelerators of whole instances; the unused ones idle and count in cost, energy and carbon */
	int64_t prefill_replicas; /* replicas for prompts only; absent: each replica does prompts and answers */
	const char *mig_profile;  /* NULL: whole accelerators; else a replica is a board of slices, each with its own engine */
	int64_t slices_per_gpu;   /* absent: whole accelerators */
	enum precision precision, kv_precision;
	struct serving_parallelism parallelism;
	struct serving_memory memory; /* per accelerator; kv_tokens_capacity per replica */
	struct {
		double mean, max;
	} batch;
	struct latencies latency, latency_of_rest; /* latency_of_rest: of requests without priority */
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
		double input_usd_per_million_tokens,
			output_usd_per_million_tokens; /* token prices that cover the cost; prompts and answers share it by their time */
		double accelerators_usd_per_month, storage_usd_per_month, egress_usd_per_month; /* parts of usd_per_month; absent: not counted */
		bool has_offer;
		struct offer offer;
		struct {
			struct currency rate;
			double per_month, per_million_output_tokens, per_million_tokens;
		} currency; /* the same amounts at the request's rate of exchange */
		bool has_currency;
	} cost;
	struct {
		double mean_w, mean_gpu_w; /* of the fleet, building included; of one accelerator alone */
		double kwh_per_month, it_kwh_per_month, wh_per_request, joules_per_output_token, joules_per_token;
	} energy;
	struct {
		double kgco2e_per_month; /* operational (location-based) + embodied; the figures per request, token and hour are parts of this total */
		double operational_kgco2e_per_month, embodied_kgco2e_per_month;
		double market_kgco2e_per_month,
			marginal_kgco2e_per_month; /* operational carbon by other accounting methods; absent: the site has no such figure */
		double embodied_low_kgco2e_per_month, embodied_high_kgco2e_per_month;
		double gco2e_per_request, gco2e_per_million_tokens, gco2e_per_thousand_tokens, gco2e_per_thousand_output_tokens, gco2e_per_gpu_hour;
		double grid_gco2e_per_kwh; /* intensity of the operational figure: the site's mean, or the hourly mean weighted by power (E115) */
		double hourly_fraction;    /* part of the hours of the clock that a series covers; absent: no series */
	} carbon;
	double water_l_per_month, water_l_per_request;
	size_t autoscaling_count;
	struct autoscaling_hour autoscaling[168];
	bool has_autoscaled;
	struct {
		double startup_s, gpu_hours_per_month;                 /* hour by hour, starts included; also in the next three members */
		double usd_per_month, kwh_per_month, kgco2e_per_month; /* usd: accelerators only; absent: no price is known */
		double saved_gpu_hours_per_month, saved_usd_per_month, saved_kwh_per_month, saved_kgco2e_per_month;
		bool has_latency, has_cold; /* has_latency: the day was simulated; has_cold: replicas start in the schedule */
		enum truth slo_met;
		struct latencies latency,
			latency_cold_start; /* of a day; of requests during starts, if replicas started only at the beginning of their hour */
	} autoscaled;
	bool has_hosted; /* the cheapest hosted price and the option's own cost are known */
	struct hosted hosted;
	bool has_purchase; /* pricing.on_premises */
	struct purchase purchase;
	bool has_commitment; /* true if offers of more than one term are known */
	struct commitment commitment;
	struct bottleneck_use bottleneck;
	struct figures inputs; /* inputs of cost, energy, carbon and water */
	struct {
		int64_t requests, replications, seed, warmup_requests;            /* all 0: by formulas, not simulated */
		double ttft_half_width_ms, tpot_half_width_ms, e2e_half_width_ms; /* of the 95 % confidence interval, at the promised percentile */
		double prefix_hit_rate; /* part of the prompt tokens that a cache holds; absent: no prefixes were simulated */
	} simulated;
	size_t provenance_count;
	struct provenance provenance[PROVENANCES_MAX];
	struct {
		struct interval output_tokens_per_s, ttft_ms, tpot_ms, usd_per_month, kwh_per_month, kgco2e_per_month, gpu_count;
	} interval;
};

/* A point of the front: a fleet at an offer. */
struct service_point {
	const char *accelerator, *mig_profile; /* mig_profile NULL: whole accelerators */
	int64_t gpu_count, replicas, gpus_per_replica;
	enum precision precision;
	bool has_offer;
	struct offer offer;
	double grid_gco2e_per_kwh, pue; /* of the site */
	double requests_per_s;          /* load at peak */
	double usd_per_hour, usd_per_month, kgco2e_per_month, kwh_per_month;
	double usd_per_million_output_tokens, gco2e_per_request;
	double e2e_ms;                          /* of a request, at the percentile of the slo */
	enum truth simulated;                   /* true: latency and number of replicas are simulated; false: by formulas */
	enum truth cheapest, cleanest, fastest; /* TRUTH_TRUE, else unset */
	double usd_per_t_saved;                 /* as in struct front_point */
};

enum { INFERENCE_OPTIONS_MAX = 32 };

struct inference_plan {
	struct summary summary; /* written by service/summary.c */
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
	size_t shown_count; /* written by service/alternatives.c: what the answer has as `alternatives` */
	struct alternative shown[INFERENCE_OPTIONS_MAX + LEAN_ALTERNATIVES];
	size_t hour_count; /* of the recommended option; 0: neither load nor grid is given by the hour */
	struct service_hour hours[168];
	size_t hosted_count;
	struct hosted hosted[HOSTED_MAX + 1]; /* to compare with the recommended option, the cheapest first */
	size_t front_count;                   /* 0: no price is known */
	struct service_point front[FRONT_POINTS_MAX];
	struct {
		double gpu_count_exact, gpu_count;
		char formula[320];
		double throughput_tokens_per_s_per_gpu;
	} rule_of_thumb;
	struct findings findings;
};

/* Computes an inference plan. Returns STATUS_CANCELLED if the input's `progress` stops it. */
FALLIBLE enum status planner_inference(const struct inference_input *input, struct inference_plan *plan, struct failure *failure);

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
	double output_tokens_per_s, output_tokens_per_s_per_gpu, total_tokens_per_s, requests_per_s, ttft_ms, tpot_ms, max_concurrency;
	struct serving_memory memory;
	struct practice practice;
	struct { /* joules_per_output_token = decode + prefill x prompt tokens / output tokens + idle */
		double mean_w, joules_per_output_token;
		double decode_joules_per_output_token, prefill_joules_per_prompt_token, idle_joules_per_output_token;
	} energy;
	struct {
		struct interval output_tokens_per_s, ttft_ms, tpot_ms;
	} interval;
	struct findings findings;
};

FALLIBLE enum status planner_performance(const struct performance_input *input, struct performance *performance, struct failure *failure);

#endif
