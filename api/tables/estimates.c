/* The smaller calculators: memory, scaling laws, carbon. */
#include "api/tables/shared.h"

/* --- memory ---------------------------------------------------------------------------------------------------- */
DECLARE_TABLE(memory_fine_tuning, MEMBER_TYPE(struct memory_request, fine_tuning));
#define OF MEMBER_TYPE(struct memory_request, fine_tuning)
static const struct field memory_fine_tuning_rows[] = {
	CHOICE(method, fine_tuning_words, "Which parameters are trained", .flags = REQUIRED),
	INTEGER(rank, 1, 4096, "Rank of the adapters"),
};
TABLE(memory_fine_tuning, memory_fine_tuning_rows, "Fine-tuning: optimizer state for the trained parameters only.");
#undef OF

#define OF struct request_common
static const struct field memory_common_rows[] = {
	OBJECT(model, model_reference, "The model: a name of the catalogue, a config.json, or its size", .flags = REQUIRED),
	OBJECT(accelerator, accelerator_reference, "Whether it fits on this accelerator"),
	INTEGER(gpu_count, 1, 1000000, "Accelerators that share it", .fallback = "1"),
	TEXT(as_of, 40, "With the catalogue as it was at that time", .form = FORM_MOMENT),
};
DECLARE_TABLE(memory_common, struct request_common);
TABLE(memory_common, memory_common_rows, "Model and hardware.", .whole = &table_request_common);
#undef OF

#define OF struct memory_request
static const struct field memory_request_rows[] = {
	MERGE(common, memory_common),
	MERGE(common, weight_precision),
	CHOICE(purpose, memory_purpose_words, "What the model is for", .fallback = "training"),
	COUNT(sequence_length, 1, 1e8, "Training: tokens in a sequence"),
	CHOICE(optimizer, optimizer_words, "Training: optimizer", .fallback = "adamw"),
	OBJECT(fine_tuning, memory_fine_tuning, "Training: fine-tuning; absent for pre-training"),
	OBJECT(parallelism, parallelism, "Layout; what is left out is searched, as a plan does; without an accelerator it is 1, and data what gpu_count leaves"),
	CHOICE(kv_precision, precision_words, "Inference: number format of the KV cache", .fallback = "the engine's own"),
	CHOICE(engine, engine_words, "Inference: serving software", .fallback = "generic"),
	COUNT(context_tokens, 1, 1e8, "Inference: tokens of each sequence"),
	NUMBER(concurrency, 1, 1e6, "Inference: sequences at once; as many as fit unless given"),
};
TABLE(memory_request, memory_request_rows, "What a model takes on each accelerator.");
#undef OF

#define OF struct memory_estimate
static const struct field memory_result_rows[] = {
	FIGURE(params_total, "Parameters"),
	FIGURE(params_active, "Parameters that one token meets"),
	FIGURE(weights_bytes, "The whole model's weights in the precision asked for"),
	FIGURE(weights_fp32_bytes, "The same in FP32"),
	FIGURE(weights_bf16_bytes, "The same in BF16"),
	FIGURE(weights_int8_bytes, "The same in INT8"),
	FIGURE(weights_int4_bytes, "The same in INT4"),
	FIGURE(kv_bytes_per_token, "KV cache of one token"),
	OBJECT(training, memory_use, "Of the fullest accelerator"),
	OBJECT_IF(parallelism, has_training, parallelism, "The layout of that: the one that a plan takes on this number, or the leanest where none fits"),
	FIGURE(least_bytes, "Training: what the leanest layout of this number needs"),
	OBJECT(inference, serving_memory, "Of one accelerator"),
	OBJECT_IF(replica_layout, has_inference, serving_parallelism, "The layout of that: the smallest replica of which there are enough"),
	INTEGER(replicas, 1, 1000000, "Replicas on the accelerators given; sequences are spread over them"),
	TRUTH(fits, "Whether it fits on the accelerators given: exactly when gpu_count is gpu_count_min or more"),
	FIGURE(headroom_bytes, "Capacity less what is needed; negative when it does not fit"),
	INTEGER(gpu_count_min, 1, 1000000, "The least number of these accelerators that holds it, in the leanest layout"),
	MERGE(findings, findings),
};
TABLE(memory_result, memory_result_rows, "What a model takes on each accelerator.");
#undef OF

/* --- scaling laws ---------------------------------------------------------------------------------------------- */
#define OF struct scaling_request
static const struct field scaling_request_rows[] = {
	COUNT(compute_flops, 1e6, 1e35, "Compute to spend", .example = "1e24"),
	COUNT(tokens, 1, 1e18, "Training tokens of one epoch", .example = "\"1.4T\""),
	COUNT(params, 1e3, 1e15, "Parameters", .example = "\"70B\""),
	POSITIVE(epochs, 10000, "Passes over the tokens: tokens x epochs are seen in all, and what is seen again teaches less (E19)", .fallback = "1"),
	WORD(law, law_words, "Which scaling law", .fallback = "epoch"),
};
TABLE(scaling_request, scaling_request_rows,
	"Any one of compute, tokens and parameters gives the others; tokens and parameters together are judged.");
#undef OF

DECLARE_TABLE(scaling_choice, struct scaling_choice);
#define OF struct scaling_choice
static const struct field scaling_choice_rows[] = {
	FIGURE(params, "Parameters"),
	FIGURE(tokens, "Tokens"),
	FIGURE(compute_flops, "Compute"),
	FIGURE(loss, "Loss by the law, in nats per token"),
};
TABLE(scaling_choice, scaling_choice_rows, "A size and a number of tokens.");
#undef OF

#define OF struct scaling_estimate
static const struct field scaling_result_rows[] = {
	TEXT(law, 32, "Which scaling law"),
	TEXT(law_source, 1000, "Where it is published"),
	OBJECT(optimum, scaling_choice, "Compute-optimal for what was given"),
	OBJECT(given, scaling_choice, "What was given, when it was a size and tokens; its tokens are those of all epochs"),
	CHOICE(verdict, verdict_words, "Whether size and data fit each other"),
	FIGURE(tokens_per_param, "Of what was given"),
	FIGURE(tokens_per_param_optimal, "Of the optimum"),
	FIGURE(flops_per_percent_loss, "FLOPs that lower the loss by one per cent more"),
	FIGURE(repeated_worth, "What the tokens of all epochs are worth, over the unique ones"),
	FIGURE(tokens_total, "Tokens over all epochs, where tokens were given"),
	FIGURE(tokens_effective, "New tokens that these are worth (E19): what the loss is computed from"),
	CHARS(detail, "Why"),
	ARRAY_AS(curve, curve, curve_count, scaling_choice, "The same compute with other sizes"),
	MERGE(findings, findings),
};
TABLE(scaling_result, scaling_result_rows, "What scaling laws say.");
#undef OF

/* --- carbon ---------------------------------------------------------------------------------------------------- */
DECLARE_TABLE(published, MEMBER_TYPE(struct carbon_request, published));
#define OF MEMBER_TYPE(struct carbon_request, published)
static const struct field published_rows[] = {
	POSITIVE(energy_mwh, 1e12, "Energy as it was published"),
	POSITIVE(mean_gpu_w, 1e5, "Mean power of an accelerator as it was published"),
	POSITIVE(carbon_tco2e, 1e12, "Carbon as it was published"),
};
TABLE(published, published_rows, "Published figures to hold against each other.");
#undef OF

#define OF struct carbon_request
static const struct field carbon_request_rows[] = {
	OBJECT(accelerator, accelerator_reference, "The accelerator", .flags = REQUIRED),
	INTEGER(gpu_count, 1, 10000000, "Accelerators", .fallback = "1"),
	INTEGER(gpus_per_node, 1, 1024, "Accelerators in a node; the catalogue's unless given"),
	HOURS(hours, 1e8, "How long they are held", .flags = REQUIRED, .example = "\"54d\""),
	NUMBER(utilization, 0, 1, "Of the dense peak, while they compute (0.3 to 0.5 in training); half of it takes full power (E60)"),
	NUMBER(host_power_fraction, 0, 5, "Power of hosts and network over that of accelerators"),
	OBJECT(site, site_request, "Where they stand"),
	OBJECT(hardware, hardware_request, "What is known of the machines: the hosts' power, carbon of making them"),
	OBJECT(published, published, "Published figures to hold against the estimate"),
	TEXT(as_of, 40, "With the catalogue as it was at that time", .form = FORM_MOMENT),
};
TABLE(carbon_request, carbon_request_rows, "Accelerators held for hours.");
#undef OF

DECLARE_TABLE(carbon_intervals, MEMBER_TYPE(struct carbon_estimate, interval));
#define OF MEMBER_TYPE(struct carbon_estimate, interval)
static const struct field carbon_interval_rows[] = {
	OBJECT(total_kwh, interval, "Energy"),
	OBJECT(total_kgco2e, interval, "Carbon"),
};
TABLE(carbon_intervals, carbon_interval_rows, "Figures as intervals.");
#undef OF

DECLARE_TABLE(implied, MEMBER_TYPE(struct carbon_estimate, implied));
#define OF MEMBER_TYPE(struct carbon_estimate, implied)
static const struct field implied_rows[] = {
	FIGURE(mean_gpu_w, "Mean power of an accelerator"),
	FIGURE(grid_gco2e_per_kwh, "Carbon intensity"),
	FIGURE(pue, "Power usage effectiveness"),
	FIGURE(energy_mwh, "Energy"),
	FIGURE(carbon_tco2e, "Carbon"),
	FIGURE(utilization, "How far the power is from idle to full load, and so of the power, not of the peak as `utilization` of the request is"),
	TRUTH(energy_is_facility, "Whether the published energy holds the building's share: hours x accelerators x watts come closer to it with the PUE"),
};
TABLE(implied, implied_rows, "What the published figures imply, where they tell.");
#undef OF

DECLARE_TABLE(inconsistency, struct inconsistency);
#define OF struct inconsistency
static const struct field inconsistency_rows[] = {
	CHARS(detail, "What does not agree with what"),
};
TABLE(inconsistency, inconsistency_rows, "A disagreement.", .shorthand = &inconsistency_rows[0]);
#undef OF

#define OF struct carbon_estimate
static const struct field carbon_result_rows[] = {
	OBJECT(energy, energy, "Energy"),
	OBJECT(carbon, carbon, "Carbon"),
	FIGURE(water_l, "Water, on site and in making the electricity"),
	OBJECT(interval, carbon_intervals, "Figures as intervals"),
	MAP_AS(inputs, inputs.items, inputs.count, figure, "What energy, carbon and water rest upon, by the request's names"),
	MAP(provenance, provenance_count, provenance, "Where figures come from, by JSON pointer inside the result"),
	OBJECT(implied, implied, "What the published figures imply"),
	ARRAY_AS(
		inconsistencies, inconsistencies, inconsistency_count, inconsistency, "Published figures that do not agree"),
	MERGE(findings, findings),
};
TABLE(carbon_result, carbon_result_rows, "Energy, carbon and water of accelerators held for hours.");
#undef OF
