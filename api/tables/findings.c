/* Advice, assumptions and warnings of an answer, and figures that several answers share. */
#include "api/tables/shared.h"

#define OF struct interval
static const struct field interval_rows[] = {
	FIGURE(p10, "10th percentile", .always = true),
	FIGURE(p50, "Median", .always = true),
	FIGURE(p90, "90th percentile", .always = true),
};
TABLE(interval, interval_rows, "The interval of a figure.");
#undef OF

DECLARE_TABLE(assumption, struct assumption);
#define OF struct assumption
static const struct field assumption_rows[] = {
	TEXT(field, 200, "Field that the request left out", .always = true),
	VALUE_AS(value, number, text, "Value used instead", .always = true),
	FIGURE(low, "Lowest plausible value, where a range is known"),
	FIGURE(high, "Highest plausible value"),
	TEXT(source, 1000, "Source of the value: an equation with its citation, or a catalogue row", .always = true),
	CHOICE(status, provenance_words, "Origin of the value: `default` unless it was measured or derived", .parts = PART_ASSUMPTIONS),
};
TABLE(assumption, assumption_rows, "A value that the request left out.");
#undef OF

DECLARE_TABLE(advice, struct advice);
#define OF struct advice
static const struct field advice_rows[] = {
	TEXT(code, 64, "Machine-readable name", .always = true),
	TEXT(severity, 16, "`info`, `suggestion` or `important`", .always = true),
	CHARS(detail, "What to do and why", .always = true),
	CHARS(effect, "What the advice would gain"),
	FIGURE(change_hours, "Change of the wall clock with the advice, from planning again; absent if the planner did not plan again"),
	FIGURE(change_usd, "Change of the cost with the advice; for a service, of a month"),
	FIGURE(change_gpus, "Change of the number of accelerators with the advice"),
	FIGURE(change_gb, "Change of the memory of the fullest accelerator with the advice"),
	FIGURE(sample_time_ratio, "Time to process one sample with the advice, over the time without it"),
};
TABLE(advice, advice_rows, "A change that may improve the plan.");
#undef OF

DECLARE_TABLE(sensitivity, struct sensitivity);
#define OF struct sensitivity
static const struct field sensitivity_rows[] = {
	TEXT(field, 200,
		"Input that is moved through its range while all others stay. An input that the request gives, or without a stated range, is moved down and up by a tenth",
		.always = true),
	FIGURE(value, "Value used"),
	FIGURE(low, "Low end of the input's range"),
	FIGURE(high, "High end of the input's range"),
	CHOICE(status, provenance_words, "Origin of the input", .always = true),
	TEXT(figure, 64, "Figure that the input changes", .always = true),
	FIGURE(change_low, "Relative change of the figure with the input at `low`"),
	FIGURE(change_high, "Relative change of the figure with the input at `high`"),
	FIGURE(relative, "The larger of the two changes by magnitude; the list is sorted by it"),
	TEXT(method, 32,
		"How the changes were computed. `planned again`: with a new plan. `by formulas, whole replicas`: a service, without a new simulation; small changes may move only the utilization, and the count may be off by one replica. `exact`: the figure is a product or sum of the input",
		.always = true),
	CHARS(effect, "The same, as a sentence", .always = true),
};
TABLE(sensitivity, sensitivity_rows, "How an answer changes with one input.");
#undef OF

#define OF struct findings
static const struct field findings_rows[] = {
	ARRAY_AS(advice, advice, advice_count, advice, "Advice", .parts = PART_ADVICE),
	ARRAY_AS(assumptions, assumptions, assumption_count, assumption,
		"Values that the request left out, with their sources; those that move the answer most first", .parts = PART_ASSUMPTIONS,
		.lean_items = LEAN_ASSUMPTIONS),
	ARRAY_AS(sensitivity, sensitivities, sensitivity_count, sensitivity, "Inputs that change the answer most", .parts = PART_SENSITIVITY),
	ARRAY_AS(warnings, warnings, warning_count, warning, "Warnings to read before you use the answer"),
};
TABLE(findings, findings_rows, "Advice, assumptions, sensitivities and warnings of an answer.");
#undef OF

#define OF struct provenance
static const struct field provenance_rows[] = {
	FIGURE(low, "Lowest plausible value"),
	FIGURE(high, "Highest plausible value"),
	TEXT(source, 1000, "Source of the figure", .always = true),
	CHOICE(status, provenance_words, "Origin of the figure", .always = true),
};
TABLE(provenance, provenance_rows, "The source of a figure of an option, by the figure's JSON pointer in the option.");
#undef OF

#define OF struct figure
static const struct field figure_rows[] = {
	FIGURE(value, "Value used", .always = true),
	FIGURE(low, "Lowest plausible value"),
	FIGURE(high, "Highest plausible value"),
	TEXT(source, 1000, "Source of the figure", .always = true),
	CHOICE(status, provenance_words, "Origin of the figure", .always = true),
};
TABLE(figure, figure_rows, "An input of an option's figures.");
#undef OF

#define OF struct accelerator
static const struct field accelerator_id_rows[] = {
	TEXT(id, 128, "Id of the accelerator"),
};
TABLE(accelerator_id, accelerator_id_rows, "An accelerator's id.", .shorthand = &accelerator_id_rows[0]);
#undef OF

#define OF struct memory_use
static const struct field memory_use_rows[] = {
	FIGURE(weights_bytes, "Weights", .always = true),
	FIGURE(gradients_bytes, "Gradients", .always = true),
	FIGURE(optimizer_bytes, "Optimizer state and master weights", .always = true),
	FIGURE(activations_bytes, "Activations kept for the backward pass", .always = true),
	FIGURE(model_bytes, "Sum of the four above"),
	FIGURE(layers_bytes, "Part of model_bytes in the layers, without embedding tables and logits"),
	FIGURE(overhead_bytes, "Runtime, communication buffers, fragmentation", .always = true),
	FIGURE(total_bytes, "Memory needed", .always = true),
	FIGURE(capacity_bytes, "Memory of the accelerator"),
};
TABLE(memory_use, memory_use_rows, "The memory of the fullest accelerator of a training.");
#undef OF

#define OF struct serving_memory
static const struct field serving_memory_rows[] = {
	FIGURE(weights_bytes, "Weights", .always = true),
	FIGURE(kv_cache_bytes, "KV cache", .always = true),
	FIGURE(activations_bytes, "Activations", .always = true),
	FIGURE(overhead_bytes, "Runtime, communication buffers, and memory that the engine leaves free", .always = true),
	FIGURE(total_bytes, "Memory used", .always = true),
	FIGURE(capacity_bytes, "Memory of the accelerator"),
	FIGURE(kv_tokens_capacity, "Tokens that the KV cache of one replica holds"),
};
TABLE(serving_memory, serving_memory_rows, "The memory of one accelerator of a replica.");
#undef OF

#define OF struct energy
static const struct field energy_rows[] = {
	FIGURE(total_kwh, "Energy of the facility: IT energy times PUE", .always = true),
	FIGURE(it_kwh, "Energy of accelerators, hosts and network", .always = true),
	FIGURE(mean_gpu_w, "Mean power of one accelerator", .always = true),
	FIGURE(powered_gpu_hours,
		"Accelerator-hours that draw power: of used and spare accelerators, and of unused ones in rented instances. `it_kwh` is these hours times the mean power and the hosts' share",
		.parts = PART_DETAILS),
};
TABLE(energy, energy_rows, "Energy.");
#undef OF

#define OF struct carbon
static const struct field carbon_rows[] = {
	FIGURE(operational_kgco2e, "Operational carbon of the electricity, location-based"),
	FIGURE(market_kgco2e, "Operational carbon of the electricity, market-based; present if the region has that figure"),
	FIGURE(marginal_kgco2e, "Operational carbon of the electricity at the marginal intensity; present if the region has that figure"),
	FIGURE(embodied_kgco2e, "Embodied carbon of the hardware, for the hours used"),
	FIGURE(total_kgco2e, "Operational (location-based) plus embodied carbon", .always = true),
	FIGURE(embodied_low_kgco2e, "Embodied carbon with the lowest published figures and the longest life", .parts = PART_DETAILS),
	FIGURE(embodied_high_kgco2e, "Embodied carbon with the highest published figures and the shortest life", .parts = PART_DETAILS),
	FIGURE(gco2e_per_gpu_hour, "Software carbon intensity: total carbon per accelerator-hour", .parts = PART_DETAILS),
	FIGURE(gco2e_per_thousand_tokens, "Software carbon intensity: total carbon per thousand tokens trained", .parts = PART_DETAILS),
	FIGURE(grid_gco2e_per_kwh, "Carbon intensity used for the operational figure: the site's mean, or the mean over the run's hours"),
	FIGURE(hourly_fraction, "Fraction of the run that is computed with hourly data; the site's mean is used for the rest"),
};
TABLE(carbon, carbon_rows, "Carbon.");
#undef OF

#define OF struct bottleneck_use
static const struct field bottleneck_rows[] = {
	CHOICE(kind, bottleneck_words, "The bottleneck", .always = true),
	SHARES(shares, bottleneck_words, "Fraction of the time for each bottleneck"),
};
TABLE(bottleneck, bottleneck_rows, "The bottleneck and its share of the time.");
#undef OF

#define OF struct offer
static const struct field offer_rows[] = {
	TEXT(provider, 64, "Provider", .always = true),
	TEXT(instance_type, 128, "Instance type"),
	TEXT(region, 64, "Region"),
	CHOICE(term, term_words, "Term of the offer"),
	INTEGER(gpus, 1, 4096, "Accelerators in one instance", .parts = PART_DETAILS),
	FIGURE(usd_per_gpu_hour, "Price of the whole instance divided by its accelerators, hosts included", .always = true),
	FIGURE(low_usd_per_gpu_hour, "Low end of the prices of comparable offers", .parts = PART_DETAILS),
	FIGURE(high_usd_per_gpu_hour, "High end of the prices of comparable offers", .parts = PART_DETAILS),
	TEXT(as_of, 64, "Date of the price"),
	TEXT(source, 1000, "Source of the price", .always = true),
};
TABLE(offer, offer_rows, "An offer, normalised to one accelerator for one hour.");
#undef OF

DECLARE_TABLE(rent, struct rent);
#define OF struct rent
static const struct field rent_rows[] = {
	OBJECT(offer, offer, "The cheapest offer with this term for the same number of accelerators"),
	FIGURE(usd_per_gpu_hour, "Price of one used accelerator; instances are paid whole"),
	FIGURE(break_even_hours, "Hours of use of all accelerators after which buying costs less; absent: never"),
	FIGURE(break_even_utilization, "break_even_hours as a fraction of the hardware's life; above 1: buying never pays within that life"),
};
TABLE(rent, rent_rows, "Buying compared with renting at one term.");
#undef OF

#define OF struct purchase
static const struct field purchase_rows[] = {
	FIGURE(capital_usd,
		"Purchase price of all accelerators with servers and network, paid at the beginning. `cost` is the part of it that this work uses up"),
	FIGURE(capital_low_usd, "Purchase price at the low end of the list price's range"),
	FIGURE(capital_high_usd, "Purchase price at the high end of the list price's range"),
	FIGURE(accelerators_usd, "Part of the purchase price for the accelerators"),
	FIGURE(hosts_usd, "Part of the purchase price for the servers around them"),
	FIGURE(network_usd, "Part of the purchase price for the network between servers; 0 for one server"),
	FIGURE(power_kw, "Mean power of this work, facility included"),
	FIGURE(running_usd_per_year, "Cost of electricity, staff and space for one year in use"),
	FIGURE(life_hours, "Hours over which the hardware is written off"),
	FIGURE(hours_left, "Hours of life_hours that remain after this training; absent for a service"),
	TEXT(source, 240, "Source of the price"),
	OBJECT_IF(on_demand, on_demand.known, rent, "Compared with renting on demand"),
	OBJECT_IF(spot, spot.known, rent, "Compared with renting spot instances"),
	OBJECT_IF(reserved_1y, reserved_1y.known, rent, "Compared with reserving for one year"),
	OBJECT_IF(reserved_3y, reserved_3y.known, rent, "Compared with reserving for three years"),
};
TABLE(purchase, purchase_rows,
	"Buying the hardware: purchase price, power, running cost, and the point at which it costs less than renting.");
#undef OF

#define OF struct offer_quote
static const struct field offer_quote_rows[] = {
	MERGE(offer, offer),
	INTEGER(instances, 1, 1e9, "Number of whole instances for the requested count"),
	INTEGER(gpus_paid, 1, 1e9, "Accelerators in these instances"),
	FIGURE(usd_per_hour, "Price of all instances"),
	FIGURE(usd_per_needed_gpu_hour, "Price of all instances divided by the requested count"),
};
TABLE(offer_quote, offer_quote_rows, "The price of a number of accelerators, in whole instances.");
#undef OF
