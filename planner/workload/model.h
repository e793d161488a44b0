/* A model as the planner sees it: what each layer is made of, and the sizes that follow.
 *
 * Real models mix layers (dense first, then experts; window and full attention; state-space and attention), so a
 * model is a list of layers, each one of a few kinds. Built by hwdb/model_config.c from a Hugging Face
 * config, by model_from_size() when only the size is known, or as a generic model (no layers).
 * Fixed size, no pointers but the names: copy it freely. After filling it, call model_finish(). */
#ifndef FLEETPLAN_PLANNER_WORKLOAD_MODEL_H
#define FLEETPLAN_PLANNER_WORKLOAD_MODEL_H

#include "planner/given.h"
#include "planner/precision.h"

enum { MODEL_LAYERS_MAX = 1024, MODEL_LAYER_KINDS_MAX = 12 };

enum model_kind { MODEL_TRANSFORMER, MODEL_GENERIC };

enum mixer { MIXER_NONE, MIXER_ATTENTION, MIXER_MLA, MIXER_MAMBA2, MIXER_GATED_DELTA, MIXER_COUNT };
enum feed_forward { FEED_FORWARD_NONE, FEED_FORWARD_DENSE, FEED_FORWARD_EXPERTS, FEED_FORWARD_COUNT };

struct layer_kind {
	enum mixer mixer;
	int heads, kv_heads, head_dim, value_head_dim; /* value_head_dim: as head_dim unless MLA or gated delta says otherwise */
	int window;                     /* tokens that attention looks back; 0 is all */
	int q_lora_rank, kv_lora_rank, rope_head_dim; /* MLA; head_dim is then the part without rotary position */
	int state_dim, conv_kernel, groups; /* state-space and linear layers; heads x value_head_dim is the inner width */
	bool key_is_value;              /* one projection serves both */
	bool output_gate;               /* attention output gated by its own projection */

	enum feed_forward feed_forward;
	int width;                      /* of the dense feed-forward */
	bool gated;                     /* three matrices (SwiGLU) instead of two */
	int experts, experts_active, expert_width;
	int shared_width;               /* of all shared experts together; 0 is none */

	/* Filled by model_finish(), from E1: parameters of one such layer. */
	double mixer_params;            /* matrices that every token meets, and their biases */
	double feed_forward_params;     /* all experts, router and shared part */
	double feed_forward_active_params;
	double other_params;            /* norms, gates, anything a token meets without a matrix product */
	double extra_params;            /* given by the builder: what the formulas above do not know (biases, sinks) */
};

struct model {
	const char *id;     /* NULL for one that was described, not named */
	const char *source; /* where its shape or size comes from */
	enum model_kind kind;
	bool shape_is_guessed; /* only its size was given: layers are a standard shape of that size */
	bool tied_embeddings;
	int hidden, vocabulary, max_positions, learned_positions; /* learned_positions: rows of a position table, 0 is none */
	int layer_count, kind_count;
	int predict_layers; /* multi-token-prediction layers, not part of layer_count nor of params_total */
	uint8_t layers[MODEL_LAYERS_MAX]; /* index into kinds[] */
	struct layer_kind kinds[MODEL_LAYER_KINDS_MAX];
	double generic_flops_per_sample, generic_sample_bytes; /* MODEL_GENERIC: forward pass of one sample */

	/* Filled by model_finish() unless given before (a size-only model, a published figure). */
	double params_total, params_active, params_embedding; /* params_embedding: all tables, once if tied */
};

/* Counts every kind's and the model's parameters (E1). Given totals (not NaN) are kept. */
void model_finish(struct model *model);

/* A transformer of a given size in a standard shape (E2), for when nothing else is known.
 * params_active may be absent (dense). Valid: 1e6 <= params_active <= params_total <= 1e15. */
void model_from_size(struct model *model, double params_total, double params_active);

/* Layers of kind k. */
int model_kind_layers(const struct model *model, int kind);

/* Forward FLOPs of one token (of one sample for a generic model) at a sequence length: matrix products with the logits,
 * without the embedding lookup, and attention scores, causal at half, windows honoured (E3). */
double model_forward_flops_per_token(const struct model *model, double sequence_length);

/* Only the attention-score part of E3 (QK^T and PV), per token, summed over layers. */
double model_attention_flops_per_token(const struct model *model, double sequence_length);

/* Forward and backward of one trained token: 3 x forward (E4). */
double model_training_flops_per_token(const struct model *model, double sequence_length);

/* Bytes that the KV cache keeps for each further token of one sequence, at a context length (window layers stop
 * growing, state-space layers keep a constant state, which model_state_bytes() answers) (E5). */
double model_kv_bytes_per_token(const struct model *model, double bytes_per_element);
double model_kv_bytes(const struct model *model, double context_tokens, double bytes_per_element); /* whole sequence, states included */
double model_state_bytes(const struct model *model, double bytes_per_element);

/* Bytes of all weights in a precision; embeddings and norms stay in BF16 for formats below 16 bits (E6). */
double model_weight_bytes(const struct model *model, enum precision precision);

#endif
