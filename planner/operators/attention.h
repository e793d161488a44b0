/* Attention scores and what is done with them: fused (flash) or written to memory (E23, E24). */
#ifndef FLEETPLAN_PLANNER_OPERATORS_ATTENTION_H
#define FLEETPLAN_PLANNER_OPERATORS_ATTENTION_H

#include "planner/operators/gemm.h"

struct attention {
	double tokens;      /* queries of one rank */
	double span_tokens; /* tokens that a query attends to, mean: (s + 1) / 2 causal, less with a window */
	double sequence;    /* tokens of one sequence, which an unfused kernel scores in full */
	double heads;       /* of one rank */
	double key_dim, value_dim;
	bool fused;
	double score_traffic; /* unfused: bytes moved for a score over score_traffic_bytes; 0: as many */
};

/* E23 fused: 2 x tokens x span x heads x (key + value) FLOP at the fused rate x s/(s + s_half).
 * E24 unfused: the full square of scores, twice a batched product, and its traffic through memory; products whose
 * inner width is no multiple of 8 miss the tensor cores' alignment (NVIDIA, Deep Learning Performance Guide).
 * Source: Dao et al. 2022, arXiv 2205.14135 (what fusion saves); Korthikanti et al. 2022, arXiv 2205.05198 (score tensors). */
struct product_time attention_forward(const struct device *device, const struct physics *physics, const struct attention *attention);

/* Fused: five products instead of two (scores are recomputed), at attention_backward of the speed. Unfused: twice forward. */
struct product_time attention_backward(const struct device *device, const struct physics *physics, const struct attention *attention);

#endif
