#include "planner/model/model.h"

#include <math.h>

/* Parameters that a format below 16 bits leaves as they are. Four bits are too few for what every token meets: mixtures
 * are published with their experts alone in four bits. */
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

/*  E6, weights.
 *  Given:     model, finished; precision of the matrices
 *  Returned:  bytes; below 16 bits embeddings, logits, norms and biases stay in BF16, and in four bits all of a layer with experts
 *             but the experts
 *  Valid:     uniform formats; checkpoints that mix others by layer differ by some per cent
 *  Source:    OCP Microscaling Formats v1.0 (block scales); what published checkpoints leave as it was: FP8 of Llama 3.1 and DeepSeek-V3,
 *             AWQ, MXFP4 of gpt-oss, INT4 of Kimi K2 Thinking */
double model_weight_bytes(const struct model *model, enum precision precision)
{
	double width = precision_weight_bytes(precision), high = precision_weight_bytes(PRECISION_BF16), kept;

	if (model->kind == MODEL_GENERIC || width >= high)
		return model->params_total * width;
	kept = kept_params(model, width < 1);
	return kept * high + (model->params_total - kept) * width;
}
