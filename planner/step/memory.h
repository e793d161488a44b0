/* Memory of one accelerator under a layout: the peak rank decides (E35-E38). */
#ifndef FLEETPLAN_PLANNER_STEP_MEMORY_H
#define FLEETPLAN_PLANNER_STEP_MEMORY_H

#include "planner/step/pipeline.h"

/* E35-E37. Memory of the worst stage.
 * Given: setting, layout (all filled), its stages. Returned: bytes; model_bytes is the sum of weights, gradients,
 * optimizer and activations; overhead (E38) is the runtime's context, communication buffers and fragmentation. */
void memory_of_layout(const struct setting *setting, const struct parallelism *layout, const struct stages *stages, struct memory_use *memory);

/* What one layer of each kind holds on one rank, whatever its stage: of layouts of the same tensor and expert degrees, recomputation, and whether
 * layers keep their activations under it. */
struct layer_memory {
	struct layer_params params;
	double gathered_params; /* that ZeRO-3 holds at a time */
	double kept_bytes, keeping_bytes, open_bytes; /* activations of a token: under the layout, of a layer that keeps its own, while it is done again */
};
struct memory_layers {
	struct layer_memory kinds[MODEL_LAYER_KINDS_MAX];
};
void memory_layers_of(const struct setting *setting, const struct parallelism *layout, struct memory_layers *layers);

/* What one rank of a stage holds whatever the ZeRO stage and group: parameters, what ZeRO-3 gathers at a time (E35), and
 * activations. A layout has those of the stages of which one is the worst. Given: its degrees, its layers. */
struct stage_memory {
	double dense, expert, largest, activations_bytes;
	double tables, logits_bytes; /* of dense and activations_bytes: what is no part of a layer */
};
struct memory_parts {
	int count;
	struct stage_memory stages[PIPELINE_STAGES_MAX];
};
void memory_parts_of(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees, const struct memory_layers *layers,
	const struct stages *stages, struct memory_parts *parts);

/* memory_of_layout() without layers_bytes, from the parts of a layout that differs in ZeRO stage and group at most. Given: degrees of this one. Where a
 * stage takes more than most_bytes, the memory may be that stage's, which is not the worst. Returned: which of the parts the memory is of. */
int memory_of_parts(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees, const struct memory_parts *parts,
	double most_bytes, struct memory_use *memory);

/* Bounds below memory_of_parts() of every ZeRO stage up to the layout's and every group that divides its own. Given: spared, a share of the activations.
 * Valid: software whose weights lie in the same bytes under every stage, or one stage only. */
struct memory_bounds {
	double total_bytes;  /* of the worst stage */
	double spared_bytes; /* the least that a stage takes when that share of its activations is taken off */
};
struct memory_bounds memory_bounds_of_parts(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees,
	const struct memory_parts *parts, double spared);

/* A bound below memory_of_layout() of every layout with the same tensor, pipeline, data, context and expert degrees and the same or a
 * lower ZeRO stage, whatever its interleaving, micro-batch and recomputation: states of the mean stage, without embeddings. */
double memory_least_bytes(const struct setting *setting, const struct parallelism *layout);

/* The same of one stage, for those who want to see the first as well as the worst. */
void memory_of_stage(const struct setting *setting, const struct parallelism *layout, const struct stages *stages, int stage, struct memory_use *memory);

/* E35. Bytes that the optimizer keeps for one trained parameter: master copy and states.
 * Valid: mixed precision (`wide` false) or 32-bit training, which needs no master copy. */
double optimizer_bytes_per_param(enum optimizer optimizer, bool wide);

/* E36. Bytes of activations that one token leaves for the backward pass in one layer of kind `kind`. */
double activation_bytes_per_token(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees, int kind);

#endif
