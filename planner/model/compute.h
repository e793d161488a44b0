/* How much arithmetic a whole training run is (E7). */
#ifndef FLEETPLAN_PLANNER_MODEL_COMPUTE_H
#define FLEETPLAN_PLANNER_MODEL_COMPUTE_H

#include "planner/model/model.h"

/* The rule of thumb: 6 FLOPs for each active parameter and token (Kaplan et al. 2020, section 2.1). */
double compute_rule_flops(double params_active, double tokens);

/* E4 over all tokens (samples of a generic model): logits and attention at this sequence length counted, lookup not. */
double compute_training_flops(const struct model *model, double tokens, double sequence_length);

/* 1 petaFLOP/s-day = 1e15 x 86,400 = 8.64e19 FLOPs (Amodei and Hernandez 2018). */
double compute_petaflop_s_days(double flops);

#endif
