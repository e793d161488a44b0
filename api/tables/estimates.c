/* The smaller calculators: memory, scaling laws, carbon. */
#include "api/tables/shared.h"

/* --- memory ---------------------------------------------------------------------------------------------------- */
DECLARE_TABLE(memory_fine_tuning, MEMBER_TYPE(struct memory_request, fine_tuning));
#define OF MEMBER_TYPE(struct memory_request, fine_tuning)
static const struct field memory_fine_tuning_rows[] = {
	CHOICE(method, fine_tuning_words, "Which parameters are trained", .flags = REQUIRED),
	INTEGER(rank, 1, 4096, "Rank of the adapters"),
};
TABLE(memory_fine_tuning, memory_fine_tuning_rows, "Fine-tuning: only trained parameters have optimizer state.");
#undef OF

#define OF struct request_common
static const struct field memory_common_rows[] = {
	OBJECT(model, model_reference, "The model: a name in the catalogue, a config.json, or its size", .flags = REQUIRED),
	OBJECT(accelerator, accelerator_reference, "Accelerator on which the model must fit"),
	INTEGER(gpu_count, 1, 1000000, "Number of accelerators that share the model", .fallback = "1"),
	TEXT(as_of, 40, "Compute with the catalogue as of this time", .form = FORM_MOMENT),
};
DECLARE_TABLE(memory_common, struct request_common);
TABLE(memory_common, memory_common_rows, "The model and the hardware.", .whole = &table_request_common);
#undef OF

#define OF struct memory_request
static const struct field memory_request_rows[] = {
	MERGE(common, memory_common),
	MERGE(common, weight_precision),
	CHOICE(purpose, memory_purpose_words, "Use of the model", .fallback = "training"),
	COUNT(sequence_length, 1, 1e8, "Training: tokens in a sequence"),
	CHOICE(optimizer, optimizer_words, "Training: optimizer", .fallback = "adamw"),
	OBJECT(fine_tuning, memory_fine_tuning, "Training: fine-tuning; absent for pre-training"),
	OBJECT(parallelism, parallelism,
		"Layout. The planner searches the fields that are left out; without an accelerator they are 1, except data, which is the rest of gpu_count"),
	CHOICE(kv_precision, precision_words, "Inference: number format of the KV cache", .fallback = "the engine's own"),
	CHOICE(engine, engine_words, "Inference: serving software", .fallback = "generic"),
	COUNT(context_tokens, 1, 1e8, "Inference: tokens of context in each sequence"),
	NUMBER(concurrency, 1, 1e6, "Inference: sequences at the same time; default: as many as fit"),
};
TABLE(memory_request, memory_request_rows, "The memory that a model needs on each accelerator.");
#undef OF

#define OF struct memory_estimate
static const struct field memory_result_rows[] = {
	FIGURE(params_total, "Number of parameters", .always = true),
	FIGURE(params_active, "Parameters used for one token", .always = true),
	FIGURE(weights_bytes, "Weights of the whole model in the requested precision", .always = true),
	FIGURE(weights_fp32_bytes, "Weights of the whole model in FP32"),
	FIGURE(weights_bf16_bytes, "Weights of the whole model in BF16"),
	FIGURE(weights_int8_bytes, "Weights of the whole model in INT8"),
	FIGURE(weights_int4_bytes, "Weights of the whole model in INT4"),
	FIGURE(kv_bytes_per_token, "KV cache of one token"),
	OBJECT(training, memory_use, "Memory of the fullest accelerator"),
	OBJECT_IF(parallelism, has_training, parallelism,
		"Layout of `training`: the one that a plan chooses for this number of accelerators, or the leanest if none fits"),
	FIGURE(least_bytes, "Training: memory that the leanest layout needs with this number of accelerators"),
	OBJECT(inference, serving_memory, "Memory of one accelerator"),
	OBJECT_IF(replica_layout, has_inference, serving_parallelism,
		"Layout of `inference`: the smallest replica with which the given accelerators hold all sequences"),
	INTEGER(replicas, 1, 1000000, "Number of replicas on the given accelerators; they share the sequences"),
	TRUTH(fits, "Whether the model fits on the given accelerators: true exactly if gpu_count is at least gpu_count_min"),
	FIGURE(headroom_bytes, "Capacity less the memory needed; negative if the model does not fit"),
	INTEGER(gpu_count_min, 1, 1000000, "Smallest number of these accelerators that holds the model, with the leanest layout"),
	MERGE(findings, findings),
};
TABLE(memory_result, memory_result_rows, "The memory that a model needs on each accelerator.");
#undef OF

/* --- scaling laws ---------------------------------------------------------------------------------------------- */
#define OF struct scaling_request
static const struct field scaling_request_rows[] = {
	COUNT(compute_flops, 1e6, 1e35, "Compute budget", .example = "1e24"),
	COUNT(tokens, 1, 1e18, "Training tokens of one epoch", .example = "\"1.4T\""),
	COUNT(params, 1e3, 1e15, "Parameters", .example = "\"70B\""),
	POSITIVE(epochs, 10000, "Passes over the tokens: the training processes tokens x epochs, and repeated tokens add less (E19)",
		.fallback = "1"),
	WORD(law, law_words, "Which scaling law", .fallback = "epoch"),
};
TABLE(scaling_request, scaling_request_rows,
	"Give compute, tokens or parameters to compute the other two, or tokens and parameters to have them judged.");
#undef OF

DECLARE_TABLE(scaling_choice, struct scaling_choice);
#define OF struct scaling_choice
static const struct field scaling_choice_rows[] = {
	FIGURE(params, "Parameters"),
	FIGURE(tokens, "Tokens"),
	FIGURE(compute_flops, "Compute"),
	FIGURE(loss, "Loss by the law, in nats per token"),
};
TABLE(scaling_choice, scaling_choice_rows, "A number of parameters and a number of tokens.");
#undef OF

#define OF struct scaling_estimate
static const struct field scaling_result_rows[] = {
	TEXT(law, 32, "Which scaling law"),
	TEXT(law_source, 1000, "Publication of the law"),
	OBJECT(optimum, scaling_choice, "Compute-optimal choice for the given figures"),
	OBJECT(given, scaling_choice, "The given parameters and tokens, if both were given; with the tokens of all epochs"),
	CHOICE(verdict, verdict_words, "Whether the model size and the tokens match"),
	FIGURE(tokens_per_param, "Tokens per parameter of `given`"),
	FIGURE(tokens_per_param_optimal, "Tokens per parameter of the optimum"),
	FIGURE(flops_per_percent_loss, "Further FLOPs that lower the loss by one per cent"),
	FIGURE(repeated_worth, "Worth of the tokens of all epochs, over the unique tokens"),
	FIGURE(tokens_total, "Tokens of all epochs, if tokens were given"),
	FIGURE(tokens_effective, "Number of new tokens that are worth the same as tokens_total (E19); the loss is computed from it"),
	CHARS(detail, "Reason"),
	ARRAY_AS(curve, curve, curve_count, scaling_choice, "Other sizes with the same compute"),
	MERGE(findings, findings),
};
TABLE(scaling_result, scaling_result_rows, "The answer of the scaling laws.");
#undef OF

/* --- carbon ---------------------------------------------------------------------------------------------------- */
DECLARE_TABLE(published, MEMBER_TYPE(struct carbon_request, published));
#define OF MEMBER_TYPE(struct carbon_request, published)
static const struct field published_rows[] = {
	POSITIVE(energy_mwh, 1e12, "Published energy"),
	POSITIVE(mean_gpu_w, 1e5, "Published mean power of an accelerator"),
	POSITIVE(carbon_tco2e, 1e12, "Published carbon"),
};
TABLE(published, published_rows, "Published figures to check against each other.");
#undef OF

#define OF struct carbon_request
static const struct field carbon_request_rows[] = {
	OBJECT(accelerator, accelerator_reference, "The accelerator", .flags = REQUIRED),
	INTEGER(gpu_count, 1, 10000000, "Accelerators", .fallback = "1"),
	INTEGER(gpus_per_node, 1, 1024, "Accelerators in a node; default: the catalogue's figure"),
	HOURS(hours, 1e8, "Hours for which the accelerators are used or reserved", .flags = REQUIRED, .example = "\"54d\""),
	NUMBER(utilization, 0, 1,
		"Fraction of the dense peak while they compute (0.3 to 0.5 in training); half of the peak already takes full power (E60)"),
	NUMBER(host_power_fraction, 0, 5, "Power of hosts and network, as a fraction of the accelerators' power"),
	OBJECT(site, site_request, "Location of the accelerators"),
	OBJECT(hardware, hardware_request, "Your own figures for the machines: power of the hosts, embodied carbon"),
	OBJECT(published, published, "Published figures to check against the estimate"),
	TEXT(as_of, 40, "Compute with the catalogue as of this time", .form = FORM_MOMENT),
};
TABLE(carbon_request, carbon_request_rows, "A number of accelerators used or reserved for a number of hours.");
#undef OF

DECLARE_TABLE(carbon_intervals, MEMBER_TYPE(struct carbon_estimate, interval));
#define OF MEMBER_TYPE(struct carbon_estimate, interval)
static const struct field carbon_interval_rows[] = {
	OBJECT(total_kwh, interval, "Energy"),
	OBJECT(total_kgco2e, interval, "Carbon"),
};
TABLE(carbon_intervals, carbon_interval_rows, "Intervals of figures.");
#undef OF

DECLARE_TABLE(implied, MEMBER_TYPE(struct carbon_estimate, implied));
#define OF MEMBER_TYPE(struct carbon_estimate, implied)
static const struct field implied_rows[] = {
	FIGURE(mean_gpu_w, "Mean power of an accelerator"),
	FIGURE(grid_gco2e_per_kwh, "Carbon intensity"),
	FIGURE(pue, "Power usage effectiveness"),
	FIGURE(energy_mwh, "Energy"),
	FIGURE(carbon_tco2e, "Carbon"),
	FIGURE(utilization,
		"Position of the mean power between idle (0) and full load (1); unlike `utilization` of the request, it is a fraction of power and not of the peak rate"),
	TRUTH(energy_is_facility,
		"Whether the published energy includes the facility's share: with the PUE, hours x accelerators x power is closer to it"),
};
TABLE(implied, implied_rows, "Figures that follow from the published ones, if they can be computed.");
#undef OF

DECLARE_TABLE(inconsistency, struct inconsistency);
#define OF struct inconsistency
static const struct field inconsistency_rows[] = {
	CHARS(detail, "The figures that disagree"),
};
TABLE(inconsistency, inconsistency_rows, "A disagreement between published figures.", .shorthand = &inconsistency_rows[0]);
#undef OF

#define OF struct carbon_estimate
static const struct field carbon_result_rows[] = {
	OBJECT(energy, energy, "Energy"),
	OBJECT(carbon, carbon, "Carbon"),
	FIGURE(water_l, "Water, used on site and to generate the electricity"),
	OBJECT(interval, carbon_intervals, "Intervals of figures"),
	MAP_AS(inputs, inputs.items, inputs.count, figure, "Inputs of energy, carbon and water, by their names in the request"),
	MAP(provenance, provenance_count, provenance, "Sources of figures, by JSON pointer in the result"),
	OBJECT(implied, implied, "Figures that follow from the published ones"),
	ARRAY_AS(inconsistencies, inconsistencies, inconsistency_count, inconsistency, "Published figures that disagree"),
	MERGE(findings, findings),
};
TABLE(carbon_result, carbon_result_rows, "The energy, carbon and water of accelerators over a number of hours.");
#undef OF
