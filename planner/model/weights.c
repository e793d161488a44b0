#include "planner/model/model.h"

#include <math.h>

/* Returns the parameters that stay in 16 bits in a narrower format. Four bits are too few for weights that every token
 * uses: mixtures are published with only their experts in four bits. */
static double kept_params(const struct model *model, bool experts_alone)
{
	double kept = model->params_embedding + model->norms * (double)model->hidden * (model->norm_bias ? 2 : 1);

	for (int i = 0; i < model->kind_count; i++) {
		const struct layer_kind *kind = &model->kinds[i];
		double layer = kind->other_params + kind->experts * kind->expert_extra_params;

		if (experts_alone && kind->feed_forward == FEED_FORWARD_EXPERTS)
			layer += kind->mixer_params + kind->feed_forward_params - kind->experts * kind->expert_params;
		kept += model_kind_layers(model, i) * layer;
	}
	return fmin(kept + fmax(model->extra_params, 0), model->params_total);
}

double model_weight_bytes(const struct model *model, enum precision precision)
{
	double width = precision_weight_bytes(precision), high = precision_weight_bytes(PRECISION_BF16), kept;

	if (model->kind == MODEL_GENERIC || width >= high)
		return model->params_total * width;
	kept = kept_params(model, width < 1);
	return kept * high + (model->params_total - kept) * width;
}
