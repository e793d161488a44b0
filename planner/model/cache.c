#include "planner/model/model.h"

#include <math.h>

double layer_cache_elements(const struct layer_kind *kind, double tensor)
{
	double index = kind->index_heads > 0 ? kind->index_head_dim : 0;

	if (kind->shares_cache)
		return 0;
	switch (kind->mixer) {
	case MIXER_ATTENTION:
		return ceil(kind->kv_heads / tensor) * (kind->head_dim + kind->value_head_dim) + index;
	case MIXER_MLA:
		return (double)kind->kv_lora_rank + kind->rope_head_dim + index;
	case MIXER_NONE:
	case MIXER_MAMBA2:
	case MIXER_GATED_DELTA:
	case MIXER_COUNT:
		break;
	}
	return 0;
}

/* E5. Returns the elements of one layer's constant state: heads x value width x state, and the last inputs of the
 * convolution.
 * Source:   Dao and Gu 2024, section 7; Yang et al. 2024, section 3 */
static double kind_state_elements(const struct layer_kind *kind)
{
	double inner = (double)kind->heads * kind->value_head_dim, taps = fmax(kind->conv_kernel - 1.0, 0);

	switch (kind->mixer) {
	case MIXER_MAMBA2:
		return inner * kind->state_dim + taps * (inner + (kind->step_rank > 0 ? 0 : 2.0 * kind->groups * kind->state_dim));
	case MIXER_GATED_DELTA:
		return inner * kind->head_dim + taps * (2.0 * kind->kv_heads * kind->head_dim + inner);
	case MIXER_NONE:
	case MIXER_ATTENTION:
	case MIXER_MLA:
	case MIXER_COUNT:
		break;
	}
	return 0;
}

double model_kv_bytes_per_token(const struct model *model, double bytes_per_element)
{
	double elements = 0;

	for (int i = 0; i < model->kind_count; i++)
		elements += model_kind_layers(model, i) * layer_cache_elements(&model->kinds[i], 1);
	return elements * bytes_per_element;
}

double model_state_bytes(const struct model *model, double bytes_per_element)
{
	double elements = 0;

	for (int i = 0; i < model->kind_count; i++)
		elements += model_kind_layers(model, i) * kind_state_elements(&model->kinds[i]);
	return elements * bytes_per_element;
}

double model_kv_bytes(const struct model *model, double context_tokens, double bytes_per_element)
{
	double elements = 0;

	for (int i = 0; i < model->kind_count; i++) {
		const struct layer_kind *kind = &model->kinds[i];
		double kept = kind->window > 0 ? fmin(context_tokens, kind->window) : context_tokens;

		elements += model_kind_layers(model, i) * kept * layer_cache_elements(kind, 1);
	}
	return elements * bytes_per_element + model_state_bytes(model, bytes_per_element);
}
