/* Global batch: what to take when none is given, and how far it may grow (E44). */
#ifndef FLEETPLAN_PLANNER_STEP_BATCH_H
#define FLEETPLAN_PLANNER_STEP_BATCH_H

#include "planner/step/setting.h"

/* E44. Critical batch, tokens: 2.1e8 x L^-4.8, L the loss in nats that the run is heading for.
 * Valid: language models; above it tokens buy ever less. Source: Kaplan et al. 2020, arXiv 2001.08361, eq. 1.4. */
double batch_critical_tokens(double loss);

/* The batch to plan with when none is given, samples: pre-training takes the power of two at or below the critical batch, between
 * 0.25 and 16 million tokens (GPT-2 to Llama 3 405B); fine-tuning 64 sequences (Touvron et al. 2023, arXiv 2307.09288,
 * section 3.1); a generic model 8,192 samples (Goyal et al. 2017, arXiv 1706.02677). Never more than a hundredth of the data. */
double batch_choose_samples(const struct training_input *input, double tokens, double sequence, double loss, const char **source);

/* Learning rate relative to that of `reference` samples: square root of the ratio for Adam's kin (Malladi et al. 2022,
 * arXiv 2205.10287), linear for SGD (Goyal et al. 2017); above the critical batch the rate no longer follows, and is that batch's
 * (McCandlish et al. 2018, arXiv 1812.06162). Given: critical, samples; absent where no law tells it. */
double batch_learning_rate_scale(enum optimizer optimizer, double samples, double reference, double critical);

#endif
