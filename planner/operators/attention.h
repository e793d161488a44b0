/* Time of attention: fused (flash), or unfused with the scores written to memory (E23, E24). */
#ifndef FLEETPLAN_PLANNER_OPERATORS_ATTENTION_H
#define FLEETPLAN_PLANNER_OPERATORS_ATTENTION_H

#include "planner/operators/gemm.h"

struct attention {
	double tokens;      /* queries of one rank */
	double span_tokens; /* mean number of tokens that a query attends to: (s + 1) / 2 causal, less with a window */
	double sequence;    /* tokens of one sequence; an unfused kernel scores all of them */
	double heads;       /* of one rank */
	double key_dim, value_dim;
	bool fused;
	double score_traffic; /* unfused: bytes moved for a score over score_traffic_bytes; 0: 1 */
};

/* E23, E24. Computes the time of the forward pass of attention.
 *
 * Given:    device     of device_of_candidate()
 *           physics    attention_half_tokens (s_half), score_traffic_bytes
 *           attention  all counts > 0
 * Returned: s; traffic_s is 0 if fused
 *             E23, fused: 2 x tokens x span x heads x (key + value) FLOP at the fused rate x s/(s + s_half) with s = 2
 *             x span, x min(1, 2 w/(w + W)) with w the mean head width and W device->full_head_width
 *             E24, unfused: the full square of scores as batched products in 16 bits or more, plus score_traffic_bytes
 *             for each score through memory. Products take three times as long if key_dim is not a multiple of 8: they
 *             miss the alignment of the tensor cores.
 * Source:   Dao et al. 2022, arXiv 2205.14135 (effect of fusion); Korthikanti et al. 2022, arXiv 2205.05198 (score
 *             tensors); NVIDIA, Deep Learning Performance Guide (alignment)
 * Case:     tests/planner/test_training_step.c (head width, alignment) */
struct product_time attention_forward(const struct device *device, const struct physics *physics, const struct attention *attention);

/* E23, E24. Computes the time of the backward pass of attention.
 *
 * Given:    as attention_forward(); physics->attention_backward
 * Returned: s. Fused: 2.5 times the forward FLOPs (five products instead of two, because scores are recomputed) at
 *             attention_backward of the speed. Unfused: twice the forward pass. */
struct product_time attention_backward(const struct device *device, const struct physics *physics, const struct attention *attention);

#endif
