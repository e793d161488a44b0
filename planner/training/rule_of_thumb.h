/* The rule that everyone uses, exactly, and what it assumes (E10). */
#ifndef FLEETPLAN_PLANNER_TRAINING_RULE_OF_THUMB_H
#define FLEETPLAN_PLANNER_TRAINING_RULE_OF_THUMB_H

#include "planner/plan/training.h"

#define RULE_OF_THUMB_FACTOR 13.3       /* GPU-hours of an A100 per (billion parameters x billion tokens) */
#define RULE_OF_THUMB_PEAK_FLOPS 312e12 /* A100, dense BF16: what the factor was made for */

/* E10. GPU-hours = tokens x epochs x size x 13.3 / scale, tokens and active parameters in billions; 13.3 is 6 N D on
 * 312 TFLOP/s at 40.16 % utilisation; scale is the accelerator's dense BF16 peak over 312.
 * Given: params_active, tokens (epochs included), both >= 0; peak_flops_per_s (> 0). Returned: hours. */
double rule_of_thumb_gpu_hours(double params_active, double tokens, double peak_flops_per_s);

/* The utilisation that the factor stands for: 6e18 / (312e12 x 3600 x 13.3). */
double rule_of_thumb_implied_mfu(void);

/* GPUs = GPU-hours / hours. Returned: not rounded. Given: hours > 0. */
double rule_of_thumb_gpu_count(double gpu_hours, double hours);

/* Fills plan->rule_of_thumb. `hours`: deadline less reserved, absent without a deadline. `model` is a generic one when its
 * FLOPs are given: the rule knows only parameters and says so. */
void training_rule_fill(const struct training_input *input, double tokens, double hours, double modelled_gpu_hours,
	double modelled_mfu, double practice, const struct accelerator *accelerator, struct training_plan *plan);

#endif
