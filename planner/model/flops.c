#include "planner/model/model.h"

#include <math.h>

/* One step of a linear recurrence, for each element of its state: decay, the new input's outer product and its addition,
 * and the inner product that reads it (Megatron-LM counts Mamba's scan so; the delta rule's correction is one read more). */
#define SCAN_FLOPS_PER_STATE 7.0

/*  E3, keys per query.
 *  Given:     kind: window w (0: none), whether it slides or starts anew, index_tokens; sequence_length: s, tokens, >= 1
 *  Returned:  s where all keys are met (an encoder's); (s + 1)/2 where all earlier ones are; for s > w (w(w + 1)/2 + (s - w) w)/s, sliding;
 *             mean over whole chunks of w and the rest, chunked
 *  Source:    arithmetic: query i of a causal sequence meets min(i, w) keys; Beltagy et al. 2020 (window) */
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

/*  E3, attention scores of one token in one layer.
 *  Given:     kind: heads a, widths d of queries and keys (with rotary part) and v of values; mean context c, tokens
 *  Returned:  2 a (d + v) c, and 2 i d_i (s + 1)/2 of an indexer, which meets every key, FLOPs
 *  Source:    Korthikanti et al. 2022, appendix A, at half for causality; DeepSeek-V3.2-Exp 2025, equation 1 */
static double kind_attention_flops(const struct layer_kind *kind, double sequence_length)
{
	double query = kind->head_dim + (kind->mixer == MIXER_MLA ? kind->rope_head_dim : 0);
	double scores =
		2.0 * kind->heads * (query + kind->value_head_dim) * model_mean_context_tokens(kind, sequence_length);

	return scores + 2.0 * kind->index_heads * kind->index_head_dim * causal_mean(sequence_length, 0, false);
}

/* E3, the scan of a state-space or linear layer: elements of its state, times SCAN_FLOPS_PER_STATE. */
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

/*  E3, forward.
 *  Given:     model, finished; sequence_length: s, tokens, >= 1
 *  Returned:  2 x (matrices that a token meets + V h of the logits, or its labels x h) + attention scores + scans, FLOPs per token
 *  Valid:     training or prefill of a whole causal sequence; norms, activations and softmax (below 1 %) are left out
 *  Source:    Kaplan et al. 2020, table 1 (2 FLOPs a parameter); Narayanan et al. 2021, appendix (logits) */
double model_forward_flops_per_token(const struct model *model, double sequence_length)
{
	double flops = 2.0 * model_head_columns(model) * model->hidden + model_attention_flops_per_token(model, sequence_length);

	if (model->kind == MODEL_GENERIC)
		return model->generic_flops_per_sample;
	for (int i = 0; i < model->kind_count; i++) {
		const struct layer_kind *kind = &model->kinds[i];

		flops += model_kind_layers(model, i) *
				 (2 * (kind->mixer_params + kind->feed_forward_active_params) + kind_scan_flops(kind));
	}
	return flops;
}

/*  E4, forward and backward.
 *  Returned:  3 x E3: the backward pass multiplies twice, for the gradients of inputs and of weights
 *  Source:    Kaplan et al. 2020, section 2.1; Narayanan et al. 2021, appendix */
double model_training_flops_per_token(const struct model *model, double sequence_length)
{
	return 3 * model_forward_flops_per_token(model, sequence_length);
}
