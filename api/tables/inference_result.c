#include "api/tables/shared.h"

DECLARE_TABLE(serving_batch, MEMBER_TYPE(struct inference_option, batch));
#define OF MEMBER_TYPE(struct inference_option, batch)
static const struct field serving_batch_rows[] = {
	FIGURE(mean, "Mean number of running sequences"),
	FIGURE(max, "Largest number of running sequences"),
};
TABLE(serving_batch, serving_batch_rows, "Batch of a replica.");
#undef OF

DECLARE_TABLE(percentiles, struct latency);
#define OF struct latency
static const struct field percentile_rows[] = {
	FIGURE(p50, "Median", .always = true),
	FIGURE(p95, "95th percentile", .always = true),
	FIGURE(p99, "99th percentile", .always = true),
};
TABLE(percentiles, percentile_rows, "Percentiles over requests.");
#undef OF

DECLARE_TABLE(latency, struct latencies);
#define OF struct latencies
static const struct field latency_rows[] = {
	OBJECT(ttft_ms, percentiles, "Time to the first token", .always = true),
	OBJECT(tpot_ms, percentiles, "(e2e - ttft) / (output tokens - 1) of each request", .always = true),
	OBJECT(e2e_ms, percentiles, "Time of the whole request", .always = true),
};
TABLE(latency, latency_rows, "Latency.");
#undef OF

DECLARE_TABLE(throughput, MEMBER_TYPE(struct inference_option, throughput));
#define OF MEMBER_TYPE(struct inference_option, throughput)
static const struct field throughput_rows[] = {
	FIGURE(output_tokens_per_s, "Output tokens of the fleet", .always = true),
	FIGURE(output_tokens_per_s_per_gpu, "Output tokens of one accelerator", .always = true),
	FIGURE(total_tokens_per_s, "Prompt and output tokens", .always = true),
	FIGURE(requests_per_s_max, "Largest load that the fleet carries within headroom and slo, with the request's confidence", .always = true),
};
TABLE(throughput, throughput_rows, "Throughput.");
#undef OF

DECLARE_TABLE(serving_currency, MEMBER_TYPE(struct inference_option, cost.currency));
#define OF MEMBER_TYPE(struct inference_option, cost.currency)
static const struct field serving_currency_rows[] = {
	MERGE(rate, currency),
	FIGURE(per_month, "Cost of the fleet for one month"),
	FIGURE(per_million_output_tokens, "Cost of one million output tokens"),
	FIGURE(per_million_tokens, "Cost of one million tokens of prompts and outputs"),
};
TABLE(serving_currency, serving_currency_rows, "The cost in another currency, at the rate of the request.");
#undef OF

DECLARE_TABLE(serving_cost, MEMBER_TYPE(struct inference_option, cost));
#define OF MEMBER_TYPE(struct inference_option, cost)
static const struct field serving_cost_rows[] = {
	FIGURE(usd_per_hour, "Cost of the fleet for one hour, with storage and egress if they are counted"),
	FIGURE(usd_per_month, "Cost of the fleet for one month of 730 hours"),
	FIGURE(usd_per_million_output_tokens, "Cost of one million output tokens"),
	FIGURE(usd_per_million_tokens, "Of prompts and answers"),
	FIGURE(input_usd_per_million_tokens,
		"Price of prompt tokens by their share of the accelerators' time; together with output_usd_per_million_tokens it covers the cost",
		.parts = PART_DETAILS),
	FIGURE(output_usd_per_million_tokens, "Price of output tokens by their share of the accelerators' time", .parts = PART_DETAILS),
	FIGURE(accelerators_usd_per_month,
		"Part of the cost for accelerators with their hosts; for a spot offer, including the hours lost to interruptions",
		.parts = PART_DETAILS),
	FIGURE(storage_usd_per_month, "Part of the cost for storage; present if pricing has a price for it"),
	FIGURE(egress_usd_per_month, "Part of the cost for egress; present if pricing has a price for it"),
	OBJECT_IF(offer, has_offer, offer, "Offer used for the price"),
	OBJECT_IF(currency, has_currency, serving_currency, "The cost in another currency, if the request has a rate"),
};
TABLE(serving_cost, serving_cost_rows, "Cost.");
#undef OF

DECLARE_TABLE(serving_energy, MEMBER_TYPE(struct inference_option, energy));
#define OF MEMBER_TYPE(struct inference_option, energy)
static const struct field serving_energy_rows[] = {
	FIGURE(mean_w, "Mean power of the fleet, facility included"),
	FIGURE(mean_gpu_w, "Mean power of one accelerator, over used, idle and spare ones", .parts = PART_DETAILS),
	FIGURE(kwh_per_month, "Energy of the facility: IT energy times PUE"),
	FIGURE(it_kwh_per_month, "Energy of accelerators, hosts and network"),
	FIGURE(wh_per_request, "Energy per request"),
	FIGURE(joules_per_output_token, "Energy per output token"),
	FIGURE(joules_per_token, "Energy per token of prompts and outputs", .parts = PART_DETAILS),
};
TABLE(serving_energy, serving_energy_rows, "Energy.");
#undef OF

DECLARE_TABLE(serving_carbon, MEMBER_TYPE(struct inference_option, carbon));
#define OF MEMBER_TYPE(struct inference_option, carbon)
static const struct field serving_carbon_rows[] = {
	FIGURE(kgco2e_per_month, "Operational (location-based) plus embodied carbon"),
	FIGURE(operational_kgco2e_per_month, "Operational carbon of the electricity, location-based"),
	FIGURE(embodied_kgco2e_per_month, "Embodied carbon of the hardware"),
	FIGURE(embodied_low_kgco2e_per_month, "Embodied carbon with the lowest published figures and the longest life", .parts = PART_DETAILS),
	FIGURE(embodied_high_kgco2e_per_month, "Embodied carbon with the highest published figures and the shortest life", .parts = PART_DETAILS),
	FIGURE(market_kgco2e_per_month, "Operational carbon of the electricity, market-based; present if the region has that figure"),
	FIGURE(marginal_kgco2e_per_month,
		"Operational carbon of the electricity at the marginal intensity; present if the region has that figure"),
	FIGURE(gco2e_per_request, "Software carbon intensity: operational and embodied carbon per request"),
	FIGURE(gco2e_per_thousand_tokens, "Software carbon intensity per thousand tokens of prompts and outputs", .parts = PART_DETAILS),
	FIGURE(gco2e_per_thousand_output_tokens, "Software carbon intensity per thousand output tokens", .parts = PART_DETAILS),
	FIGURE(gco2e_per_gpu_hour, "Software carbon intensity per accelerator-hour", .parts = PART_DETAILS),
	FIGURE(grid_gco2e_per_kwh,
		"Carbon intensity used for the operational figure: the site's mean, or the mean over its hours, weighted by power"),
	FIGURE(hourly_fraction, "Fraction of the hours with data from a series; the site's mean is used for the others"),
	FIGURE(gco2e_per_million_tokens, "Software carbon intensity per million tokens of prompts and outputs", .parts = PART_DETAILS),
};
TABLE(serving_carbon, serving_carbon_rows, "Carbon.");
#undef OF

DECLARE_TABLE(autoscaling_hour, struct autoscaling_hour);
#define OF struct autoscaling_hour
static const struct field autoscaling_hour_rows[] = {
	INTEGER(hour, 0, 167, "Hour of the day or week"),
	INTEGER(replicas, 0, 9e15, "Replicas that run at the start of the hour, spare ones included"),
	INTEGER(starting, 0, 9e15, "Replicas that start during the hour, to be ready for the next hour"),
	INTEGER(prefill_replicas, 1, 9e15, "Prefill-only replicas among `replicas`"),
	FIGURE(requests_per_s, "Load"),
};
TABLE(autoscaling_hour, autoscaling_hour_rows, "The replicas of one hour.");
#undef OF

DECLARE_TABLE(autoscaled, MEMBER_TYPE(struct inference_option, autoscaled));
#define OF MEMBER_TYPE(struct inference_option, autoscaled)
static const struct field autoscaled_rows[] = {
	FIGURE(startup_s, "Time from the start of a replica to its first request"),
	FIGURE(gpu_hours_per_month, "Accelerator-hours of the schedule, including replicas that are starting"),
	FIGURE(usd_per_month, "Cost of the accelerators with the schedule"),
	FIGURE(kwh_per_month, "Energy with the schedule"),
	FIGURE(kgco2e_per_month, "Carbon with the schedule"),
	FIGURE(saved_gpu_hours_per_month, "Accelerator-hours saved, compared with the peak's fleet all day"),
	FIGURE(saved_usd_per_month, "Cost saved"),
	FIGURE(saved_kwh_per_month, "Energy saved"),
	FIGURE(saved_kgco2e_per_month, "Carbon saved"),
	TRUTH(slo_met, "Whether the slo is met over the peak day when the schedule is followed", .flags = READ_ONLY),
	OBJECT_IF(latency, has_latency, latency,
		"Latency over the peak day, simulated with replicas as slow as the request's confidence requires. Replicas start before their hour; replicas that stop finish their requests first"),
	OBJECT_IF(latency_cold_start, has_cold, latency,
		"Latency of requests that arrive while replicas start, if replicas started only at the beginning of their hour"),
};
TABLE(autoscaled, autoscaled_rows, "The savings of a fleet that follows the daily profile.");
#undef OF

DECLARE_TABLE(committed_offer, struct committed_offer);
#define OF struct committed_offer
static const struct field committed_offer_rows[] = {
	OBJECT(offer, offer, "The offer"),
	INTEGER(instances, 0, 9e15, "Committed instances, paid every hour"),
	INTEGER(peak_instances, 0, 9e15, "Instances paid by use in the hour with the highest demand"),
	FIGURE(usd_per_hour, "Price of one instance; for spot, including the hours lost to interruptions"),
	FIGURE(break_even_utilization, "Fraction of the hours above which the commitment is cheaper than paying by use"),
};
TABLE(committed_offer, committed_offer_rows, "The instances of one offer.");
#undef OF

DECLARE_TABLE(commitment, struct commitment);
#define OF struct commitment
static const struct field commitment_rows[] = {
	FIGURE(usd_per_hour, "Mean cost over the daily profile"),
	FIGURE(committed_usd_per_hour, "Part of the cost for committed instances"),
	FIGURE(used_usd_per_hour, "Part of the cost for instances paid by use"),
	FIGURE(usd_per_month, "Mean cost of one month"),
	FIGURE(uncommitted_usd_per_month, "Cost of one month if all instances were paid by use, hour by hour"),
	FIGURE(saved_usd_per_month, "Cost saved compared with uncommitted_usd_per_month"),
	FIGURE(committed_utilization, "Mean fraction of the committed capacity that is used"),
	ARRAY_AS(offers, offers, offer_count, committed_offer, "Instances to take from each offer"),
};
TABLE(commitment, commitment_rows, "The cheapest mix of commitments and of instances paid by use over the daily profile.");
#undef OF

DECLARE_TABLE(simulated, MEMBER_TYPE(struct inference_option, simulated));
#define OF MEMBER_TYPE(struct inference_option, simulated)
static const struct field simulated_rows[] = {
	INTEGER(requests, 0, 1e15, "Number of simulated requests; 0 if the answer is computed by formulas"),
	INTEGER(replications, 0, 1e9, "Number of independent runs"),
	INTEGER(seed, 0, 9e15, "Random seed of the first run"),
	INTEGER(warmup_requests, 0, 1e15, "Requests ignored at the start of each run"),
	FIGURE(ttft_half_width_ms, "Half width of the 95 % confidence interval of ttft_ms, at the slo's percentile"),
	FIGURE(tpot_half_width_ms, "Half width of the 95 % confidence interval of tpot_ms, at the slo's percentile"),
	FIGURE(e2e_half_width_ms, "Half width of the 95 % confidence interval of e2e_ms, at the slo's percentile"),
	FIGURE(prefix_hit_rate, "Fraction of prompt tokens found in a prefix cache; present if shared_prefix was simulated"),
};
TABLE(simulated, simulated_rows, "Details of the simulation of latencies.");
#undef OF

DECLARE_TABLE(inference_intervals, MEMBER_TYPE(struct inference_option, interval));
#define OF MEMBER_TYPE(struct inference_option, interval)
static const struct field inference_interval_rows[] = {
	OBJECT(output_tokens_per_s, interval, "Throughput of the fleet"),
	OBJECT(ttft_ms, interval, "Median time to the first token"),
	OBJECT(tpot_ms, interval, "Median time per output token"),
	OBJECT(usd_per_month, interval, "Cost"),
	OBJECT(kwh_per_month, interval, "Energy"),
	OBJECT(kgco2e_per_month, interval, "Carbon"),
	OBJECT(gpu_count, interval,
		"Accelerators. p50 is the recommended number, which meets load and slo with `confidence`; p10 and p90 are the numbers needed if the throughput is at the ends of its interval"),
};
TABLE(inference_intervals, inference_interval_rows, "Intervals of figures.");
#undef OF

#define OF struct service_promise
static const struct field service_promise_rows[] = {
	TEXT(what, 16, "Limit: load, slo, budget, energy_cap or carbon_cap", .always = true),
	TEXT(member, 16, "Member of the slo: ttft_ms, tpot_ms or e2e_ms"),
	FIGURE(limit, "Value in the request: requests/s, ms at the slo's percentile, USD, kWh or kg, each of these three for one month",
		.always = true),
	FIGURE(probability, "Probability that this option meets the limit", .always = true),
};
DECLARE_TABLE(service_promise, struct service_promise);
TABLE(service_promise, service_promise_rows, "A limit of the request, and the probability that it is met.");
#undef OF

#define OF struct service_confidence
static const struct field service_confidence_rows[] = {
	FIGURE(confidence, "Probability of meeting the limits"),
	INTEGER(gpu_count, 1, 9e15, "Accelerators that meet load and slo with this probability, in the recommended option's layout"),
	FIGURE(requests_per_s,
		"Load that these accelerators carry; if the request gives gpu_count, the load that it carries with this probability"),
	FIGURE(usd_per_month, "Cost that is not exceeded with this probability"),
};
DECLARE_TABLE(service_confidence, struct service_confidence);
TABLE(service_confidence, service_confidence_rows,
	"The cost of a confidence: the best fleet for each, over all requested accelerators, searched and simulated like the recommended one. Caps apply only to the request's own confidence.");
#undef OF

#define OF struct service_uncertainty
static const struct field service_uncertainty_rows[] = {
	TEXT(field, 64, "Unknown quantity: throughput, a part of practice, or price"),
	FIGURE(gpu_count, "Accelerators that it adds to the number for the request's confidence, not rounded to whole replicas"),
	FIGURE(usd_per_month, "Cost that it adds to the cost for the request's confidence"),
	TEXT(cure, 240, "Measurement or information that would reduce it"),
};
DECLARE_TABLE(service_uncertainty, struct service_uncertainty);
TABLE(service_uncertainty, service_uncertainty_rows, "An uncertainty, its cost, and how to reduce it.");
#undef OF

DECLARE_TABLE(hosted_price, struct hosted_price);
#define OF struct hosted_price
static const struct field hosted_price_rows[] = {
	TEXT(provider, 64, "Provider; `request` for a price in the request"),
	TEXT(name, 128, "Name of the model at the provider"),
	FIGURE(input_usd_per_million_tokens, "Price of one million prompt tokens"),
	FIGURE(output_usd_per_million_tokens, "Price of one million output tokens"),
	TEXT(as_of, 32, "Date of the price"),
	TEXT(source, 240, "Source of the price"),
};
TABLE(hosted_price, hosted_price_rows, "A published price per token.");
#undef OF

DECLARE_TABLE(hosted, struct hosted);
#define OF struct hosted
static const struct field hosted_rows[] = {
	MERGE(price, hosted_price),
	FIGURE(usd_per_month, "Cost of this load for one month at the price per token"),
	FIGURE(usd_per_million_tokens,
		"Price of one million tokens of prompts and outputs, mixed as in this load; break-even: cost.usd_per_million_tokens of the option"),
	FIGURE(own_over_hosted, "The option's cost over the hosted cost; below 1 the option is cheaper"),
	FIGURE(break_even_input_usd_per_million_tokens,
		"Price of prompt tokens at which both cost the same, with the provider's ratio of prompt to output price"),
	FIGURE(break_even_output_usd_per_million_tokens, "Price of output tokens at which both cost the same"),
	FIGURE(break_even_requests_per_s, "Mean load of the option's fleet at which both cost the same; absent: more than the fleet carries"),
};
TABLE(hosted, hosted_rows, "The same model from a provider, priced per token.");
#undef OF

#define OF struct inference_option
static const struct field service_size_rows[] = {
	OBJECT(accelerator, accelerator_id, "Accelerator", .always = true),
	INTEGER(gpu_count, 1, 9e15, "Accelerators", .always = true),
	INTEGER(replicas, 1, 9e15, "Replicas", .always = true),
};
DECLARE_TABLE(service_size, struct inference_option);
TABLE(service_size, service_size_rows, "The accelerators and replicas of an option.");

static const struct field service_figures_rows[] = {
	INTEGER(gpus_per_replica, 1, 4096, "Accelerators of a replica", .always = true),
	INTEGER(gpus_paid, 1, 9e15,
		"Accelerators in the rented whole instances. Those beyond gpu_count idle; cost, energy, carbon and water include them"),
	INTEGER(prefill_replicas, 1, 9e15, "Prefill-only replicas among `replicas`, if prefill and decode are separate"),
	TEXT(mig_profile, 32,
		"MIG profile of the slices, if accelerators are split. A replica is then one accelerator with an engine on each slice; memory, batch and latency are those of one engine"),
	INTEGER(slices_per_gpu, 1, 16, "MIG slices of one accelerator"),
	CHOICE(precision, precision_words, "Number format of the weights", .always = true),
	CHOICE(kv_precision, precision_words, "Number format of the KV cache"),
	OBJECT(parallelism, serving_parallelism, "Complete layout of a replica", .always = true),
	OBJECT(memory, serving_memory, "Memory of one accelerator", .parts = PART_DETAILS),
	OBJECT(batch, serving_batch, "Batch of a replica"),
	OBJECT(latency, latency, "Latency", .always = true),
	OBJECT_IF(latency_of_rest, has_rest, latency, "Latency of requests without priority; `latency` is then that of requests with priority"),
	BOOL(slo_met, "Whether the option meets the slo with the request's confidence"),
	OBJECT(throughput, throughput, "Throughput", .always = true),
	FIGURE(utilization, "Load over the fleet's capacity at the recipe's speed"),
	OBJECT(practice, practice,
		"Capacity that a service needs, over the capacity that the recipe's engine needs for the given load; latency and throughput do not include it",
		.always = true),
	ARRAY_IN_CELL(
		promises, promises, promise_count, service_promise, "The load and the request's limits, each with the probability that it is met"),
	OBJECT(cost, serving_cost, "Cost; without figures if no price is known"),
	OBJECT_IF(hosted, has_hosted, hosted, "The cheapest known price per token of the same model", .parts = PART_DETAILS),
	OBJECT_IF(purchase, has_purchase, purchase, "Buying the hardware, if pricing.on_premises is given"),
	OBJECT(energy, serving_energy, "Energy"),
	OBJECT(carbon, serving_carbon, "Carbon"),
	FIGURE(water_l_per_month, "Water, used on site and to generate the electricity"),
	FIGURE(water_l_per_request, "Water per request"),
	ARRAY_AS(autoscaling, autoscaling, autoscaling_count, autoscaling_hour, "Replicas by the hour of the daily profile",
		.parts = PART_AUTOSCALING),
	OBJECT_IF(autoscaled, has_autoscaled, autoscaled,
		"Savings of a fleet that follows the profile; the option's other figures are for the peak's fleet all day", .parts = PART_AUTOSCALING),
	OBJECT_IF(commitment, has_commitment, commitment, "Instances to commit to over the daily profile, by the provider's terms",
		.parts = PART_AUTOSCALING),
	OBJECT(bottleneck, bottleneck, "Bottleneck"),
	OBJECT(simulated, simulated, "Details of the simulation of latencies", .parts = PART_DETAILS),
	MAP_AS(inputs, inputs.items, inputs.count, figure, "Inputs of cost, energy, carbon and water, by their names in the request",
		.parts = PART_INPUTS | PART_DETAILS),
	MAP(provenance, provenance_count, provenance, "Sources of figures, by JSON pointer in the option",
		.parts = PART_PROVENANCE | PART_DETAILS),
	OBJECT(interval, inference_intervals, "Intervals of figures"),
};
DECLARE_TABLE(service_figures, struct inference_option);
TABLE(service_figures, service_figures_rows, "The other figures of an option.");

static const struct field inference_option_rows[] = {MERGE_SELF(service_size), MERGE_SELF(service_figures)};
TABLE(inference_option, inference_option_rows, "A fleet that serves the load.");
#undef OF

DECLARE_TABLE(inference_workload, MEMBER_TYPE(struct inference_plan, workload));
#define OF MEMBER_TYPE(struct inference_plan, workload)
static const struct field inference_workload_rows[] = {
	FIGURE(params_total, "Number of parameters", .always = true),
	FIGURE(params_active, "Parameters used for one token", .always = true),
	FIGURE(weights_bytes, "Weights", .always = true),
	FIGURE(kv_bytes_per_token, "KV cache of one token", .always = true),
	FIGURE(flops_per_output_token, "FLOPs of the forward pass of one output token", .always = true),
	FIGURE(flops_per_prompt, "FLOPs of the forward pass of a mean prompt", .always = true),
};
TABLE(inference_workload, inference_workload_rows, "The work of one request for the hardware.");
#undef OF

DECLARE_TABLE(inference_rule, MEMBER_TYPE(struct inference_plan, rule_of_thumb));
#define OF MEMBER_TYPE(struct inference_plan, rule_of_thumb)
static const struct field inference_rule_rows[] = {
	FIGURE(gpu_count_exact, "Accelerators by the rule, before rounding"),
	FIGURE(gpu_count, "Accelerators by the rule"),
	CHARS(formula, "The rule with its numbers, and the reason why it differs from the model", .always = true),
	FIGURE(throughput_tokens_per_s_per_gpu, "Throughput that the rule assumes"),
};
TABLE(inference_rule, inference_rule_rows, "The rule of thumb, for comparison.");
#undef OF

DECLARE_TABLE(service_hour, struct service_hour);
#define OF struct service_hour
static const struct field service_hour_rows[] = {
	INTEGER(hour, 0, 167, "Hour of the day or week"),
	FIGURE(requests_per_s, "Load"),
	FIGURE(kwh_per_month, "Energy, facility included, of all such hours of one month"),
	FIGURE(grid_gco2e_per_kwh, "Carbon intensity of the grid"),
	FIGURE(operational_kgco2e_per_month, "Carbon of that electricity"),
};
TABLE(service_hour, service_hour_rows, "One hour of the day or week.");
#undef OF

DECLARE_TABLE(service_point, struct service_point);
#define OF struct service_point
static const struct field service_point_rows[] = {
	TEXT(accelerator, 128, "Accelerator"),
	TEXT(mig_profile, 32, "Where accelerators are split (MIG): the profile of their slices"),
	INTEGER(gpu_count, 1, 9e15, "Accelerators"),
	INTEGER(replicas, 1, 9e15, "Replicas"),
	INTEGER(gpus_per_replica, 1, 4096, "Accelerators of a replica"),
	CHOICE(precision, precision_words, "Number format of the weights"),
	OBJECT_IF(offer, has_offer, offer, "The offer: provider, region and term"),
	FIGURE(grid_gco2e_per_kwh, "Carbon intensity of the grid in the offer's region"),
	FIGURE(pue, "Power usage effectiveness in the offer's region"),
	FIGURE(requests_per_s, "Load that the fleet carries"),
	FIGURE(usd_per_hour, "Cost"),
	FIGURE(usd_per_month, "Cost"),
	FIGURE(kgco2e_per_month, "Operational (location-based) plus embodied carbon"),
	FIGURE(kwh_per_month, "Energy"),
	FIGURE(usd_per_million_output_tokens, "Cost of one million output tokens"),
	FIGURE(gco2e_per_request, "Carbon per request"),
	FIGURE(e2e_ms, "Time of a request at the slo's percentile, not exceeded with the request's confidence"),
	TRUTH(simulated, "Whether replicas and times are simulated; false: computed by formulas"),
	TRUTH(cheapest, "Whether no other option costs less"),
	TRUTH(cleanest, "Whether no other option emits less"),
	TRUTH(fastest, "Whether no other option answers faster by a tenth"),
	FIGURE(usd_per_t_saved, "Cost of each tonne saved compared with the next cheaper option on the front of cost and carbon"),
};
TABLE(service_point, service_point_rows, "A fleet on the front.");
#undef OF

#define OF struct alternative
static const struct field service_alternative_rows[] = {
	TEXT(accelerator, 128, "Accelerator", .always = true),
	INTEGER(gpu_count, 1, 9e15, "Accelerators", .always = true),
	INTEGER(replicas, 1, 9e15, "Replicas", .always = true),
	FIGURE(usd_per_month, "Cost of one month"),
	FIGURE(total_kwh, "Energy of one month"),
	FIGURE(total_kgco2e, "Carbon of one month"),
	TEXT(provider, 64, "Provider of the offer, if the place is another one than the recommended option's"),
	TEXT(region, 64, "Region of that offer; without a price there is none"),
	CHARS(reason, "What is different from the recommended option", .always = true),
	MERGE_POINTED(service, service_figures, .parts = PART_ALTERNATIVES),
};
DECLARE_TABLE(service_alternative, struct alternative);
TABLE(service_alternative, service_alternative_rows,
	"A different option: another accelerator, another number or another place. With `expand=alternatives` it has all figures of an option.");
#undef OF

#define OF struct inference_plan
static const struct field inference_result_rows[] = {
	OBJECT(summary, inference_summary, "The answer in a few sentences, and its figures", .always = true),
	OBJECT(workload, inference_workload, "Work of one request for the hardware", .always = true),
	OBJECT(recommended, inference_option, "Best option for the objective", .always = true),
	ARRAY_AS(confidence_curve, confidence_curve, confidence_count, service_confidence,
		"Cost of 50, 80 and 95 % confidence and of the request's own", .parts = PART_CONFIDENCE),
	ARRAY_AS(uncertainties, uncertainties, uncertainty_count, service_uncertainty,
		"Uncertainties of the recommended option, the costliest first, and how to reduce them", .parts = PART_CONFIDENCE),
	ARRAY_AS(alternatives, shown, shown_count, service_alternative,
		"Other options: first up to three that are really different, the best first; then more", .parts = PART_ALTERNATIVES,
		.lean_items = LEAN_ALTERNATIVES, .lean_key = "reason", .lean_ends = similar_reasons),
	ARRAY_AS(hours, hours, hour_count, service_hour,
		"Load, energy and carbon of the recommended option for each hour of the day or week, if its load (daily_profile) or its grid (site.series) has hourly data; the sum is that of one month",
		.parts = PART_AUTOSCALING),
	ARRAY_AS(front, front, front_count, service_point,
		"The Pareto front over cost, carbon and the time of a request (in steps of a tenth), from every accelerator, layout and usable offer; cheapest first, with the cost of a tonne saved from one to the next. If gpu_count is given without a load, the figures compared are per request",
		.parts = PART_FRONT),
	ARRAY_AS(hosted, hosted, hosted_count, hosted,
		"The recommended option compared with the same model from providers, priced per token: the known prices, or the request's, cheapest first",
		.parts = PART_DETAILS),
	OBJECT(rule_of_thumb, inference_rule, "The rule of thumb, for comparison", .always = true),
	MERGE(findings, findings),
};
TABLE(inference_result, inference_result_rows,
	"The answer to an inference request. Without `expand` an estimate has summary, workload, recommended (without memory, inputs, provenance and secondary figures), rule_of_thumb, up to three alternatives in short, five assumptions and the warnings.");
#undef OF

DECLARE_TABLE(performance_energy, MEMBER_TYPE(struct performance, energy));
#define OF MEMBER_TYPE(struct performance, energy)
static const struct field performance_energy_rows[] = {
	FIGURE(mean_w, "Mean power of the replica"),
	FIGURE(joules_per_output_token, "Energy per output token, its prompt and idle time included"),
	FIGURE(decode_joules_per_output_token, "Part of joules_per_output_token for decoding"),
	FIGURE(prefill_joules_per_prompt_token, "Energy to prefill one prompt token"),
	FIGURE(idle_joules_per_output_token, "Part of joules_per_output_token drawn between steps, while the replica waits for requests"),
};
TABLE(performance_energy, performance_energy_rows, "The energy of a replica.");
#undef OF

DECLARE_TABLE(performance_intervals, MEMBER_TYPE(struct performance, interval));
#define OF MEMBER_TYPE(struct performance, interval)
static const struct field performance_interval_rows[] = {
	OBJECT(output_tokens_per_s, interval, "Throughput"),
	OBJECT(ttft_ms, interval, "Time to the first token"),
	OBJECT(tpot_ms, interval, "Time per output token"),
};
TABLE(performance_intervals, performance_interval_rows, "Intervals of figures.");
#undef OF

#define OF struct performance
static const struct field performance_result_rows[] = {
	FIGURE(output_tokens_per_s, "Output tokens"),
	FIGURE(output_tokens_per_s_per_gpu, "Output tokens of one accelerator"),
	FIGURE(total_tokens_per_s, "Prompt and output tokens"),
	FIGURE(requests_per_s, "Requests completed"),
	FIGURE(ttft_ms, "Time to the first token, mean over the run"),
	FIGURE(tpot_ms, "Time per output token, mean over the run"),
	FIGURE(max_concurrency, "Requests that fit in the KV cache"),
	OBJECT(memory, serving_memory, "Memory of one accelerator"),
	OBJECT(practice, practice, "Factor by which steps take longer than the recipe's; the figures include it"),
	OBJECT(energy, performance_energy, "Energy"),
	OBJECT(interval, performance_intervals, "Intervals of figures"),
	MERGE(findings, findings),
};
TABLE(performance_result, performance_result_rows, "The performance of one replica at one operating point.");
#undef OF
