/* Scaling laws: loss from parameters and tokens, and the optimum of a compute budget (E12-E19). */
#ifndef FLEETPLAN_PLANNER_TRAINING_SCALING_H
#define FLEETPLAN_PLANNER_TRAINING_SCALING_H

#include "planner/plan/training.h"

/* L(N, D) = E + A / N^alpha + B / D^beta, N parameters, D tokens, loss in nats per token. */
struct scaling_law {
	const char *name, *source;
	double irreducible, a, b, alpha, beta;
	double tokens_per_param; /* a fixed ratio in place of the fit's optimum; 0: none */
};

struct scaling_point {
	double compute_flops, params, tokens, loss;
};

/* Returns the law of a name: "epoch" (the default, also for NULL), "hoffmann_3" or "20:1"; NULL for any other name. The
 * 20:1 rule takes its loss from the Epoch fit. */
const struct scaling_law *scaling_law_named(const char *name);

/* E12. Computes the loss of a model: L(N, D) = E + A / N^alpha + B / D^beta.
 * Given: law; params (N, > 0); tokens (D, each seen once, > 0).
 * Returned: nats per token.
 * Valid: decoder language models of 1e7 to 1e12 parameters, trained from random weights. The fits saw up to 1e22 FLOP;
 * larger budgets extrapolate.
 * Source: Hoffmann et al. 2022, arXiv 2203.15556, eq. 10.
 * Case: E13, "Chinchilla's budget with the Epoch fit", in tests/planner/golden/training.txt. */
double scaling_loss(const struct scaling_law *law, double params, double tokens);

/* E13. Computes the size and the tokens of least loss for a compute budget C = 6 N D: N = G (C/6)^(beta/(alpha+beta)),
 * D = (C/6)^(alpha/(alpha+beta)) / G, G = (alpha A / (beta B))^(1/(alpha+beta)). A law with tokens_per_param uses that
 * ratio.
 * Given: law; compute_flops (C, FLOP, > 0).
 * Returned: compute (FLOP), parameters, tokens, loss (nats per token).
 * Valid: as E12.
 * Source: Hoffmann et al. 2022, arXiv 2203.15556, eq. 4.
 * Case: E13 in tests/planner/golden/training.txt. */
struct scaling_point scaling_optimum(const struct scaling_law *law, double compute_flops);

/* E14, E15. Compute the optimum that has the given parameters (E14) or tokens (E15): E13 solved for C.
 * Given: law; params or tokens (> 0).
 * Returned: as E13.
 * Valid: as E12.
 * Case: optimum_is_lowest_on_its_compute in tests/planner/test_training_rules.c. */
struct scaling_point scaling_optimum_of_params(const struct scaling_law *law, double params);
struct scaling_point scaling_optimum_of_tokens(const struct scaling_law *law, double tokens);

/* E16. Computes the compute that lowers the optimum's loss by one per cent, at the margin: 0.01 L C / (g (L - E)), g =
 * alpha beta/(alpha+beta).
 * Given: law; compute_flops (C, FLOP, > 0).
 * Returned: FLOP.
 * Valid: a law with an optimum; 20:1 uses the Epoch exponents.
 * Case: marginal_compute_matches_a_difference in tests/planner/test_training_rules.c. */
double scaling_flops_per_percent_loss(const struct scaling_law *law, double compute_flops);

/* E17. Computes the cost of another size: the compute that reaches the optimum's loss with `params`, over the optimum's
 * compute.
 * Given: law; compute_flops (of the optimum, FLOP, > 0); params (> 0).
 * Returned: a factor; 0 where no number of tokens reaches the loss.
 * Valid: as E12.
 * Case: E17 in tests/planner/golden/training.txt. */
double scaling_compute_factor(const struct scaling_law *law, double compute_flops, double params);

/* E18. Judges a training by its tokens per parameter over the optimum's at the same compute.
 * Given: law; params (> 0); tokens (> 0).
 * Returned: compute_inefficient below 1/2 (the model is too large for its data), data_inefficient above 2 (more data
 * than this size can use well), else near_optimal; `ratio`, the quotient.
 * Valid: as E12.
 * Case: verdicts_follow_tokens_per_parameter in tests/planner/test_training_rules.c. */
enum verdict scaling_verdict(const struct scaling_law *law, double params, double tokens, double *ratio);

/* E19. Computes the worth of repeated data: the number of unique tokens that teach as much as `epochs` passes over U
 * unique tokens, divided by U: 1 + R (1 - exp(-(epochs - 1)/R)), R = 15.387756. Up to one epoch the worth is `epochs`.
 * Given: epochs (> 0).
 * Returned: a factor.
 * Source: Muennighoff et al. 2023, arXiv 2305.16264, eq. 5.
 * Case: E19 in tests/planner/golden/training.txt. */
double scaling_repeated_worth(double epochs);

/* A training judged by a law. A plan and the scaling estimate use the same function. */
struct scaling_judgement {
	double tokens_total, tokens_effective; /* tokens of all epochs; the number of new tokens that teach as much (E19) */
	double compute_flops, loss,
		compute_factor;        /* 6 N D of all epochs; loss by E12 of the effective tokens; compute over the least compute of that loss */
	struct scaling_point best; /* the optimum of that compute (E13) */
	enum verdict verdict;      /* E18, of the tokens of all epochs */
	double ratio;              /* tokens per parameter over the optimum's */
};

/* E145. Judges a training of several epochs: its compute, loss, optimum and verdict.
 * Given: law; params (> 0); tokens of one epoch (> 0); epochs (> 0).
 * Returned: struct scaling_judgement, in FLOP, tokens and nats per token.
 * Valid: as E12.
 * Case: E145 in tests/planner/golden/training.txt. */
struct scaling_judgement scaling_judge(const struct scaling_law *law, double params, double tokens, double epochs);

const char *verdict_name(enum verdict verdict);

/* E13 solved for compute: computes the least compute that reaches a loss.
 * Given: law; loss (nats per token).
 * Returned: FLOP; 0 where no compute reaches the loss.
 * Valid: laws whose optimum follows from their fit (epoch, hoffmann_3): there L - E falls as C^(-alpha beta/(alpha +
 * beta)). */
double scaling_compute_of_loss(const struct scaling_law *law, double loss);

#endif
