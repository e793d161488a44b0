/* Scaling laws: loss from parameters and tokens, and what a budget of compute buys (E12-E19). */
#ifndef FLEETPLAN_PLANNER_TRAINING_SCALING_H
#define FLEETPLAN_PLANNER_TRAINING_SCALING_H

#include "planner/plan/training.h"

/* L(N, D) = E + A / N^alpha + B / D^beta, N parameters, D tokens, loss in nats per token. */
struct scaling_law {
	const char *name, *source;
	double irreducible, a, b, alpha, beta;
	double tokens_per_param; /* a fixed ratio instead of the fit's optimum; 0 for none */
};

struct scaling_point {
	double compute_flops, params, tokens, loss;
};

/* "epoch" (the default, also for NULL), "hoffmann_3" or "20:1"; NULL for any other name.
 * The 20:1 rule takes its loss from the Epoch fit. */
const struct scaling_law *scaling_law_named(const char *name);

/* E12. Loss. Given: params, tokens (> 0). Returned: nats per token. Source: Hoffmann et al. 2022, arXiv 2203.15556, eq. 10. */
double scaling_loss(const struct scaling_law *law, double params, double tokens);

/* E13. The optimum for a compute budget C = 6 N D: N = G (C/6)^(beta/(alpha+beta)), D = (C/6)^(alpha/(alpha+beta)) / G,
 * G = (alpha A / (beta B))^(1/(alpha+beta)). Given: compute_flops (> 0). Source: ibid., eq. 4. */
struct scaling_point scaling_optimum(const struct scaling_law *law, double compute_flops);

/* E14, E15. The optimum whose parameters, or tokens, are given (> 0): E13 solved for C. */
struct scaling_point scaling_optimum_of_params(const struct scaling_law *law, double params);
struct scaling_point scaling_optimum_of_tokens(const struct scaling_law *law, double tokens);

/* E16. Compute that lowers the optimum's loss by one per cent, at the margin: 0.01 L C / (g (L - E)), g = alpha beta/(alpha+beta).
 * Valid for a law with an optimum; 20:1 uses the Epoch exponents. Returned: FLOPs. */
double scaling_flops_per_percent_loss(const struct scaling_law *law, double compute_flops);

/* E17. What another size costs: compute needed to reach the optimum's loss with `params` instead, over the optimum's compute;
 * infinity is answered as 0: no number of tokens reaches it. */
double scaling_compute_factor(const struct scaling_law *law, double compute_flops, double params);

/* E18. Verdict by tokens per parameter over the optimum's at the same compute: below 1/2 compute_inefficient (a model too large
 * for its data), above 2 data_inefficient (more data than this size can use well), else near_optimal. */
enum verdict scaling_verdict(const struct scaling_law *law, double params, double tokens, double *ratio);

/* E19. Worth of repeated data: unique tokens that D tokens in `epochs` passes are worth, over the unique ones:
 * 1 + R (1 - exp(-(epochs - 1)/R)), R = 15.387756. Source: Muennighoff et al. 2023, arXiv 2305.16264, eq. 5. */
double scaling_repeated_worth(double epochs);

/* What a law says of a training: the one answer for a plan and for the scaling estimate. */
struct scaling_judgement {
	double tokens_total, tokens_effective; /* over all epochs, and the new tokens that they are worth (E19) */
	double compute_flops, loss, compute_factor; /* 6 N D of all epochs; E12 of what the tokens are worth; over the least compute of that loss */
	struct scaling_point best;             /* the optimum of that compute */
	enum verdict verdict;                  /* E18, by the tokens of all epochs */
	double ratio;                          /* tokens per parameter, over the optimum's */
};

/* E145. Given: params (> 0), tokens of one epoch (> 0), epochs (> 0). Valid: as E12. */
struct scaling_judgement scaling_judge(const struct scaling_law *law, double params, double tokens, double epochs);

const char *verdict_name(enum verdict verdict);

/* E13 turned round: the least compute that reaches a loss, FLOP. Given: a loss; 0 where none reaches it.
 * Valid: laws whose optimum follows from their fit (epoch, hoffmann_3): there L - E falls as C^(-alpha beta/(alpha + beta)). */
double scaling_compute_of_loss(const struct scaling_law *law, double loss);

#endif
