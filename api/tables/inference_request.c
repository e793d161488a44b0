#include "api/tables/shared.h"

#include "api/readers/arrival_reader.h"
#include "planner/replica/demand.h"

#define OF struct serving_parallelism
static const struct field serving_parallelism_rows[] = {
	INTEGER(tensor, 1, 4096, "Tensor-parallel degree"),
	INTEGER(pipeline, 1, 4096, "Pipeline stages"),
	INTEGER(expert, 1, 4096, "Expert-parallel degree"),
	INTEGER(attention_data, 1, 4096,
		"Data-parallel groups of attention in a replica; a replica has tensor x attention_data x pipeline accelerators"),
	INTEGER(max_batch, 1, 65536, "Largest number of sequences that run at the same time"),
	INTEGER(chunk_tokens, 1, 1000000, "Prompt tokens processed in one step"),
	TRUTH(disaggregated, "Whether prefill and decode run on separate accelerators"),
};
TABLE(serving_parallelism, serving_parallelism_rows,
	"How one replica is split over accelerators; the planner searches the fields that are left out.");
#undef OF

DECLARE_TABLE(request_trace, struct request_trace);
#define OF struct request_trace
static const struct field request_trace_rows[] = {
	TUPLES(arrivals, count, ARRIVALS_MAX,
		"Requests as [t_s, prompt_tokens, output_tokens], sorted by t_s, with at least one prompt token and one output token each; a body with arrivals may have 64 MiB after decompression"),
	SIZE_AS(rows, count, "Number of requests in the trace"),
	CHARS(sha256, "SHA-256 of the arrivals as compact JSON, [[0,100,20],[1.5,80,30]]"),
};
TABLE(request_trace, request_trace_rows, "Measured requests, instead of a rate and token statistics.");
#undef OF

DECLARE_TABLE(slo, MEMBER_TYPE(struct inference_request, slo));
#define OF MEMBER_TYPE(struct inference_request, slo)
static const struct field slo_rows[] = {
	POSITIVE(ttft_ms, 1e8, "Time to the first token", .example = "500"),
	POSITIVE(tpot_ms, 1e8, "Time per output token after the first", .example = "50"),
	POSITIVE(e2e_ms, 1e9, "Time of the whole request"),
	NUMBER(percentile, 50, 99.9, "Percentage of requests that must meet the limits", .fallback = "95"),
};
TABLE(slo, slo_rows, "Latency limits.");
#undef OF

DECLARE_TABLE(speculative, MEMBER_TYPE(struct inference_request, speculative));
#define OF MEMBER_TYPE(struct inference_request, speculative)
static const struct field speculative_rows[] = {
	NUMBER(draft_tokens, 1, 64, "Tokens drafted in one step", .flags = REQUIRED),
	NUMBER(acceptance, 0, 1, "Probability that a drafted token is accepted when all drafted tokens before it were", .flags = REQUIRED),
};
TABLE(speculative, speculative_rows, "Speculative decoding.");
#undef OF

DECLARE_TABLE(shared_prefix, MEMBER_TYPE(struct inference_request, shared_prefix));
#define OF MEMBER_TYPE(struct inference_request, shared_prefix)
static const struct field shared_prefix_rows[] = {
	COUNT(prefixes, 1, SHARED_PREFIXES_MAX, "Number of different prefixes (tenants, system prompts, concurrent sessions), all equally likely",
		.flags = REQUIRED, .example = "50"),
	COUNT(tokens, 1, 1e9, "Tokens in each prefix", .flags = REQUIRED, .example = "600"),
};
TABLE(shared_prefix, shared_prefix_rows, "Prefixes that prompts share.");
#undef OF

DECLARE_TABLE(rate_piece, struct rate_piece);
#define OF struct rate_piece
static const struct field rate_piece_rows[] = {
	NUMBER(duration_s, 0.001, 1e7, "Duration of the piece", .flags = REQUIRED),
	NUMBER(requests_per_s, 0, 1e8, "Mean load during the piece", .flags = REQUIRED),
};
TABLE(rate_piece, rate_piece_rows, "A period and its mean load.");
#undef OF

#define ENGINE CHOICE(engine, engine_words, "Serving software; it determines the KV budget and the scheduling rules", .fallback = "generic")
#define ENGINE_RELEASE \
	TEXT(engine_release, 7, "Year and month of the engine's release", .form = FORM_MONTH, .fallback = "the newest known", \
		.example = "\"2026-06\"")
#define KV_PRECISION CHOICE(kv_precision, precision_words, "Number format of the KV cache", .fallback = "the engine's own")

DECLARE_TABLE(hosted_api, MEMBER_TYPE(struct inference_request, hosted_api));
#define OF MEMBER_TYPE(struct inference_request, hosted_api)
static const struct field hosted_api_rows[] = {
	NUMBER(input_usd_per_million_tokens, 0, 1e5, "Price of one million prompt tokens", .example = "0.1"),
	NUMBER(output_usd_per_million_tokens, 0, 1e5, "Price of one million output tokens", .example = "0.3"),
};
TABLE(hosted_api, hosted_api_rows, "A price per token.");
#undef OF

#define OF struct inference_request
static const struct field inference_request_rows[] = {
	MERGE(common, about),
	MERGE(common, request_common),
	MERGE(common, assurance),
	MERGE(common, expansion),
	MERGE(common, weight_precision),
	TEXTS(precisions, 8, "Number formats allowed for the weights; the planner takes the best. Instead of `precision`",
		.words = precision_words, .word_count = COUNT_OF(precision_words)),
	KV_PRECISION,
	ENGINE,
	ENGINE_RELEASE,
	POSITIVE(queries_per_minute, 1e9, "Mean load at the peak", .example = "600"),
	POSITIVE(requests_per_s, 1e8, "Mean load at the peak, instead of queries_per_minute"),
	OBJECT(prompt_tokens, token_distribution, "Tokens in a prompt"),
	OBJECT(output_tokens, token_distribution, "Tokens in an answer"),
	OBJECT(trace, request_trace, "A measured trace, instead of rate and token counts"),
	OBJECT(slo, slo, "Latency limits"),
	POSITIVE(throughput_tokens_per_s_per_gpu, 1e7, "Measured throughput; replaces the modelled figure"),
	OBJECT(parallelism, serving_parallelism, "Fixes any part of the replica's layout; the planner searches the rest"),
	NUMBER(prefix_cache_hit_rate, 0, 1, "Fraction of prompt tokens found in the prefix cache"),
	OBJECT(speculative, speculative, "Speculative decoding"),
	NUMBER(burstiness_cv, 0, 20, "Coefficient of variation of the gaps between arrivals; 1 is Poisson", .fallback = "1"),
	NUMBERS(daily_profile, 168, 0, 1e9, "Load for each hour of a day or week, relative to the largest number, which is the peak",
		.lengths = {24, 168}),
	NUMBER(utc_offset_hours, -14, 14,
		"Offset of the profile's clock from UTC, positive if ahead; used for a grid with hourly data. A weekly profile begins on Monday",
		.fallback = "0"),
	LIST(rate_profile, 1000, rate_piece,
		"Mean load for each piece of time, repeated, instead of one rate. The busiest piece determines the number of replicas. If that piece has 20,000 requests, the slo is checked in it alone"),
	CHOICE(routing, routing_words,
		"How requests are routed to replicas: round_robin: in turns; least_outstanding: to the replica with the fewest requests; prefix_aware: to the replica that caches the request's shared_prefix",
		.fallback = "least_outstanding"),
	NUMBER(priority_share, 0, 1,
		"Fraction of requests with priority over waiting ones. The slo then applies to these, and latency_of_rest is the latency of the others. Default: first in, first out"),
	OBJECT(shared_prefix, shared_prefix,
		"Prefixes that prompts share. Memory and routing determine the cache hit rate, instead of prefix_cache_hit_rate"),
	NUMBER(startup_s, 0, 86400, "Time from the start of a replica to its first request, for the schedule of the daily profile",
		.fallback = "60 s and the weights at 1.2 GB/s"),
	CHOICE(redundancy, redundancy_words, "Spare replicas", .fallback = "none"),
	NUMBER(headroom, 0, 0.95, "Fraction of the capacity that stays free", .fallback = "0.1"),
	POSITIVE(budget_usd_per_month, 1e12, "Upper limit of the cost of a month; options above it are left out"),
	OBJECT(hosted_api, hosted_api,
		"Price per token of the same model from a provider, instead of the catalogue's; `hosted` in the result gives the break-even"),
	TRUTH(mig,
		"Whether slices of an accelerator (MIG) may serve. true: also as the recommendation; false: never; absent: only as alternatives"),
	TEXT(mig_profile, 32, "Restricts MIG to slices of this profile, `1g.10gb`; a name such as `h100-1g.10gb` in `accelerator` does the same"),
};
TABLE(inference_request, inference_request_rows, "A service to plan.");
#undef OF

#define OF struct performance_request
static const struct field performance_request_rows[] = {
	MERGE(common, replica_common),
	MERGE(common, weight_precision),
	KV_PRECISION,
	ENGINE,
	ENGINE_RELEASE,
	OBJECT(parallelism, serving_parallelism, "Layout; tensor x attention_data x pipeline = gpu_count"),
	OBJECT(prompt_tokens, token_distribution, "Tokens in a prompt", .flags = REQUIRED),
	OBJECT(output_tokens, token_distribution, "Tokens in an answer", .flags = REQUIRED),
	NUMBER(concurrency, 1, 1e6, "Closed loop: requests in flight; `max`: as many as saturate the replica",
		.number_word = {"max", CONCURRENCY_MAX}, .example = "64"),
	POSITIVE(requests_per_s, 1e6, "Open loop: arrival rate, instead of concurrency"),
	INTEGER(requests, 1, 1e9, "Number of requests in the run, which starts empty; default: the steady state"),
	TRUTH(static_batch, "Whether all requests form one batch that starts and ends together", .fallback = "false"),
	NUMBER(prefix_cache_hit_rate, 0, 1, "Fraction of prompt tokens found in the prefix cache", .fallback = "0"),
};
TABLE(performance_request, performance_request_rows, "One replica at one operating point, without sizing.");
#undef OF
