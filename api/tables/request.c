/* Tables that training and inference requests share. */
#include "api/tables/shared.h"

#define OF struct model_reference
static const struct field model_reference_rows[] = {
	TEXT(id, 128, "Id, alias or Hugging Face repository of a model in the catalogue (docs/names.md)", .example = "\"llama-3.1-8b\""),
	JSON(config, "A Hugging Face config.json, unchanged, with its family's own names"),
	COUNT(params, 1e3, 1e15, "Parameters, when only the size is known", .example = "\"70B\""),
	COUNT(params_active, 1e3, 1e15, "Parameters used for one token; default: all. Fewer only in a model with experts"),
	WORD(kind, generic_words, "`generic` for a model that is not a transformer (CNN, RNN, recommender)"),
	COUNT(flops_per_sample, 1, 1e21, "Generic model: FLOPs of the forward pass of one sample"),
	COUNT(sample_bytes, 0, 1e15, "Generic model: bytes read for one sample; default: input_pipeline.sample_bytes"),
};
TABLE(model_reference, model_reference_rows,
	"A model: its name in the catalogue, or {config}, or {params, params_active?}, or {kind: generic, params, "
	"flops_per_sample}.",
	.shorthand = &model_reference_rows[0]);
#undef OF

#define OF struct accelerator_reference
static const struct field accelerator_reference_rows[] = {
	TEXT(id, 128,
		"Id or alias of an accelerator in the catalogue, its NVML name, or an instance type in the catalogue's prices (docs/names.md)",
		.example = "\"h100\""),
	TEXT(like, 128,
		"Id of a catalogue accelerator that is similar, for planned hardware or a variant; any catalogue field can be changed. A figure that is left out keeps its ratio to a given one (E139): tflops_tf32, tflops_fp16, tflops_fp8, tops_int8 and tflops_fp4 to tflops_bf16 (else to tflops_fp16; tflops_fp4 to tflops_fp8), load_w and idle_w to tdp_w, memory_usable_bytes to memory_gb. The embodied carbon is computed from memory_gb and die_area_mm2"),
	MERGE(changes, accelerator_fields),
};
TABLE(accelerator_reference, accelerator_reference_rows,
	"An accelerator: its name in the catalogue, or {like: id, ...} with fields changed.", .shorthand = &accelerator_reference_rows[0]);
#undef OF

DECLARE_TABLE(capex, struct capex);
#define OF struct capex
static const struct field capex_rows[] = {
	TEXT(accelerator, 128, "Id or alias of an accelerator", .flags = REQUIRED, .example = "\"h100\""),
	NUMBER(usd_per_gpu, 1, 1e6, "Price of one accelerator, with its share of the server and the network", .flags = REQUIRED,
		.example = "35000"),
};
TABLE(capex, capex_rows, "The purchase price of an accelerator.");
#undef OF

#define OF struct on_premises
static const struct field on_premises_rows[] = {
	NUMBER(capex_usd_per_gpu, 1, 1e6,
		"Price of one accelerator with its share of the server and the network, the same for every accelerator; or give capex or list_prices"),
	LIST(capex, 32, capex, "That price for each accelerator"),
	TRUTH(list_prices, "Whether to use the catalogue's list prices of accelerators, plus servers and network as in E154"),
	POSITIVE(life_years, 20, "Years over which the purchase is written off", .fallback = "4"),
	NUMBER(electricity_usd_per_kwh, 0, 5, "Electricity tariff; default: the site's"),
	NUMBER(staff_usd_per_gpu_month, 0, 1e5, "Staff cost"),
	NUMBER(space_usd_per_kw_month, 0, 1e4, "Cost of space and cooling"),
};
TABLE(on_premises, on_premises_rows, "Your own hardware instead of an offer.");
#undef OF

#define OF struct currency
static const struct field currency_rows[] = {
	TEXT(code, 8, "ISO 4217 code", .flags = REQUIRED, .example = "\"EUR\""),
	POSITIVE(per_usd, 1e9, "Units of the currency for one USD", .flags = REQUIRED, .example = "0.86"),
	TEXT(as_of, 10, "Date of the rate", .form = FORM_DATE, .flags = REQUIRED, .example = "\"2026-11-20\""),
};
TABLE(currency, currency_rows, "Another currency to show amounts in, at a rate that you give.");
#undef OF

#define OF struct pricing
static const struct field pricing_rows[] = {
	NUMBER(usd_per_gpu_hour, 0, 1e4, "One price, instead of the catalogue's offers", .example = "2.5"),
	TEXTS(providers, 32, "Providers to consider; default: all", .example = "[\"aws\"]"),
	TEXTS(regions, 64, "Regions to consider; default: all"),
	TEXTS(terms, 4, "Terms of offers to consider", .words = pricing_model_words, .word_count = COUNT_OF(pricing_model_words),
		.fallback = "[\"on_demand\"]"),
	POSITIVE(max_age_days, 36500, "Largest age of an offer; older ones are ignored", .fallback = "400"),
	NUMBER(spot_interruptions_per_gpu_hour, 0, 100, "Rate at which the provider takes a spot accelerator back; default: not counted"),
	NUMBER(storage_usd_per_gb_month, 0, 100,
		"Storage price: for checkpoints and data during a training, for a service's weights; default: not counted"),
	NUMBER(egress_usd_per_gb, 0, 100,
		"Egress price: for data that leaves the provider when a training ends, or for a service's answers; default: not counted"),
	NUMBER(storage_gb, 0, 1e9, "Data stored", .fallback = "two checkpoints of a training; a service's weights once"),
	NUMBER(egress_gb, 0, 1e9, "Data that leaves the provider: once at the end of a training, every month for a service",
		.fallback = "the weights in 16 bits; a service's answers at 4 bytes a token"),
	OBJECT(on_premises, on_premises, "Your own hardware"),
	OBJECT(currency, currency, "Another currency to show costs in, beside USD"),
};
TABLE(pricing, pricing_rows, "Where prices come from: one price, the catalogue's offers, or your own hardware.");
#undef OF

DECLARE_TABLE(site_series, struct site_series);
#define OF struct site_series
static const struct field site_series_rows[] = {
	TIME_AS(start, start_us, "Start of the first step", .flags = REQUIRED, .example = "\"2026-11-21T00:00:00Z\""),
	INTEGER(step_minutes, 1, 1440, "Length of a step", .fallback = "60"),
	NUMBERS(gco2e_per_kwh, SITE_STEPS_MAX, 0, 2000, "Carbon intensity of the grid, one number for each step", .flags = REQUIRED),
	TEXT(source, 300, "Source of the figures", .fallback = "the request", .flags = NOTE),
};
TABLE(site_series, site_series_rows, "Carbon intensity of a grid for each time step.");
#undef OF

#define OF struct site_request
static const struct field site_rows[] = {
	TEXT(provider, 64, "Provider, with `region`", .example = "\"aws\""),
	TEXT(region, 64, "Region of the provider", .example = "\"us-east-1\""),
	TEXT(country, 64, "Country as ISO 3166 code, instead of provider and region", .example = "\"FRA\""),
	NUMBER(grid_gco2e_per_kwh, 0, SITE_GRID_MAX_GCO2E_PER_KWH, "Carbon intensity of the grid, instead of the region's"),
	NUMBER(grid_market_gco2e_per_kwh, 0, SITE_GRID_MAX_GCO2E_PER_KWH,
		"Market-based carbon intensity, from the contracts and certificates of the electricity that is bought; used for carbon.market_kgco2e"),
	NUMBER(grid_marginal_gco2e_per_kwh, 0, SITE_MARGINAL_MAX_GCO2E_PER_KWH,
		"Marginal carbon intensity, of the plants that run for one kWh more, instead of the region's; used for carbon.marginal_kgco2e"),
	NUMBER(pue, 1, SITE_PUE_MAX, "Power usage effectiveness: facility power over IT power"),
	NUMBER(wue_l_per_kwh, 0, SITE_WUE_MAX_L_PER_KWH, "Water used on site"),
	NUMBER(ewif_l_per_kwh, 0, SITE_EWIF_MAX_L_PER_KWH, "Water used to generate the electricity"),
	NUMBER(electricity_usd_per_kwh, 0, 5,
		"Electricity tariff at the site, for your own hardware (pricing.on_premises); a rental price includes electricity"),
	TIME_AS(start, start_us, "Start of the run. Carbon is then computed hour by hour, for the hours that `series` or a feed covers",
		.example = "\"2026-11-21T18:00:00Z\""),
	OBJECT(series, site_series, "Carbon intensity for each time step, instead of one figure. Outside the series, the site's mean is used"),
};
TABLE(site_request, site_rows, "Location of the accelerators; default: the region of the chosen offer.");
#undef OF

#define OF struct hardware_request
static const struct field hardware_rows[] = {
	NUMBER(host_power_fraction, 0, 5, "Power of hosts and network, as a fraction of the accelerators' power"),
	NUMBER(embodied_kgco2e_per_gpu, 0, 1e5, "Embodied carbon of one accelerator"),
	NUMBER(embodied_kgco2e_per_node, 0, 1e6, "Embodied carbon of one server without its accelerators"),
	POSITIVE(life_years, 20, "Years over which embodied carbon is spread", .fallback = "4"),
	POSITIVE(used_fraction, 1, "Fraction of those years in use", .fallback = "0.85"),
};
TABLE(hardware_request, hardware_rows, "Your own figures for the machines, instead of published ones.");
#undef OF

#define OF struct request_common
static const struct field about_rows[] = {
	TEXT(name, 200, "Name, stored with the plan", .flags = NOTE),
	LABELS(labels, "Labels, stored with the plan: up to 64 pairs of key and text", .flags = NOTE),
	TEXT(notes, 10000, "Notes, stored with the plan", .flags = MULTILINE | NOTE),
};
TABLE(about, about_rows, "Name, labels and notes of a plan.", .whole = &table_request_common);

#define GPU_COUNT INTEGER(gpu_count, 1, 1000000, "Number of accelerators; computed if absent")
#define CALIBRATION \
	CHOICE(calibration, calibration_words, "Whether verified measurements, where they exist, correct the datasheet", .fallback = "measured")
#define PRACTICE(doc_, fallback_) CHOICE(practice, practice_words, doc_, .fallback = (fallback_))
#define AS_OF                     TEXT(as_of, 40, "Plan with the catalogue as of this time", .form = FORM_MOMENT, .example = "\"2026-11-01T00:00:00Z\"")

static const struct field request_common_rows[] = {
	OBJECT(model, model_reference, "The model: a name in the catalogue, a config.json, or its size", .flags = REQUIRED),
	OBJECT(accelerator, accelerator_reference, "The accelerator to plan with; default: all with a current on-demand price"),
	LIST(accelerators, 32, accelerator_reference, "Accelerators to choose from"),
	GPU_COUNT,
	INTEGER(gpus_per_node, 1, 1024, "Accelerators in a node; default: the catalogue's figure"),
	POSITIVE(internode_gbs, 1e5, "Network bandwidth of one accelerator between nodes, in one direction"),
	OBJECT(pricing, pricing, "Where prices come from; default: the cheapest current on-demand offer"),
	OBJECT(site, site_request, "Location: grid, PUE, water, tariff; default: the region of the chosen offer"),
	OBJECT(hardware, hardware_request, "Your own figures for the machines: power of the hosts, embodied carbon"),
	CHOICE(objective, objective_words,
		"What the recommended option minimises. If a training gives no objective, number, deadline or budget, the planner takes the size that teams usually take, weighed against its cost",
		.fallback = "cost"),
	POSITIVE(carbon_cap_kgco2e, 1e12, "Upper limit of carbon; for a service, of a month. Options above it are left out"),
	POSITIVE(energy_cap_kwh, 1e12, "Upper limit of energy; for a service, of a month. Options above it are left out"),
	CALIBRATION,
	INTEGER(alternatives, 0, 32, "Number of further options to return", .fallback = "5"),
	TRUTH(enforce_memory, "Whether options that do not fit in memory are infeasible; false: they are returned with a warning",
		.fallback = "true"),
	AS_OF,
};
TABLE(request_common, request_common_rows, "Fields of every plan request.");

static const struct field assurance_rows[] = {
	PRACTICE(
		"Real-world slowdown to plan with. recipe: none, the best published step times; typical: the slowdown that teams usually have; first_run: that of a first run on new hardware",
		"typical"),
	NUMBER(confidence, 0.5, 0.99, "Probability with which the plan meets deadline, slo, load, budget and caps", .fallback = "0.8"),
};
TABLE(assurance, assurance_rows, "The confidence of an answer.");

static const struct field expansion_rows[] = {
	TEXT(expand, 200,
		"Parts of the answer to return beside the short one, separated by commas: alternatives, front, provenance, inputs, sensitivity, advice, assumptions, search, reservations, stages, batch, compute_optimal, confidence, autoscaling, details; or `all`, or `none`. Default: none in an estimate, all in a stored plan",
		.flags = WRITE_ONLY | NOTE, .example = "\"alternatives,front\""),
};
TABLE(expansion, expansion_rows, "The parts of an answer.", .whole = &table_request_common);

static const struct field training_precision_rows[] = {
	CHOICE(precision, training_precision_words, "Number format of matrix products", .fallback = "bf16, or the best that the accelerator has"),
};
TABLE(training_precision, training_precision_rows, "The precision of a training.", .whole = &table_request_common);

static const struct field weight_precision_rows[] = {
	CHOICE(precision, precision_words,
		"Number format of the weights; `int8`, `int4` and `mxfp4` are stored narrow and computed in a wider format", .fallback = "bf16"),
};
TABLE(weight_precision, weight_precision_rows, "The precision of the weights.", .whole = &table_request_common);

static const struct field replica_common_rows[] = {
	OBJECT(model, model_reference, "The model: a name in the catalogue, a config.json, or its size", .flags = REQUIRED),
	OBJECT(accelerator, accelerator_reference, "The accelerator", .flags = REQUIRED),
	INTEGER(gpu_count, 1, 4096, "Number of accelerators in the replica", .fallback = "1"),
	PRACTICE(
		"How the engine runs. recipe: as in its published recipe; typical: as engines usually run; first_run: on hardware that is new to the team",
		"recipe"),
	CALIBRATION,
	AS_OF,
};
TABLE(replica_common, replica_common_rows, "The model and the hardware of one replica.", .whole = &table_request_common);
#undef OF

#define OF struct token_distribution
static const struct field token_distribution_rows[] = {
	COUNT(mean, 1, 1e7, "Mean", .example = "1000"),
	COUNT(p50, 1, 1e7, "Median; mean and median together give the spread of the lengths (E138)"),
	COUNT(p95, 1, 1e7, "95th percentile"),
	NUMBER(cv, 0, 20, "Coefficient of variation"),
	NUMBERS(samples, 10000, 1, 1e7, "Measured lengths, instead of the statistics"),
};
TABLE(token_distribution, token_distribution_rows, "Token counts of requests: a number, statistics or samples.",
	.shorthand = &token_distribution_rows[0]);
#undef OF
