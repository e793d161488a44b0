#include "hwdb/models/model_towers.h"

#include <string.h>

#include "hwdb/models/model_layers.h"

/* Sums over towers: parameters; FLOPs of a sample's forward pass; bytes that a sample keeps for the backward pass. */
struct sum {
	double params, flops, kept_bytes;
};

/* A stack of transformer layers of one width: attention of inner width `inner`, a feed-forward of `matrices` matrices. */
struct stack {
	double layers, hidden, inner, width, matrices;
	double tokens, seen;             /* tokens of the stack; keys that a token attends to, itself included */
	double from_tokens, from_hidden; /* cross attention to the tokens of another stack; 0: none */
	double biases;                   /* of one layer, norms included */
};

static double causal_mean_tokens(double tokens)
{
	return (tokens + 1) / 2;
}

/* E36 without scores: 34 bytes for each place of a token's width, where the feed-forward layer is four times as wide.
 * Norms' inputs take 4, the inputs of both parts 4; queries, keys, values and their result 8 of the inner width; then
 * two masks, and 4 of the feed-forward's width, 6 where it is gated (Korthikanti et al. 2022, arXiv 2205.05198, section
 * 4.1). */
static double kept_bytes(double tokens, double hidden, double inner, double width, bool gated)
{
	return tokens * (10 * hidden + 8 * inner + (gated ? 6 : 4) * width);
}

/* E3 by part: 2 FLOPs for each weight that a token uses, and 4 for each pair of query and key and each place in a
 * head. */
static void stack_add(struct sum *sum, const struct stack *stack)
{
	double h = stack->hidden, i = stack->inner, n = stack->tokens, m = stack->from_tokens;
	double own = 4 * h * i + stack->matrices * h * stack->width, cross = m > 0 ? 2 * h * i : 0,
		   cross_keys = m > 0 ? 2 * stack->from_hidden * i : 0;

	sum->params += stack->layers * (own + cross + cross_keys + stack->biases);
	sum->flops += stack->layers * (2 * n * (own + cross) + 4 * n * i * stack->seen + 2 * m * cross_keys + 4 * n * i * m);
	sum->kept_bytes += stack->layers *
		(kept_bytes(n, h, i, stack->width, stack->matrices > 2) + (m > 0 ? n * (5 * h + 4 * i) + m * 4 * i : 0));
}

/* Adds a matrix with its bias, used by `tokens` of a sample. */
static void matrix_add(struct sum *sum, double inputs, double outputs, bool bias, double tokens)
{
	sum->params += inputs * outputs + (bias ? outputs : 0);
	sum->flops += 2 * tokens * inputs * outputs;
}

static double count(const struct config_reader *reader, const char *name, int otherwise)
{
	return config_int(reader, CONFIG_NAMES(name), 1, TOKENS_MAX, otherwise);
}

static void finish(struct model *model, const struct sum *sum, double sample_bytes)
{
	model->kind = MODEL_GENERIC;
	model->params_total = model->params_active = sum->params;
	model->generic_flops_per_sample = sum->flops;
	model->generic_sample_bytes = sample_bytes;
	model->generic_activation_bytes = sum->kept_bytes;
}

/* --- T5: Raffel et al. 2020, arXiv 1910.10683; transformers models/t5 and models/mt5 ------------------------ */

static const double t5_input_tokens = 512, t5_target_tokens = 114; /* of a pre-training example: section 3.1.4 */

static void t5_read(const struct config_reader *reader, struct model *model)
{
	double hidden = count(reader, "d_model", CONFIG_REQUIRED), heads = count(reader, "num_heads", CONFIG_REQUIRED);
	double inner = heads * count(reader, "d_kv", CONFIG_REQUIRED), width = count(reader, "d_ff", CONFIG_REQUIRED),
		   vocabulary = count(reader, "vocab_size", 32128);
	double layers = count(reader, "num_layers", CONFIG_REQUIRED),
		   decoder_layers = config_int(reader, CONFIG_NAMES("num_decoder_layers"), 1, MODEL_LAYERS_MAX, (int)layers);
	const char *projection = config_text(reader, "feed_forward_proj", "relu");
	bool gated = strncmp(projection, "gated", 5) == 0, tied = config_bool(reader, "tie_word_embeddings", true);
	struct stack stack = {.layers = layers,
		.hidden = hidden,
		.inner = inner,
		.width = width,
		.matrices = gated ? 3 : 2,
		.tokens = t5_input_tokens,
		.seen = t5_input_tokens,
		.biases = 2 * hidden};
	struct sum sum = {0, 0, 0};

	stack_add(&sum, &stack);
	stack.layers = decoder_layers;
	stack.tokens = t5_target_tokens;
	stack.seen = causal_mean_tokens(t5_target_tokens);
	stack.from_tokens = t5_input_tokens;
	stack.from_hidden = hidden;
	stack.biases = 3 * hidden;
	stack_add(&sum, &stack);
	sum.params += vocabulary * hidden + 2 * hidden +
		2 * heads * count(reader, "relative_attention_num_buckets", 32); /* tables of the first layer of both stacks */
	matrix_add(&sum, hidden, vocabulary, false, t5_target_tokens);
	if (tied)
		sum.params -= hidden * vocabulary;
	finish(model, &sum, 4 * (t5_input_tokens + t5_target_tokens));
	model_note(model, "encoder-decoder: a sample is %.0f tokens in and %.0f out, as T5's pre-training (arXiv 1910.10683)", t5_input_tokens,
		t5_target_tokens);
}

/* --- Whisper: Radford et al. 2022, arXiv 2212.04356; transformers models/whisper --------------------------- */

static double whisper_biases(double hidden, double width, int attentions)
{
	return attentions * 3 * hidden + width + hidden + (attentions + 1) * 2 * hidden; /* keys have no bias */
}

static void whisper_read(const struct config_reader *reader, struct model *model)
{
	static const double seconds = 30, samples_per_s = 16000, sample_bytes = 2;
	double hidden = count(reader, "d_model", CONFIG_REQUIRED), mel = count(reader, "num_mel_bins", 80),
		   vocabulary = count(reader, "vocab_size", 51865);
	double frames = count(reader, "max_source_positions", 1500), targets = count(reader, "max_target_positions", 448);
	double width = count(reader, "encoder_ffn_dim", CONFIG_REQUIRED), decoder_width = count(reader, "decoder_ffn_dim", CONFIG_REQUIRED);
	struct stack stack = {.layers = count(reader, "encoder_layers", CONFIG_REQUIRED),
		.hidden = hidden,
		.inner = hidden,
		.width = width,
		.matrices = 2,
		.tokens = frames,
		.seen = frames,
		.biases = whisper_biases(hidden, width, 1)};
	struct sum sum = {0, 0, 0};

	matrix_add(&sum, 3 * mel, hidden, true, 2 * frames); /* two convolutions of three frames, the second with stride two */
	matrix_add(&sum, 3 * hidden, hidden, true, frames);
	stack_add(&sum, &stack);
	stack = (struct stack){.layers = count(reader, "decoder_layers", CONFIG_REQUIRED),
		.hidden = hidden,
		.inner = hidden,
		.width = decoder_width,
		.matrices = 2,
		.tokens = targets,
		.seen = causal_mean_tokens(targets),
		.from_tokens = frames,
		.from_hidden = hidden,
		.biases = whisper_biases(hidden, decoder_width, 2)};
	stack_add(&sum, &stack);
	sum.params += (frames + targets) * hidden + 4 * hidden + vocabulary * hidden;
	sum.flops += 2 * targets * vocabulary * hidden; /* tied with the embedding */
	finish(model, &sum, seconds * samples_per_s * sample_bytes);
	model_note(model, "encoder-decoder: a sample is 30 s of sound (%.0f frames) and %.0f tokens of text", frames, targets);
}

/* --- ViT and CLIP: Dosovitskiy et al. 2021, arXiv 2010.11929; Radford et al. 2021, arXiv 2103.00020 --------- */

static double encoder_biases(double hidden, double width, bool qkv)
{
	return (qkv ? 4 : 1) * hidden + width + hidden + 4 * hidden;
}

/* Adds patches, a class token, positions and layers. */
static void vision_add(struct sum *sum, const struct config_reader *reader, bool patch_bias, bool qkv_bias, double *image, double *tokens)
{
	double hidden = count(reader, "hidden_size", 768), width = count(reader, "intermediate_size", 3072),
		   patch = count(reader, "patch_size", 16), patches;

	*image = count(reader, "image_size", 224);
	patches = floor(*image / patch) * floor(*image / patch);
	*tokens = patches + 1;
	matrix_add(sum, patch * patch * count(reader, "num_channels", 3), hidden, patch_bias, patches);
	sum->params += hidden + *tokens * hidden;
	stack_add(sum,
		&(struct stack){.layers = count(reader, "num_hidden_layers", 12),
			.hidden = hidden,
			.inner = hidden,
			.width = width,
			.matrices = 2,
			.tokens = *tokens,
			.seen = *tokens,
			.biases = encoder_biases(hidden, width, qkv_bias)});
}

static void vit_read(const struct config_reader *reader, struct model *model)
{
	const json_t *labels = config_find(reader, CONFIG_NAMES("id2label"), NULL);
	double hidden = count(reader, "hidden_size", 768),
		   classes = json_is_object(labels) ? (double)json_object_size(labels)
											: config_int(reader, CONFIG_NAMES("num_labels"), 0, WIDTH_MAX, 0);
	double image, tokens;
	struct sum sum = {0, 0, 0};

	vision_add(&sum, reader, true, config_bool(reader, "qkv_bias", true), &image, &tokens);
	sum.params += 2 * hidden;
	matrix_add(&sum, hidden, classes > 0 ? classes : hidden, true, 1); /* the classes, or the pooler of a model without classes */
	finish(model, &sum, image * image * 3);
	model_note(model, "a sample is an image of %.0f x %.0f, %.0f tokens", image, image, tokens);
}

/* Returns the reader of a part of the config, of an empty one where the config leaves all to the family's defaults. */
static struct config_reader part(const struct config_reader *reader, const char *name)
{
	const json_t *inner = json_object_get(reader->config, name);
	struct config_reader one = *reader;

	snprintf(one.inside, sizeof one.inside, "/%s", name);
	if (json_is_object(inner))
		one.config = inner;
	else
		config_fault(reader, name, "required", "a config of CLIP holds its towers' shapes in text_config and vision_config");
	return one;
}

static void clip_read(const struct config_reader *reader, struct model *model)
{
	struct config_reader text = part(reader, "text_config"), vision = part(reader, "vision_config");
	double wide = count(&vision, "hidden_size", 768), hidden = count(&text, "hidden_size", 512),
		   width = count(&text, "intermediate_size", 2048);
	double shared = count(reader, "projection_dim", 512), positions = count(&text, "max_position_embeddings", 77), image, tokens;
	struct sum sum = {0, 0, 0};

	vision_add(&sum, &vision, false, true, &image, &tokens);
	sum.params += 4 * wide;
	stack_add(&sum,
		&(struct stack){.layers = count(&text, "num_hidden_layers", 12),
			.hidden = hidden,
			.inner = hidden,
			.width = width,
			.matrices = 2,
			.tokens = positions,
			.seen = causal_mean_tokens(positions),
			.biases = encoder_biases(hidden, width, true)});
	sum.params += (count(&text, "vocab_size", 49408) + positions) * hidden + 2 * hidden + 1; /* 1: the temperature */
	matrix_add(&sum, wide, shared, false, 1);
	matrix_add(&sum, hidden, shared, false, 1);
	finish(model, &sum, image * image * 3 + 4 * positions);
	model_note(model, "a sample is an image of %.0f x %.0f and its text of %.0f tokens, both towers", image, image, positions);
}

/* --- diffusion transformers: one step of one sample in the latent space --------------------------------------- */

/* DiT: Peebles and Xie 2022, arXiv 2212.09748. Time and class determine each layer's six shifts, scales and gates. */
static void dit_read(const struct config_reader *reader, struct model *model)
{
	static const double frequencies = 256;
	double hidden = count(reader, "num_attention_heads", 16) * count(reader, "attention_head_dim", 72),
		   layers = count(reader, "num_layers", 28), patch = count(reader, "patch_size", 2);
	double side = count(reader, "sample_size", 32), channels = count(reader, "in_channels", 4), tokens = side / patch * side / patch;
	struct sum sum = {0, 0, 0};

	stack_add(&sum,
		&(struct stack){.layers = layers,
			.hidden = hidden,
			.inner = hidden,
			.width = 4 * hidden,
			.matrices = 2,
			.tokens = tokens,
			.seen = tokens,
			.biases = 9 * hidden});
	sum.params += layers * (6 * hidden * hidden + 6 * hidden);
	sum.flops += layers * 2 * 6 * hidden * hidden;
	matrix_add(&sum, patch * patch * channels, hidden, true, tokens);
	matrix_add(&sum, frequencies, hidden, true, 1);
	matrix_add(&sum, hidden, hidden, true, 1);
	sum.params += (count(reader, "num_embeds_ada_norm", 1000) + 1) * hidden; /* the classes, and one entry for no class */
	matrix_add(&sum, hidden, 2 * hidden, true, 1);
	matrix_add(&sum, hidden, patch * patch * count(reader, "out_channels", (int)(2 * channels)), true, tokens);
	finish(model, &sum, 2 * channels * side * side);
	model_note(model, "a sample is one denoising step of a %.0f x %.0f latent, %.0f tokens; without the autoencoder", side, side, tokens);
}

/* Adds two streams, image and text, each with its own weights, that attend to each other (Esser et al. 2024, arXiv
 * 2403.03206). The `last` layers keep only the part of the text that the image attends to. */
static void joint_add(struct sum *sum, double layers, double last, double hidden, double tokens, double text_tokens, double qk_norms)
{
	double both = tokens + text_tokens, per_stream = 4 * hidden * hidden + 4 * hidden + 8 * hidden * hidden + 5 * hidden,
		   modulation = 6 * hidden * hidden + 6 * hidden;
	double lost = hidden * hidden + hidden + 8 * hidden * hidden + 5 * hidden;

	sum->params += layers * (2 * per_stream + 2 * modulation + qk_norms) - last * (lost + 4 * (hidden * hidden + hidden));
	sum->kept_bytes += layers * kept_bytes(both, hidden, hidden, 4 * hidden, false);
	sum->flops += layers * (2 * both * 12 * hidden * hidden + 4 * both * both * hidden + 2 * 12 * hidden * hidden) -
		last * 2 * text_tokens * 9 * hidden * hidden;
}

static void sd3_read(const struct config_reader *reader, struct model *model)
{
	static const double frequencies = 256, text_tokens = 333; /* 77 of CLIP and 256 of T5 */
	double hidden = count(reader, "num_attention_heads", 18) * count(reader, "attention_head_dim", 64),
		   layers = count(reader, "num_layers", 18), patch = count(reader, "patch_size", 2);
	double side = count(reader, "sample_size", 128), channels = count(reader, "in_channels", 16), tokens = side / patch * side / patch;
	struct sum sum = {0, 0, 0};

	joint_add(&sum, layers, 1, hidden, tokens, text_tokens, 0);
	matrix_add(&sum, patch * patch * channels, hidden, true, tokens);
	matrix_add(&sum, count(reader, "joint_attention_dim", 4096), hidden, true, text_tokens);
	matrix_add(&sum, frequencies, hidden, true, 1);
	matrix_add(&sum, count(reader, "pooled_projection_dim", 2048), hidden, true, 1);
	matrix_add(&sum, hidden, hidden, true, 2);
	sum.params += hidden * hidden + hidden;
	matrix_add(&sum, hidden, 2 * hidden, true, 1);
	matrix_add(&sum, hidden, patch * patch * count(reader, "out_channels", 16), true, tokens);
	finish(model, &sum, 2 * channels * side * side);
	model_note(model,
		"a sample is one denoising step of a %.0f x %.0f latent, %.0f tokens beside %.0f of text; without text encoders and autoencoder",
		side, side, tokens, text_tokens);
}

/* Flux: layers of two streams, then layers of one stream with attention and feed-forward in parallel (diffusers,
 * transformer_flux.py). */
static void flux_read(const struct config_reader *reader, struct model *model)
{
	static const double frequencies = 256, tokens = 4096, text_tokens = 512; /* an image of 1,024 x 1,024: 64 x 64 patches of its latent */
	double head = count(reader, "attention_head_dim", 128), hidden = count(reader, "num_attention_heads", 24) * head,
		   channels = count(reader, "in_channels", 64);
	double singles = count(reader, "num_single_layers", 38), both = tokens + text_tokens,
		   embedders = config_bool(reader, "guidance_embeds", false) ? 2 : 1;
	struct sum sum = {0, 0, 0};

	joint_add(&sum, count(reader, "num_layers", 19), 0, hidden, tokens, text_tokens, 4 * head);
	sum.params += singles * (15 * hidden * hidden + 3 * hidden + 7 * hidden + hidden + 2 * head);
	sum.kept_bytes += singles * kept_bytes(both, hidden, hidden, 4 * hidden, false);
	sum.flops += singles * (2 * both * 12 * hidden * hidden + 4 * both * both * hidden + 2 * 3 * hidden * hidden);
	matrix_add(&sum, channels, hidden, true, tokens);
	matrix_add(&sum, count(reader, "joint_attention_dim", 4096), hidden, true, text_tokens);
	for (int i = 0; i < (int)embedders; i++) {
		matrix_add(&sum, frequencies, hidden, true, 1);
		matrix_add(&sum, hidden, hidden, true, 1);
	}
	matrix_add(&sum, count(reader, "pooled_projection_dim", 768), hidden, true, 1);
	matrix_add(&sum, hidden, hidden, true, 1);
	matrix_add(&sum, hidden, 2 * hidden, true, 1);
	matrix_add(&sum, hidden, channels, true, tokens);
	finish(model, &sum, 2 * channels * tokens);
	model_note(model,
		"a sample is one denoising step of a 1,024 x 1,024 image, %.0f tokens beside %.0f of text; without text encoders and autoencoder",
		tokens, text_tokens);
}

static const struct {
	const char *name;
	void (*read)(const struct config_reader *reader, struct model *model);
} towers[] = {
	{"t5", t5_read},
	{"mt5", t5_read},
	{"whisper", whisper_read},
	{"vit", vit_read},
	{"clip", clip_read},
	{"DiTTransformer2DModel", dit_read},
	{"Transformer2DModel", dit_read},
	{"SD3Transformer2DModel", sd3_read},
	{"FluxTransformer2DModel", flux_read},
};

/* Returns the family's index. The reader's config must be the whole configuration. */
static int tower_of(const struct config_reader *reader)
{
	const json_t *type = json_object_get(reader->config, "model_type"), *class = json_object_get(reader->config, "_class_name");
	const char *name = json_is_string(type) ? json_string_value(type) : json_is_string(class) ? json_string_value(class) : "";

	for (int i = 0; i < (int)COUNT_OF(towers); i++)
		if (strcmp(towers[i].name, name) == 0)
			return i;
	return -1;
}

bool model_towers_known(const struct config_reader *reader)
{
	return tower_of(reader) >= 0;
}

void model_towers_read(const struct config_reader *reader, struct model *model)
{
	size_t before = reader->failure->fault_total;

	towers[tower_of(reader)].read(reader, model);
	if (reader->failure->fault_total == before && !(model->params_total >= 1 && isfinite(model->generic_flops_per_sample)))
		config_fault(reader, "model_type", "out_of_range", "its members do not give a model of a size that can be counted");
}
