/* A model as the planner sees it: what each layer is made of, and the sizes that follow.
 *
 * Real models mix layers (dense first, then experts; window and full attention; state-space and attention), so a
 * model is a list of layers, each one of a few kinds. Built by hwdb/models/model_config.c from a Hugging Face
 * config, by model_from_size() when only the size is known, or as a generic model (no layers).
 * Fixed size, no pointers but the names: copy it freely. After filling it, call model_finish(). */
#ifndef FLEETPLAN_PLANNER_MODEL_MODEL_H
#define FLEETPLAN_PLANNER_MODEL_MODEL_H

#include "base/given.h"
#include "planner/precision.h"

enum { MODEL_LAYERS_MAX = 1024, MODEL_LAYER_KINDS_MAX = 12, MODEL_NOTES_MAX = 400 };

enum model_kind { MODEL_TRANSFORMER, MODEL_GENERIC };

enum mixer { MIXER_NONE, MIXER_ATTENTION, MIXER_MLA, MIXER_MAMBA2, MIXER_GATED_DELTA, MIXER_COUNT };
enum feed_forward { FEED_FORWARD_NONE, FEED_FORWARD_DENSE, FEED_FORWARD_EXPERTS, FEED_FORWARD_COUNT };

/* One make of layer. Zero means "has none of this"; value_head_dim 0 means "as head_dim" until model_finish() sets it. */
struct layer_kind {
	enum mixer mixer;
	int heads, kv_heads, head_dim, value_head_dim; /* gated delta: value heads, key heads, key width, value width */
	int window; /* tokens that attention looks back, itself included; 0 is all */
	bool bidirectional; /* an encoder's: every token attends to every other */
	bool chunked; /* the window does not slide: attention starts anew every `window` tokens */
	int q_lora_rank, kv_lora_rank, rope_head_dim; /* MLA; head_dim is then the part without rotary position */
	int index_heads, index_head_dim,
		index_tokens; /* sparse attention: an indexer picks index_tokens keys for each query */
	int state_dim, conv_kernel, groups; /* state-space and linear layers; heads x value_head_dim is the inner width */
	int step_rank; /* Mamba-1: the step size comes through this rank; 0 is Mamba-2 */
	bool key_is_value; /* one projection serves both (both are cached: only keys are rotated) */
	bool shares_cache; /* attends to an earlier layer's keys and values, has none of its own */
	bool output_gate; /* attention output gated by its own projection */

	enum feed_forward feed_forward;
	int width; /* of the dense feed-forward */
	bool gated; /* three matrices (SwiGLU) instead of two */
	int experts, experts_active, expert_width;
	int expert_hidden; /* experts work at this width, between two projections; 0 is at the model's own */
	int shared_width; /* of what every token meets beside the experts (shared experts, a dense part); 0 is none */

	int norms; /* normalisations over the hidden width */
	double extra_params; /* what the builder knows beyond E1's matrices: biases, sinks, query and key norms */
	double expert_extra_params; /* the same of each expert */

	/* Filled by model_finish(), from E1: parameters of one such layer. */
	double mixer_params; /* matrices (and convolutions) that every token meets */
	double feed_forward_params; /* all experts, router and shared part */
	double expert_params; /* one expert; 0 without */
	double feed_forward_active_params; /* what one token meets of them */
	double other_params; /* norms, gates, extra_params: what is not a matrix product */
};

struct model {
	const char *id; /* NULL for one that was described, not named */
	const char *source; /* where its shape or size comes from */
	enum model_kind kind;
	bool shape_is_guessed; /* only its size was given: layers are a standard shape of that size */
	bool tied_embeddings;
	int hidden, vocabulary;
	int label_count; /* outputs of its head where that is none of the vocabulary (a classifier, a reward model); 0: the logits of the vocabulary */
	int max_positions; /* longest context it is made for; 0 is not known */
	int learned_positions; /* rows of a position table; 0 is none */
	int layer_count, kind_count;
	int predict_layers; /* multi-token-prediction layers, not part of layer_count nor of params_total */
	uint8_t layers[MODEL_LAYERS_MAX]; /* index into kinds[] */
	struct layer_kind kinds[MODEL_LAYER_KINDS_MAX];
	bool norm_bias; /* every norm has a bias beside its weight (LayerNorm) */
	int norms; /* outside the layers: the final one, one after the embedding */
	double extra_params; /* outside the layers, beyond E1: a bias of the logits, projections of the embedding */
	double lookup_params; /* tables beside the embedding that are looked up, not multiplied (per-layer embeddings) */
	double generic_flops_per_sample, generic_sample_bytes; /* MODEL_GENERIC: forward pass of one sample */
	enum precision published_precision; /* of a checkpoint published in 8 or 4 bits (its quantization_config); PRECISION_UNSET: 16 bits or more */
	double generic_activation_bytes; /* kept of a sample for the backward pass; 0: by its FLOPs */
	char notes[MODEL_NOTES_MAX]; /* what was assumed in reading its shape, for an answer's assumptions; "" is nothing */

	/* Filled by model_finish() unless given before (a size-only model, a published figure). */
	double params_total, params_active, params_embedding; /* params_embedding: all tables, once if tied */
};

/* E2 for a generic model: a weight that is used costs 2 FLOPs a sample at least, so that of its parameters at most
 * flops_per_sample / 2 are; the rest are tables that are looked up (params_embedding), as a recommender's. */

/* Counts every kind's and the model's parameters (E1). Totals given before (> 0) are kept; NaN and 0 are not given.
 * Active is what one token meets: all but the experts not chosen, embeddings included. */
void model_finish(struct model *model);

/* A transformer of a given size in a standard shape (E2), for when nothing else is known.
 * params_active may be absent (dense). Valid: 1e6 <= params_active <= params_total <= 1e15. */
void model_from_size(struct model *model, double params_total, double params_active);

/* Columns of the head's product: the vocabulary, or the labels of a classifier. */
int model_head_columns(const struct model *model);

/* Layers of kind k. */
int model_kind_layers(const struct model *model, int kind);

/* Forward FLOPs of one token (of one sample for a generic model) at a sequence length: matrix products with the logits,
 * without the embedding lookup, and attention scores, causal at half, windows honoured (E3). */
double model_forward_flops_per_token(const struct model *model, double sequence_length);

/* Whether it predicts the next token: no layer of it is an encoder's. What is generic does not. */
bool model_is_causal(const struct model *model);

/* Only the attention-score part of E3 (QK^T and PV, and an indexer's scores), per token, summed over layers. */
double model_attention_flops_per_token(const struct model *model, double sequence_length);

/* Keys that a query of this kind of layer meets, on average over a causal sequence (E3); 0 for no attention. */
double model_mean_context_tokens(const struct layer_kind *kind, double sequence_length);

/* Forward and backward of one trained token: 3 x forward (E4). */
double model_training_flops_per_token(const struct model *model, double sequence_length);

/* KV cache (E5). Per token: each token as long as it lies inside every window, the figure that is published. Of a whole
 * sequence: window layers stop growing at their window, constant states included. States: state-space and linear layers. */
double layer_cache_elements(const struct layer_kind *kind, double tensor); /* of one token in one layer, on each of `tensor` ranks */
double model_kv_bytes_per_token(const struct model *model, double bytes_per_element);
double model_kv_bytes(const struct model *model, double context_tokens, double bytes_per_element);
double model_state_bytes(const struct model *model, double bytes_per_element);

/* Bytes of all weights in a precision (E6). Below 16 bits embeddings, norms and biases stay in BF16; in four bits a layer with
 * experts is quantised in its experts alone, as gpt-oss, Kimi K2 and DeepSeek NVFP4 are published. */
double model_weight_bytes(const struct model *model, enum precision precision);

#endif
