#include "planner/model/compute.h"

#include "base/units.h"

/*  E7. Given: parameters that a token meets P, tokens T. Returned: 6 P T, FLOPs. Valid: sequences short against 12 h
 *  (attention left out). Source: Kaplan et al. 2020, equation 2.2 and section 2.1. */
double compute_rule_flops(double params_active, double tokens)
{
	return 6 * params_active * tokens;
}

double compute_training_flops(const struct model *model, double tokens, double sequence_length)
{
	return model_training_flops_per_token(model, sequence_length) * tokens;
}

double compute_petaflop_s_days(double flops)
{
	return flops / FLOPS_PER_PETAFLOP_S_DAY;
}
