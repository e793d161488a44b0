/* Pipeline stages: the layers of each, and the time that the schedule loses (E33, E34). */
#ifndef FLEETPLAN_PLANNER_STEP_PIPELINE_H
#define FLEETPLAN_PLANNER_STEP_PIPELINE_H

#include "planner/step/setting.h"

enum { PIPELINE_STAGES_MAX = 256 };

/* Layers of each kind on each stage. About 6 kB; only the first `count` rows are filled. */
struct stages {
	int count, interleave;
	uint16_t layers[PIPELINE_STAGES_MAX][MODEL_LAYER_KINDS_MAX];
};

/* E33. Splits the model's layers, in order, into pipeline x interleave chunks. Their sizes differ by at most one; chunk
 * q goes to stage q mod pipeline.
 * Given:    model; pipeline: stages, 1 to PIPELINE_STAGES_MAX; interleave: chunks of a stage, >= 1; balance_ends: where
 *           sizes differ, the first and the last chunk get fewer layers.
 * Returned: stages.
 * Valid:    pipeline x interleave <= layers; interleaved up to layers + 2, then chunks for embedding and loss are empty.
 * Case:     tests/planner/test_training_step.c. */
void stages_split(const struct model *model, int pipeline, int interleave, bool balance_ends, struct stages *stages);

int stage_layers(const struct stages *stages, int stage);

/* Returns the share of a stage's layers that keep their activations under full recomputation: 0 unless the layout has
 * kept_layers. */
double stage_kept_share(const struct parallelism *layout, const struct stages *stages, int stage);

/* E36. Computes the largest number of micro-batches whose activations a stage keeps at a time.
 * Given:    stages; stage: index i of p stages; micro_batches: m of a step, >= 1.
 * Returned: micro-batches, as fractions of the stage's layers: 1F1B min(m, p - i); interleaved, the warm-up's chunks
 *           over the v chunks of a stage, (2 (p - i) - 1 + (v - 1) p) / v, at most m.
 * Source:   Narayanan et al. 2021, arXiv 2104.04473.
 * Case:     tests/planner/test_training_step.c. */
double stages_in_flight(const struct stages *stages, int stage, double micro_batches);

/* E34. Computes the time of one step's micro-batches.
 * Given:    longest_s, all_s: forward and backward pass of one micro-batch on the slowest stage, and summed over all
 *           stages, s; micro_batches: m, >= 1; pipeline: p stages; interleave: v chunks of a stage, >= 1.
 * Returned: s: m x longest + (all - longest) / v. With equal stages of t this is (m + (p - 1) / v) x t, the bubble of
 *           1F1B and of its interleaved form. Interleaved, micro-batches pass in groups of p, and a short last group
 *           leaves its places empty: m counts as the next multiple of p.
 * Source:   Narayanan et al. 2021, arXiv 2104.04473, section 2.2.
 * Case:     tests/planner/golden/training_runs.txt (E34). */
double pipeline_time_s(double longest_s, double all_s, double micro_batches, double pipeline, double interleave);

#endif
