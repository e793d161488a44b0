#include "hwdb/models/model_mixers.h"

#include <string.h>

static int heads_read(const struct config_reader *reader, const struct model_family *family)
{
	return config_int(reader, CONFIG_NAMES("num_attention_heads", "n_head", "n_heads", "num_heads"), 1, HEADS_MAX,
		family->heads > 0 ? family->heads : CONFIG_REQUIRED);
}

/* A flag marks multi-query families. In Falcon the number of key-value heads applies only to its second
 * architecture. */
static int kv_heads_read(const struct config_reader *reader, const struct model_family *family, int heads)
{
	const char *type = family->model_type;
	int otherwise = family->kv_heads > 0 ? family->kv_heads : heads > 0 ? heads : 1;
	bool falcon = strcmp(type, "falcon") == 0 || strncmp(type, "RefinedWeb", 10) == 0;

	if (strcmp(type, "gpt_bigcode") == 0 || (falcon && !config_bool(reader, "new_decoder_architecture", false)))
		otherwise = config_bool(reader, "multi_query", strcmp(type, "RefinedWeb") != 0) ? 1 : heads;
	if (strcmp(type, "falcon") == 0 && !config_bool(reader, "new_decoder_architecture", false))
		return config_int(reader, CONFIG_NAMES("num_key_value_heads"), 1, HEADS_MAX, otherwise);
	if (strcmp(type, "chatglm") == 0 && !config_bool(reader, "multi_query_attention", false))
		return heads;
	return config_int(reader,
		CONFIG_NAMES("num_key_value_heads", "num_kv_heads", "n_head_kv", "attn_config.kv_n_heads", "multi_query_group_num", "n_kv_heads"),
		1, HEADS_MAX, otherwise);
}

static int head_dim_read(const struct config_reader *reader, const struct model_family *family, int hidden, int heads)
{
	int head_dim = config_int(
		reader, CONFIG_NAMES("head_dim", "attention_head_dim", "kv_channels", "d_head"), 1, HEADS_MAX, family->head_dim);

	if (head_dim > 0 || heads <= 0)
		return head_dim;
	if (hidden % heads == 0)
		return hidden / heads;
	config_fault(reader, "num_attention_heads", "out_of_range",
		"%d heads do not divide a hidden size of %d; give head_dim, or heads that do", heads, hidden);
	return 0;
}

static unsigned attention_traits(const struct config_reader *reader, const struct model_family *family, unsigned traits)
{
	const unsigned both = FAMILY_QKV_BIAS | FAMILY_OUT_BIAS;
	const char *const keys[] = {"attention_bias", "use_qkv_bias", "qkv_bias", "add_qkv_bias", "use_bias"};
	bool qkv_only = false;

	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		if (!config_find(reader, CONFIG_NAMES(keys[i]), NULL))
			continue;
		qkv_only = strstr(keys[i], "qkv") != NULL || traits & FAMILY_BIAS_KEY_QKV;
		traits &= ~both;
		if (config_bool(reader, keys[i], false))
			traits |= qkv_only ? FAMILY_QKV_BIAS : both;
	}
	if (config_bool(reader, "attention_out_bias", false))
		traits |= FAMILY_OUT_BIAS;
	if (config_bool(reader, "use_qk_norm", false) && !(traits & (FAMILY_HEAD_NORM | FAMILY_WIDE_NORM)))
		traits |= strcmp(family->model_type, "glm4_moe") == 0 ? FAMILY_HEAD_NORM : FAMILY_WIDE_NORM;
	if (config_bool(reader, "qk_layernorm", false))
		traits |= strcmp(family->model_type, "stablelm") == 0 ? FAMILY_WIDE_NORM : FAMILY_HEAD_NORM;
	if (config_find(reader, CONFIG_NAMES("attn_output_gate"), NULL))
		traits = config_bool(reader, "attn_output_gate", false) ? traits | FAMILY_OUTPUT_GATE : traits & ~(unsigned)FAMILY_OUTPUT_GATE;
	return traits;
}

static double attention_extra_params(const struct layer_kind *kind, unsigned traits, double hidden)
{
	double query = (double)kind->heads * kind->head_dim, key = (double)kind->kv_heads * kind->head_dim;
	double extra = 0;

	if (traits & FAMILY_QKV_BIAS)
		extra += query * (kind->output_gate ? 2 : 1) + (kind->key_is_value ? 1 : 2) * key;
	if (traits & FAMILY_OUT_BIAS)
		extra += hidden;
	if (traits & FAMILY_HEAD_NORM)
		extra += 2.0 * kind->head_dim;
	if (traits & FAMILY_WIDE_NORM)
		extra += query + key;
	if (traits & FAMILY_SINKS)
		extra += kind->heads;
	return extra;
}

/* Reads Gemma 4's layers that attend to all tokens: they have wider heads, fewer key heads, and one projection for keys
 * and values. */
static void global_attention_read(const struct config_reader *reader, struct layer_kind *kind)
{
	kind->head_dim = config_int(reader, CONFIG_NAMES("global_head_dim"), 1, HEADS_MAX, kind->head_dim);
	kind->value_head_dim = kind->head_dim;
	kind->key_is_value = config_bool(reader, "attention_k_eq_v", false);
	if (kind->key_is_value)
		kind->kv_heads = config_int(reader, CONFIG_NAMES("num_global_key_value_heads"), 1, HEADS_MAX, kind->kv_heads);
}

/* Reads MiMo-V2's layers with a window: they have heads of their own, and sinks if the configuration has them. */
static void window_attention_read(const struct config_reader *reader, struct layer_kind *kind)
{
	kind->heads = config_int(reader, CONFIG_NAMES("swa_num_attention_heads"), 1, HEADS_MAX, kind->heads);
	kind->kv_heads = config_int(reader, CONFIG_NAMES("swa_num_key_value_heads"), 1, HEADS_MAX, kind->kv_heads);
	kind->head_dim = config_int(reader, CONFIG_NAMES("swa_head_dim"), 1, HEADS_MAX, kind->head_dim);
	kind->value_head_dim = config_int(reader, CONFIG_NAMES("swa_v_head_dim"), 1, HEADS_MAX, kind->value_head_dim);
}

static void indexer_read(const struct config_reader *reader, struct layer_kind *kind)
{
	kind->index_heads = config_int(reader, CONFIG_NAMES("index_n_heads"), 0, HEADS_MAX, 0);
	if (kind->index_heads == 0)
		return;
	kind->index_head_dim = config_int(reader, CONFIG_NAMES("index_head_dim"), 1, HEADS_MAX, CONFIG_REQUIRED);
	kind->index_tokens = config_int(reader, CONFIG_NAMES("index_topk"), 1, TOKENS_MAX, CONFIG_REQUIRED);
}

static void mla_read(const struct config_reader *reader, struct layer_kind *kind)
{
	kind->mixer = MIXER_MLA;
	kind->q_lora_rank = config_int(reader, CONFIG_NAMES("q_lora_rank"), 0, WIDTH_MAX, 0);
	kind->kv_lora_rank = config_int(reader, CONFIG_NAMES("kv_lora_rank"), 1, WIDTH_MAX, CONFIG_REQUIRED);
	kind->head_dim = config_int(reader, CONFIG_NAMES("qk_nope_head_dim"), 1, HEADS_MAX, CONFIG_REQUIRED);
	kind->rope_head_dim = config_int(reader, CONFIG_NAMES("qk_rope_head_dim"), 0, HEADS_MAX, CONFIG_REQUIRED);
	kind->value_head_dim = config_int(reader, CONFIG_NAMES("v_head_dim"), 1, HEADS_MAX, CONFIG_REQUIRED);
	kind->kv_heads = kind->heads;
	indexer_read(reader, kind);
}

void mixer_attention_read(const struct config_reader *reader, const struct model_family *family, unsigned traits, int hidden,
	enum reach reach, struct layer_kind *kind)
{
	kind->mixer = MIXER_ATTENTION;
	kind->heads = heads_read(reader, family);
	if (config_find(reader, CONFIG_NAMES("kv_lora_rank"), NULL)) {
		mla_read(reader, kind);
		return;
	}
	kind->kv_heads = kv_heads_read(reader, family, kind->heads);
	kind->head_dim = head_dim_read(reader, family, hidden, kind->heads);
	kind->value_head_dim = config_int(reader, CONFIG_NAMES("v_head_dim"), 1, HEADS_MAX, kind->head_dim);
	if (reach == REACH_GLOBAL)
		global_attention_read(reader, kind);
	if (reach == REACH_WINDOW)
		window_attention_read(reader, kind);
	indexer_read(reader, kind);
	if (kind->kv_heads > 0 && kind->heads % kind->kv_heads != 0)
		config_fault(reader, "num_key_value_heads", "out_of_range", "%d key-value heads do not divide %d heads", kind->kv_heads, kind->heads);
	traits = attention_traits(reader, family, traits);
	if (config_bool(reader, reach == REACH_WINDOW ? "add_swa_attention_sink_bias" : "add_full_attention_sink_bias", false))
		traits |= FAMILY_SINKS;
	kind->output_gate = traits & FAMILY_OUTPUT_GATE;
	kind->extra_params += attention_extra_params(kind, traits, hidden);
}

/* Reads MiniMax-01's lightning attention: the matrices and state of the gated delta rule, without its convolution,
 * decay and step projections, and with a norm over all heads. Source: MiniMax 2025 (arXiv 2501.08313), section 2.2. */
static void lightning_read(const struct config_reader *reader, const struct model_family *family, int hidden, struct layer_kind *kind)
{
	double inner;

	kind->heads = kind->kv_heads = heads_read(reader, family);
	kind->head_dim = kind->value_head_dim = head_dim_read(reader, family, hidden, kind->heads);
	inner = (double)kind->heads * kind->head_dim;
	kind->extra_params += inner - kind->head_dim - 2.0 * kind->heads * (hidden + 1.0);
}

void mixer_linear_read(const struct config_reader *reader, const struct model_family *family, int hidden, struct layer_kind *kind)
{
	bool qwen = family->traits & FAMILY_OUTPUT_GATE; /* its published files may leave out default values */

	kind->mixer = MIXER_GATED_DELTA;
	if (family->traits & FAMILY_LIGHTNING) {
		lightning_read(reader, family, hidden, kind);
		return;
	}
	kind->heads = config_int(reader, CONFIG_NAMES("linear_num_value_heads"), 1, HEADS_MAX, qwen ? 32 : CONFIG_REQUIRED);
	kind->kv_heads = config_int(reader, CONFIG_NAMES("linear_num_key_heads"), 1, HEADS_MAX, qwen ? 16 : CONFIG_REQUIRED);
	kind->head_dim = config_int(reader, CONFIG_NAMES("linear_key_head_dim"), 1, HEADS_MAX, qwen ? 128 : CONFIG_REQUIRED);
	kind->value_head_dim = config_int(reader, CONFIG_NAMES("linear_value_head_dim"), 1, HEADS_MAX, qwen ? 128 : CONFIG_REQUIRED);
	kind->conv_kernel = config_int(reader, CONFIG_NAMES("linear_conv_kernel_dim"), 1, 1024, 4);
}

/* Reads Mamba-1, which has no heads: each place of the inner width is one. */
static void mamba1_read(const struct config_reader *reader, const struct model_family *family, int hidden, struct layer_kind *kind)
{
	int expand = config_int(reader, CONFIG_NAMES("mamba_expand", "expand", "ssm_cfg.expand"), 1, 64, 2);
	const json_t *rank = config_find(reader, CONFIG_NAMES("mamba_dt_rank", "time_step_rank"), NULL);

	kind->heads = hidden * expand;
	kind->value_head_dim = 1;
	kind->state_dim = config_int(reader, CONFIG_NAMES("mamba_d_state", "state_size", "ssm_cfg.d_state"), 1, WIDTH_MAX, 16);
	kind->conv_kernel = config_int(reader, CONFIG_NAMES("mamba_d_conv", "conv_kernel", "ssm_cfg.d_conv"), 1, 1024, 4);
	kind->step_rank = (hidden + 15) / 16;
	if (!json_is_string(rank)) /* "auto" is one sixteenth of the hidden size */
		kind->step_rank = config_int(reader, CONFIG_NAMES("mamba_dt_rank", "time_step_rank"), 1, WIDTH_MAX, kind->step_rank);
	if (strcmp(family->model_type, "jamba") == 0)
		kind->extra_params += kind->step_rank + 2.0 * kind->state_dim;
}

static void mamba2_read(const struct config_reader *reader, int hidden, struct layer_kind *kind)
{
	int expand = config_int(reader, CONFIG_NAMES("mamba_expand", "expand", "ssm_cfg.expand"), 1, 64, 2);
	const char *const *head_dim = CONFIG_NAMES("mamba_head_dim", "mamba_d_head", "head_dim", "ssm_cfg.headdim");
	int width = json_is_string(config_find(reader, head_dim, NULL)) ? 0 : config_int(reader, head_dim, 1, HEADS_MAX, 64);
	int heads = config_int(reader, CONFIG_NAMES("mamba_num_heads", "mamba_n_heads", "num_heads"), 1, HEADS_MAX,
		width > 0 ? hidden * expand / width : CONFIG_REQUIRED);

	kind->heads = heads;
	kind->value_head_dim = width > 0 ? width : heads > 0 ? hidden * expand / heads : 0;
	kind->state_dim = config_int(reader, CONFIG_NAMES("ssm_state_size", "mamba_d_state", "state_size", "ssm_cfg.d_state"), 1, WIDTH_MAX, 128);
	kind->groups = config_int(reader, CONFIG_NAMES("n_groups", "mamba_n_groups", "ssm_cfg.ngroups"), 1, HEADS_MAX, 1);
	kind->conv_kernel = config_int(reader, CONFIG_NAMES("conv_kernel", "mamba_d_conv", "ssm_cfg.d_conv"), 1, 1024, 4);
}

void mixer_mamba_read(const struct config_reader *reader, const struct model_family *family, int hidden, struct layer_kind *kind)
{
	static const char *const first[] = {"jamba", "mamba", "falcon_mamba"};
	bool older = false;
	double channels;

	for (size_t i = 0; i < COUNT_OF(first); i++)
		older = older || strcmp(family->model_type, first[i]) == 0;
	kind->mixer = MIXER_MAMBA2;
	if (older)
		mamba1_read(reader, family, hidden, kind);
	else
		mamba2_read(reader, hidden, kind);
	channels = (double)kind->heads * kind->value_head_dim + 2.0 * kind->groups * kind->state_dim;
	if (!config_bool(reader, "use_conv_bias", true) || !config_bool(reader, "mamba_conv_bias", true))
		kind->extra_params -= channels;
}
