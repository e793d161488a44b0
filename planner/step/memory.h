/* Memory of one accelerator under a layout: that of the rank with the largest peak (E35-E38). */
#ifndef FLEETPLAN_PLANNER_STEP_MEMORY_H
#define FLEETPLAN_PLANNER_STEP_MEMORY_H

#include "planner/step/pipeline.h"

/* E35-E38. Computes the memory of the worst stage.
 * Given:    setting; layout, all members filled; its stages.
 * Returned: bytes: model_bytes is the sum of weights, gradients, optimizer and activations; overhead_bytes (E38) is the
 *           runtime's context, communication buffers and fragmentation.
 * Source:   Korthikanti et al. 2022 (activations); docs/equations.md names the source of each constant.
 * Case:     tests/planner/golden/training_runs.txt (E35), tests/planner/test_training_step.c. */
void memory_of_layout(
	const struct setting *setting, const struct parallelism *layout, const struct stages *stages, struct memory_use *memory);

/* Memory of one layer of each kind on one rank, the same on every stage. Layouts share it that have the same tensor and
 * expert degrees, the same recomputation, and layers that keep their activations in both or in neither. */
struct layer_memory {
	struct layer_params params;
	double gathered_params; /* parameters that ZeRO-3 gathers at a time */
	double kept_bytes, keeping_bytes,
		open_bytes; /* activations of a token: under the layout; of a layer that keeps its own; of a layer while it is recomputed */
};
struct memory_layers {
	struct layer_memory kinds[MODEL_LAYER_KINDS_MAX];
};
void memory_layers_of(const struct setting *setting, const struct parallelism *layout, struct memory_layers *layers);

/* Memory of one rank of a stage that no ZeRO stage and group changes: parameters, those that ZeRO-3 gathers at a time
 * (E35), and activations. memory_parts_of() fills the stages of which one is the worst, from the layout's degrees and
 * its layers. */
struct stage_memory {
	double dense, expert, largest, activations_bytes;
	double tables, logits_bytes; /* parts of dense and activations_bytes that belong to no layer */
};
struct memory_parts {
	int count;
	struct stage_memory stages[PIPELINE_STAGES_MAX];
};
void memory_parts_of(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees,
	const struct memory_layers *layers, const struct stages *stages, struct memory_parts *parts);

/* As memory_of_layout(), without layers_bytes, from the parts of a layout that differs at most in ZeRO stage and group.
 * Given:    degrees: of this layout; most_bytes: stop at the first stage that takes more, which need not be the worst.
 * Returned: index of the part that the memory describes. */
int memory_of_parts(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees,
	const struct memory_parts *parts, double most_bytes, struct memory_use *memory);

/* Bounds below memory_of_parts() for every ZeRO stage up to the layout's and every group that divides its own.
 * Given:    spared: a share of the activations, which spared_bytes leaves out.
 * Valid:    software whose weights take the same bytes under every ZeRO stage, or one ZeRO stage only. */
struct memory_bounds {
	double total_bytes;  /* of the worst stage */
	double spared_bytes; /* of the stage that takes least without that share of its activations */
};
struct memory_bounds memory_bounds_of_parts(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees,
	const struct memory_parts *parts, double spared);

/* Returns a bound below memory_of_layout(), in bytes, for all layouts with the same tensor, pipeline, data, context and
 * expert degrees and the same or a lower ZeRO stage, whatever their interleaving, micro-batch and recomputation: states
 * of the mean stage, without embeddings. */
double memory_least_bytes(const struct setting *setting, const struct parallelism *layout);

/* As memory_of_layout(), of one stage, for callers that also show the first stage. */
void memory_of_stage(
	const struct setting *setting, const struct parallelism *layout, const struct stages *stages, int stage, struct memory_use *memory);

/* E35. Computes the optimizer's bytes for one trained parameter: master copy and states.
 * Given:    optimizer; wide: true for 32-bit training, which needs no master copy, false for mixed precision.
 * Returned: bytes a parameter: 4 (0 if wide) + 8 AdamW, 2 8-bit AdamW, 0.02 Adafactor, 4 Muon, SGD with momentum, Lion.
 * Source:   Kingma and Ba 2014; Dettmers et al. 2021, arXiv 2110.02861; Shazeer and Stern 2018; Jordan et al. 2024;
 *           Chen et al. 2023, arXiv 2302.06675.
 * Case:     tests/planner/test_training_step.c. */
double optimizer_bytes_per_param(enum optimizer optimizer, bool wide);

/* E36. Computes the activations that one token leaves for the backward pass in one layer.
 * Given:    setting; layout and its degrees; kind: index of the layer's kind in the setting's model.
 * Returned: bytes a token.
 * Source:   Korthikanti et al. 2022, eq. 1, 2 and 4.
 * Case:     tests/planner/golden/training_runs.txt (E36). */
double activation_bytes_per_token(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees, int kind);

#endif
