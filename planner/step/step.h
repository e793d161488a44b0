/* Time of one optimizer step under a layout, as a sum of exposed parts (E32, E39, E40). */
#ifndef FLEETPLAN_PLANNER_STEP_STEP_H
#define FLEETPLAN_PLANNER_STEP_STEP_H

#include "planner/step/layer_time.h"
#include "planner/step/pipeline.h"
#include "planner/step/sharding.h"

struct step_result {
	struct step_time time;
	double samples;         /* of the step: the batch */
	double traffic_s;       /* part of compute_s in which memory bandwidth decides */
	double hardware_flops;  /* of one step over all accelerators, recomputation included */
	double model_flops;
};

/* What a step is made of that neither the number of stages nor that of data ranks changes (layer_time_of() says what does). */
struct step_parts {
	int kinds;
	struct layer_time layers[MODEL_LAYER_KINDS_MAX], ends; /* one micro-batch; only the first `kinds` are filled */
};
void step_parts_of(const struct setting *setting, const struct parallelism *layout, struct step_parts *parts);

/* The same under every recomputation (by enum recompute), whatever the layout's own. */
void step_parts_each(const struct setting *setting, const struct parallelism *layout, struct step_parts parts[RECOMPUTE_COUNT]);

/* The parts with the gathers and scatters that a sharding adds to each micro-batch: `own`, filled, or `parts` where it adds none. */
const struct step_parts *step_parts_scattered(const struct setting *setting, const struct parallelism *layout, const struct sharding *sharding,
	const struct step_parts *parts, struct step_parts *own);

/* E32 from the parts of a layout and its sharding: what the search calls for every layout that shares them. `kept`: the same parts without
 * recomputation, read only where layers keep their activations. */
void step_of_parts(const struct setting *setting, const struct parallelism *layout, const struct stages *stages,
	const struct step_parts *parts, const struct step_parts *kept, const struct sharding *sharding, struct step_result *result);

/* E32. Given: setting (batch set), layout (all filled), its stages. Returned: finite, time_s exactly the sum of its parts. */
void step_of_layout(const struct setting *setting, const struct parallelism *layout, const struct stages *stages, struct step_result *result);

/* E125. A step that takes `factor` (> 0) times as long: every part shrinks or grows alike. */
void step_scale(double factor, struct step_result *result);

/* Replaces the modelled step by one of a pinned model FLOP utilisation: every part shrinks or grows alike. */
void step_pin_mfu(const struct setting *setting, double gpu_count, double mfu, struct step_result *result);

/* Time to read and to decode a step's samples, each beside the step; 0 for what the request does not describe. */
struct input_time {
	double read_s, decode_s;
};
struct input_time step_input_time(const struct training_request *request, double samples, double gpu_count);

/* Shares of the step by what binds; they sum to 1. */
struct bottleneck_use step_bottleneck(const struct step_result *result);

#endif
