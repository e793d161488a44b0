/* What a configuration's model_type says that its members do not: biases, norms, positions, and the family's defaults.
 * Facts of each family's published implementation; a member of the configuration overrides them where it can. */
#ifndef FLEETPLAN_HWDB_MODELS_MODEL_FAMILY_H
#define FLEETPLAN_HWDB_MODELS_MODEL_FAMILY_H

#include <stdbool.h>

enum family_trait {
	FAMILY_TIED = 1 << 0, /* when tie_word_embeddings is absent */
	FAMILY_LAYER_NORM = 1 << 1, /* norms have a bias beside the weight */
	FAMILY_NO_NORM_WEIGHT = 1 << 2, /* norms have no parameters */
	FAMILY_UNGATED = 1 << 3, /* two matrices in the feed-forward */
	FAMILY_QKV_BIAS = 1 << 4,
	FAMILY_OUT_BIAS = 1 << 5, /* of the attention's output */
	FAMILY_MLP_BIAS = 1 << 6,
	FAMILY_ONE_NORM = 1 << 7, /* attention and feed-forward in parallel behind one norm */
	FAMILY_FOUR_NORMS = 1 << 8, /* before and after each */
	FAMILY_LEARNED = 1 << 9, /* a table of positions */
	FAMILY_EMBEDDING_NORM = 1 << 10,
	FAMILY_HEAD_NORM = 1 << 11, /* queries and keys normalised, one weight for each place in a head */
	FAMILY_WIDE_NORM = 1 << 12, /* the same over all heads together */
	FAMILY_LOGIT_BIAS = 1 << 13,
	FAMILY_OUTPUT_GATE = 1 << 14, /* attention's output gated */
	FAMILY_SHARED_GATE = 1 << 15, /* shared experts weighed by a gate */
	FAMILY_SELECTION_BIAS = 1 << 16, /* one bias for each expert, used only in choosing them */
	FAMILY_SINKS = 1 << 17, /* one learned sink for each head */
	FAMILY_EXPERT_BIAS = 1 << 18, /* biases in router and experts */
	FAMILY_WINDOWS = 1 << 19, /* sliding_window holds for every layer unless a pattern says otherwise */
	FAMILY_LIGHTNING = 1 << 21, /* linear layers are lightning attention */
	FAMILY_ENCODER = 1 << 22, /* no causal mask */
	FAMILY_BIAS_KEY_QKV = 1 << 20, /* attention_bias is for queries, keys and values only */
};

struct model_family {
	const char *model_type;
	unsigned traits;
	int window_every; /* every n-th layer attends to all, the others within the window; 0: no such pattern */
	int position_extra; /* rows of the position table beyond max_position_embeddings */
	/* Defaults for members that its published files leave out; 0 is none. */
	int heads, kv_heads, head_dim, vocabulary, window, positions;
};

/* NULL for one that is not known. */
const struct model_family *model_family_find(const char *model_type);

/* Why a model_type cannot be counted as a causal decoder; NULL when it can. */
const char *model_family_refused(const char *model_type);

#endif
