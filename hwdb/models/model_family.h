/* Facts of a model_type that a configuration's members do not state: biases, norms, positions, and the family's
 * defaults. They come from each family's published implementation; a member of the configuration overrides them where
 * it can. */
#ifndef FLEETPLAN_HWDB_MODELS_MODEL_FAMILY_H
#define FLEETPLAN_HWDB_MODELS_MODEL_FAMILY_H

#include <stdbool.h>

enum family_trait {
	FAMILY_TIED = 1 << 0,           /* default when tie_word_embeddings is absent */
	FAMILY_LAYER_NORM = 1 << 1,     /* norms have a bias in addition to the weight */
	FAMILY_NO_NORM_WEIGHT = 1 << 2, /* norms have no parameters */
	FAMILY_UNGATED = 1 << 3,        /* two matrices in the feed-forward layer, no gate */
	FAMILY_QKV_BIAS = 1 << 4,
	FAMILY_OUT_BIAS = 1 << 5, /* the attention's output has a bias */
	FAMILY_MLP_BIAS = 1 << 6,
	FAMILY_ONE_NORM = 1 << 7,   /* attention and feed-forward run in parallel after one norm */
	FAMILY_FOUR_NORMS = 1 << 8, /* norms before and after both parts */
	FAMILY_LEARNED = 1 << 9,    /* a table of learned positions */
	FAMILY_EMBEDDING_NORM = 1 << 10,
	FAMILY_HEAD_NORM = 1 << 11, /* queries and keys are normalised, with one weight for each place in a head */
	FAMILY_WIDE_NORM = 1 << 12, /* the same, with weights over all heads */
	FAMILY_LOGIT_BIAS = 1 << 13,
	FAMILY_OUTPUT_GATE = 1 << 14,    /* the attention's output is gated */
	FAMILY_SHARED_GATE = 1 << 15,    /* shared experts have a gate */
	FAMILY_SELECTION_BIAS = 1 << 16, /* one bias for each expert, used only to select experts */
	FAMILY_SINKS = 1 << 17,          /* one learned attention sink for each head */
	FAMILY_EXPERT_BIAS = 1 << 18,    /* router and experts have biases */
	FAMILY_WINDOWS = 1 << 19,        /* sliding_window applies to every layer unless a pattern excludes it */
	FAMILY_LIGHTNING = 1 << 21,      /* linear layers are lightning attention */
	FAMILY_ENCODER = 1 << 22,        /* no causal mask */
	FAMILY_BIAS_KEY_QKV = 1 << 20,   /* attention_bias applies to queries, keys and values only */
};

struct model_family {
	const char *model_type;
	unsigned traits;
	int window_every;   /* every n-th layer attends to all tokens, the others within the window; 0: no such pattern */
	int position_extra; /* rows of the position table beyond max_position_embeddings */
	/* Defaults for members that the family's published files leave out; 0: none. */
	int heads, kv_heads, head_dim, vocabulary, window, positions;
};

/* Returns the family of a model_type; NULL when it is unknown. */
const struct model_family *model_family_find(const char *model_type);

/* Returns why a model_type cannot be counted as a causal decoder; NULL when it can. */
const char *model_family_refused(const char *model_type);

#endif
