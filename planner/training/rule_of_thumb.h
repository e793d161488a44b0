/* The common rule of thumb for training hours, exactly, and its assumptions (E10). */
#ifndef FLEETPLAN_PLANNER_TRAINING_RULE_OF_THUMB_H
#define FLEETPLAN_PLANNER_TRAINING_RULE_OF_THUMB_H

#include "planner/plan/training.h"

#define RULE_OF_THUMB_FACTOR     13.3   /* GPU-hours of an A100 per (billion parameters x billion tokens) */
#define RULE_OF_THUMB_PEAK_FLOPS 312e12 /* A100, dense BF16; the factor was derived for this peak */

/* E10. Computes the accelerator-hours of a training: tokens x epochs x size x 13.3 / scale, with tokens and active
 * parameters in billions. 13.3 is 6 N D on 312 TFLOP/s at 40.16 % utilisation. The scale is the accelerator's dense
 * BF16 peak over 312 TFLOP/s.
 * Given: params_active (>= 0); tokens (epochs included, >= 0); peak_flops_per_s (dense BF16, > 0).
 * Returned: hours.
 * Valid: dense transformers, short sequences, no failures. The rule ignores attention, layout and memory.
 * Case: E10 in tests/planner/golden/training.txt (Llama 2 70B; an H100). */
double rule_of_thumb_gpu_hours(double params_active, double tokens, double peak_flops_per_s);

/* E10. Returns the utilisation that the factor implies: 6e18 / (312e12 x 3600 x 13.3), a fraction.
 * Case: E10, implied_mfu, in tests/planner/golden/training.txt. */
double rule_of_thumb_implied_mfu(void);

/* E10. Computes the number of accelerators that finish in a given time: GPU-hours / hours.
 * Given: gpu_hours (>= 0); hours (> 0).
 * Returned: a number, not rounded. */
double rule_of_thumb_gpu_count(double gpu_hours, double hours);

/* Fills plan->rule_of_thumb. Given: `hours`, the deadline less reserved hours (absent without a deadline);
 * `modelled_gpu_hours` and `modelled_mfu` of the plan; `practice`, its factor on hours. The rule uses only the active
 * parameters of input->model. */
void training_rule_fill(const struct training_input *input, double tokens, double hours, double modelled_gpu_hours, double modelled_mfu,
	double practice, const struct accelerator *accelerator, struct training_plan *plan);

#endif
