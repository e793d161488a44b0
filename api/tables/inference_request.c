#include "api/tables/shared.h"

#include "api/readers/arrival_reader.h"
#include "planner/replica/demand.h"

#define OF struct serving_parallelism
static const struct field serving_parallelism_rows[] = {
	INTEGER(tensor, 1, 4096, "Tensor-parallel degree"),
	INTEGER(pipeline, 1, 4096, "Pipeline stages"),
	INTEGER(expert, 1, 4096, "Expert-parallel degree"),
	INTEGER(attention_data, 1, 4096,
		"Data-parallel groups of attention inside a replica; tensor x attention_data x pipeline are its accelerators"),
	INTEGER(max_batch, 1, 65536, "Sequences that run at once"),
	INTEGER(chunk_tokens, 1, 1000000, "Prompt tokens in one step"),
	TRUTH(disaggregated, "Prefill and decode on accelerators of their own"),
};
TABLE(serving_parallelism, serving_parallelism_rows,
	"How one replica is split over accelerators; what is left out is searched.");
#undef OF

DECLARE_TABLE(request_trace, struct request_trace);
#define OF struct request_trace
static const struct field request_trace_rows[] = {
	TUPLES(arrivals, count, ARRIVALS_MAX,
		"Requests as [t_s, prompt_tokens, output_tokens], sorted by t_s, a token at least of either kind; a body with them may "
		"have 64 MiB after decompression"),
	SIZE_AS(rows, count, "Requests in the trace"),
	CHARS(sha256, "SHA-256 of the arrivals as compact JSON, [[0,100,20],[1.5,80,30]]"),
};
TABLE(request_trace, request_trace_rows, "Measured requests, instead of rate and token statistics.");
#undef OF

DECLARE_TABLE(slo, MEMBER_TYPE(struct inference_request, slo));
#define OF MEMBER_TYPE(struct inference_request, slo)
static const struct field slo_rows[] = {
	POSITIVE(ttft_ms, 1e8, "Time to the first token", .example = "500"),
	POSITIVE(tpot_ms, 1e8, "Time per output token after the first", .example = "50"),
	POSITIVE(e2e_ms, 1e9, "Time of the whole request"),
	NUMBER(percentile, 50, 99.9, "Share of requests that must keep to it, in per cent", .fallback = "95"),
};
TABLE(slo, slo_rows, "Latency that must be kept.");
#undef OF

DECLARE_TABLE(speculative, MEMBER_TYPE(struct inference_request, speculative));
#define OF MEMBER_TYPE(struct inference_request, speculative)
static const struct field speculative_rows[] = {
	NUMBER(draft_tokens, 1, 64, "Tokens drafted in a step", .flags = REQUIRED),
	NUMBER(acceptance, 0, 1, "Chance of a drafted token to be right when all before it were", .flags = REQUIRED),
};
TABLE(speculative, speculative_rows, "Speculative decoding.");
#undef OF

DECLARE_TABLE(shared_prefix, MEMBER_TYPE(struct inference_request, shared_prefix));
#define OF MEMBER_TYPE(struct inference_request, shared_prefix)
static const struct field shared_prefix_rows[] = {
	COUNT(prefixes, 1, SHARED_PREFIXES_MAX, "Different prefixes (tenants, system prompts, sessions at a time), all as likely",
		.flags = REQUIRED, .example = "50"),
	COUNT(tokens, 1, 1e9, "Tokens of each", .flags = REQUIRED, .example = "600"),
};
TABLE(shared_prefix, shared_prefix_rows, "Prompts that begin alike.");
#undef OF

DECLARE_TABLE(rate_piece, struct rate_piece);
#define OF struct rate_piece
static const struct field rate_piece_rows[] = {
	NUMBER(duration_s, 0.001, 1e7, "How long it lasts", .flags = REQUIRED),
	NUMBER(requests_per_s, 0, 1e8, "Mean load meanwhile", .flags = REQUIRED),
};
TABLE(rate_piece, rate_piece_rows, "A stretch of time and its mean load.");
#undef OF

#define ENGINE                                                                                                         \
	CHOICE(engine, engine_words, "Serving software: KV budget and scheduling rules differ", .fallback = "generic")
#define ENGINE_RELEASE                                                                                                 \
	TEXT(engine_release, 7, "Year and month of that software", .form = FORM_MONTH, .fallback = "the newest known",     \
		.example = "\"2026-06\"")
#define KV_PRECISION                                                                                                   \
	CHOICE(kv_precision, precision_words, "Number format of the KV cache", .fallback = "the engine's own")

DECLARE_TABLE(hosted_api, MEMBER_TYPE(struct inference_request, hosted_api));
#define OF MEMBER_TYPE(struct inference_request, hosted_api)
static const struct field hosted_api_rows[] = {
	NUMBER(input_usd_per_million_tokens, 0, 1e5, "Price of a million tokens of prompts", .example = "0.1"),
	NUMBER(output_usd_per_million_tokens, 0, 1e5, "Price of a million tokens of answers", .example = "0.3"),
};
TABLE(hosted_api, hosted_api_rows, "A price by the token.");
#undef OF

#define OF struct inference_request
static const struct field inference_request_rows[] = {
	MERGE(common, about),
	MERGE(common, request_common),
	MERGE(common, assurance),
	MERGE(common, weight_precision),
	TEXTS(precisions, 8, "Number formats allowed for the weights, of which the best is taken; instead of `precision`", .words = precision_words,
		.word_count = COUNT_OF(precision_words)),
	KV_PRECISION,
	ENGINE,
	ENGINE_RELEASE,
	POSITIVE(queries_per_minute, 1e9, "Mean load at peak", .example = "600"),
	POSITIVE(requests_per_s, 1e8, "The same by the second, instead"),
	OBJECT(prompt_tokens, token_distribution, "Tokens of a prompt"),
	OBJECT(output_tokens, token_distribution, "Tokens of an answer"),
	OBJECT(trace, request_trace, "A measured trace, instead of rate and tokens"),
	OBJECT(slo, slo, "Latency that must be kept"),
	POSITIVE(throughput_tokens_per_s_per_gpu, 1e7, "A measured figure, which replaces the modelled throughput"),
	OBJECT(parallelism, serving_parallelism, "Pins any part of the replica; the rest is searched"),
	NUMBER(prefix_cache_hit_rate, 0, 1, "Share of prompt tokens found in the prefix cache"),
	OBJECT(speculative, speculative, "Speculative decoding"),
	NUMBER(burstiness_cv, 0, 20, "Coefficient of variation of arrival gaps; 1 is Poisson", .fallback = "1"),
	NUMBERS(daily_profile, 168, 0, 1e9, "Load by the hour of a day or week, relative to its largest number, which stands for the peak",
		.lengths = {24, 168}),
	NUMBER(utc_offset_hours, -14, 14, "By which the profile's clock is ahead of UTC, for a grid that is known by the hour; a profile of a week begins on Monday",
		.fallback = "0"),
	LIST(rate_profile, 1000, rate_piece,
		"Mean load piece by piece, repeated, instead of one rate: the busiest piece decides how many replicas carry it, and where it "
		"holds 20,000 requests the slo is judged in it alone"),
	CHOICE(routing, routing_words,
		"Which replica a request goes to: in turns, to the one with the fewest requests, or to where its shared_prefix lies",
		.fallback = "least_outstanding"),
	NUMBER(priority_share, 0, 1,
		"Share of the requests that go ahead of those that wait; the slo is then theirs, and latency_of_rest tells of the rest. "
		"First in, first out unless given"),
	OBJECT(shared_prefix, shared_prefix,
		"Prefixes that prompts share; how much of them caches hold and find follows from memory and routing, instead of "
		"prefix_cache_hit_rate"),
	NUMBER(startup_s, 0, 86400, "From starting a replica to its first request, for the daily profile's schedule",
		.fallback = "60 s and the weights at 1.2 GB/s"),
	CHOICE(redundancy, redundancy_words, "Replicas beyond what the load needs", .fallback = "none"),
	NUMBER(headroom, 0, 0.95, "Share of capacity left free", .fallback = "0.1"),
	POSITIVE(budget_usd_per_month, 1e12, "Options that cost more are left out"),
	OBJECT(hosted_api, hosted_api, "What the same model costs by the token, instead of the catalogue's prices: hosted says where both break even"),
	TRUTH(mig, "Whether slices of an accelerator (MIG) may serve: true as the recommendation, too; false not at all; as alternatives unless given"),
	TEXT(mig_profile, 32, "Only slices of this profile, `1g.10gb`; a name such as `h100-1g.10gb` in `accelerator` asks for the same"),
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
	OBJECT(prompt_tokens, token_distribution, "Tokens of a prompt", .flags = REQUIRED),
	OBJECT(output_tokens, token_distribution, "Tokens of an answer", .flags = REQUIRED),
	NUMBER(concurrency, 1, 1e6, "Closed loop: requests in flight; `max` is saturation",
		.number_word = {"max", CONCURRENCY_MAX}, .example = "64"),
	POSITIVE(requests_per_s, 1e6, "Open loop: arrivals, instead"),
	INTEGER(requests, 1, 1e9, "Length of the run, which starts empty; the steady state unless given"),
	TRUTH(static_batch, "One batch that starts and ends together", .fallback = "false"),
	NUMBER(prefix_cache_hit_rate, 0, 1, "Share of prompt tokens found in the prefix cache", .fallback = "0"),
};
TABLE(performance_request, performance_request_rows, "One replica at one operating point; nothing is sized.");
#undef OF
