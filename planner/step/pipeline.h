/* Pipeline stages: which layers each holds, and what the schedule loses (E33, E34). */
#ifndef FLEETPLAN_PLANNER_STEP_PIPELINE_H
#define FLEETPLAN_PLANNER_STEP_PIPELINE_H

#include "planner/step/setting.h"

enum { PIPELINE_STAGES_MAX = 256 };

/* Layers of each kind on each stage. Fixed scratch, about 6 kB; only the first `count` rows are filled. */
struct stages {
	int count, interleave;
	uint16_t layers[PIPELINE_STAGES_MAX][MODEL_LAYER_KINDS_MAX];
};

/* E33. Splits the model's layers, in order, into pipeline x interleave chunks whose sizes differ by at most one, chunk q to
 * stage q mod pipeline; where they differ and the software balances, the last and the first chunk get the fewer.
 * Valid: 1 <= pipeline x interleave <= layers. */
void stages_split(const struct model *model, int pipeline, int interleave, bool balance_ends, struct stages *stages);

int stage_layers(const struct stages *stages, int stage);

/* Share of a stage's layers that keep their activations although the rest is done again in full: 0 unless the layout says so. */
double stage_kept_share(const struct parallelism *layout, const struct stages *stages, int stage);

/* Micro-batches (as fractions of the stage's layers) whose activations stage `stage` keeps at most.
 * 1F1B: min(m, p - i); interleaved: the warm-up's chunks over the chunks of a stage (Narayanan et al. 2021, arXiv 2104.04473). */
double stages_in_flight(const struct stages *stages, int stage, double micro_batches);

/* E34. Time of one step's micro-batches. Given: longest_s and all_s, time of forward and backward of one micro-batch on
 * the slowest stage and summed over stages. Returned: m x longest + (all - longest)/interleave. With equal stages this is
 * (m + (p - 1)/v) x t, the bubble of 1F1B and its interleaved form (arXiv 2104.04473, section 2.2). Interleaved, micro-batches go
 * through in groups of p, and a last group that is short leaves its places empty: m counts as the next multiple of p. */
double pipeline_time_s(double longest_s, double all_s, double micro_batches, double pipeline, double interleave);

#endif
