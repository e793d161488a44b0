#include "hwdb/models/model_layers.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hwdb/models/model_mixers.h"

enum layer_type { LAYER_ATTENTION, LAYER_WINDOW, LAYER_LINEAR, LAYER_MAMBA, LAYER_FEED_FORWARD, LAYER_EXPERTS };

/* Values that are read once and determine every layer. */
struct plan {
	const struct config_reader *reader;
	const struct model_family *family;
	unsigned traits;
	int hidden, layers;

	const json_t *types;                   /* layer_types or a similar list; NULL */
	const json_t *windows;                 /* 0 or 1 for each layer: 1 has a window; NULL */
	const json_t *softmax;                 /* 0 or 1 for each layer: 1 is attention, 0 linear; NULL */
	const char *pattern;                   /* hybrid_override_pattern; NULL */
	int window, window_every, window_from; /* window_every: every n-th layer is global; window_from: layers from this one on have windows */
	bool chunked;
	int cache_shared_from; /* layers from this one on use an earlier layer's keys and values */

	int experts, dense_first, expert_period, expert_offset;
	const json_t *dense_layers, *expert_layers; /* lists of layer indices; NULL */
	const json_t *expert_flags;                 /* 0 or 1 for each layer; NULL */
};

void model_note(struct model *model, const char *format, ...)
{
	size_t used = strlen(model->notes);
	va_list arguments;

	if (used > 0 && used + 3 < sizeof model->notes)
		used += (size_t)snprintf(model->notes + used, sizeof model->notes - used, "; ");
	va_start(arguments, format);
	vsnprintf(model->notes + used, sizeof model->notes - used, format, arguments);
	va_end(arguments);
}

static bool family_is(const struct plan *plan, const char *prefix)
{
	return strncmp(plan->family->model_type, prefix, strlen(prefix)) == 0;
}

/* --- types of layers ----------------------------------------------------------------------------------------- */

static void windows_plan(struct plan *plan)
{
	const struct config_reader *reader = plan->reader;
	const char *const *every = CONFIG_NAMES("sliding_window_pattern", "_sliding_window_pattern", "no_rope_layer_interval");
	int window = config_int(reader, CONFIG_NAMES("sliding_window", "sliding_window_size", "window_size", "attention_chunk_size"), -1,
		INT_MAX, plan->family->window);

	plan->window = window > 0 && config_bool(reader, "use_sliding_window", true) ? window : 0;
	plan->chunked = family_is(plan, "llama4");
	plan->window_every = plan->family->window_every;
	plan->window_from = INT_MAX;
	if (json_is_integer(config_find(reader, every, NULL)))
		plan->window_every = config_int(reader, every, 1, MODEL_LAYERS_MAX, 1);
	if (plan->window_every == 0 && plan->traits & FAMILY_WINDOWS)
		plan->window_from = 0;
	if (config_bool(reader, "use_sliding_window", false))
		plan->window_from = config_int(reader, CONFIG_NAMES("max_window_layers"), 0, INT_MAX, 0);
	plan->cache_shared_from = plan->layers - config_int(reader, CONFIG_NAMES("num_kv_shared_layers"), 0, plan->layers, 0);
}

static void experts_plan(struct plan *plan)
{
	const struct config_reader *reader = plan->reader;
	const char *const *period = CONFIG_NAMES("decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval",
		"expert_layer_period", "moe_layer_freq", "moe_every_n_layers");

	plan->experts = config_int(reader,
		CONFIG_NAMES("num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts", "ffn_config.moe_num_experts"), 0,
		EXPERTS_MAX, 0);
	if (plan->experts < 2 || !config_bool(reader, "enable_moe_block", true))
		plan->experts = 0;
	plan->dense_first = config_int(
		reader, CONFIG_NAMES("first_k_dense_replace", "moe_layer_start_index", "num_dense_layers"), 0, MODEL_LAYERS_MAX, 0);
	plan->dense_layers = config_find(reader, CONFIG_NAMES("mlp_only_layers"), NULL);
	plan->expert_layers = config_find(reader, CONFIG_NAMES("moe_layers"), NULL);
	plan->expert_period = 1;
	if (json_is_array(config_find(reader, CONFIG_NAMES("moe_layer_freq"), NULL)))
		plan->expert_flags = config_list(reader, "moe_layer_freq", plan->layers);
	else
		plan->expert_period = config_int(reader, period, 1, MODEL_LAYERS_MAX, family_is(plan, "jamba") ? 2 : 1);
	/* Jamba's period starts at an offset, DeepSeek's at 0; in all others the last layer of each period has experts. */
	plan->expert_offset = plan->expert_period - 1;
	if (config_find(reader, CONFIG_NAMES("moe_layer_freq"), NULL))
		plan->expert_offset = 0;
	plan->expert_offset = config_int(reader, CONFIG_NAMES("expert_layer_offset"), 0, MODEL_LAYERS_MAX, plan->expert_offset);
}

static bool has_experts(const struct plan *plan, int layer)
{
	if (plan->experts == 0 || layer < plan->dense_first)
		return false;
	if (json_is_array(plan->expert_layers) && json_array_size(plan->expert_layers) > 0)
		return config_list_holds(plan->expert_layers, layer);
	if (plan->expert_flags)
		return json_integer_value(json_array_get(plan->expert_flags, (size_t)layer)) != 0;
	return layer % plan->expert_period == plan->expert_offset % plan->expert_period && !config_list_holds(plan->dense_layers, layer);
}

static enum layer_type type_from_name(const struct plan *plan, const char *name)
{
	static const struct {
		const char *name;
		enum layer_type type;
	} names[] = {{"full_attention", LAYER_ATTENTION}, {"attention", LAYER_ATTENTION}, {"global_attention", LAYER_ATTENTION},
		{"global", LAYER_ATTENTION}, {"sliding_attention", LAYER_WINDOW}, {"chunked_attention", LAYER_WINDOW}, {"local", LAYER_WINDOW},
		{"linear_attention", LAYER_LINEAR}, {"mamba", LAYER_MAMBA}, {"mamba2", LAYER_MAMBA}, {"mlp", LAYER_FEED_FORWARD},
		{"moe", LAYER_EXPERTS}};

	for (size_t i = 0; name && i < COUNT_OF(names); i++)
		if (strcmp(name, names[i].name) == 0)
			return names[i].type;
	config_fault(plan->reader, "layer_types", "out_of_range",
		"a layer of type \"%.40s\" is not counted; known are full_attention, sliding_attention, chunked_attention, "
		"linear_attention, "
		"mamba, mlp and moe",
		name ? name : "");
	return LAYER_ATTENTION;
}

static enum layer_type type_from_letter(const struct plan *plan, char letter)
{
	switch (letter) {
	case 'M':
		return LAYER_MAMBA;
	case '-':
		return LAYER_FEED_FORWARD;
	case 'E':
		return LAYER_EXPERTS;
	case '*':
		return LAYER_ATTENTION;
	default:
		config_fault(plan->reader, "hybrid_override_pattern", "out_of_range",
			"the pattern holds a letter other than M (Mamba), - (feed-forward), E (experts) and * (attention)");
		return LAYER_ATTENTION;
	}
}

/* Returns the type for families with a period, an offset or a list of attention layers; negative for others. */
static int type_by_period(const struct plan *plan, int layer)
{
	const struct config_reader *reader = plan->reader;
	const json_t *attention = config_find(reader, CONFIG_NAMES("attn_layer_indices"), NULL);
	int period;

	if (family_is(plan, "mamba") || family_is(plan, "falcon_mamba"))
		return LAYER_MAMBA;
	if (family_is(plan, "bamba"))
		return config_list_holds(attention, layer) ? LAYER_ATTENTION : LAYER_MAMBA;
	if (family_is(plan, "jamba")) {
		period = config_int(reader, CONFIG_NAMES("attn_layer_period"), 1, MODEL_LAYERS_MAX, 8);
		return layer % period == config_int(reader, CONFIG_NAMES("attn_layer_offset"), 0, MODEL_LAYERS_MAX, 4) ? LAYER_ATTENTION
																											   : LAYER_MAMBA;
	}
	if (plan->traits & FAMILY_OUTPUT_GATE || config_find(reader, CONFIG_NAMES("full_attention_interval"), NULL)) {
		period = config_int(reader, CONFIG_NAMES("full_attention_interval"), 1, MODEL_LAYERS_MAX, 4);
		return (layer + 1) % period == 0 ? LAYER_ATTENTION : LAYER_LINEAR;
	}
	return -1;
}

static enum layer_type layer_type(const struct plan *plan, int layer)
{
	int type;

	if (plan->pattern)
		return type_from_letter(plan, plan->pattern[layer]);
	if (plan->types)
		return type_from_name(plan, json_string_value(json_array_get(plan->types, (size_t)layer)));
	if (plan->windows)
		return json_integer_value(json_array_get(plan->windows, (size_t)layer)) != 0 ? LAYER_WINDOW : LAYER_ATTENTION;
	if (plan->softmax)
		return json_integer_value(json_array_get(plan->softmax, (size_t)layer)) != 0 ? LAYER_ATTENTION : LAYER_LINEAR;
	type = type_by_period(plan, layer);
	if (type >= 0)
		return (enum layer_type)type;
	if (plan->window > 0 && plan->window_every > 0)
		return (layer + 1) % plan->window_every == 0 ? LAYER_ATTENTION : LAYER_WINDOW;
	return plan->window > 0 && layer >= plan->window_from ? LAYER_WINDOW : LAYER_ATTENTION;
}

/* --- feed-forward ----------------------------------------------------------------------------------------- */

static int width_read(const struct plan *plan)
{
	const struct config_reader *reader = plan->reader;
	static const char *const usual[] = {
		"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", "d_ff", "ffn_config.ffn_hidden_size", NULL};
	static const char *const llama4[] = {"intermediate_size_mlp", "intermediate_size", NULL};
	static const char *const granite[] = {"shared_intermediate_size", "intermediate_size", NULL};
	const char *const *names = family_is(plan, "llama4") ? llama4 : usual;
	double ratio = config_number(reader, "expansion_ratio", 4);
	bool four_times = plan->traits & FAMILY_UNGATED;
	int width;

	if (plan->experts == 0 && family_is(plan, "granitemoehybrid"))
		names = granite;
	if (!(ratio >= 0.01 && ratio <= 1000)) {
		config_fault(reader, "expansion_ratio", "out_of_range", "expansion_ratio must be from 0.01 to 1000");
		return 0;
	}
	width = config_int(reader, names, 1, 1 << 24, four_times ? (int)(ratio * plan->hidden) : CONFIG_REQUIRED);
	return strcmp(plan->family->model_type, "qwen") == 0 ? width / 2 : width; /* the first Qwen gives the sum of gate and up */
}

static void dense_read(const struct plan *plan, struct layer_kind *kind)
{
	bool wide = kind->shares_cache && config_bool(plan->reader, "use_double_wide_mlp", false);
	bool bias = plan->traits & FAMILY_MLP_BIAS;

	bias = config_bool(plan->reader, "mlp_bias", bias);
	kind->feed_forward = FEED_FORWARD_DENSE;
	kind->width = width_read(plan) * (wide ? 2 : 1);
	kind->gated = !(plan->traits & FAMILY_UNGATED);
	if (bias)
		kind->extra_params += (kind->gated ? 2.0 : 1.0) * kind->width + plan->hidden;
}

static int shared_width_read(const struct plan *plan, const struct layer_kind *kind)
{
	const struct config_reader *reader = plan->reader;
	int shared = config_int(
		reader, CONFIG_NAMES("n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert"), 0, 1024, 0);

	if (family_is(plan, "llama4"))
		return kind->expert_width;
	if (family_is(plan, "gemma4"))
		return width_read(plan);
	if (family_is(plan, "arctic"))
		return plan->hidden;
	return config_int(reader,
		CONFIG_NAMES("shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", "shared_intermediate_size"), 0, 1 << 24,
		kind->expert_width > 0 ? shared * kind->expert_width : 0);
}

static void experts_extra_params(const struct plan *plan, struct layer_kind *kind)
{
	if (plan->traits & FAMILY_SHARED_GATE && kind->shared_width > 0)
		kind->extra_params += plan->hidden;
	if (plan->traits & (FAMILY_SELECTION_BIAS | FAMILY_EXPERT_BIAS))
		kind->extra_params += kind->experts;
	if (plan->traits & FAMILY_EXPERT_BIAS)
		kind->expert_extra_params = (kind->gated ? 2.0 : 1.0) * kind->expert_width + plan->hidden;
	if (family_is(plan, "gemma4")) /* three norms for the two branches, the router's scale, and one scale for each expert */
		kind->extra_params += 4.0 * plan->hidden + kind->experts;
}

static void experts_read(const struct plan *plan, struct layer_kind *kind)
{
	const struct config_reader *reader = plan->reader;

	kind->feed_forward = FEED_FORWARD_EXPERTS;
	kind->gated = !(plan->traits & FAMILY_UNGATED);
	kind->experts = plan->experts;
	kind->experts_active = config_int(reader,
		CONFIG_NAMES(
			"num_experts_per_tok", "top_k_experts", "moe_top_k", "moe_k", "num_experts_per_token", "ffn_config.moe_top_k", "moe_topk"),
		1, EXPERTS_MAX, CONFIG_REQUIRED);
	kind->expert_width = config_int(reader,
		CONFIG_NAMES("moe_intermediate_size", "expert_ffn_hidden_size", "expert_intermediate_size", "intermediate_size",
			"ffn_config.ffn_hidden_size"),
		1, WIDTH_MAX, CONFIG_REQUIRED);
	kind->expert_hidden = config_int(reader, CONFIG_NAMES("moe_latent_size"), 0, WIDTH_MAX, 0);
	kind->shared_width = shared_width_read(plan, kind);
	if (kind->experts_active > kind->experts)
		config_fault(reader, "num_experts_per_tok", "out_of_range", "%d experts for each token, but the model has only %d",
			kind->experts_active, kind->experts);
	experts_extra_params(plan, kind);
}

/* --- one layer -------------------------------------------------------------------------------------------- */

static void mixer_read(const struct plan *plan, enum layer_type type, int layer, struct layer_kind *kind)
{
	switch (type) {
	case LAYER_ATTENTION:
	case LAYER_WINDOW:
		mixer_attention_read(
			plan->reader, plan->family, plan->traits, plan->hidden, type == LAYER_WINDOW ? REACH_WINDOW : REACH_GLOBAL, kind);
		kind->window = type == LAYER_WINDOW ? plan->window : 0;
		kind->chunked = type == LAYER_WINDOW && plan->chunked;
		kind->shares_cache = layer >= plan->cache_shared_from;
		break;
	case LAYER_LINEAR:
		mixer_linear_read(plan->reader, plan->family, plan->hidden, kind);
		break;
	case LAYER_MAMBA:
		mixer_mamba_read(plan->reader, plan->family, plan->hidden, kind);
		break;
	case LAYER_FEED_FORWARD:
	case LAYER_EXPERTS:
		break;
	}
}

static void layer_read(const struct plan *plan, int layer, struct layer_kind *kind)
{
	enum layer_type type = layer_type(plan, layer);
	bool alone = plan->pattern || family_is(plan, "nemotron_h") || family_is(plan, "mamba") || family_is(plan, "falcon_mamba");

	mixer_read(plan, type, layer, kind);
	if (type == LAYER_EXPERTS || (!alone && has_experts(plan, layer)))
		experts_read(plan, kind);
	else if (type == LAYER_FEED_FORWARD || !alone)
		dense_read(plan, kind);
	kind->norms = alone || plan->traits & FAMILY_ONE_NORM ? 1 : plan->traits & FAMILY_FOUR_NORMS ? 4 : 2;
	if (plan->traits & FAMILY_NO_NORM_WEIGHT)
		kind->norms = 0;
}

/* Returns the index of an equal kind, adding it if it is new; -1 when there are too many. Kinds are zeroed as a whole
 * before their members are set, so their bytes can be compared; different padding would only store an equal kind
 * twice. */
static int kind_index(struct model *model, const struct layer_kind *kind)
{
	for (int i = 0; i < model->kind_count; i++)
		if (memcmp(&model->kinds[i], kind, sizeof *kind) == 0) /* NOLINT(bugprone-suspicious-memory-comparison) */
			return i;
	if (model->kind_count == MODEL_LAYER_KINDS_MAX)
		return -1;
	memcpy(&model->kinds[model->kind_count], kind, sizeof *kind);
	return model->kind_count++;
}

static int layer_count_read(const struct config_reader *reader, const char *pattern)
{
	int otherwise = pattern && pattern[0] ? (int)strnlen(pattern, MODEL_LAYERS_MAX) : CONFIG_REQUIRED;

	return config_int(reader, CONFIG_NAMES("num_hidden_layers", "n_layer", "n_layers", "num_layers"), 1, MODEL_LAYERS_MAX, otherwise);
}

static void plan_make(struct plan *plan)
{
	const struct config_reader *reader = plan->reader;
	const char *types = config_find(reader, CONFIG_NAMES("layers_block_type"), NULL) ? "layers_block_type" : "layer_types";

	plan->types = config_list(reader, types, plan->layers);
	if (plan->pattern && strlen(plan->pattern) != (size_t)plan->layers)
		config_fault(reader, "hybrid_override_pattern", "out_of_range", "the pattern has %zu letters for %d layers", strlen(plan->pattern),
			plan->layers);
	plan->softmax = config_list(reader, "attn_type_list", plan->layers);
	plan->windows = config_list(reader, "hybrid_layer_pattern", plan->layers);
	windows_plan(plan);
	experts_plan(plan);
}

void model_layers_read(const struct config_reader *reader, const struct model_family *family, unsigned traits, struct model *model)
{
	struct plan plan = {.reader = reader, .family = family, .traits = traits, .hidden = model->hidden};
	size_t before;

	plan.pattern = config_text(reader, "hybrid_override_pattern", NULL);
	plan.layers = layer_count_read(reader, plan.pattern);
	if (plan.layers < 1)
		return;
	before = reader->failure->fault_total;
	plan_make(&plan);
	for (int i = 0; i < plan.layers && reader->failure->fault_total == before; i++) {
		struct layer_kind kind;
		int index;

		memset(&kind, 0, sizeof kind);
		layer_read(&plan, i, &kind);
		index = kind_index(model, &kind);
		if (index < 0) {
			config_fault(reader, "layer_types", "out_of_range", "more than %d different kinds of layer", MODEL_LAYER_KINDS_MAX);
			return;
		}
		model->layers[i] = (uint8_t)index;
		model->layer_count = i + 1;
	}
	if (plan.window > 0 && plan.window_every == 0 && plan.window_from == INT_MAX && !plan.types && !plan.windows)
		model_note(model, "sliding_window is not applied: neither the configuration nor its family names its layers");
}
