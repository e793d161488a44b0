/* Weights, gradients and optimizer states that ranks store and send: data parallelism, ZeRO and FSDP (E39). */
#ifndef FLEETPLAN_PLANNER_STEP_SHARDING_H
#define FLEETPLAN_PLANNER_STEP_SHARDING_H

#include "planner/step/layer_time.h"

/* Times of one gather of weights and of one scatter of gradients, before work hides any of it; 0 without them. */
struct shards {
	double gather_s, scatter_s;
	double overlap; /* E160 */
};

/* Everything that the degrees, the ZeRO stage and its group decide. The micro-batch (except for `scatters`),
 * recomputation and the cut into stages do not matter, so the search computes it once for the layouts that share it. */
struct sharding {
	bool scatters;        /* every micro-batch scatters its gradients: under ZeRO-3, and under ZeRO-2 with several micro-batches
	                * a step, because no rank has memory to sum whole gradients in */
	bool once;            /* beside a pipeline FSDP keeps a stage's weights from the first micro-batch to the last: it gathers
	                * and scatters once a step */
	double group, copies; /* ranks that share the optimizer states of dense parameters, and of experts; 1 without ZeRO */
	struct layer_params params[MODEL_LAYER_KINDS_MAX];   /* of one layer on one rank */
	double table_params;                                 /* of one embedding table on one rank */
	struct shards layers[MODEL_LAYER_KINDS_MAX], tables; /* tables: all tables of the last stage */
	struct shards table;                                 /* one table, once a step */
	struct {
		double fixed_s, param_s;
	} dense, expert;      /* exchange of gradients once a step, affine in the parameters (E27) */
	double layer_fixed_s; /* added for each layer where the software sends each tensor on its own */
};

/* True where every micro-batch of the layout scatters its gradients. */
bool sharding_scatters(const struct parallelism *layout, const struct degrees *degrees);

/* Given: setting, layout and its degrees. Returned: sharding. */
void sharding_of(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees, struct sharding *sharding);

/* E29. Adds to the time of a layer, or of the tables, the exposed part of each micro-batch's gathers and scatters. The
 * backward pass hides gradients; under ZeRO-3 the forward pass hides one gather of weights, the backward pass another.
 * Given:    setting; layout; sent: times of gather and scatter, s. Changed: time: gather_s, hidden_backward_s.
 * Source:   Rajbhandari et al. 2021, arXiv 2104.07857, sections 4.1 and 6.2; Zhao et al. 2023, arXiv 2304.11277,
 *           section 3.3. */
void sharding_expose(const struct setting *setting, const struct parallelism *layout, const struct shards *sent, struct layer_time *time);

/* E39. Computes the time of the exchange that one rank makes once a step. Without ZeRO it all-reduces its gradients.
 * ZeRO-1 scatters them over all data ranks and gathers the new weights inside the shard group. Where every micro-batch
 * scatters already (ZeRO-2 and 3), like shards are summed over the groups, and ZeRO-2 gathers the new weights.
 * Given:    sharding; params: parameters of one rank; layers: layers of that rank, >= 0.
 * Returned: s, before work hides any of it.
 * Case:     tests/planner/test_training_communication.c (through the step). */
double sharding_step_s(const struct sharding *sharding, const struct layer_params *params, double layers);

#endif
