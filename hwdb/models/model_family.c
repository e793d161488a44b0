#include "hwdb/models/model_family.h"

#include <stddef.h>
#include <string.h>

#include "base/status.h"

#define ATTENTION_BIAS (FAMILY_QKV_BIAS | FAMILY_OUT_BIAS)
#define ALL_BIAS       (ATTENTION_BIAS | FAMILY_MLP_BIAS)
/* GPT-2 and similar families: LayerNorm, two matrices, biases everywhere, logits from the embedding. */
#define GPT            (FAMILY_TIED | FAMILY_LAYER_NORM | FAMILY_UNGATED | ALL_BIAS)
#define QWEN_HYBRID    (FAMILY_HEAD_NORM | FAMILY_OUTPUT_GATE | FAMILY_SHARED_GATE)

/* Each row follows the family's implementation in transformers (models/<model_type>), or the code published with the
 * weights if it has none there. A row with a configuration in tests/hwdb/golden is verified by its count of
 * parameters. */
static const struct model_family families[] = {
	{.model_type = "llama"},
	{.model_type = "llama4", .window_every = 4},
	{.model_type = "llama4_text", .window_every = 4},
	{.model_type = "mistral", .traits = FAMILY_WINDOWS},
	{.model_type = "mistral3"},
	{.model_type = "ministral", .traits = FAMILY_WINDOWS},
	{.model_type = "ministral3"},
	{.model_type = "mixtral", .traits = FAMILY_WINDOWS},
	{.model_type = "qwen", .traits = FAMILY_QKV_BIAS},
	{.model_type = "qwen2", .traits = FAMILY_QKV_BIAS},
	{.model_type = "qwen2_vl", .traits = FAMILY_QKV_BIAS},
	{.model_type = "qwen2_5_vl", .traits = FAMILY_QKV_BIAS},
	{.model_type = "qwen2_vl_text", .traits = FAMILY_QKV_BIAS},
	{.model_type = "qwen2_5_vl_text", .traits = FAMILY_QKV_BIAS},
	{.model_type = "qwen2_moe", .traits = FAMILY_QKV_BIAS | FAMILY_SHARED_GATE},
	{.model_type = "qwen3", .traits = FAMILY_HEAD_NORM, .head_dim = 128},
	{.model_type = "qwen3_moe", .traits = FAMILY_HEAD_NORM, .head_dim = 128},
	{.model_type = "qwen3_vl_text", .traits = FAMILY_HEAD_NORM, .head_dim = 128},
	{.model_type = "qwen3_vl_moe_text", .traits = FAMILY_HEAD_NORM, .head_dim = 128},
	{.model_type = "qwen3_omni_moe_text", .traits = FAMILY_HEAD_NORM, .head_dim = 128},
	{.model_type = "qwen3_next", .traits = QWEN_HYBRID, .head_dim = 256},
	{.model_type = "qwen3_5", .traits = QWEN_HYBRID, .head_dim = 256},
	{.model_type = "qwen3_5_text", .traits = QWEN_HYBRID, .head_dim = 256},
	{.model_type = "qwen3_5_moe", .traits = QWEN_HYBRID, .head_dim = 256},
	{.model_type = "qwen3_5_moe_text", .traits = QWEN_HYBRID, .head_dim = 256},
	{.model_type = "deepseek_v2"},
	{.model_type = "deepseek_v3", .traits = FAMILY_SELECTION_BIAS},
	{.model_type = "deepseek_v32", .traits = FAMILY_SELECTION_BIAS},
	{.model_type = "kimi_k2", .traits = FAMILY_SELECTION_BIAS},
	{.model_type = "glm_moe_dsa", .traits = FAMILY_SELECTION_BIAS},
	{.model_type = "glm4_moe", .traits = FAMILY_SELECTION_BIAS | FAMILY_BIAS_KEY_QKV},
	{.model_type = "glm4_moe_lite", .traits = FAMILY_SELECTION_BIAS},
	{.model_type = "glm", .traits = FAMILY_QKV_BIAS | FAMILY_BIAS_KEY_QKV},
	{.model_type = "glm4", .traits = FAMILY_QKV_BIAS | FAMILY_BIAS_KEY_QKV | FAMILY_FOUR_NORMS},
	{.model_type = "chatglm"},
	{.model_type = "gpt_oss", .traits = ATTENTION_BIAS | FAMILY_SINKS | FAMILY_EXPERT_BIAS, .window_every = 2},
	{.model_type = "minimax", .traits = FAMILY_LIGHTNING},
	{.model_type = "minimax_text_01", .traits = FAMILY_LIGHTNING},
	{.model_type = "minimax_m1", .traits = FAMILY_LIGHTNING},
	{.model_type = "minimax_m2", .traits = FAMILY_WIDE_NORM | FAMILY_SELECTION_BIAS},
	{.model_type = "mimo", .traits = FAMILY_QKV_BIAS},
	{.model_type = "mimo_v2_flash", .traits = FAMILY_SELECTION_BIAS},
	{.model_type = "gemma", .traits = FAMILY_TIED, .head_dim = 256},
	{.model_type = "gemma2", .traits = FAMILY_TIED | FAMILY_FOUR_NORMS, .window_every = 2, .head_dim = 256, .window = 4096},
	{.model_type = "gemma3",
		.traits = FAMILY_TIED | FAMILY_FOUR_NORMS | FAMILY_HEAD_NORM,
		.window_every = 6,
		.heads = 8,
		.kv_heads = 4,
		.head_dim = 256,
		.vocabulary = 262208,
		.window = 4096},
	{.model_type = "gemma3_text",
		.traits = FAMILY_TIED | FAMILY_FOUR_NORMS | FAMILY_HEAD_NORM,
		.window_every = 6,
		.heads = 8,
		.kv_heads = 4,
		.head_dim = 256,
		.vocabulary = 262208,
		.window = 4096},
	{.model_type = "gemma4_text",
		.traits = FAMILY_TIED | FAMILY_FOUR_NORMS | FAMILY_HEAD_NORM,
		.window_every = 6,
		.head_dim = 256,
		.vocabulary = 262144},
	{.model_type = "phi", .traits = FAMILY_LAYER_NORM | FAMILY_UNGATED | ALL_BIAS | FAMILY_ONE_NORM | FAMILY_LOGIT_BIAS},
	{.model_type = "phi3", .traits = FAMILY_WINDOWS},
	{.model_type = "phimoe", .traits = FAMILY_LAYER_NORM | ATTENTION_BIAS | FAMILY_LOGIT_BIAS},
	{.model_type = "cohere", .traits = FAMILY_TIED | FAMILY_ONE_NORM},
	{.model_type = "cohere2", .traits = FAMILY_TIED | FAMILY_ONE_NORM, .window_every = 4, .window = 4096},
	{.model_type = "starcoder2", .traits = GPT | FAMILY_WINDOWS},
	{.model_type = "gpt_bigcode", .traits = GPT | FAMILY_LEARNED, .positions = 1024},
	{.model_type = "olmo", .traits = FAMILY_NO_NORM_WEIGHT},
	{.model_type = "olmo2", .traits = FAMILY_WIDE_NORM},
	{.model_type = "olmo3", .traits = FAMILY_WIDE_NORM, .window_every = 4},
	{.model_type = "olmoe", .traits = FAMILY_WIDE_NORM},
	{.model_type = "stablelm", .traits = FAMILY_LAYER_NORM},
	{.model_type = "granite"},
	{.model_type = "granitemoe"},
	{.model_type = "granitemoeshared"},
	{.model_type = "granitemoehybrid"},
	{.model_type = "falcon", .traits = FAMILY_TIED | FAMILY_LAYER_NORM | FAMILY_UNGATED},
	{.model_type = "RefinedWebModel", .traits = FAMILY_TIED | FAMILY_LAYER_NORM | FAMILY_UNGATED},
	{.model_type = "RefinedWeb", .traits = FAMILY_TIED | FAMILY_LAYER_NORM | FAMILY_UNGATED},
	{.model_type = "bloom", .traits = GPT | FAMILY_EMBEDDING_NORM},
	{.model_type = "opt", .traits = GPT | FAMILY_LEARNED, .position_extra = 2, .positions = 2048},
	{.model_type = "openai-gpt", .traits = GPT | FAMILY_LEARNED, .positions = 512},
	{.model_type = "bert", .traits = GPT | FAMILY_LEARNED | FAMILY_ENCODER, .vocabulary = 30522, .positions = 512},
	{.model_type = "roberta", .traits = GPT | FAMILY_LEARNED | FAMILY_ENCODER, .vocabulary = 50265, .positions = 514},
	{.model_type = "distilbert", .traits = GPT | FAMILY_LEARNED | FAMILY_ENCODER, .vocabulary = 30522, .positions = 512},
	{.model_type = "gpt2", .traits = GPT | FAMILY_LEARNED, .positions = 1024},
	{.model_type = "gpt_neo", .traits = (GPT & ~(unsigned)FAMILY_QKV_BIAS) | FAMILY_LEARNED, .window_every = 2, .window = 256, .positions = 2048},
	{.model_type = "gptj", .traits = FAMILY_LAYER_NORM | FAMILY_UNGATED | FAMILY_MLP_BIAS | FAMILY_ONE_NORM | FAMILY_LOGIT_BIAS},
	{.model_type = "codegen", .traits = FAMILY_LAYER_NORM | FAMILY_UNGATED | FAMILY_MLP_BIAS | FAMILY_ONE_NORM | FAMILY_LOGIT_BIAS},
	{.model_type = "gpt_neox", .traits = FAMILY_LAYER_NORM | FAMILY_UNGATED | ALL_BIAS},
	{.model_type = "persimmon", .traits = FAMILY_LAYER_NORM | FAMILY_UNGATED | ALL_BIAS},
	{.model_type = "mpt", .traits = FAMILY_TIED | FAMILY_UNGATED},
	{.model_type = "dbrx"},
	{.model_type = "arctic"},
	{.model_type = "baichuan"},
	{.model_type = "internlm2"},
	{.model_type = "internlm"},
	{.model_type = "exaone"},
	{.model_type = "minicpm", .traits = FAMILY_TIED},
	{.model_type = "minicpm3", .traits = FAMILY_TIED},
	{.model_type = "smollm3", .traits = FAMILY_TIED},
	{.model_type = "nemotron", .traits = FAMILY_LAYER_NORM | FAMILY_UNGATED},
	{.model_type = "nemotron_h", .traits = FAMILY_UNGATED | FAMILY_SELECTION_BIAS},
	{.model_type = "arcee", .traits = FAMILY_UNGATED},
	{.model_type = "seed_oss", .traits = FAMILY_BIAS_KEY_QKV},
	{.model_type = "jamba"},
	{.model_type = "bamba"},
	{.model_type = "mamba", .traits = FAMILY_TIED},
	{.model_type = "falcon_mamba", .traits = FAMILY_TIED},
	{.model_type = "mamba2"},
	{.model_type = "ernie4_5", .traits = FAMILY_TIED},
	{.model_type = "ernie4_5_moe", .traits = FAMILY_TIED | FAMILY_SELECTION_BIAS},
	{.model_type = "hunyuan_v1_dense", .traits = FAMILY_HEAD_NORM},
	{.model_type = "hunyuan_v1_moe", .traits = FAMILY_TIED | FAMILY_HEAD_NORM},
	{.model_type = "dots1", .traits = FAMILY_HEAD_NORM | FAMILY_SELECTION_BIAS},
};

#define ENCODER_DECODER \
	"an encoder-decoder whose parts are not counted (t5, mt5 and whisper are): describe it as {kind: \"generic\", params, flops_per_sample, sample_bytes}"
#define ENCODER \
	"an encoder whose layers are not counted (bert, roberta and distilbert are): describe it by {params}, or as {kind: \"generic\"}"
#define NOT_LANGUAGE \
	"not a language model, and not one whose towers are counted (vit, clip, DiT, SD3, Flux); describe it as {kind: \"generic\", params, flops_per_sample, sample_bytes}"
#define OTHER_MIXER "built of layers that are not counted; describe it by {params, params_active}"

static const struct {
	const char *model_type, *reason;
} refused[] = {
	{"umt5", ENCODER_DECODER},
	{"longt5", ENCODER_DECODER},
	{"bart", ENCODER_DECODER},
	{"mbart", ENCODER_DECODER},
	{"pegasus", ENCODER_DECODER},
	{"marian", ENCODER_DECODER},
	{"m2m_100", ENCODER_DECODER},
	{"nllb-moe", ENCODER_DECODER},
	{"switch_transformers", ENCODER_DECODER},
	{"t5gemma", ENCODER_DECODER},
	{"led", ENCODER_DECODER},
	{"xlm-roberta", ENCODER},
	{"albert", ENCODER},
	{"deberta", ENCODER},
	{"deberta-v2", ENCODER},
	{"electra", ENCODER},
	{"modernbert", ENCODER},
	{"siglip", NOT_LANGUAGE},
	{"resnet", NOT_LANGUAGE},
	{"convnext", NOT_LANGUAGE},
	{"swin", NOT_LANGUAGE},
	{"wav2vec2", NOT_LANGUAGE},
	{"hubert", NOT_LANGUAGE},
	{"rwkv", OTHER_MIXER},
	{"rwkv5", OTHER_MIXER},
	{"rwkv6", OTHER_MIXER},
	{"rwkv7", OTHER_MIXER},
	{"recurrent_gemma", OTHER_MIXER},
	{"zamba", OTHER_MIXER},
	{"zamba2", OTHER_MIXER},
	{"xlstm", OTHER_MIXER},
	{"falcon_h1", OTHER_MIXER},
	{"lfm2", OTHER_MIXER},
	{"kimi_linear", OTHER_MIXER},
	{"gemma3n", OTHER_MIXER},
	{"gemma3n_text", OTHER_MIXER},
	{"longcat_flash", OTHER_MIXER},
	{"nemotron-nas", OTHER_MIXER},
	{"mllama", OTHER_MIXER},
	{"mllama_text_model", OTHER_MIXER},
};

const struct model_family *model_family_find(const char *model_type)
{
	for (size_t i = 0; i < COUNT_OF(families); i++)
		if (strcmp(families[i].model_type, model_type) == 0)
			return &families[i];
	return NULL;
}

const char *model_family_refused(const char *model_type)
{
	for (size_t i = 0; i < COUNT_OF(refused); i++)
		if (strcmp(refused[i].model_type, model_type) == 0)
			return refused[i].reason;
	return NULL;
}
