#include "planner/model/model.h"

#include <stddef.h>

/* E1, the mixers. Each function returns the matrices that multiply every token, and adds to *other what is not a
 * product (norms inside the mixer, decay rates). */

/*  Given:     kind: heads a, kv_heads k, head_dim d, value_head_dim v; hidden: h
 *  Returned:  h(a d + k d + k v) + a v h; k v h less if one projection serves keys and values; a v h more for an output gate;
 *             no k and v if it uses those of an earlier layer; an indexer's r_q i d_i + h d_i + h i (its norm 2 d_i)
 *  Source:    Vaswani et al. 2017, section 3.2.2; Shazeer 2019 (MQA); Ainslie et al. 2023 (GQA); DeepSeek-V3.2-Exp 2025, section 2 (indexer) */
static double attention_params(const struct layer_kind *kind, double hidden)
{
	double key = (double)kind->kv_heads * kind->head_dim, value = (double)kind->kv_heads * kind->value_head_dim;
	double out = (double)kind->heads * kind->value_head_dim;
	double params = hidden * kind->heads * kind->head_dim + out * hidden;

	if (!kind->shares_cache)
		params += hidden * (key + (kind->key_is_value ? 0 : value));
	if (kind->output_gate)
		params += hidden * out;
	return params;
}

static double indexer_params(const struct layer_kind *kind, double hidden, double *other)
{
	double from = kind->q_lora_rank > 0 ? kind->q_lora_rank : hidden;

	if (kind->index_heads == 0)
		return 0;
	*other += 2.0 * kind->index_head_dim;
	return from * kind->index_heads * kind->index_head_dim + hidden * kind->index_head_dim + hidden * kind->index_heads;
}

/*  Given:     kind: heads a, head_dim d (without rotary), rope_head_dim r, value_head_dim v, ranks q and c; hidden: h
 *  Returned:  q(h + a(d + r)), or h a(d + r) without a rank; h(c + r) + c a(d + v); a v h; norms q and c
 *  Source:    DeepSeek-AI 2024 (V2), section 2.1 */
static double mla_params(const struct layer_kind *kind, double hidden, double *other)
{
	double query = (double)kind->heads * (kind->head_dim + kind->rope_head_dim), latent = kind->kv_lora_rank;
	double params = kind->q_lora_rank > 0 ? kind->q_lora_rank * (hidden + query) : hidden * query;

	*other += kind->q_lora_rank + latent;
	params += hidden * (latent + kind->rope_head_dim);
	params += latent * kind->heads * (kind->head_dim + kind->value_head_dim);
	return params + (double)kind->heads * kind->value_head_dim * hidden;
}

/*  Given:     kind: inner width i = heads x value_head_dim, groups g, state n, kernel k; hidden: h
 *  Returned:  Mamba-2: h(2i + 2gn + heads) + (i + 2gn)(k + 1) + i h; other: 3 heads + i
 *             Mamba-1 (step_rank r): 2 h i + i(k + 1) + i(r + 2n) + r i + i h; other: i + i n + i
 *  Source:    Gu and Dao 2023, algorithm 2; Dao and Gu 2024, section 7 */
static double mamba_params(const struct layer_kind *kind, double hidden, double *other)
{
	double inner = (double)kind->heads * kind->value_head_dim, state = kind->state_dim, rank = kind->step_rank;
	double shared = 2.0 * kind->groups * state, taps = kind->conv_kernel + 1.0;

	if (kind->step_rank > 0) {
		*other += inner * (2 + state);
		return 2 * hidden * inner + inner * taps + inner * (rank + 2 * state) + rank * inner + inner * hidden;
	}
	*other += 3.0 * kind->heads + inner;
	return hidden * (2 * inner + shared + kind->heads) + (inner + shared) * taps + inner * hidden;
}

/*  Given:     kind: key width x = kv_heads x head_dim, value width y = heads x value_head_dim, kernel k; hidden: h
 *  Returned:  h(2x + 2y + 2 heads) + k(2x + y) + y h; other: 2 heads + value_head_dim
 *  Source:    Yang et al. 2024 (Gated Delta Networks), section 3; the output gate is the second y */
static double gated_delta_params(const struct layer_kind *kind, double hidden, double *other)
{
	double key = (double)kind->kv_heads * kind->head_dim, value = (double)kind->heads * kind->value_head_dim;

	*other += 2.0 * kind->heads + kind->value_head_dim;
	return hidden * (2 * key + 2 * value + 2.0 * kind->heads) + kind->conv_kernel * (2 * key + value) + value * hidden;
}

static double mixer_params(const struct layer_kind *kind, double hidden, double *other)
{
	switch (kind->mixer) {
	case MIXER_ATTENTION:
		return attention_params(kind, hidden) + indexer_params(kind, hidden, other);
	case MIXER_MLA:
		return mla_params(kind, hidden, other) + indexer_params(kind, hidden, other);
	case MIXER_MAMBA2:
		return mamba_params(kind, hidden, other);
	case MIXER_GATED_DELTA:
		return gated_delta_params(kind, hidden, other);
	case MIXER_NONE:
	case MIXER_COUNT:
		break;
	}
	return 0;
}

static double expert_params(const struct layer_kind *kind, double hidden)
{
	double width = kind->expert_hidden > 0 ? kind->expert_hidden : hidden;

	if (kind->feed_forward != FEED_FORWARD_EXPERTS)
		return 0;
	return (kind->gated ? 3 : 2) * width * kind->expert_width + kind->expert_extra_params;
}

/*  Given:     kind, its expert_params counted: width f, experts E, shared_width f_s, gated (g = 3, else 2); hidden: h;
 *             experts, the number of experts to count
 *  Returned:  g h f; or h E (router) + experts g h' f_e + g h f_s, and 2 h h' if experts work at another width h'
 *  Source:    Shazeer 2020 (GLU); Fedus et al. 2021 (router); Dai et al. 2024 (shared experts) */
static double feed_forward_params(const struct layer_kind *kind, double hidden, int experts)
{
	double matrices = kind->gated ? 3 : 2;

	switch (kind->feed_forward) {
	case FEED_FORWARD_DENSE:
		return matrices * hidden * kind->width;
	case FEED_FORWARD_EXPERTS:
		return hidden * kind->experts + matrices * hidden * kind->shared_width + 2 * hidden * kind->expert_hidden +
			experts * kind->expert_params;
	case FEED_FORWARD_NONE:
	case FEED_FORWARD_COUNT:
		break;
	}
	return 0;
}

static void kind_finish(struct layer_kind *kind, double hidden, double norm_width)
{
	if (kind->value_head_dim == 0)
		kind->value_head_dim = kind->head_dim;
	kind->other_params = kind->norms * norm_width + kind->extra_params;
	kind->mixer_params = mixer_params(kind, hidden, &kind->other_params);
	kind->expert_params = expert_params(kind, hidden);
	kind->feed_forward_params = feed_forward_params(kind, hidden, kind->experts);
	kind->feed_forward_active_params = feed_forward_params(kind, hidden, kind->experts_active);
}

void model_finish(struct model *model)
{
	double hidden = model->hidden, norm_width = model->norm_bias ? 2 * hidden : hidden;
	double total, active;

	if (model->kind == MODEL_GENERIC) {
		if (!(model->params_active > 0))
			model->params_active = model->generic_flops_per_sample > 0 ? fmin(model->params_total, model->generic_flops_per_sample / 2)
																	   : model->params_total;
		model->params_embedding = model->params_total - model->params_active;
		return;
	}
	model->params_embedding = hidden * (model->vocabulary * (model->tied_embeddings ? 1.0 : 2.0) + model->learned_positions) +
		model->lookup_params;
	total = active = model->params_embedding + model->norms * norm_width + model->extra_params;
	for (int i = 0; i < model->kind_count; i++) {
		struct layer_kind *kind = &model->kinds[i];
		double layers = model_kind_layers(model, i);

		kind_finish(kind, hidden, norm_width);
		total += layers * (kind->mixer_params + kind->feed_forward_params + kind->other_params);
		active += layers * (kind->mixer_params + kind->feed_forward_active_params + kind->other_params);
	}
	if (!(model->params_total > 0))
		model->params_total = total;
	if (!(model->params_active > 0))
		model->params_active = active;
}

int model_kind_layers(const struct model *model, int kind)
{
	int count = 0;

	for (int i = 0; i < model->layer_count; i++)
		count += model->layers[i] == kind;
	return count;
}
