/* What of a plan's recommended option is to be measured: the work that one accelerator of it would spend its time on (E120).
 *
 * Sizes are those of one rank and one micro-batch: tensor, context and expert parallelism have divided them. Counts are those of one step
 * of the rank, respectively of one step of decoding. Where a plan has more than a spec holds, the lightest are left out. Pure. */
#ifndef FLEETPLAN_PLANNER_MEASUREMENT_SHAPES_H
#define FLEETPLAN_PLANNER_MEASUREMENT_SHAPES_H

#include "planner/measurement/bench_spec.h"
#include "planner/operators/physics.h"
#include "planner/plan/serving.h"

/* What the lists of a spec point into. */
struct shapes_room {
	struct bench_spec_product products[BENCH_PRODUCTS_MAX];
	struct bench_spec_attention attention[BENCH_ATTENTIONS_MAX], kv_read[BENCH_ATTENTIONS_MAX];
	double transfer_bytes[BENCH_SIZES_MAX], collective_bytes[BENCH_SIZES_MAX];
};

/* E120. Training: forward and both backward products of every matrix, attention and its gradients, inputs and offloaded parameters that pass to
 * the device, gradients of a layer and activations that are reduced, a sample in storage, and a block (shapes_block()).
 * Given: a resolved input with sequence and batch (as training_request_complete() leaves them), the option's candidate and layout, all filled.
 * False for what is no transformer: it has no known products. */
bool shapes_of_training(const struct training_input *input, const struct candidate *candidate, const struct parallelism *layout,
	struct shapes_room *room, struct bench_spec *spec);

/* What of an inference option decides its work. Degrees >= 1. */
struct shapes_serving {
	const struct candidate *candidate;
	struct serving_parallelism layout;
	enum precision precision, kv_precision;
	double batch;                        /* sequences that a replica decodes at once */
	double prompt_tokens, output_tokens; /* means */
};

/* E120. Inference: products of a step of decoding (rows: the batch) and of a prompt, reads of the cache, attention of a prompt, activations that are reduced. */
bool shapes_of_inference(const struct model *model, const struct shapes_serving *serving, struct shapes_room *room, struct bench_spec *spec);

/* Blocks are made this short, so that a worker's slice holds several: layers, then the head, then tokens are left out. */
#define SHAPES_BLOCK_MOST_S 0.15

/* A block of the model's most frequent kind of layer at true width, one or two layers and the head, for one micro-batch on one rank; experts
 * stand as one MLP of the width that a token meets. Predicted by block_predicted_s(). Every member absent: there is none. */
struct bench_block shapes_block(const struct model *model, const struct candidate *candidate, const struct parallelism *layout, double sequence,
	enum precision precision);

/* E120. Time of a step of exactly this block on the candidate by the equations of a training step (E21, E22, E24, E25, E40), as bare kernels run
 * it: software's factors are 1, attention is not fused, every element-wise byte is moved, and nothing is communicated; with a measured launch, its parts are not
 * issued faster than that. Given: the candidate with its calibration. Returned: s; NaN when the accelerator has no rate. */
double block_predicted_s(const struct candidate *candidate, const struct bench_block *block);

/* Physics of bare kernels: what a benchmark's products are judged by. */
struct physics shapes_bare_physics(void);

#endif
