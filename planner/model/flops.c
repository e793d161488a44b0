#include "planner/model/model.h"

#include <math.h>

/* FLOPs of one step of a linear recurrence for each element of its state: decay, the outer product of the new input
 * and its addition, and the inner product that reads it. Megatron-LM counts Mamba's scan in this way. The correction
 * of the delta rule reads the state once more. */
#define SCAN_FLOPS_PER_STATE 7.0

/* E3. Returns the mean number of keys of a causal query. window 0: no window; model_mean_context_tokens() states the
 * formulas. */
static double causal_mean(double sequence, double window, bool chunked)
{
	double rest;

	if (window <= 0 || sequence <= window)
		return (sequence + 1) / 2;
	if (!chunked)
		return (window * (window + 1) / 2 + (sequence - window) * window) / sequence;
	rest = fmod(sequence, window);
	return ((sequence - rest) * (window + 1) / 2 + rest * (rest + 1) / 2) / sequence;
}

double model_mean_context_tokens(const struct layer_kind *kind, double sequence_length)
{
	double mean;

	if (kind->mixer != MIXER_ATTENTION && kind->mixer != MIXER_MLA)
		return 0;
	if (kind->bidirectional)
		return kind->window > 0 ? fmin(sequence_length, kind->window) : sequence_length;
	mean = causal_mean(sequence_length, kind->window, kind->chunked);
	if (kind->index_tokens > 0)
		mean = fmin(mean, causal_mean(sequence_length, kind->index_tokens, false));
	return mean;
}

/* E3. Returns the FLOPs of the attention scores of one token in one layer.
 *
 * Given:    kind             heads a, widths d of queries and keys (with rotary part) and v of values
 *           sequence_length  s, tokens, >= 1
 * Returned: 2 a (d + v) c with c the mean context, and 2 i d_i (s + 1)/2 of an indexer, which meets every key
 * Source:   Korthikanti et al. 2022, appendix A, at half for causality; DeepSeek-V3.2-Exp 2025, equation 1 */
static double kind_attention_flops(const struct layer_kind *kind, double sequence_length)
{
	double query = kind->head_dim + (kind->mixer == MIXER_MLA ? kind->rope_head_dim : 0);
	double scores = 2.0 * kind->heads * (query + kind->value_head_dim) * model_mean_context_tokens(kind, sequence_length);

	return scores + 2.0 * kind->index_heads * kind->index_head_dim * causal_mean(sequence_length, 0, false);
}

/* E3. Returns the FLOPs of the scan of a state-space or linear layer: elements of its state x SCAN_FLOPS_PER_STATE. */
static double kind_scan_flops(const struct layer_kind *kind)
{
	double inner = (double)kind->heads * kind->value_head_dim;

	switch (kind->mixer) {
	case MIXER_MAMBA2:
		return SCAN_FLOPS_PER_STATE * inner * kind->state_dim;
	case MIXER_GATED_DELTA:
		return (SCAN_FLOPS_PER_STATE + 2) * inner * kind->head_dim;
	case MIXER_NONE:
	case MIXER_ATTENTION:
	case MIXER_MLA:
	case MIXER_COUNT:
		break;
	}
	return 0;
}

bool model_is_causal(const struct model *model)
{
	for (int i = 0; i < model->kind_count; i++)
		if (model->kinds[i].bidirectional)
			return false;
	return model->kind == MODEL_TRANSFORMER;
}

static bool kind_attends(const struct layer_kind *kind)
{
	return kind->mixer == MIXER_ATTENTION || kind->mixer == MIXER_MLA;
}

double model_attention_flops_per_token(const struct model *model, double sequence_length)
{
	double flops = 0;

	for (int i = 0; i < model->kind_count; i++)
		if (kind_attends(&model->kinds[i]))
			flops += model_kind_layers(model, i) * kind_attention_flops(&model->kinds[i], sequence_length);
	return flops;
}

int model_head_columns(const struct model *model)
{
	return model->label_count > 0 ? model->label_count : model->vocabulary;
}

double model_forward_flops_per_token(const struct model *model, double sequence_length)
{
	double flops = 2.0 * model_head_columns(model) * model->hidden + model_attention_flops_per_token(model, sequence_length);

	if (model->kind == MODEL_GENERIC)
		return model->generic_flops_per_sample;
	for (int i = 0; i < model->kind_count; i++) {
		const struct layer_kind *kind = &model->kinds[i];

		flops += model_kind_layers(model, i) * (2 * (kind->mixer_params + kind->feed_forward_active_params) + kind_scan_flops(kind));
	}
	return flops;
}

double model_training_flops_per_token(const struct model *model, double sequence_length)
{
	return 3 * model_forward_flops_per_token(model, sequence_length);
}
