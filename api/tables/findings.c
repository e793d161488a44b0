/* What every answer says about itself, and figures that several answers share. */
#include "api/tables/shared.h"

#define OF struct interval
static const struct field interval_rows[] = {
	FIGURE(p10, "One in ten is below"),
	FIGURE(p50, "Median"),
	FIGURE(p90, "One in ten is above"),
};
TABLE(interval, interval_rows, "A figure as an interval.");
#undef OF

DECLARE_TABLE(assumption, struct assumption);
#define OF struct assumption
static const struct field assumption_rows[] = {
	TEXT(field, 200, "Field of the request that was left out"),
	VALUE_AS(value, number, text, "What was taken instead"),
	FIGURE(low, "Lowest that is plausible, where a range is known"),
	FIGURE(high, "Highest that is plausible"),
	TEXT(source, 1000, "Where that comes from: an equation with its citation, or a catalogue row"),
	CHOICE(status, provenance_words, "How it was had: `default` unless it was measured or derived"),
};
TABLE(assumption, assumption_rows, "A value that the caller left out.");
#undef OF

DECLARE_TABLE(advice, struct advice);
#define OF struct advice
static const struct field advice_rows[] = {
	TEXT(code, 64, "Machine-readable name"),
	TEXT(severity, 16, "`info`, `suggestion` or `important`"),
	CHARS(detail, "What to do and why"),
	CHARS(effect, "What it would gain"),
	FIGURE(change_hours, "Wall clock with it less that without, from planning again; absent where that was not done"),
	FIGURE(change_usd, "Cost with it less that without; of a service, a month's"),
	FIGURE(change_gpus, "Accelerators with it less those without"),
	FIGURE(change_gb, "Memory of the fullest accelerator with it less that without"),
	FIGURE(sample_time_ratio, "Time of a sample's work with it over that without"),
};
TABLE(advice, advice_rows, "Advice.");
#undef OF

#define OF struct warning
static const struct field warning_rows[] = {
	CHARS(detail, "A sentence"),
};
TABLE(warning, warning_rows, "A warning.", .shorthand = &warning_rows[0]);
#undef OF

DECLARE_TABLE(sensitivity, struct sensitivity);
#define OF struct sensitivity
static const struct field sensitivity_rows[] = {
	TEXT(field, 200, "Input that is moved through its range while all others stay; one that was given, or whose range nobody states, by a tenth down and up"),
	FIGURE(value, "As it was taken"),
	FIGURE(low, "Low end of its range"),
	FIGURE(high, "High end of its range"),
	CHOICE(status, provenance_words, "How the input was had"),
	TEXT(figure, 64, "Figure that it moves"),
	FIGURE(change_low, "Relative change of the figure with the input at `low`"),
	FIGURE(change_high, "Relative change of the figure with the input at `high`"),
	FIGURE(relative, "The larger of both; the list is sorted by it"),
	TEXT(method, 32, "`planned again`; `by formulas, whole replicas` of a service, which is not simulated again, so that small changes may move nothing but utilization and a replica more or less is possible; or `exact` where the figure is a product or a sum that the input is a factor of"),
	CHARS(effect, "The same as a sentence"),
};
TABLE(sensitivity, sensitivity_rows, "How an answer moves with an input.");
#undef OF

#define OF struct findings
static const struct field findings_rows[] = {
	ARRAY_AS(advice, advice, advice_count, advice, "Advice"),
	ARRAY_AS(assumptions, assumptions, assumption_count, assumption,
		"Every value that the caller left out, with its source"),
	ARRAY_AS(sensitivity, sensitivities, sensitivity_count, sensitivity, "What moves the answer most"),
	ARRAY_AS(warnings, warnings, warning_count, warning, "Sentences to read before relying on the answer"),
};
TABLE(findings, findings_rows, "What an answer says about itself.");
#undef OF

#define OF struct provenance
static const struct field provenance_rows[] = {
	FIGURE(low, "Lowest that is plausible"),
	FIGURE(high, "Highest that is plausible"),
	TEXT(source, 1000, "Where the figure comes from"),
	CHOICE(status, provenance_words, "How it was had"),
};
TABLE(provenance, provenance_rows, "Where a figure of an option comes from, by its JSON pointer inside the option.");
#undef OF

#define OF struct figure
static const struct field figure_rows[] = {
	FIGURE(value, "As it was taken"),
	FIGURE(low, "Lowest that is plausible"),
	FIGURE(high, "Highest that is plausible"),
	TEXT(source, 1000, "Where it comes from"),
	CHOICE(status, provenance_words, "How it was had"),
};
TABLE(figure, figure_rows, "An input that an option rests upon.");
#undef OF

#define OF struct accelerator
static const struct field accelerator_id_rows[] = {
	TEXT(id, 128, "Id of the accelerator"),
};
TABLE(accelerator_id, accelerator_id_rows, "An accelerator's id.", .shorthand = &accelerator_id_rows[0]);
#undef OF

#define OF struct memory_use
static const struct field memory_use_rows[] = {
	FIGURE(weights_bytes, "Weights"),
	FIGURE(gradients_bytes, "Gradients"),
	FIGURE(optimizer_bytes, "Optimizer state and master weights"),
	FIGURE(activations_bytes, "Activations kept for the backward pass"),
	FIGURE(model_bytes, "Sum of the four above"),
	FIGURE(layers_bytes, "Of it the layers': without embedding tables and the logits"),
	FIGURE(overhead_bytes, "Runtime, communication buffers, fragmentation"),
	FIGURE(total_bytes, "Needed"),
	FIGURE(capacity_bytes, "There"),
};
TABLE(memory_use, memory_use_rows, "Memory of the fullest accelerator of a training.");
#undef OF

#define OF struct serving_memory
static const struct field serving_memory_rows[] = {
	FIGURE(weights_bytes, "Weights"),
	FIGURE(kv_cache_bytes, "KV cache"),
	FIGURE(activations_bytes, "Activations"),
	FIGURE(overhead_bytes, "Runtime, communication buffers, what the engine leaves free"),
	FIGURE(total_bytes, "Taken"),
	FIGURE(capacity_bytes, "There"),
	FIGURE(kv_tokens_capacity, "Tokens that the KV cache of one replica holds"),
};
TABLE(serving_memory, serving_memory_rows, "Memory of one accelerator of a replica.");
#undef OF

#define OF struct energy
static const struct field energy_rows[] = {
	FIGURE(total_kwh, "Of the facility: IT energy times PUE"),
	FIGURE(it_kwh, "Of accelerators, hosts and network"),
	FIGURE(mean_gpu_w, "Mean power of one accelerator"),
	FIGURE(powered_gpu_hours, "Hours of all accelerators that draw power: used, spare, and the rest of whole instances; times their mean power and the hosts' share it is `it_kwh`"),
};
TABLE(energy, energy_rows, "Energy.");
#undef OF

#define OF struct carbon
static const struct field carbon_rows[] = {
	FIGURE(operational_kgco2e, "Of the electricity, location-based"),
	FIGURE(market_kgco2e, "Of the electricity, market-based; where the region has that figure"),
	FIGURE(marginal_kgco2e, "Of the electricity, by the marginal intensity; where the region has that figure"),
	FIGURE(embodied_kgco2e, "Of making the hardware, for the hours used"),
	FIGURE(total_kgco2e, "Operational (location-based) and embodied"),
	FIGURE(embodied_low_kgco2e, "Embodied, by the lowest published figures and the longest life"),
	FIGURE(embodied_high_kgco2e, "Embodied, by the highest published figures and the shortest life"),
	FIGURE(gco2e_per_gpu_hour, "Software carbon intensity: the total over accelerator-hours"),
	FIGURE(gco2e_per_thousand_tokens, "Software carbon intensity: the total over tokens trained"),
	FIGURE(grid_gco2e_per_kwh, "Intensity that the operational figure rests upon: the site's mean, or that of the run's hours"),
	FIGURE(hourly_fraction, "Part of the run that is counted hour by hour; the rest counts by the site's mean"),
};
TABLE(carbon, carbon_rows, "Carbon.");
#undef OF

#define OF struct bottleneck_use
static const struct field bottleneck_rows[] = {
	CHOICE(kind, bottleneck_words, "What binds"),
	SHARES(shares, bottleneck_words, "Shares of the time by what binds in it"),
};
TABLE(bottleneck, bottleneck_rows, "What binds.");
#undef OF

#define OF struct offer
static const struct field offer_rows[] = {
	TEXT(provider, 64, "Provider"),
	TEXT(instance_type, 128, "Instance type"),
	TEXT(region, 64, "Region"),
	CHOICE(term, term_words, "How it binds"),
	INTEGER(gpus, 1, 4096, "Accelerators of an instance"),
	FIGURE(usd_per_gpu_hour, "The whole instance over its accelerators, host part included"),
	FIGURE(low_usd_per_gpu_hour, "Low end of comparable offers"),
	FIGURE(high_usd_per_gpu_hour, "High end of comparable offers"),
	TEXT(as_of, 64, "When the price was read"),
	TEXT(source, 1000, "Where it was read"),
};
TABLE(offer, offer_rows, "An offer, normalised to one accelerator for one hour.");
#undef OF

DECLARE_TABLE(rent, struct rent);
#define OF struct rent
static const struct field rent_rows[] = {
	OBJECT(offer, offer, "The cheapest offer of that term for as many"),
	FIGURE(usd_per_gpu_hour, "Its price for an accelerator that is used: instances are paid whole"),
	FIGURE(break_even_hours, "Hours of use of all of them after which buying has cost less; absent: never"),
	FIGURE(break_even_utilization, "The same over their life: above 1 they do not last long enough"),
};
TABLE(rent, rent_rows, "Buying beside renting at one term.");
#undef OF

#define OF struct purchase
static const struct field purchase_rows[] = {
	FIGURE(capital_usd, "Of all of them with their servers and network: what is paid at the beginning. `cost` is the share of it that this work uses up"),
	FIGURE(capital_low_usd, "The same at the low end of the list price's range"),
	FIGURE(capital_high_usd, "The same at its high end"),
	FIGURE(accelerators_usd, "Of the capital, the accelerators"),
	FIGURE(hosts_usd, "Of the capital, the servers around them"),
	FIGURE(network_usd, "Of the capital, the network between servers; 0 for one server"),
	FIGURE(power_kw, "Power in the mean of this work, the building's part included"),
	FIGURE(running_usd_per_year, "Electricity, staff and space of a year in use"),
	FIGURE(life_hours, "Hours over which they are written off"),
	FIGURE(hours_left, "Of them after this training; absent of a service"),
	TEXT(source, 240, "Where the price comes from"),
	OBJECT_IF(on_demand, on_demand.known, rent, "Beside renting on demand"),
	OBJECT_IF(spot, spot.known, rent, "Beside renting spot instances"),
	OBJECT_IF(reserved_1y, reserved_1y.known, rent, "Beside reserving for a year"),
	OBJECT_IF(reserved_3y, reserved_3y.known, rent, "Beside reserving for three years"),
};
TABLE(purchase, purchase_rows, "Buying the hardware: capital, power, running cost, and from when on it costs less than renting.");
#undef OF

#define OF struct offer_quote
static const struct field offer_quote_rows[] = {
	MERGE(offer, offer),
	INTEGER(instances, 1, 1e9, "Whole instances that hold the count asked for"),
	INTEGER(gpus_paid, 1, 1e9, "Accelerators in them"),
	FIGURE(usd_per_hour, "Of all instances"),
	FIGURE(usd_per_needed_gpu_hour, "The same over the count asked for"),
};
TABLE(offer_quote, offer_quote_rows, "What renting a count of accelerators costs, instances paid whole.");
#undef OF
