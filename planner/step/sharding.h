/* What ranks hold and send of weights, gradients and optimizer states: data parallelism, ZeRO and FSDP (E39). */
#ifndef FLEETPLAN_PLANNER_STEP_SHARDING_H
#define FLEETPLAN_PLANNER_STEP_SHARDING_H

#include "planner/step/layer_time.h"

/* One gather of weights, and one scatter of gradients, before work hides any of it; 0 where the sharding has none. */
struct shards {
	double gather_s, scatter_s;
	double overlap; /* E160 */
};

/* All that the degrees, the ZeRO stage and its group decide. Neither the micro-batch (but for `scatters`) nor recomputation nor the cut into stages
 * counts, so that the search computes it once for the layouts that share it. */
struct sharding {
	bool scatters; /* gradients are scattered with every micro-batch: under ZeRO-3, and under ZeRO-2 where a step has several, since whole gradients
	                * have no place to be summed in */
	bool once;     /* beside a pipeline FSDP keeps a stage's weights from the first micro-batch to the last: it gathers and scatters once a step */
	double group, copies; /* ranks that share the optimizer's states of dense parameters, and of experts; 1 without ZeRO */
	struct layer_params params[MODEL_LAYER_KINDS_MAX]; /* of one layer on one rank */
	double table_params;  /* of one embedding table on one rank */
	struct shards layers[MODEL_LAYER_KINDS_MAX], tables; /* tables: all that the last stage holds */
	struct shards table;  /* one table, once a step */
	struct {
		double fixed_s, param_s;
	} dense, expert;      /* gradients' way once a step, affine in the parameters (E27) */
	double layer_fixed_s; /* more for each layer where each tensor is sent on its own */
};

/* True where the layout's gradients are scattered with every micro-batch. */
bool sharding_scatters(const struct parallelism *layout, const struct degrees *degrees);

/* Given: setting, layout and its degrees. Returned: sharding. */
void sharding_of(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees, struct sharding *sharding);

/* Adds to the time of a layer, or of the tables, the gathers and scatters of each micro-batch as far as its work leaves them exposed (E29):
 * gradients beside the backward pass; under ZeRO-3 weights beside the forward pass, and again beside the backward pass. */
void sharding_expose(const struct setting *setting, const struct parallelism *layout, const struct shards *sent, struct layer_time *time);

/* E39. Once a step: gradients of one rank's parameters are all-reduced where nothing is sharded; else they are scattered inside a shard group,
 * summed over the groups' like shards, and the new weights gathered. Where a micro-batch scatters (and gathers) already, what is left.
 * Given: parameters of one rank and the layers that hold them. Returned: s, before work hides any of it. */
double sharding_step_s(const struct sharding *sharding, const struct layer_params *params, double layers);

#endif
