/* Time of one layer for one micro-batch on one rank: products, attention, element-wise work, communication (E31). */
#ifndef FLEETPLAN_PLANNER_STEP_LAYER_TIME_H
#define FLEETPLAN_PLANNER_STEP_LAYER_TIME_H

#include "planner/step/setting.h"

/* E158. Computes the activations that a generic model keeps of a sample.
 * Given:    setting; value_bytes: bytes of one value, > 0, used where the description states no activations.
 * Returned: bytes of a sample: as described, else 25e6 values for each 8.2e9 FLOPs of the forward pass.
 * Source:   ResNet-50 keeps about 25 million values (its convolutions' outputs and their normalised copies) for
 *           8.2 GFLOP: He et al. 2015, table 1. */
double generic_sample_activation_bytes(const struct setting *setting, double value_bytes);

struct layer_time {
	double forward_s, backward_s;           /* compute and element-wise work */
	double recompute_s;                     /* forward work that the backward pass repeats */
	double traffic_s;                       /* part of forward_s + backward_s that memory bandwidth limits */
	double tensor_s, context_s, expert_s;   /* exposed communication of forward pass, backward pass and recomputation */
	double waits_s;                         /* time that the host waits for the counts of routed tokens, forward and backward */
	double ring_forward_s, ring_backward_s; /* part of each pass that hides the ring of context ranks; it hides nothing else */
	double hidden_s;                        /* communication that forward_s and backward_s hide */
	double hidden_backward_s;               /* communication and gathers that backward_s and recompute_s hide */
	double gather_s;                        /* exposed gathers and scatters of ZeRO-2 and 3; 0 until sharding_expose() adds them */
};

double layer_time_total_s(const struct layer_time *time); /* all but traffic_s, which is part of the rest, and what is hidden */

/* E29. Computes the exposed part of a communication. Links and network carry several communications at a time, but work
 * hides no more than its own length.
 * Given:    communication_s, s, >= 0; hiding_s: work beside it, s, >= 0; left_s: part of hiding_s that hides nothing
 *           else yet, s; overlap: share of the shorter one that is hidden, 0 to 1.
 * Returned: s, at most communication_s. */
double layer_exposed_s(double communication_s, double hiding_s, double left_s, double overlap);

/* Return the part of backward pass and recomputation that gathers and gradients may run beside, and the part of it that
 * hides nothing yet, in s. The backward pass hides at most its own length, recomputation at most `overlap` of its own. */
double layer_hiding_backward_s(const struct layer_time *time);
double layer_left_backward_s(const struct layer_time *time, double overlap);

/* E31. Computes the time of one layer for one micro-batch on one rank: the sum over its operators (E21 to E29).
 * Given:    setting; layout and its degrees; kind: index of the layer's kind in the setting's model.
 * Returned: parts in s, without the gathers of ZeRO (sharding.h).
 * Valid:    for all layouts that share the tensor, context and expert degrees, the micro-batch, recomputation and
 *           sequence parallelism (for a generic model with tables also the data-parallel degree): the search computes it
 *           once for them.
 * Source:   the operators' equations, docs/equations.md.
 * Case:     tests/planner/test_training_step.c, tests/planner/test_training_parts.c. */
struct layer_time layer_time_of(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees, int kind);

/* As layer_time_of(), for every recomputation (index: enum recompute), whatever the layout's own. */
void layer_times_of(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees, int kind,
	struct layer_time times[RECOMPUTE_COUNT]);

/* Returns the time of embedding, final norm, logits and loss of one micro-batch, in s: the first and the last stage have
 * these beside their layers. */
struct layer_time ends_time_of(const struct setting *setting, const struct degrees *degrees);

/* Returns the forward FLOPs of one token in the products that end the layers. Full recomputation omits these products
 * where the software drops what the backward pass does not read. */
double layer_unread_flops_per_token(const struct model *model);

/* Returns a lower bound of the exposed exchange of one token, in s: all layers, forward and backward, without latency.
 * No layout with these tensor and expert degrees exchanges less. 0 for a generic model. */
double layers_exchange_token_s(const struct setting *setting, double tensor, double experts);

/* Fills setting->least_token_s and least_again_token_s with the layers' work for very many rows on one accelerator,
 * without communication. No layout computes a token in less time, because splitting work never reduces its sum. */
void least_token_times(struct setting *setting);

/* Returns the time of a distillation teacher's forward pass for one micro-batch, in s; 0 without a teacher. The teacher
 * is spread over the same tensor and pipeline ranks as the layers; under ZeRO-3 its weights, sharded as the student's,
 * are gathered for it. */
double teacher_time_s(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees);

#endif
