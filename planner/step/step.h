/* Time of one optimizer step under a layout, as a sum of exposed parts (E32, E39, E40). */
#ifndef FLEETPLAN_PLANNER_STEP_STEP_H
#define FLEETPLAN_PLANNER_STEP_STEP_H

#include "planner/step/layer_time.h"
#include "planner/step/pipeline.h"
#include "planner/step/sharding.h"

struct step_result {
	struct step_time time;
	double samples;        /* of the step: its batch */
	double traffic_s;      /* part of compute_s that memory bandwidth limits */
	double hardware_flops; /* of one step over all accelerators, recomputation included */
	double model_flops;
};

/* The parts of a step that depend neither on the number of stages nor on that of data ranks (layer_time_of() lists what
 * they depend on). */
struct step_parts {
	int kinds;
	struct layer_time layers[MODEL_LAYER_KINDS_MAX], ends; /* one micro-batch; only the first `kinds` are filled */
};
void step_parts_of(const struct setting *setting, const struct parallelism *layout, struct step_parts *parts);

/* As step_parts_of(), for every recomputation (index: enum recompute), whatever the layout's own. */
void step_parts_each(const struct setting *setting, const struct parallelism *layout, struct step_parts parts[RECOMPUTE_COUNT]);

/* Returns the parts with the gathers and scatters that a sharding adds to each micro-batch: in `own`, or `parts` itself
 * where the sharding adds none. */
const struct step_parts *step_parts_scattered(const struct setting *setting, const struct parallelism *layout,
	const struct sharding *sharding, const struct step_parts *parts, struct step_parts *own);

/* E32. As step_of_layout(), from the parts of a layout and its sharding: the search calls it for every layout that
 * shares them. `kept`: the same parts without recomputation, read only where layers keep their activations. */
void step_of_parts(const struct setting *setting, const struct parallelism *layout, const struct stages *stages,
	const struct step_parts *parts, const struct step_parts *kept, const struct sharding *sharding, struct step_result *result);

/* E32. Computes the time of one optimizer step.
 * Given:    setting (batch set); layout, all members filled; its stages.
 * Returned: result, finite: times in s; time.time_s is exactly the sum of its parts.
 * Case:     tests/planner/golden/training_runs.txt (E32, published runs), tests/planner/test_training_step.c. */
void step_of_layout(const struct setting *setting, const struct parallelism *layout, const struct stages *stages, struct step_result *result);

/* E125. Scales a step by one factor: every part becomes `factor` (> 0) times as long.
 * Case: tests/planner/test_training_practice.c (a step whose stack was observed). */
void step_scale(double factor, struct step_result *result);

/* Replaces the modelled step by that of a pinned model FLOP utilisation (mfu, > 0): scales every part by one factor. */
void step_pin_mfu(const struct setting *setting, double gpu_count, double mfu, struct step_result *result);

/* Times to read and to decode a step's samples, in s, each beside the step; 0 for what the request does not describe. */
struct input_time {
	double read_s, decode_s;
};
struct input_time step_input_time(const struct training_request *request, double samples, double gpu_count);

/* Returns the shares of the step by bottleneck; they sum to 1. */
struct bottleneck_use step_bottleneck(const struct step_result *result);

#endif
