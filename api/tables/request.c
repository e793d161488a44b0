/* What training and inference requests have in common. */
#include "api/tables/shared.h"

#define OF struct model_reference
static const struct field model_reference_rows[] = {
	TEXT(id, 128, "Id, alias or Hugging Face repository of a model in the catalogue (docs/names.md)", .example = "\"llama-3.1-8b\""),
	JSON(config, "A Hugging Face config.json as it is, in its family's own names"),
	COUNT(params, 1e3, 1e15, "Parameters, when only the size is known", .example = "\"70B\""),
	COUNT(params_active, 1e3, 1e15, "Parameters that one token meets; all of them unless the model has experts"),
	WORD(kind, generic_words, "`generic` for what is not a transformer (CNN, RNN, recommender)"),
	COUNT(flops_per_sample, 1, 1e21, "Of a generic model: forward pass of one sample"),
	COUNT(sample_bytes, 0, 1e15, "Of a generic model: one sample as it is read; input_pipeline.sample_bytes unless that is given"),
};
TABLE(model_reference, model_reference_rows,
	"A model: its name in the catalogue, or {config}, or {params, params_active?}, or {kind: generic, params, "
	"flops_per_sample}.",
	.shorthand = &model_reference_rows[0]);
#undef OF

#define OF struct accelerator_reference
static const struct field accelerator_reference_rows[] = {
	TEXT(id, 128, "Id or alias of an accelerator in the catalogue, its name as NVML has it, or an instance type of the catalogue's prices (docs/names.md)", .example = "\"h100\""),
	TEXT(like, 128,
		"Hardware that does not exist yet, or a variant: the id that it is like, with any catalogue field changed. Figures that are left out keep their "
		"ratio to those given (E139): the rates of TF32, FP16, FP8, INT8 and FP4 to tflops_bf16 (else to tflops_fp16; FP4 to tflops_fp8), load_w and idle_w to "
		"tdp_w, memory_usable_bytes to memory_gb, and the carbon of making it goes by memory_gb and die_area_mm2"),
	MERGE(changes, accelerator_fields),
};
TABLE(accelerator_reference, accelerator_reference_rows,
	"An accelerator: its name in the catalogue, or {like: id, ...} with fields changed.",
	.shorthand = &accelerator_reference_rows[0]);
#undef OF

DECLARE_TABLE(capex, struct capex);
#define OF struct capex
static const struct field capex_rows[] = {
	TEXT(accelerator, 128, "Id or alias of an accelerator", .flags = REQUIRED, .example = "\"h100\""),
	NUMBER(usd_per_gpu, 1, 1e6, "Its price with its share of server and network", .flags = REQUIRED, .example = "35000"),
};
TABLE(capex, capex_rows, "What an accelerator costs to buy.");
#undef OF

#define OF struct on_premises
static const struct field on_premises_rows[] = {
	NUMBER(capex_usd_per_gpu, 1, 1e6, "Price of an accelerator with its share of server and network: one for all; or give capex or list_prices"),
	LIST(capex, 32, capex, "The same of each accelerator"),
	TRUTH(list_prices, "Whether the catalogue's list prices of accelerators are taken, with servers and network as E154 has them"),
	POSITIVE(life_years, 20, "Years over which it is written off", .fallback = "4"),
	NUMBER(electricity_usd_per_kwh, 0, 5, "Tariff; that of the site unless given"),
	NUMBER(staff_usd_per_gpu_month, 0, 1e5, "Staff"),
	NUMBER(space_usd_per_kw_month, 0, 1e4, "Space and cooling"),
};
TABLE(on_premises, on_premises_rows, "One's own hardware instead of an offer.");
#undef OF

#define OF struct currency
static const struct field currency_rows[] = {
	TEXT(code, 8, "ISO 4217 code", .flags = REQUIRED, .example = "\"EUR\""),
	POSITIVE(per_usd, 1e9, "Units of it for one USD", .flags = REQUIRED, .example = "0.86"),
	TEXT(as_of, 10, "Day of the rate", .form = FORM_DATE, .flags = REQUIRED, .example = "\"2026-11-20\""),
};
TABLE(currency, currency_rows, "Another currency to show amounts in, at a rate that is yours.");
#undef OF

#define OF struct pricing
static const struct field pricing_rows[] = {
	NUMBER(usd_per_gpu_hour, 0, 1e4, "A price, instead of the catalogue's offers", .example = "2.5"),
	TEXTS(providers, 32, "Providers whose offers count; all unless given", .example = "[\"aws\"]"),
	TEXTS(regions, 64, "Regions whose offers count; all unless given"),
	TEXTS(terms, 4, "How offers bind", .words = pricing_model_words, .word_count = COUNT_OF(pricing_model_words),
		.fallback = "[\"on_demand\"]"),
	POSITIVE(max_age_days, 36500, "Older offers do not count", .fallback = "400"),
	NUMBER(spot_interruptions_per_gpu_hour, 0, 100, "How often a spot accelerator is taken away; not counted unless given"),
	NUMBER(storage_usd_per_gb_month, 0, 100, "Price of what is kept: checkpoints and data while a training runs, the weights of a service; not counted unless given"),
	NUMBER(egress_usd_per_gb, 0, 100, "Price of what leaves the provider: when a training ends, or a service's answers; not counted unless given"),
	NUMBER(storage_gb, 0, 1e9, "What is kept", .fallback = "two checkpoints of a training; a service's weights once"),
	NUMBER(egress_gb, 0, 1e9, "What leaves: once when a training ends, every month of a service", .fallback = "the weights in 16 bits; a service's answers at 4 bytes a token"),
	OBJECT(on_premises, on_premises, "One's own hardware"),
	OBJECT(currency, currency, "Another currency that the cost is shown in beside USD"),
};
TABLE(pricing, pricing_rows, "Where prices come from: one price, the catalogue's offers, or one's own hardware.");
#undef OF

DECLARE_TABLE(site_series, struct site_series);
#define OF struct site_series
static const struct field site_series_rows[] = {
	TIME_AS(start, start_us, "Where the first step begins", .flags = REQUIRED, .example = "\"2026-11-21T00:00:00Z\""),
	INTEGER(step_minutes, 1, 1440, "Length of a step", .fallback = "60"),
	NUMBERS(gco2e_per_kwh, SITE_STEPS_MAX, 0, 2000, "Carbon intensity of the grid, a number for each step", .flags = REQUIRED),
	TEXT(source, 300, "Who says so", .fallback = "the request", .flags = NOTE),
};
TABLE(site_series, site_series_rows, "Carbon intensity of a grid, step by step.");
#undef OF

#define OF struct site_request
static const struct field site_rows[] = {
	TEXT(provider, 64, "Provider, with `region`", .example = "\"aws\""),
	TEXT(region, 64, "Region of the provider", .example = "\"us-east-1\""),
	TEXT(country, 64, "Country, as ISO 3166 code, instead of provider and region", .example = "\"FRA\""),
	NUMBER(grid_gco2e_per_kwh, 0, 1500, "Carbon intensity of the grid, instead of the region's"),
	NUMBER(grid_market_gco2e_per_kwh, 0, 1500, "By what contracts and certificates say of the electricity that is bought: carbon.market_kgco2e"),
	NUMBER(grid_marginal_gco2e_per_kwh, 0, 3000, "Of the plants that run for one kWh more, instead of the region's: carbon.marginal_kgco2e"),
	NUMBER(pue, 1, 3, "Power usage effectiveness: facility power over IT power"),
	NUMBER(wue_l_per_kwh, 0, 20, "Water used on site"),
	NUMBER(ewif_l_per_kwh, 0, 100, "Water used in making the electricity"),
	NUMBER(electricity_usd_per_kwh, 0, 5, "Tariff that one's own hardware pays there (pricing.on_premises); what is rented holds it in its price"),
	TIME_AS(start, start_us, "When it begins to run: carbon then counts by the hours that it spans, as far as `series` or a feed knows them", .example = "\"2026-11-21T18:00:00Z\""),
	OBJECT(series, site_series, "Carbon intensity step by step, instead of one figure; what a run has beyond it counts by the site's mean"),
};
TABLE(site_request, site_rows, "Where the accelerators stand; the chosen offer's region unless given.");
#undef OF

#define OF struct hardware_request
static const struct field hardware_rows[] = {
	NUMBER(host_power_fraction, 0, 5, "Power of hosts and network over that of the accelerators"),
	NUMBER(embodied_kgco2e_per_gpu, 0, 1e5, "Carbon of making one accelerator"),
	NUMBER(embodied_kgco2e_per_node, 0, 1e6, "Carbon of making a server without its accelerators"),
	POSITIVE(life_years, 20, "Years over which that is spread", .fallback = "4"),
	POSITIVE(used_fraction, 1, "Part of them in use", .fallback = "0.85"),
};
TABLE(hardware_request, hardware_rows, "What is known of the machines, instead of published figures.");
#undef OF

#define OF struct request_common
static const struct field about_rows[] = {
	TEXT(name, 200, "A name, kept with the plan", .flags = NOTE),
	LABELS(labels, "Labels, kept with the plan: up to 64 texts by key", .flags = NOTE),
	TEXT(notes, 10000, "Notes, kept with the plan", .flags = MULTILINE | NOTE),
};
TABLE(about, about_rows, "What people say about a plan.", .whole = &table_request_common);

#define GPU_COUNT INTEGER(gpu_count, 1, 1000000, "Number of accelerators; solved for when left out")
#define CALIBRATION                                                                                                    \
	CHOICE(calibration, calibration_words, "Whether verified measurements correct the datasheet where they exist",     \
		.fallback = "measured")
#define PRACTICE(doc_, fallback_) CHOICE(practice, practice_words, doc_, .fallback = (fallback_))
#define AS_OF                                                                                                          \
	TEXT(as_of, 40, "Plan with the catalogue as it was at that time", .form = FORM_MOMENT,                             \
		.example = "\"2026-11-01T00:00:00Z\"")

static const struct field request_common_rows[] = {
	OBJECT(model, model_reference, "The model: a name of the catalogue, a config.json, or its size", .flags = REQUIRED),
	OBJECT(accelerator, accelerator_reference,
		"The accelerator to plan with; all that have a current on-demand price unless given"),
	LIST(accelerators, 32, accelerator_reference, "Several accelerators to choose from"),
	GPU_COUNT,
	INTEGER(gpus_per_node, 1, 1024, "Accelerators in a node; the catalogue's unless given"),
	POSITIVE(internode_gbs, 1e5, "Network of one accelerator between nodes, in one direction"),
	OBJECT(pricing, pricing, "Where prices come from; the cheapest current on-demand offer unless given"),
	OBJECT(site, site_request, "Where it runs: grid, PUE, water, tariff; the chosen offer's region unless given"),
	OBJECT(hardware, hardware_request, "What is known of the machines: the hosts' power, carbon of making them"),
	CHOICE(objective, objective_words, "What the recommended option is best in. A training that names none, and neither number, deadline nor budget, is of the size that teams take, weighed against its cost", .fallback = "cost"),
	POSITIVE(carbon_cap_kgco2e, 1e12, "Options above it are left out; of a service, a month's"),
	POSITIVE(energy_cap_kwh, 1e12, "Options above it are left out; of a service, a month's"),
	CALIBRATION,
	INTEGER(alternatives, 0, 32, "Further options to answer", .fallback = "5"),
	TRUTH(enforce_memory, "Whether what does not fit is infeasible; false answers all the same, with a warning",
		.fallback = "true"),
	AS_OF,
};
TABLE(request_common, request_common_rows, "What every plan is asked with.");

static const struct field assurance_rows[] = {
	PRACTICE("Which real-world slowdown to plan with: recipe: none, the best published steps; typical: what teams reach; first_run: a first run on new hardware", "typical"),
	NUMBER(confidence, 0.5, 0.99, "Probability with which deadline, slo, load, budget and caps are kept", .fallback = "0.8"),
};
TABLE(assurance, assurance_rows, "What an answer promises.");

static const struct field training_precision_rows[] = {
	CHOICE(precision, training_precision_words, "Number format of matrix products",
		.fallback = "bf16, or the best that the accelerator has"),
};
TABLE(training_precision, training_precision_rows, "Precision of a training.", .whole = &table_request_common);

static const struct field weight_precision_rows[] = {
	CHOICE(precision, precision_words,
		"Number format of the weights; `int8`, `int4` and `mxfp4` are stored narrow and computed wider",
		.fallback = "bf16"),
};
TABLE(weight_precision, weight_precision_rows, "Precision of weights.", .whole = &table_request_common);

static const struct field replica_common_rows[] = {
	OBJECT(model, model_reference, "The model: a name of the catalogue, a config.json, or its size", .flags = REQUIRED),
	OBJECT(accelerator, accelerator_reference, "The accelerator", .flags = REQUIRED),
	INTEGER(gpu_count, 1, 4096, "Accelerators of the replica", .fallback = "1"),
	PRACTICE("Whether the engine runs as its published recipe, or as engines usually run, or on hardware that is new to the team", "recipe"),
	CALIBRATION,
	AS_OF,
};
TABLE(replica_common, replica_common_rows, "One replica's model and hardware.", .whole = &table_request_common);
#undef OF

#define OF struct token_distribution
static const struct field token_distribution_rows[] = {
	COUNT(mean, 1, 1e7, "Mean", .example = "1000"),
	COUNT(p50, 1, 1e7, "Median; with the mean it says how far lengths spread (E138)"),
	COUNT(p95, 1, 1e7, "95th percentile"),
	NUMBER(cv, 0, 20, "Coefficient of variation"),
	NUMBERS(samples, 10000, 1, 1e7, "Measured lengths, instead of the statistics"),
};
TABLE(token_distribution, token_distribution_rows, "Tokens of a request: a number, statistics or samples.",
	.shorthand = &token_distribution_rows[0]);
#undef OF
