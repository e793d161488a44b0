/* Time of one layer for one micro-batch on one rank: products, attention, element-wise work, communication (E31). */
#ifndef FLEETPLAN_PLANNER_STEP_LAYER_TIME_H
#define FLEETPLAN_PLANNER_STEP_LAYER_TIME_H

#include "planner/step/setting.h"

/* Activations that a generic model keeps of a sample: as its description has them, else by its FLOPs, of which ResNet-50 keeps about 25 million values
 * (its convolutions' outputs and their normalised copies, He et al. 2015, table 1) for 8.2 GFLOP. */
double generic_sample_activation_bytes(const struct setting *setting, double value_bytes);

struct layer_time {
	double forward_s, backward_s; /* compute and element-wise work */
	double recompute_s;           /* forward work that is done again in the backward pass */
	double traffic_s;             /* part of forward_s + backward_s in which memory bandwidth decides */
	double tensor_s, context_s, expert_s; /* exposed communication, forward and backward and recomputation */
	double waits_s;               /* of the host for the counts of routed tokens, forward and backward */
	double ring_forward_s, ring_backward_s; /* of each pass, beside which a ring of context ranks goes on: nothing else is hidden there */
	double hidden_s;              /* of these, beside forward_s and backward_s */
	double hidden_backward_s;     /* of these and of gathers, beside backward_s and recompute_s */
	double gather_s;              /* exposed gathers and scatters of ZeRO-2 and 3; 0 until sharding_expose() is asked */
};

double layer_time_total_s(const struct layer_time *time); /* all but traffic_s, which is a part of the rest, and what is hidden */

/* E29. What stays exposed of a communication beside `hiding_s` of work, of which `left_s` hides nothing else: links and network carry several at
 * a time, but work hides no more than itself. */
double layer_exposed_s(double communication_s, double hiding_s, double left_s, double overlap);

/* Part of backward pass and recomputation beside which gathers and gradients may go on, and what of it hides nothing yet. The backward pass
 * hides up to all of itself, recomputation up to `overlap` of itself. */
double layer_hiding_backward_s(const struct layer_time *time);
double layer_left_backward_s(const struct layer_time *time, double overlap);

/* E31. The sum over one layer's operators (E21 to E29) for kind `kind` of the setting's model, without ZeRO's gathers and scatters (sharding.h).
 * Of the layout only tensor, context, expert, micro-batch, recomputation and sequence parallelism count (for a generic model with
 * tables the data-parallel degree too): the search computes it once for all that differ in the rest. */
struct layer_time layer_time_of(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees, int kind);

/* The same under every recomputation (by enum recompute), whatever the layout's own. */
void layer_times_of(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees, int kind,
	struct layer_time times[RECOMPUTE_COUNT]);

/* Embedding, final norm, logits and loss of one micro-batch: what the first and the last stage have more. */
struct layer_time ends_time_of(const struct setting *setting, const struct degrees *degrees);

/* Forward FLOPs of the products that end the layers, of one token: full recomputation leaves them out where the software drops what is unread. */
double layer_unread_flops_per_token(const struct model *model);

/* What ranks of these tensor and expert degrees exchange of one token in all layers, forward and backward, without latency and as far as it
 * must show: no layout of those degrees exchanges less. 0 for a generic model. */
double layers_exchange_token_s(const struct setting *setting, double tensor, double experts);

/* Fills setting->least_token_s and least_again_token_s: the layers' work at very many rows, on one accelerator, without
 * communication. No layout computes a token in less, since splitting work never makes it less in all. */
void least_token_times(struct setting *setting);

/* The forward pass of a distillation's teacher, spread over the layers' rank (same degrees); under ZeRO-3 its weights, which lie
 * spread as the student's, are gathered for it. 0 without one. */
double teacher_time_s(const struct setting *setting, const struct parallelism *layout, const struct degrees *degrees);

#endif
