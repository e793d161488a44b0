/* The inputs that stay fixed while layouts vary: one candidate, one model, one sequence length and batch. */
#ifndef FLEETPLAN_PLANNER_STEP_SETTING_H
#define FLEETPLAN_PLANNER_STEP_SETTING_H

#include "planner/operators/device.h"
#include "planner/plan/training.h"
#include "planner/step/software.h"

struct setting {
	const struct training_input *input;
	const struct model *model;
	const struct model *teacher; /* NULL: none */
	const struct candidate *candidate;
	const struct physics *physics;
	struct physics compiled; /* `physics` points here where steps are compiled ahead: a copy of a setting must not outlive the original */
	struct device device;
	struct software software;
	enum precision precision;
	double sequence;        /* tokens of a sample; 1 for a generic model */
	double batch;           /* samples of one optimizer step over all accelerators */
	bool batch_free;        /* the planner chose the batch: a layout may round it to whole micro-batches */
	double flops_per_token; /* model FLOPs of training, E4; frozen weights have no gradient of their own */
	double forward_flops_per_token;
	double teacher_forward_flops_per_token;
	double attention_flops_per_token; /* forward, scores only */
	double least_token_s,
		least_again_token_s; /* lower bounds of any layout's compute of one token on one accelerator; of its repetition by full recomputation */
	bool frozen, quantized; /* LoRA; QLoRA */
	bool frozen_narrow;     /* LoRA in 8 bits by Megatron Core: weights, products' operands and activation functions' inputs
	                     * are kept in 8 bits, and adapters are at attention only (NVIDIA's recipe of MLPerf Training
	                     * v4.0, llama2_70b_lora: fp8_params, fp8_dot_product_attention, fp8_activation_input_store,
	                     * target_modules) */
	double adapter_params;  /* trained parameters of LoRA, all layers */
	double trained_params;
};

/* Fills a setting. Given: teacher: NULL: none; sequence: tokens of a sample, > 0. Returned: false when the candidate has
 * no usable rate or no memory. The batch stays 0: the caller sets it (E44 chooses it). */
bool setting_of_candidate(const struct training_input *input, const struct candidate *candidate, const struct physics *physics,
	const struct model *teacher, double sequence, struct setting *setting);

/* E4. Computes the training FLOPs of one token, also of fine-tuning: forward pass, gradients of the inputs, and
 * gradients of the weights unless these are frozen.
 * Given:    input; sequence: tokens of a sample, > 0.
 * Returned: FLOPs a token. LoRA's own FLOPs, about a hundredth, are not counted.
 * Source:   Hu et al. 2021, section 4.2 (LoRA).
 * Case:     tests/planner/test_training_plan.c. */
double training_flops_per_token(const struct training_input *input, double sequence);

/* E157. Sums the inputs and outputs of a layer's adapted matrices: LoRA of rank r adds r parameters for each.
 * Given:    model; kind: the layer's kind.
 * Returned: values a token. All linear layers are adapted, as in QLoRA; experts are not.
 * Source:   Hu et al. 2021, arXiv 2106.09685; Dettmers et al. 2023, arXiv 2305.14314. */
double adapter_width(const struct model *model, const struct layer_kind *kind);

/* A layout's degrees as doubles, since all arithmetic is in doubles. */
struct degrees {
	double tensor, pipeline, data, context, expert, interleave, micro_batch;
	double batch;         /* samples of a step: the setting's; where that is free, the nearest whole number of micro-batches */
	double micro_batches; /* of one step and data rank, rounded up */
	double rows;          /* tokens of one micro-batch on one context rank */
	double zero_group;
	double expert_copies; /* ranks that store the same experts */
	double expert_tensor; /* ranks that one expert is split over */
};
struct degrees degrees_of(const struct setting *setting, const struct parallelism *layout);

/* Parameters of one layer of kind `kind` on one rank: dense ones, and those of experts. */
struct layer_params {
	double dense, expert;
};
struct layer_params layer_params_of(const struct model *model, int kind, const struct degrees *degrees);

#endif
