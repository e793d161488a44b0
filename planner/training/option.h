/* From an outline to an answered option: figures, intervals, provenance, bottleneck. */
#ifndef FLEETPLAN_PLANNER_TRAINING_OPTION_H
#define FLEETPLAN_PLANNER_TRAINING_OPTION_H

#include "planner/training/fleet.h"

/* Standard deviation of the logarithm of observed over predicted step time, from the validation runs with their suite left out
 * of the fit (make validate): wider for mixtures of experts, for 16-bit products on accelerators of 2024 and later, whose published
 * runs disagree among themselves, and where no accelerator was measured. A calibration narrows it (E126), a given mfu leaves what a week's mean varies. */
#define STEP_LOG_SIGMA 0.12
#define STEP_LOG_SIGMA_EXPERTS 0.17
#define STEP_LOG_SIGMA_NEW 0.28
#define STEP_LOG_SIGMA_NEW_YEAR 2024
#define STEP_LOG_SIGMA_UNMEASURED 0.30
#define STEP_LOG_SIGMA_CEILING 0.08 /* of which not to know the ceiling of products is this: what is left of 0.12 is 0.09 */
#define STEP_LOG_SIGMA_GIVEN 0.03

/* The same of a pre-training's hours over those that its steps and failures account for: evaluation, rollbacks, ramps, older
 * software and slow nodes. The MFU that the GPU-hours of Llama 1 to 3 and BLOOM imply scatters so (make validate, e2e-totals). */
#define RUN_LOG_SIGMA 0.35

/* Fills every member of the option. All finite but what is absent: market and marginal carbon, monthly figures without a
 * cadence, and cost where no price is known. */
void training_option_fill(const struct programme *programme, const struct outline *outline, struct training_option *option);

#endif
