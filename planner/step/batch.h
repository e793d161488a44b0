/* Global batch: the default, and how the learning rate follows it (E44). */
#ifndef FLEETPLAN_PLANNER_STEP_BATCH_H
#define FLEETPLAN_PLANNER_STEP_BATCH_H

#include "planner/step/setting.h"

/* E44. Computes the critical batch: a larger batch gains less and less from each further token.
 * Given:    loss: predicted final loss of the run, nats a token, > 0.
 * Returned: tokens: 2.1e8 x loss^-4.8.
 * Valid:    language models.
 * Source:   Kaplan et al. 2020, arXiv 2001.08361, eq. 1.4.
 * Case:     tests/planner/test_training_rules.c. */
double batch_critical_tokens(double loss);

/* E44. Chooses the batch of a request that gives none.
 * Given:    input: the training; tokens of the training, > 0 (samples of a generic model); sequence: tokens of a sample,
 *           >= 1 (1 for a generic model); loss: predicted final loss, nats a token, > 0 (used for pre-training only).
 * Returned: samples, a power of two, at least 1 and at most a hundredth of the data. Pre-training: the critical batch,
 *           between 0.25e6 tokens (GPT-2) and 16 Mi tokens (Llama 3 405B); fine-tuning: 64 sequences; a generic model:
 *           8,192 samples, with embedding tables 65,536. *source: a static text that names the rule.
 * Source:   Kaplan et al. 2020, eq. 1.4; Touvron et al. 2023, arXiv 2307.09288, section 3.1; Goyal et al. 2017,
 *           arXiv 1706.02677; MLPerf Training's reference of DLRM-DCNv2.
 * Case:     tests/planner/test_training_rules.c. */
double batch_choose_samples(const struct training_input *input, double tokens, double sequence, double loss, const char **source);

/* E44. Computes the learning rate over the rate that suits `reference` samples.
 * Given:    optimizer; samples: the batch, > 0; reference: samples, > 0; critical: critical batch, samples, absent where
 *           no law gives it.
 * Returned: square root of samples / reference (Adam and its variants), or that ratio (SGD); above the critical batch
 *           the rate is that of the critical batch.
 * Source:   Malladi et al. 2022, arXiv 2205.10287 (Adam); Goyal et al. 2017 (SGD); McCandlish et al. 2018,
 *           arXiv 1812.06162 (limit).
 * Case:     tests/planner/test_training_rules.c. */
double batch_learning_rate_scale(enum optimizer optimizer, double samples, double reference, double critical);

#endif
