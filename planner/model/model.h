/* A model as the planner sees it: the layers, and the sizes that follow from them.
 *
 * Real models mix layers (dense first, then experts; window and full attention; state-space and attention), so a model
 * is a list of layers, each of one of a few kinds. hwdb/models/model_config.c builds it from a Hugging Face config,
 * model_from_size() from a size alone; a generic model has no layers. Fixed size, no pointers but the names: copy it
 * freely. After filling it, call model_finish(). */
#ifndef FLEETPLAN_PLANNER_MODEL_MODEL_H
#define FLEETPLAN_PLANNER_MODEL_MODEL_H

#include "base/given.h"
#include "planner/precision.h"

enum { MODEL_LAYERS_MAX = 1024, MODEL_LAYER_KINDS_MAX = 12, MODEL_NOTES_MAX = 400 };

enum model_kind { MODEL_TRANSFORMER, MODEL_GENERIC };

enum mixer { MIXER_NONE, MIXER_ATTENTION, MIXER_MLA, MIXER_MAMBA2, MIXER_GATED_DELTA, MIXER_COUNT };
enum feed_forward { FEED_FORWARD_NONE, FEED_FORWARD_DENSE, FEED_FORWARD_EXPERTS, FEED_FORWARD_COUNT };

/* A kind of layer. Zero means "none of this"; value_head_dim 0 means "as head_dim" until model_finish() sets it. */
struct layer_kind {
	enum mixer mixer;
	int heads, kv_heads, head_dim, value_head_dim; /* gated delta: value heads, key heads, key width, value width */
	int window;                                    /* tokens that a query attends to, itself included; 0: all */
	bool bidirectional;                            /* an encoder's layer: every token attends to every other */
	bool chunked;                                  /* the window does not slide: attention restarts every `window` tokens */
	int q_lora_rank, kv_lora_rank, rope_head_dim;  /* MLA; head_dim is then the part without rotary position */
	int index_heads, index_head_dim, index_tokens; /* sparse attention: an indexer selects index_tokens keys for each query */
	int state_dim, conv_kernel, groups;            /* state-space and linear layers; heads x value_head_dim is the inner width */
	int step_rank;                                 /* Mamba-1: rank of the projection of the step size; 0: Mamba-2 */
	bool key_is_value;                             /* one projection for keys and values (both are cached, because only keys are rotated) */
	bool shares_cache;                             /* uses an earlier layer's keys and values, caches none of its own */
	bool output_gate;                              /* a projection of its own gates the output of attention */

	enum feed_forward feed_forward;
	int width;  /* of the dense feed-forward */
	bool gated; /* three matrices (SwiGLU) instead of two */
	int experts, experts_active, expert_width;
	int expert_hidden; /* width at which experts work, between two projections; 0: the model's own */
	int shared_width;  /* width of the part beside the experts that every token uses (shared experts, a dense part); 0: none */

	int norms;                  /* normalisations over the hidden width */
	double extra_params;        /* parameters beyond E1's matrices: biases, sinks, query and key norms */
	double expert_extra_params; /* the same, for each expert */

	/* Filled by model_finish() by E1: parameters of one such layer. */
	double mixer_params;               /* matrices (and convolutions) that every token uses */
	double feed_forward_params;        /* all experts, router and shared part */
	double expert_params;              /* one expert; 0: no experts */
	double feed_forward_active_params; /* the part of feed_forward_params that one token uses */
	double other_params;               /* norms, gates, extra_params: all that is not a matrix product */
};

struct model {
	const char *id;     /* NULL: the request described the model instead of naming it */
	const char *source; /* source of its shape or size */
	enum model_kind kind;
	bool shape_is_guessed; /* only the size was given; the layers are a standard shape of that size */
	bool tied_embeddings;
	int hidden, vocabulary;
	int label_count; /* outputs of the head if they are not the vocabulary (a classifier, a reward model); 0: the logits of the vocabulary */
	int max_positions;     /* longest context that the model supports; 0: not known */
	int learned_positions; /* rows of a position table; 0: none */
	int layer_count, kind_count;
	int predict_layers;               /* multi-token-prediction layers, not counted in layer_count or params_total */
	uint8_t layers[MODEL_LAYERS_MAX]; /* index into kinds[] */
	struct layer_kind kinds[MODEL_LAYER_KINDS_MAX];
	bool norm_bias;       /* every norm has a bias beside its weight (LayerNorm) */
	int norms;            /* outside of the layers: the final one, one after the embedding */
	double extra_params;  /* outside of the layers, beyond E1: a bias of the logits, projections of the embedding */
	double lookup_params; /* tables beside the embedding that are looked up, not multiplied (per-layer embeddings) */
	double generic_flops_per_sample, generic_sample_bytes; /* MODEL_GENERIC: forward pass of one sample */
	enum precision published_precision; /* of a checkpoint published in 8 or 4 bits (its quantization_config); PRECISION_UNSET: 16 bits or more */
	double generic_activation_bytes; /* kept of a sample for the backward pass; 0: derived from its FLOPs */
	char notes[MODEL_NOTES_MAX];     /* assumptions about the shape, for the assumptions of an answer; "": none */

	/* Filled by model_finish() unless set before (a model of a given size, a published figure). */
	double params_total, params_active, params_embedding; /* params_embedding: all tables; tied tables count once */
};

/* E1. Counts the parameters of every kind of layer and of the model.
 *
 * Given:    model  filled; params_total and params_active above 0 are kept, NaN and 0 are computed
 * Returned: model: parameters of its kinds, params_total, params_active, params_embedding. Active parameters are those
 *             that one token uses: all but the experts not chosen, embeddings included. A generic model: a weight in
 *             use costs at least 2 FLOPs a sample, so at most flops_per_sample / 2 parameters are active (E2); the
 *             rest are tables that are looked up (params_embedding), as in a recommender.
 * Source:   E1 of each kind: params.c
 * Case:     tests/planner/golden/workload.txt */
void model_finish(struct model *model);

/* E2. Makes a transformer of a given size in a standard shape, for a model of which only the size is known.
 *
 * Given:    params_total   parameters
 *           params_active  parameters that a token uses; absent: dense
 * Returned: model: finished; hidden h and layers L with 12 L h^2 = active and h = 128 L, rounded as published shapes
 *             are. The feed-forward takes the rest, so that the counted size is the given one within 1 %. Eight of E
 *             experts are active if active < total.
 * Valid:    1e6 <= params_active <= params_total <= 1e15
 * Source:   Kaplan et al. 2020, equation 2.1 (N = 12 L h^2) and figure 5 (aspect ratio)
 * Case:     tests/planner/golden/workload.txt */
void model_from_size(struct model *model, double params_total, double params_active);

/* Returns the columns of the head's product: the vocabulary, or the labels of a classifier. */
int model_head_columns(const struct model *model);

/* Returns the number of layers of a kind. */
int model_kind_layers(const struct model *model, int kind);

/* E3. Computes the forward FLOPs of one token, or of one sample of a generic model.
 *
 * Given:    model            finished
 *           sequence_length  s, tokens, >= 1
 * Returned: FLOPs = 2 x (matrices that a token uses + V h of the logits, or labels x h) + attention scores + scans.
 *             Causal scores count half, windows are taken into account, the embedding lookup is not counted.
 * Valid:    training or prefill of a whole sequence; norms, activations and softmax (below 1 %) are left out
 * Source:   Kaplan et al. 2020, table 1 (2 FLOPs a parameter); Narayanan et al. 2021, appendix (logits)
 * Case:     tests/planner/golden/workload.txt */
double model_forward_flops_per_token(const struct model *model, double sequence_length);

/* True if the model predicts the next token: a transformer without an encoder's layer. False for a generic model. */
bool model_is_causal(const struct model *model);

/* E3. Computes the attention-score part of the forward FLOPs: QK^T and PV, and an indexer's scores.
 *
 * Given:    model            finished
 *           sequence_length  s, tokens, >= 1
 * Returned: FLOPs per token, sum over the layers
 * Source:   Korthikanti et al. 2022, appendix A, at half for causality; DeepSeek-V3.2-Exp 2025, equation 1
 * Case:     tests/planner/golden/workload.txt */
double model_attention_flops_per_token(const struct model *model, double sequence_length);

/* E3. Computes the mean number of keys that a query of this kind of layer attends to.
 *
 * Given:    kind             window w (0: none), bidirectional, chunked, index_tokens
 *           sequence_length  s, tokens, >= 1
 * Returned: tokens. Bidirectional: min(s, w). Causal: (s + 1)/2; for s > w (w(w + 1)/2 + (s - w) w)/s if the window
 *             slides, the mean over whole chunks of w and the rest if it is chunked; with an indexer
 *             at most the mean of a sliding window of index_tokens. 0: no attention
 * Source:   arithmetic: query i of a causal sequence meets min(i, w) keys; Beltagy et al. 2020 (window)
 * Case:     tests/planner/test_workload.c */
double model_mean_context_tokens(const struct layer_kind *kind, double sequence_length);

/* E4. Computes the training FLOPs of one token, or of one sample of a generic model.
 *
 * Given:    model            finished
 *           sequence_length  s, tokens, >= 1
 * Returned: FLOPs = 3 x E3: the backward pass multiplies twice, for the gradients of inputs and of weights
 * Source:   Kaplan et al. 2020, section 2.1; Narayanan et al. 2021, appendix
 * Case:     tests/planner/golden/workload.txt */
double model_training_flops_per_token(const struct model *model, double sequence_length);

/* E5. Compute the KV cache and the constant states.
 *
 * Given:    kind               kv_heads k, head_dim d, value_head_dim v; MLA: rank c, rotary part r; an indexer:
 *             index_head_dim
 *           tensor             t, ranks over which the heads are split, >= 1
 *           model              finished
 *           context_tokens     tokens of the sequence, >= 0
 *           bytes_per_element  bytes, > 0
 * Returned: layer_cache_elements(): elements of one token in one layer on each of t ranks: ceil(k/t)(d + v), or c + r;
 *             plus index_head_dim: each rank holds latents and an indexer's key whole
 *           model_kv_bytes_per_token(): bytes of a token as long as it lies inside every window; the published figure
 *           model_kv_bytes(): bytes of a whole sequence: sum over the layers of min(context, window) x elements of a
 *             token, and the states
 *           model_state_bytes(): bytes of the constant states of state-space and linear layers
 * Source:   Shazeer 2019; DeepSeek-AI 2024 (V2), section 2.1.2; DeepSeek-V3.2-Exp 2025; states: Dao and Gu 2024,
 *             section 7; Yang et al. 2024, section 3
 * Case:     tests/planner/golden/workload.txt */
double layer_cache_elements(const struct layer_kind *kind, double tensor);
double model_kv_bytes_per_token(const struct model *model, double bytes_per_element);
double model_kv_bytes(const struct model *model, double context_tokens, double bytes_per_element);
double model_state_bytes(const struct model *model, double bytes_per_element);

/* E6. Computes the bytes of all weights in a precision.
 *
 * Given:    model      finished
 *           precision  of the matrices
 * Returned: bytes. Below 16 bits embeddings, logits, norms and biases stay in BF16; in four bits all of a layer with
 *             experts but the experts, as gpt-oss, Kimi K2 and DeepSeek NVFP4 are published.
 * Valid:    uniform formats; checkpoints that mix formats by layer differ by some per cent
 * Source:   OCP Microscaling Formats v1.0 (block scales); published checkpoints: FP8 of Llama 3.1 and DeepSeek-V3,
 *             AWQ, MXFP4 of gpt-oss, INT4 of Kimi K2 Thinking
 * Case:     tests/planner/golden/workload.txt */
double model_weight_bytes(const struct model *model, enum precision precision);

#endif
