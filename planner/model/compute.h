/* Arithmetic of a whole training run (E7). */
#ifndef FLEETPLAN_PLANNER_MODEL_COMPUTE_H
#define FLEETPLAN_PLANNER_MODEL_COMPUTE_H

#include "planner/model/model.h"

/* E7. Computes the FLOPs of a training run by the rule of thumb.
 *
 * Given:    params_active  parameters that a token meets (P), >= 0
 *           tokens         tokens of the run (T), >= 0
 * Returned: 6 P T, FLOPs
 * Valid:    sequences that are short against 12 times the hidden width (attention is left out)
 * Source:   Kaplan et al. 2020, equation 2.2 and section 2.1
 * Case:     tests/planner/golden/workload.txt */
double compute_rule_flops(double params_active, double tokens);

/* E7. Computes the FLOPs of a training run from the model: E4 for all tokens.
 *
 * Given:    model            finished (model_finish())
 *           tokens           tokens of the run (samples of a generic model), >= 0
 *           sequence_length  tokens, >= 1
 * Returned: FLOPs; includes the logits and attention at this length, not the embedding lookup
 * Case:     tests/planner/golden/workload.txt */
double compute_training_flops(const struct model *model, double tokens, double sequence_length);

/* E7. Converts FLOPs to petaFLOP/s-days.
 *
 * Given:    flops  FLOPs, >= 0
 * Returned: petaFLOP/s-days; 1 petaFLOP/s-day = 1e15 x 86,400 = 8.64e19 FLOPs
 * Source:   Amodei and Hernandez 2018
 * Case:     tests/planner/golden/workload.txt */
double compute_petaflop_s_days(double flops);

#endif
