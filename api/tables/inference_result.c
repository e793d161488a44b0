#include "api/tables/shared.h"

DECLARE_TABLE(serving_batch, MEMBER_TYPE(struct inference_option, batch));
#define OF MEMBER_TYPE(struct inference_option, batch)
static const struct field serving_batch_rows[] = {
	FIGURE(mean, "Sequences running at once, mean"),
	FIGURE(max, "Sequences that may run at once"),
};
TABLE(serving_batch, serving_batch_rows, "Batch of a replica.");
#undef OF

DECLARE_TABLE(percentiles, struct latency);
#define OF struct latency
static const struct field percentile_rows[] = {
	FIGURE(p50, "Median"),
	FIGURE(p95, "95th percentile"),
	FIGURE(p99, "99th percentile"),
};
TABLE(percentiles, percentile_rows, "Percentiles over requests.");
#undef OF

DECLARE_TABLE(latency, struct latencies);
#define OF struct latencies
static const struct field latency_rows[] = {
	OBJECT(ttft_ms, percentiles, "Time to the first token"),
	OBJECT(tpot_ms, percentiles, "(e2e - ttft) / (output tokens - 1) of each request"),
	OBJECT(e2e_ms, percentiles, "Time of the whole request"),
};
TABLE(latency, latency_rows, "Latency.");
#undef OF

DECLARE_TABLE(throughput, MEMBER_TYPE(struct inference_option, throughput));
#define OF MEMBER_TYPE(struct inference_option, throughput)
static const struct field throughput_rows[] = {
	FIGURE(output_tokens_per_s, "Tokens answered by the fleet"),
	FIGURE(output_tokens_per_s_per_gpu, "The same of one accelerator"),
	FIGURE(total_tokens_per_s, "Prompt and answer"),
	FIGURE(requests_per_s_max, "Largest load that the fleet holds within headroom and slo, with the request's confidence"),
};
TABLE(throughput, throughput_rows, "Throughput.");
#undef OF

DECLARE_TABLE(serving_currency, MEMBER_TYPE(struct inference_option, cost.currency));
#define OF MEMBER_TYPE(struct inference_option, cost.currency)
static const struct field serving_currency_rows[] = {
	MERGE(rate, currency),
	FIGURE(per_month, "Of the fleet, a month"),
	FIGURE(per_million_output_tokens, "Of what is answered"),
	FIGURE(per_million_tokens, "Of prompts and answers"),
};
TABLE(serving_currency, serving_currency_rows, "The same in another currency, at the rate of the request.");
#undef OF

DECLARE_TABLE(serving_cost, MEMBER_TYPE(struct inference_option, cost));
#define OF MEMBER_TYPE(struct inference_option, cost)
static const struct field serving_cost_rows[] = {
	FIGURE(usd_per_hour, "Of the fleet, with storage and egress where they are counted"),
	FIGURE(usd_per_month, "The same of 730 hours"),
	FIGURE(usd_per_million_output_tokens, "Of what is answered"),
	FIGURE(usd_per_million_tokens, "Of prompts and answers"),
	FIGURE(input_usd_per_million_tokens, "Price of a prompt's tokens for their share of the accelerators' time; with the next it covers the cost"),
	FIGURE(output_usd_per_million_tokens, "Price of an answer's tokens for theirs"),
	FIGURE(accelerators_usd_per_month, "Of it, accelerators with their hosts; of a spot offer with the hours that interruptions cost"),
	FIGURE(storage_usd_per_month, "Of it, what is kept; where pricing has a price for it"),
	FIGURE(egress_usd_per_month, "Of it, what leaves; where pricing has a price for it"),
	OBJECT_IF(offer, has_offer, offer, "The offer that the price comes from"),
	OBJECT_IF(currency, has_currency, serving_currency, "The same in another currency, where the request has a rate"),
};
TABLE(serving_cost, serving_cost_rows, "Cost.");
#undef OF

DECLARE_TABLE(serving_energy, MEMBER_TYPE(struct inference_option, energy));
#define OF MEMBER_TYPE(struct inference_option, energy)
static const struct field serving_energy_rows[] = {
	FIGURE(mean_w, "Mean power of the fleet, facility included"),
	FIGURE(mean_gpu_w, "Mean power of one accelerator, idle and spare ones included"),
	FIGURE(kwh_per_month, "Energy of the facility: IT energy times PUE"),
	FIGURE(it_kwh_per_month, "Of accelerators, hosts and network"),
	FIGURE(wh_per_request, "Energy of a request"),
	FIGURE(joules_per_output_token, "Energy by the tokens answered"),
	FIGURE(joules_per_token, "Energy by the tokens of prompts and answers"),
};
TABLE(serving_energy, serving_energy_rows, "Energy.");
#undef OF

DECLARE_TABLE(serving_carbon, MEMBER_TYPE(struct inference_option, carbon));
#define OF MEMBER_TYPE(struct inference_option, carbon)
static const struct field serving_carbon_rows[] = {
	FIGURE(kgco2e_per_month, "Operational (location-based) and embodied"),
	FIGURE(operational_kgco2e_per_month, "Of the electricity, location-based"),
	FIGURE(embodied_kgco2e_per_month, "Of making the hardware"),
	FIGURE(embodied_low_kgco2e_per_month, "Embodied, by the lowest published figures and the longest life"),
	FIGURE(embodied_high_kgco2e_per_month, "Embodied, by the highest published figures and the shortest life"),
	FIGURE(market_kgco2e_per_month, "Of the electricity, market-based, instead of location-based; where the region has that figure"),
	FIGURE(marginal_kgco2e_per_month, "Of the electricity, by the marginal intensity, instead of location-based; where the region has that figure"),
	FIGURE(gco2e_per_request, "Software carbon intensity: operational and embodied, of a request"),
	FIGURE(gco2e_per_thousand_tokens, "The same of a thousand tokens of prompts and answers"),
	FIGURE(gco2e_per_thousand_output_tokens, "The same of a thousand tokens answered"),
	FIGURE(gco2e_per_gpu_hour, "The same of an accelerator for an hour"),
	FIGURE(grid_gco2e_per_kwh, "Intensity that the operational figure rests upon: the site's mean, or that of its hours, weighed by power"),
	FIGURE(hourly_fraction, "Part of the hours of the clock that a series tells of; the others count by the site's mean"),
	FIGURE(gco2e_per_million_tokens, "The same of a million tokens of prompts and answers"),
};
TABLE(serving_carbon, serving_carbon_rows, "Carbon.");
#undef OF

DECLARE_TABLE(autoscaling_hour, struct autoscaling_hour);
#define OF struct autoscaling_hour
static const struct field autoscaling_hour_rows[] = {
	INTEGER(hour, 0, 167, "Hour of the day or week"),
	INTEGER(replicas, 0, 9e15, "Replicas that run when it begins, spare ones included"),
	INTEGER(starting, 0, 9e15, "Further ones that start before it ends, to be ready for the next"),
	INTEGER(prefill_replicas, 1, 9e15, "Of the replicas, those for prompts alone"),
	FIGURE(requests_per_s, "Load"),
};
TABLE(autoscaling_hour, autoscaling_hour_rows, "Replicas of one hour.");
#undef OF

DECLARE_TABLE(autoscaled, MEMBER_TYPE(struct inference_option, autoscaled));
#define OF MEMBER_TYPE(struct inference_option, autoscaled)
static const struct field autoscaled_rows[] = {
	FIGURE(startup_s, "From starting a replica to its first request"),
	FIGURE(gpu_hours_per_month, "Accelerator-hours, replicas that start included"),
	FIGURE(usd_per_month, "Cost of the accelerators then"),
	FIGURE(kwh_per_month, "Energy then"),
	FIGURE(kgco2e_per_month, "Carbon then"),
	FIGURE(saved_gpu_hours_per_month, "Against the peak's fleet all day"),
	FIGURE(saved_usd_per_month, "Cost"),
	FIGURE(saved_kwh_per_month, "Energy"),
	FIGURE(saved_kgco2e_per_month, "Carbon"),
	TRUTH(slo_met, "Whether the slo is kept over the day of the peak when the schedule is followed", .flags = READ_ONLY),
	OBJECT_IF(latency, has_latency, latency, "Over that day, simulated with replicas as slow as the request's confidence allows for: they start ahead of their hour, and those that go end what they have begun"),
	OBJECT_IF(latency_cold_start, has_cold, latency,
		"Of requests that arrive while replicas start, were these started only as their hour begins"),
};
TABLE(autoscaled, autoscaled_rows, "What following the daily profile saves.");
#undef OF

DECLARE_TABLE(committed_offer, struct committed_offer);
#define OF struct committed_offer
static const struct field committed_offer_rows[] = {
	OBJECT(offer, offer, "The offer"),
	INTEGER(instances, 0, 9e15, "Committed to, and paid every hour"),
	INTEGER(peak_instances, 0, 9e15, "Paid by use, in the hour with the highest demand"),
	FIGURE(usd_per_hour, "Price of one instance; of spot with the hours that interruptions cost"),
	FIGURE(break_even_utilization, "Part of the hours from which on the commitment is cheaper than paying by use"),
};
TABLE(committed_offer, committed_offer_rows, "Instances of one offer.");
#undef OF

DECLARE_TABLE(commitment, struct commitment);
#define OF struct commitment
static const struct field commitment_rows[] = {
	FIGURE(usd_per_hour, "Mean over the daily profile"),
	FIGURE(committed_usd_per_hour, "Of it, committed instances"),
	FIGURE(used_usd_per_hour, "Of it, instances paid by use"),
	FIGURE(usd_per_month, "The same of a month"),
	FIGURE(uncommitted_usd_per_month, "All of it paid by use, hour by hour"),
	FIGURE(saved_usd_per_month, "Against that"),
	FIGURE(committed_utilization, "Mean part of the committed capacity that is used"),
	ARRAY_AS(offers, offers, offer_count, committed_offer, "What to take of which offer"),
};
TABLE(commitment, commitment_rows, "The cheapest mix of commitments and of instances paid by use over the daily profile.");
#undef OF

DECLARE_TABLE(simulated, MEMBER_TYPE(struct inference_option, simulated));
#define OF MEMBER_TYPE(struct inference_option, simulated)
static const struct field simulated_rows[] = {
	INTEGER(requests, 0, 1e15, "Requests; 0 where the answer is analytic"),
	INTEGER(replications, 0, 1e9, "Independent runs"),
	INTEGER(seed, 0, 9e15, "Seed of the first"),
	INTEGER(warmup_requests, 0, 1e15, "Requests left out at the start of each"),
	FIGURE(ttft_half_width_ms, "Half the width of the 95 % confidence interval of ttft_ms at the percentile of the slo"),
	FIGURE(tpot_half_width_ms, "The same of tpot_ms"),
	FIGURE(e2e_half_width_ms, "The same of e2e_ms"),
	FIGURE(prefix_hit_rate, "Share of the prompts' tokens found in a prefix cache, where shared_prefix was simulated"),
};
TABLE(simulated, simulated_rows, "How latencies were simulated.");
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
	OBJECT(gpu_count, interval, "Accelerators: p50 is the number recommended, which keeps load and slo with `confidence`; p10 and p90 are what it might turn out to need, were the throughput by so much another"),
};
TABLE(inference_intervals, inference_interval_rows, "Figures as intervals.");
#undef OF

#define OF struct service_promise
static const struct field service_promise_rows[] = {
	TEXT(what, 16, "load, slo, budget, energy_cap or carbon_cap"),
	TEXT(member, 16, "Of the slo: ttft_ms, tpot_ms or e2e_ms"),
	FIGURE(limit, "As the request sets it: requests/s, ms at the percentile of the slo, USD, kWh or kg a month"),
	FIGURE(probability, "With which this option keeps it"),
};
DECLARE_TABLE(service_promise, struct service_promise);
TABLE(service_promise, service_promise_rows, "A limit of the request and how likely it is kept.");
#undef OF

#define OF struct service_confidence
static const struct field service_confidence_rows[] = {
	FIGURE(confidence, "Probability"),
	INTEGER(gpu_count, 1, 9e15, "Accelerators that keep load and slo with it, in the recommended option's layout"),
	FIGURE(requests_per_s, "Load that these carry; if gpu_count is given: the load that it holds at this confidence"),
	FIGURE(usd_per_month, "Cost that is not exceeded with it"),
};
DECLARE_TABLE(service_confidence, struct service_confidence);
TABLE(service_confidence, service_confidence_rows, "What a confidence costs: the best fleet at each, of any accelerator asked for, searched and simulated like the recommended one; caps bind the request's own alone.");
#undef OF

#define OF struct service_uncertainty
static const struct field service_uncertainty_rows[] = {
	TEXT(field, 64, "What is not known: throughput, a part of practice, or price"),
	FIGURE(gpu_count, "What it adds to the accelerators that are enough with the request's confidence, not rounded to whole replicas"),
	FIGURE(usd_per_month, "What it adds to the cost that is not exceeded with it"),
	TEXT(cure, 240, "What would shrink it"),
};
DECLARE_TABLE(service_uncertainty, struct service_uncertainty);
TABLE(service_uncertainty, service_uncertainty_rows, "An uncertainty, its price and its cure.");
#undef OF

DECLARE_TABLE(hosted_price, struct hosted_price);
#define OF struct hosted_price
static const struct field hosted_price_rows[] = {
	TEXT(provider, 64, "Who hosts it; `request` for a price of the request"),
	TEXT(name, 128, "The model as the provider calls it"),
	FIGURE(input_usd_per_million_tokens, "Price of a million tokens of prompts"),
	FIGURE(output_usd_per_million_tokens, "Price of a million tokens of answers"),
	TEXT(as_of, 32, "When the price was read"),
	TEXT(source, 240, "Where"),
};
TABLE(hosted_price, hosted_price_rows, "A published price by the token.");
#undef OF

DECLARE_TABLE(hosted, struct hosted);
#define OF struct hosted
static const struct field hosted_rows[] = {
	MERGE(price, hosted_price),
	FIGURE(usd_per_month, "Of this load, by the token"),
	FIGURE(usd_per_million_tokens, "Of prompts and answers as this load mixes them; cost.usd_per_million_tokens of the option is the price at which both cost the same"),
	FIGURE(own_over_hosted, "The option's cost over it: below 1 the option is cheaper"),
	FIGURE(break_even_input_usd_per_million_tokens, "Price of prompts' tokens at which both cost the same, both prices in the provider's proportion"),
	FIGURE(break_even_output_usd_per_million_tokens, "Price of answers' tokens at which they do"),
	FIGURE(break_even_requests_per_s, "Mean load of the option's fleet at which they do; absent: more than it carries"),
};
TABLE(hosted, hosted_rows, "The same model by the token.");
#undef OF

#define OF struct inference_option
static const struct field inference_option_rows[] = {
	OBJECT(accelerator, accelerator_id, "Accelerator"),
	INTEGER(gpu_count, 1, 9e15, "Accelerators"),
	INTEGER(replicas, 1, 9e15, "Replicas"),
	INTEGER(gpus_per_replica, 1, 4096, "Accelerators of a replica"),
	INTEGER(gpus_paid, 1, 9e15, "Accelerators of the whole instances that are rented: those beyond gpu_count idle, and count in cost, energy, carbon and water"),
	INTEGER(prefill_replicas, 1, 9e15, "Of the replicas, those for prompts alone, where prompts and decoding are apart"),
	TEXT(mig_profile, 32, "Where accelerators are split (MIG): the profile of their slices. A replica is then an accelerator with an engine on each "
		"slice; memory, batch and latency are those of one engine"),
	INTEGER(slices_per_gpu, 1, 16, "Such slices of one accelerator"),
	CHOICE(precision, precision_words, "Number format of the weights"),
	CHOICE(kv_precision, precision_words, "Number format of the KV cache"),
	OBJECT(parallelism, serving_parallelism, "Layout of a replica, all filled"),
	OBJECT(memory, serving_memory, "Memory of one accelerator"),
	OBJECT(batch, serving_batch, "Batch of a replica"),
	OBJECT(latency, latency, "Latency"),
	OBJECT_IF(latency_of_rest, has_rest, latency, "Latency of those that requests with priority go ahead of; latency is then of the latter"),
	BOOL(slo_met, "Whether the latency asked for is kept, with the request's confidence"),
	OBJECT(throughput, throughput, "Throughput"),
	FIGURE(utilization, "Load over what the fleet can do at the recipe's speed"),
	OBJECT(practice, practice, "What a service needs over what the recipe's engine takes for the load announced; latency and throughput are the plan's, without it"),
	ARRAY_IN_CELL(promises, promises, promise_count, service_promise, "The load and the request's limits, each with the probability that it is kept"),
	OBJECT(cost, serving_cost, "Cost; without figures where no price is known"),
	OBJECT_IF(hosted, has_hosted, hosted, "The cheapest way that is known to have the same model by the token"),
	OBJECT_IF(purchase, has_purchase, purchase, "Buying, where pricing.on_premises says so"),
	OBJECT(energy, serving_energy, "Energy"),
	OBJECT(carbon, serving_carbon, "Carbon"),
	FIGURE(water_l_per_month, "Water, on site and in making the electricity"),
	FIGURE(water_l_per_request, "The same of a request"),
	ARRAY_AS(
		autoscaling, autoscaling, autoscaling_count, autoscaling_hour, "Replicas by the hour of the daily profile"),
	OBJECT_IF(autoscaled, has_autoscaled, autoscaled, "What following it saves; the option's other figures keep the peak's fleet all day"),
	OBJECT_IF(commitment, has_commitment, commitment, "What to commit to over the daily profile, by the provider's terms"),
	OBJECT(bottleneck, bottleneck, "What binds"),
	OBJECT(simulated, simulated, "How latencies were simulated"),
	MAP_AS(inputs, inputs.items, inputs.count, figure, "What cost, energy, carbon and water rest upon, by the request's names"),
	MAP(provenance, provenance_count, provenance, "Where figures come from, by JSON pointer inside the option"),
	OBJECT(interval, inference_intervals, "Figures as intervals"),
};
TABLE(inference_option, inference_option_rows, "One way to serve.");
#undef OF

DECLARE_TABLE(inference_workload, MEMBER_TYPE(struct inference_plan, workload));
#define OF MEMBER_TYPE(struct inference_plan, workload)
static const struct field inference_workload_rows[] = {
	FIGURE(params_total, "Parameters"),
	FIGURE(params_active, "Parameters that one token meets"),
	FIGURE(weights_bytes, "Weights"),
	FIGURE(kv_bytes_per_token, "KV cache of one token"),
	FIGURE(flops_per_output_token, "Forward pass of one answered token"),
	FIGURE(flops_per_prompt, "Forward pass of a mean prompt"),
};
TABLE(inference_workload, inference_workload_rows, "What a request is to the hardware.");
#undef OF

DECLARE_TABLE(inference_rule, MEMBER_TYPE(struct inference_plan, rule_of_thumb));
#define OF MEMBER_TYPE(struct inference_plan, rule_of_thumb)
static const struct field inference_rule_rows[] = {
	FIGURE(gpu_count_exact, "Accelerators by the rule, before rounding"),
	FIGURE(gpu_count, "Accelerators by the rule"),
	CHARS(formula, "The rule with its numbers, and why it differs from the model"),
	FIGURE(throughput_tokens_per_s_per_gpu, "Throughput that the rule takes"),
};
TABLE(inference_rule, inference_rule_rows, "The rule of thumb, for comparison.");
#undef OF

DECLARE_TABLE(service_hour, struct service_hour);
#define OF struct service_hour
static const struct field service_hour_rows[] = {
	INTEGER(hour, 0, 167, "Hour of the day or week"),
	FIGURE(requests_per_s, "Load"),
	FIGURE(kwh_per_month, "Energy, building included, of all such hours of a month"),
	FIGURE(grid_gco2e_per_kwh, "Carbon intensity of the grid"),
	FIGURE(operational_kgco2e_per_month, "Carbon of that electricity"),
};
TABLE(service_hour, service_hour_rows, "An hour of the clock.");
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
	FIGURE(grid_gco2e_per_kwh, "Carbon intensity of the grid there"),
	FIGURE(pue, "Power usage effectiveness there"),
	FIGURE(requests_per_s, "Load that it carries"),
	FIGURE(usd_per_hour, "Cost"),
	FIGURE(usd_per_month, "Cost"),
	FIGURE(kgco2e_per_month, "Carbon, operational (location-based) and embodied"),
	FIGURE(kwh_per_month, "Energy"),
	FIGURE(usd_per_million_output_tokens, "Cost of what is answered"),
	FIGURE(gco2e_per_request, "Carbon of a request"),
	FIGURE(e2e_ms, "Time of a request at the percentile of the slo, which is not exceeded with the request's confidence"),
	TRUTH(simulated, "Whether replicas and times are simulated; by formulas else"),
	TRUTH(cheapest, "Nothing costs less"),
	TRUTH(cleanest, "Nothing emits less"),
	TRUTH(fastest, "Nothing answers sooner by a tenth"),
	FIGURE(usd_per_t_saved, "What each tonne costs that this emits less than the next cheaper one that nothing beats in money and carbon"),
};
TABLE(service_point, service_point_rows, "A way to serve.");
#undef OF

#define OF struct inference_plan
static const struct field inference_result_rows[] = {
	OBJECT(workload, inference_workload, "What a request is to the hardware"),
	OBJECT(recommended, inference_option, "The best option by the objective"),
	ARRAY_AS(confidence_curve, confidence_curve, confidence_count, service_confidence, "What 50, 80, 95 % and the request's own confidence cost"),
	ARRAY_AS(uncertainties, uncertainties, uncertainty_count, service_uncertainty, "What is not known of the recommended option, the costliest first, and what would shrink it"),
	ARRAY_AS(alternatives, alternatives, alternative_count, inference_option, "Further options"),
	ARRAY_AS(hours, hours, hour_count, service_hour,
		"Load, energy and carbon of the recommended option by the hour of the day or week, where its load (daily_profile) or its grid (site.series) is told by the hour; "
		"they sum up to its month"),
	ARRAY_AS(front, front, front_count, service_point,
		"Every accelerator, layout and usable offer: what nothing beats in cost, carbon and the time of a request (by steps of a tenth), cheapest first, with the "
		"price of a tonne saved from one to the next; of a given number without a load what is compared is of a request"),
	ARRAY_AS(hosted, hosted, hosted_count, hosted, "The recommended option beside the same model by the token: the prices that are known, or the one of the request, cheapest first"),
	OBJECT(rule_of_thumb, inference_rule, "The rule of thumb, for comparison"),
	MERGE(findings, findings),
};
TABLE(inference_result, inference_result_rows, "The answer to an inference request.");
#undef OF

DECLARE_TABLE(performance_energy, MEMBER_TYPE(struct performance, energy));
#define OF MEMBER_TYPE(struct performance, energy)
static const struct field performance_energy_rows[] = {
	FIGURE(mean_w, "Mean power of the replica"),
	FIGURE(joules_per_output_token, "Energy of a token answered, its prompt and idle time included"),
	FIGURE(decode_joules_per_output_token, "What of it decoding takes"),
	FIGURE(prefill_joules_per_prompt_token, "Energy of taking in one token of a prompt"),
	FIGURE(idle_joules_per_output_token, "What of it is drawn between steps, waiting for requests"),
};
TABLE(performance_energy, performance_energy_rows, "Energy of a replica.");
#undef OF

DECLARE_TABLE(performance_intervals, MEMBER_TYPE(struct performance, interval));
#define OF MEMBER_TYPE(struct performance, interval)
static const struct field performance_interval_rows[] = {
	OBJECT(output_tokens_per_s, interval, "Throughput"),
	OBJECT(ttft_ms, interval, "Time to the first token"),
	OBJECT(tpot_ms, interval, "Time per output token"),
};
TABLE(performance_intervals, performance_interval_rows, "Figures as intervals.");
#undef OF

#define OF struct performance
static const struct field performance_result_rows[] = {
	FIGURE(output_tokens_per_s, "Tokens answered"),
	FIGURE(output_tokens_per_s_per_gpu, "The same of one accelerator"),
	FIGURE(total_tokens_per_s, "Prompt and answer"),
	FIGURE(requests_per_s, "Requests completed"),
	FIGURE(ttft_ms, "Time to the first token, mean over the run"),
	FIGURE(tpot_ms, "Time per output token, mean over the run"),
	FIGURE(max_concurrency, "Requests that the KV cache holds"),
	OBJECT(memory, serving_memory, "Memory of one accelerator"),
	OBJECT(practice, practice, "By what steps take longer than the recipe's, which the figures contain"),
	OBJECT(energy, performance_energy, "Energy"),
	OBJECT(interval, performance_intervals, "Figures as intervals"),
	MERGE(findings, findings),
};
TABLE(performance_result, performance_result_rows, "What one replica does at one operating point.");
#undef OF
