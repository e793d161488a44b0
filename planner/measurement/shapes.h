/* The work of a plan's recommended option that a benchmark measures: that of one accelerator (E120).
 *
 * Sizes are those of one rank and one micro-batch: tensor, context and expert parallelism have divided them. Counts are
 * those of one step of the rank, or of one step of decoding. Where a plan has more products than a spec has room for,
 * the lightest are left out. Pure. */
#ifndef FLEETPLAN_PLANNER_MEASUREMENT_SHAPES_H
#define FLEETPLAN_PLANNER_MEASUREMENT_SHAPES_H

#include "planner/measurement/bench_spec.h"
#include "planner/operators/physics.h"
#include "planner/plan/serving.h"

/* Memory for the lists of a spec. */
struct shapes_room {
	struct bench_spec_product products[BENCH_PRODUCTS_MAX];
	struct bench_spec_attention attention[BENCH_ATTENTIONS_MAX], kv_read[BENCH_ATTENTIONS_MAX];
	double transfer_bytes[BENCH_SIZES_MAX], collective_bytes[BENCH_SIZES_MAX];
};

/* E120. Lists the work of a training: forward and both backward products of every matrix, attention and its gradients,
 * inputs and offloaded parameters that go to the device, gradients of a layer and activations that are reduced, a sample
 * in storage, and a block (shapes_block()).
 * Given:    input: resolved, with sequence and batch (as training_request_complete() leaves them); the option's candidate
 *           and layout, all members filled; room: must outlive the spec.
 * Returned: false for a model other than a transformer, whose products are not known, and for a candidate without a rate.
 * Case:     tests/planner/test_measurement.c. */
bool shapes_of_training(const struct training_input *input, const struct candidate *candidate, const struct parallelism *layout,
	struct shapes_room *room, struct bench_spec *spec);

/* The members of an inference option that decide its work. Degrees >= 1. */
struct shapes_serving {
	const struct candidate *candidate;
	struct serving_parallelism layout;
	enum precision precision, kv_precision;
	double batch;                        /* sequences that a replica decodes at once */
	double prompt_tokens, output_tokens; /* means */
};

/* E120. Lists the work of an inference option: products of a step of decoding (rows: the batch) and of a prompt, reads
 * of the cache, attention of a prompt, activations that are reduced.
 * Given:    model; serving: the option; room: must outlive the spec.
 * Returned: false for a model other than a transformer.
 * Case:     tests/planner/test_measurement.c. */
bool shapes_of_inference(const struct model *model, const struct shapes_serving *serving, struct shapes_room *room, struct bench_spec *spec);

/* The longest predicted time of a block, so that a worker's slice holds several. Longer ones lose layers, then the
 * head, then tokens. */
#define SHAPES_BLOCK_MOST_S 0.15

/* E120. Returns a block of the model's most frequent kind of layer at true width: one or two layers and the head, for
 * one micro-batch on one rank. Experts count as one MLP of the width that a token meets. block_predicted_s() predicts
 * its time. All members are absent where the model has no such layer. Case: tests/planner/test_measurement.c. */
struct bench_block shapes_block(const struct model *model, const struct candidate *candidate, const struct parallelism *layout,
	double sequence, enum precision precision);

/* E120. Computes the time of a step of exactly this block by the equations of a training step (E21, E22, E24, E25, E40),
 * as bare kernels run it: software's factors are 1, attention is not fused, every element-wise byte is moved, nothing is
 * communicated. With a measured launch its parts are not issued faster than that.
 * Given:    candidate with its calibration; block, all sizes >= 1 (vocabulary < 1: no head).
 * Returned: s; NaN when the accelerator has no rate.
 * Case:     tests/planner/golden/measurement.txt (E120). */
double block_predicted_s(const struct candidate *candidate, const struct bench_block *block);

/* Returns the physics of bare kernels, which judges a benchmark's products. */
struct physics shapes_bare_physics(void);

#endif
