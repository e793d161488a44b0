#include "planner/model/compute.h"

#include "base/units.h"

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
